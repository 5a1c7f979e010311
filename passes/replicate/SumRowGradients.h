// Gradients that are zero but for few rows: their sums and updates are made of numbers and rows.
#ifndef GRAPHC_PASSES_REPLICATE_SUMROWGRADIENTS_H
#define GRAPHC_PASSES_REPLICATE_SUMROWGRADIENTS_H

#include "passes/place/DistributionSpec.h"

namespace graphc {

/// Every replica's value on `device`, end to end: that which is there already, or a new one at the
/// builder's place, whose channel has this name.
mlir::Value collectOn(mlir::OpBuilder &builder, graph::DeviceAttr device, mlir::Value value,
                      llvm::StringRef name, int64_t replicas);
/// A value of one replica, of all of them.
mlir::RankedTensorType typeOfAll(mlir::Value value, int64_t replicas);

/// Behind everything else of `replicate`: where a variable's update takes a sum of such gradients
/// (RowGradientOpInterface), numbers and rows go to the variable's device, and the sum is made
/// there, by the same tree. An update that leaves alone what has a gradient of zero
/// (RowUpdateOpInterface) is one of rows. Where numbers and rows are more bytes than the variable,
/// nothing changes.
void sumByRows(graph::FuncOp func, const DistributionSpec &distribution);

} // namespace graphc

#endif // GRAPHC_PASSES_REPLICATE_SUMROWGRADIENTS_H
