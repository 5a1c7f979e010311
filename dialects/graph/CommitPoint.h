// The commit point of a step: before it all sums and whatever else is waited for, behind it all
// writes of variables (runtime/common/plan/VerifyCommit.h).
#ifndef GRAPHC_DIALECTS_GRAPH_COMMITPOINT_H
#define GRAPHC_DIALECTS_GRAPH_COMMITPOINT_H

#include "dialects/graph/GraphDialect.h"

namespace graphc {

/// Whether the module's steps of training have one ("recovery": "memory").
inline bool recoversFromMemory(mlir::ModuleOp module) {
  auto distribution =
      module->getAttrOfType<graph::DistributionAttr>(graph::GraphDialect::kDistribution);
  return distribution && distribution.getRecoversFromMemory();
}

} // namespace graphc

#endif
