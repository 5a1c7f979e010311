// Which parameter server task stores which variable. Plain data in, plain data out.
#ifndef GRAPHC_PASSES_PLACE_VARIABLEPLACEMENT_H
#define GRAPHC_PASSES_PLACE_VARIABLEPLACEMENT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>

namespace graphc {

enum class VariablePolicy {
  RoundRobin, ///< declaration order, one task after the other: TensorFlow's replica_device_setter
  Balanced,   ///< largest first, each to the task with the fewest bytes so far
};

/// The task, in [0, tasks), of each group of variables; a group is a variable with its optimizer slots. `bytes` has one
/// entry a group in declaration order, `loads` the bytes that each task stores already.
llvm::SmallVector<unsigned> placeVariables(VariablePolicy policy, llvm::ArrayRef<int64_t> bytes,
                                           llvm::SmallVector<int64_t> loads);

} // namespace graphc

#endif // GRAPHC_PASSES_PLACE_VARIABLEPLACEMENT_H
