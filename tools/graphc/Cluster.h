//===- Cluster.h - what a module knows about machines --------------------------------------------------*- C++ -*-===//
#ifndef GRAPHC_TOOLS_GRAPHC_CLUSTER_H
#define GRAPHC_TOOLS_GRAPHC_CLUSTER_H

#include "runtime/cluster/ClusterConfig.h"
#include "tools/graphc/Options.h"

namespace graphc {

/// The cluster of --partition, or one task; nothing where the file is wrong, having said so on `errors`.
std::optional<cluster::ClusterConfig> readCluster(const Options &options, llvm::raw_ostream &errors);

/// Gives the module graph.cluster, graph.strategy and what belongs to them: from `config`, which readCluster has read, and
/// --strategy; without either flag, for programs made by hand, what their devices show. A module that has been placed keeps
/// its own. Returns the cluster with the strategy that is used, or nothing where that is wrong, having said so on `errors`.
std::optional<cluster::ClusterConfig> attachCluster(mlir::ModuleOp module, Stage stage, const Options &options,
                                                    cluster::ClusterConfig config, llvm::raw_ostream &errors);

} // namespace graphc

#endif
