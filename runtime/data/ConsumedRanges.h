//===- ConsumedRanges.h - which samples of a stream were taken ----------------------*- C++ -*-===//
//
// Replicas that share each step take samples in a row: how many were taken says which. Workers that
// do not wait for each other (asynchronous updates) get on at speeds of their own; where a phase
// pauses, some have taken samples that lie ahead of what others have left. What lies ahead is kept
// here, as ranges. Behind the pause all go on with those samples, in order, of which none was
// taken: the one that is taken as number n of the stream lies at place(n). Behind the last range
// both are the same, and nothing has to be kept.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_DATA_CONSUMEDRANGES_H
#define GRAPHC_RUNTIME_DATA_CONSUMEDRANGES_H

#include "runtime/data/SampleStreams.h"

#include "absl/status/status.h"

#include <cstdint>
#include <span>
#include <vector>

namespace graphc::data {

class ConsumedRanges {
public:
  /// Ranges that are kept; more of them are forgotten, as if each replica had taken as much. 24
  /// bytes each, in each source of batches.
  static constexpr size_t kMostRanges = size_t{1} << 17;

  /// `position`: how many samples were taken. `ahead`: begin, end, begin, end, … of what was taken
  /// behind the first sample that was not; check() has found it good.
  explicit ConsumedRanges(uint64_t position = 0, std::span<const uint64_t> ahead = {});
  /// In order, apart from each other and from what lies before, and no more samples than
  /// `position`.
  static absl::Status check(uint64_t position, std::span<const uint64_t> ahead);

  uint64_t position() const { return position_; }
  /// As the constructor takes it.
  std::vector<uint64_t> ahead() const;
  bool isEven() const { return ranges_.empty(); }
  /// Where the sample lies that is taken as that number of the stream, counted from 0; `number` is
  /// at least position().
  uint64_t place(uint64_t number) const;

  /// All replicas together have taken so many steps.
  void advance(const StreamWalk &walk, uint64_t steps);
  /// Replica r of N has taken `steps[r]` steps, each of `share` samples: those behind r shares of
  /// each row of N shares, as BatchSource has them. `walk`: over rows. False: that were more ranges
  /// than are kept.
  bool advance(const StreamWalk &rows, uint64_t share, std::span<const uint64_t> steps);

private:
  struct Range {
    uint64_t begin, end; ///< places
    uint64_t behind; ///< samples of this range and those behind it
    uint64_t number() const { return begin + behind; } ///< of the first sample behind it
  };
  void addPlaces(uint64_t number, uint64_t end, std::vector<Range> &to) const;
  void set(uint64_t first, std::vector<Range> ranges);

  uint64_t position_;
  std::vector<Range> ranges_;
};

} // namespace graphc::data
#endif
