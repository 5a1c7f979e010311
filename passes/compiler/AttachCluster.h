//===- AttachCluster.h - what a module knows about machines -------------------------*- C++ -*-===//
#ifndef GRAPHC_PASSES_COMPILER_ATTACHCLUSTER_H
#define GRAPHC_PASSES_COMPILER_ATTACHCLUSTER_H

#include "passes/compiler/Diagnostic.h"
#include "runtime/common/cluster/ClusterConfig.h"

#include "mlir/IR/BuiltinOps.h"

namespace graphc {

/// Whether this version compiles for all that a cluster has: no request is dropped silently.
bool isSupported(const cluster::ClusterConfig &config, const DiagnosticSink &sink);

/// Gives the module graph.cluster, graph.strategy and what belongs to them. Fails after having said
/// what it cannot. Why the settings of the strategy do not go together; empty: they do.
std::string findMisfitOf(const cluster::ClusterConfig &config);

mlir::LogicalResult attachCluster(mlir::ModuleOp module, const cluster::ClusterConfig &config,
                                  bool softPlacement, const DiagnosticSink &sink);

/// The same for programs made by hand, from what their devices show; a cluster that the module has
/// stays.
mlir::LogicalResult attachFromPrograms(mlir::ModuleOp module);

} // namespace graphc

#endif
