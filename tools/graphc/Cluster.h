//===- Cluster.h - what a module knows about machines --------------------------------------------------*- C++ -*-===//
#ifndef GRAPHC_TOOLS_GRAPHC_CLUSTER_H
#define GRAPHC_TOOLS_GRAPHC_CLUSTER_H

#include "runtime/cluster/ClusterConfig.h"
#include "tools/graphc/Options.h"

namespace graphc {

/// Gives the module graph.cluster, graph.strategy and what belongs to them: from --partition and --strategy; without
/// them one task; for programs made by hand, what their devices show. A module that has been placed keeps its own.
/// Returns what the files and flags say (where they say nothing, one task), or nothing where they are wrong, having said so
/// on `errors`.
std::optional<cluster::ClusterConfig> attachCluster(mlir::ModuleOp module, Stage stage, const Options &options,
                                                    llvm::raw_ostream &errors);

} // namespace graphc

#endif
