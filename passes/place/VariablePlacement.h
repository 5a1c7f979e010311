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

/// The task, in [0, tasks), of each group of variables; a group is a variable with its optimizer
/// slots. `bytes` has one entry a group in declaration order, `loads` the bytes that each task
/// stores already. Balanced: groups of one `splitVariables` entry, where there are such entries and
/// it is not negative, are parts of one variable; each task has one of them before any has two.
llvm::SmallVector<unsigned> placeVariables(VariablePolicy policy, llvm::ArrayRef<int64_t> bytes,
                                           llvm::SmallVector<int64_t> loads,
                                           llvm::ArrayRef<int> splitVariables = {});

/// No part of a split variable is smaller unless cluster.json says so: TensorFlow's
/// MinSizePartitioner has the same.
inline constexpr int64_t kMinShardBytes = 256 << 10;

/// The rows of each part of a variable, in order; one entry: it stays whole. As many parts as
/// `maxShards`, the rows and `minShardBytes` allow; blocks of equal length, that begin at multiples
/// of 64 bytes where there are enough rows, the longer ones first.
llvm::SmallVector<int64_t> splitRows(int64_t rows, int64_t rowBytes, int64_t minShardBytes,
                                     int64_t maxShards);

/// One task stores much more than need be.
struct LoadImbalance {
  unsigned task; ///< the fullest
  int64_t bytes; ///< that it stores
  int64_t all; ///< bytes of all tasks
  int64_t balanced; ///< what the fullest would store with VariablePolicy::Balanced
  int64_t split; ///< and where large variables are split besides
};

/// Below this many bytes on the fullest task nobody gains by another placement.
inline constexpr int64_t kWorthARemark = 1 << 20;

/// Whether VariablePolicy::Balanced, alone or with large variables split, would take at least a
/// fifth, and kWorthARemark, off the fullest task. `rows`: of each group along dimension 0; 1 for
/// what cannot be split.
std::optional<LoadImbalance> findImbalance(llvm::ArrayRef<unsigned> tasks,
                                           llvm::ArrayRef<int64_t> bytes,
                                           llvm::ArrayRef<int64_t> rows,
                                           const llvm::SmallVector<int64_t> &loads);

} // namespace graphc

#endif // GRAPHC_PASSES_PLACE_VARIABLEPLACEMENT_H
