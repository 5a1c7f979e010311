// Which parameter server task stores which variable. Plain data in, plain data out.
#ifndef GRAPHC_PASSES_PLACE_VARIABLEPLACEMENT_H
#define GRAPHC_PASSES_PLACE_VARIABLEPLACEMENT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <optional>

namespace graphc {

enum class VariablePolicy {
  RoundRobin, ///< declaration order, one task after the other: TensorFlow's replica_device_setter
  Balanced,   ///< largest first, each to the task with the fewest bytes so far
};

/// The task, in [0, tasks), of each group of variables; a group is a variable with its optimizer slots. `bytes` has one
/// entry a group in declaration order, `loads` the bytes that each task stores already.
llvm::SmallVector<unsigned> placeVariables(VariablePolicy policy, llvm::ArrayRef<int64_t> bytes,
                                           llvm::SmallVector<int64_t> loads);

/// One task stores much more than need be.
struct Imbalance {
  unsigned task; ///< the fullest
  int64_t bytes; ///< that it stores
  int64_t all; ///< bytes of all tasks
  int64_t balanced; ///< what the fullest would store with VariablePolicy::Balanced
};

/// Below this many bytes on the fullest task nobody gains by another placement.
inline constexpr int64_t kWorthARemark = 1 << 20;

/// Whether VariablePolicy::Balanced would take at least a fifth, and kWorthARemark, off the fullest task.
std::optional<Imbalance> findImbalance(llvm::ArrayRef<unsigned> tasks, llvm::ArrayRef<int64_t> bytes,
                                       const llvm::SmallVector<int64_t> &loads);

} // namespace graphc

#endif // GRAPHC_PASSES_PLACE_VARIABLEPLACEMENT_H
