// What users are told of placement.
#ifndef GRAPHC_PASSES_PLACE_PLACEMENTLOG_H
#define GRAPHC_PASSES_PLACE_PLACEMENTLOG_H

#include "dialects/graph/GraphDialect.h"

#include "llvm/Support/raw_ostream.h"

namespace graphc {

/// --log_device_placement: one line a variable and operation of a placed module, in TensorFlow's
/// format:
///   w1: (variable): /job:ps/replica:0/task:0/device:CPU:0
/// An operation is named by its function, kind and place among its like: train_step/matmul_1. What
/// every replica does on its own task has task:*.
void logPlacement(mlir::ModuleOp module, llvm::raw_ostream &os);

} // namespace graphc

#endif // GRAPHC_PASSES_PLACE_PLACEMENTLOG_H
