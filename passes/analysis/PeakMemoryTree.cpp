#include "passes/analysis/PeakMemoryTree.h"

#include <algorithm>
#include <limits>

namespace graphc {

PeakTree::PeakTree(const std::vector<uint64_t> &start) {
  while (size_ < start.size())
    size_ *= 2;
  largest_.assign(2 * size_t(size_), 0);
  added_.assign(2 * size_t(size_), 0);
  std::copy(start.begin(), start.end(), largest_.begin() + size_);
  for (size_t node = size_; node-- > 1;)
    largest_[node] = std::max(largest_[2 * node], largest_[2 * node + 1]);
}

void PeakTree::add(size_t node, uint32_t low, uint32_t high, uint32_t first, uint32_t last,
                   int64_t bytes) {
  if (first > high || last < low)
    return;
  if (first <= low && high <= last) {
    largest_[node] += bytes;
    added_[node] += bytes;
    return;
  }
  const uint32_t middle = low + (high - low) / 2;
  add(2 * node, low, middle, first, last, bytes);
  add(2 * node + 1, middle + 1, high, first, last, bytes);
  largest_[node] = std::max(largest_[2 * node], largest_[2 * node + 1]) + added_[node];
}

int64_t PeakTree::most(size_t node, uint32_t low, uint32_t high, uint32_t first,
                       uint32_t last) const {
  if (first > high || last < low)
    return std::numeric_limits<int64_t>::min() / 2; // room for what is added on the way up
  if (first <= low && high <= last)
    return largest_[node];
  const uint32_t middle = low + (high - low) / 2;
  return std::max(most(2 * node, low, middle, first, last),
                  most(2 * node + 1, middle + 1, high, first, last)) +
         added_[node];
}

} // namespace graphc
