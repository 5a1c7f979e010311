//===- RematerializationChoice.h - which values are rematerialized instead of kept --*- C++ -*-===//
//
// A value that the forward pass makes and the backward pass reads keeps its memory in between.
// Where a device has less, values that are cheap to compute are rematerialized: computed again in
// front of their late users. Which ones is decided on an estimate: operations in the order of the
// text, each value in memory from the operation that makes it until the last that reads it.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_PASSES_ANALYSIS_REMATERIALIZATIONCHOICE_H
#define GRAPHC_PASSES_ANALYSIS_REMATERIALIZATIONCHOICE_H

#include "passes/analysis/TimeModel.h"

#include <cstdint>
#include <limits>
#include <vector>

namespace graphc {

/// A value as the choice sees it. Operations stand at positions 0, 1, …
struct BlockValue {
  /// of memory; 0: inlined where it is used, or (not `repeatable`) memory that is there anyhow
  uint64_t bytes = 0;
  uint32_t made = 0; ///< the position of its operation
  std::vector<uint32_t> used = {}; ///< those of its users, ascending
  bool repeatable = false; ///< its operation may be rematerialized
  uint64_t flops = 0; ///< of that
  std::vector<uint32_t> from = {}; ///< which values the operation reads
  /// the position from which on it is no longer what it was
  uint32_t until = std::numeric_limits<uint32_t>::max();
};

/// One that is not kept from its last early user to its first late one.
struct RematerializedValue {
  uint32_t value;
  uint32_t lastEarly, firstLate; ///< positions
  std::vector<uint32_t> again; ///< what is rematerialized for it, operands first, itself last
  double seconds; ///< by estimate, each time
};

struct RematerializationChoice {
  std::vector<RematerializedValue> chosen;
  uint64_t peakBefore = 0, peak = 0; ///< bytes at the fullest position
  bool isEnough = true; ///< `peak` is what was asked for, or less
};

/// Bytes at the fullest position. `others`: bytes at each position besides those of the values; as
/// many as there are positions.
uint64_t peakOf(const std::vector<BlockValue> &values, const std::vector<uint64_t> &others);

/// Chooses values by the largest product of bytes and time for what it costs until no position has
/// more than `target` bytes, or nothing is left that helps. At most 16 operations are
/// rematerialized for one value, so that the work is linear but for a logarithm.
RematerializationChoice chooseRematerialization(const std::vector<BlockValue> &values,
                                                const std::vector<uint64_t> &others,
                                                uint64_t target, const TimeModel &time,
                                                TimeModel::Engine engine);

} // namespace graphc

#endif
