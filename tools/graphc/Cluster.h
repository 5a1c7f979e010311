//===- Cluster.h - what a module knows about machines --------------------------------------------------*- C++ -*-===//
#ifndef GRAPHC_TOOLS_GRAPHC_CLUSTER_H
#define GRAPHC_TOOLS_GRAPHC_CLUSTER_H

#include "tools/graphc/Options.h"

namespace graphc {

/// Gives the module graph.cluster, graph.strategy and what belongs to them: from --partition and --strategy; without
/// them one task; for programs made by hand, what their devices show. A module that has been placed keeps its own.
/// False where the files or flags are wrong, having said so on stderr.
bool attachCluster(mlir::ModuleOp module, Stage stage, const Options &options);

} // namespace graphc

#endif
