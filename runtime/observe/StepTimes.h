//===- StepTimes.h - durations of steps in fixed memory -----------------------------*- C++ -*-===//
//
// A histogram with 64 buckets an octave (a bucket is at most 1.6 % wide), so that a run of any
// length needs no allocation on the step path and still knows its median and 99th percentile.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_OBSERVE_STEPTIMES_H
#define GRAPHC_RUNTIME_OBSERVE_STEPTIMES_H

#include <array>
#include <cstdint>

namespace graphc::observe {

class StepTimes {
public:
  void add(uint64_t nanoseconds);
  void merge(const StepTimes &other);
  uint64_t count() const { return count_; }
  /// Milliseconds; 0 where nothing was added.
  double minimumMs() const { return count_ ? static_cast<double>(minimum_) * 1e-6 : 0; }
  /// `fraction` in [0, 1]: 0.5 is the median. The middle of the bucket, never below the minimum.
  double quantileMs(double fraction) const;

private:
  static constexpr int kSubBits = 6, kOctaves = 44; ///< up to 2^50 ns, 13 days
  static int bucketOf(uint64_t nanoseconds);
  static double middleOf(int bucket);

  std::array<uint64_t, (kOctaves + 1) << kSubBits> counts_{};
  uint64_t count_ = 0, minimum_ = UINT64_MAX;
};

} // namespace graphc::observe
#endif
