//===- PeakMemoryTree.h - the largest of many sums, of which whole ranges change ----*- C++ -*-===//
//
// Bytes that are alive at each position of a program: a value adds its own from its first position
// to its last.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_PASSES_ANALYSIS_PEAKMEMORYTREE_H
#define GRAPHC_PASSES_ANALYSIS_PEAKMEMORYTREE_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace graphc {

/// Each call takes time logarithmic in the number of positions.
class PeakTree {
public:
  explicit PeakTree(const std::vector<uint64_t> &start);

  /// Adds to each position from `first` to `last`, both included.
  void add(uint32_t first, uint32_t last, int64_t bytes) {
    add(1, 0, size_ - 1, first, last, bytes);
  }
  /// The largest of those from `first` to `last`, both included; 0 where there are none.
  int64_t most(uint32_t first, uint32_t last) const {
    return first > last ? 0 : most(1, 0, size_ - 1, first, last);
  }
  int64_t most() const { return largest_[1]; }

private:
  void add(size_t node, uint32_t low, uint32_t high, uint32_t first, uint32_t last, int64_t bytes);
  int64_t most(size_t node, uint32_t low, uint32_t high, uint32_t first, uint32_t last) const;

  uint32_t size_ = 1; ///< a power of two
  std::vector<int64_t> largest_; ///< of a node's positions, what nodes above it have got left out
  std::vector<int64_t> added_; ///< to all positions of a node
};

} // namespace graphc

#endif
