//===- SeededPermutation.h - a seeded permutation of 0 … n-1, computed element by element -----===//
//
// A six-round Feistel network over the smallest power of two that holds n, walked until the result
// is below n (fewer than two rounds of walking on average). It needs no table, so any position of
// the stream can be resumed at once, every replica can compute its own part alone, and a data set's
// size costs no memory. The keys come from Philox by (seed, epoch).
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_DATA_SEEDEDPERMUTATION_H
#define GRAPHC_RUNTIME_DATA_SEEDEDPERMUTATION_H

#include "runtime/common/base/PhiloxRandom.h"

#include <bit>
#include <cstdint>

namespace graphc::data {

class SeededPermutation {
public:
  static constexpr int rounds = 6; // even, so that the halves return to their widths

  /// n >= 1.
  SeededPermutation(uint64_t n, uint64_t seed, uint64_t epoch) : n_(n) {
    int bits = n > 1 ? std::bit_width(n - 1) : 0;
    lowBits_ = bits / 2;
    highBits_ = bits - lowBits_;
    base::PhiloxGenerator philox(seed, epoch);
    for (int i = 0; i < rounds; ++i) {
      base::PhiloxBlock block = philox.block(uint64_t(i));
      keys_[i] = uint64_t(block[1]) << 32 | block[0];
    }
  }

  /// Where stream position `i` < n of this epoch points to.
  uint64_t operator()(uint64_t i) const {
    do
      i = scramble(i);
    while (i >= n_);
    return i;
  }

private:
  uint64_t scramble(uint64_t x) const {
    uint64_t left = x >> lowBits_, right = x & ((uint64_t(1) << lowBits_) - 1);
    int leftBits = highBits_, rightBits = lowBits_;
    for (int i = 0; i < rounds; ++i) {
      uint64_t next = left ^ (mix(right ^ keys_[i]) & ((uint64_t(1) << leftBits) - 1));
      left = right;
      right = next;
      std::swap(leftBits, rightBits);
    }
    return left << rightBits | right;
  }
  /// Finalizer of SplitMix64.
  static uint64_t mix(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

  uint64_t n_;
  int lowBits_, highBits_;
  uint64_t keys_[rounds];
};

} // namespace graphc::data
#endif
