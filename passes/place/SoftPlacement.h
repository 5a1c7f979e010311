// What a request for a device comes to where it cannot be: an error, or under --soft_placement
// another device of the task.
#ifndef GRAPHC_PASSES_PLACE_SOFTPLACEMENT_H
#define GRAPHC_PASSES_PLACE_SOFTPLACEMENT_H

#include "passes/place/DistributionSpec.h"

namespace graphc {

class SoftPlacement {
public:
  SoftPlacement(mlir::ModuleOp module, const DistributionSpec &dist, const DeviceSet &devices);

  /// As TensorFlow's: a request that no device of the cluster is means its task, of which any
  /// device will do; so does one that puts a variable where it cannot be. Said once a request. All
  /// others, and all without soft placement, stay as they are. `stored`: where the variable is that
  /// `op` touches, if that is known.
  graph::DeviceAttr soften(mlir::Operation *op, graph::DeviceAttr request,
                           graph::DeviceAttr stored = {});

  /// Refuses variables where their updates cannot be.
  mlir::LogicalResult checkVariables();

private:
  bool excludesVariables(graph::DeviceAttr device) const;

  mlir::ModuleOp module_;
  const DistributionSpec &dist_;
  const DeviceSet &devices_;
  const bool isSoft_;
  llvm::DenseSet<graph::DeviceAttr> said_;
};

} // namespace graphc

#endif // GRAPHC_PASSES_PLACE_SOFTPLACEMENT_H
