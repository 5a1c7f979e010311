#include "runtime/observe/StepTimes.h"

#include <algorithm>
#include <bit>

namespace graphc::observe {

// Below 64 ns each value has its bucket; above, the six bits behind the leading one choose it.
int StepTimes::bucketOf(uint64_t nanoseconds) {
  if (nanoseconds < (1u << kSubBits))
    return static_cast<int>(nanoseconds);
  int shift = 63 - std::countl_zero(nanoseconds) - kSubBits;
  int bucket =
      ((shift + 1) << kSubBits) + static_cast<int>((nanoseconds >> shift) - (1u << kSubBits));
  return std::min(bucket, ((kOctaves + 1) << kSubBits) - 1);
}

double StepTimes::middleOf(int bucket) {
  int octave = bucket >> kSubBits, sub = bucket & ((1 << kSubBits) - 1);
  if (octave == 0)
    return sub;
  double width = static_cast<double>(uint64_t{1} << (octave - 1));
  return (static_cast<double>((1 << kSubBits) + sub) + 0.5) * width;
}

void StepTimes::add(uint64_t nanoseconds) {
  ++counts_[static_cast<size_t>(bucketOf(nanoseconds))];
  ++count_;
  minimum_ = std::min(minimum_, nanoseconds);
}

void StepTimes::merge(const StepTimes &other) {
  for (size_t i = 0; i < counts_.size(); ++i)
    counts_[i] += other.counts_[i];
  count_ += other.count_;
  minimum_ = std::min(minimum_, other.minimum_);
}

double StepTimes::quantileMs(double fraction) const {
  if (count_ == 0)
    return 0;
  auto rank = static_cast<uint64_t>(fraction * static_cast<double>(count_ - 1));
  uint64_t seen = 0;
  for (size_t i = 0; i < counts_.size(); ++i) {
    seen += counts_[i];
    if (seen > rank)
      return std::max(middleOf(static_cast<int>(i)) * 1e-6, minimumMs());
  }
  return minimumMs();
}

} // namespace graphc::observe
