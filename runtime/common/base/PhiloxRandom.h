//===- PhiloxRandom.h - Philox 4x32-10, a counter-based generator -------------------*- C++ -*-===//
//
// Random numbers of this project are functions of (seed, stream, index), never of who asks or when:
// a variable is initialised alike on every owner, a sample drawn alike by every replica, a dropout
// drops alike wherever it is computed. (Salmon et al., SC'11; the constants and the known answers
// of Random123.)
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_COMMON_BASE_PHILOXRANDOM_H
#define GRAPHC_RUNTIME_COMMON_BASE_PHILOXRANDOM_H

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

namespace graphc::base {

using PhiloxBlock = std::array<uint32_t, 4>;

/// The ten rounds, on words of this process or on values of a compiled kernel
/// (dialects/graph/ops/RandomOps.cpp), so that there is one code of them. `multiply` gives the
/// upper and the lower word of a product. The key is of words or of numbers, and modulo 2^32 either
/// way.
template <typename Word, typename Key, typename Multiply>
std::array<Word, 4> philoxRounds(std::array<Word, 4> counter, std::array<Key, 2> key,
                                 Multiply multiply) {
  for (int round = 0; round < 10; ++round) {
    auto [high0, low0] = multiply(0xD2511F53u, counter[0]);
    auto [high1, low1] = multiply(0xCD9E8D57u, counter[2]);
    counter = {high1 ^ counter[1] ^ key[0], low1, high0 ^ counter[3] ^ key[1], low0};
    key[0] += 0x9E3779B9u;
    key[1] += 0xBB67AE85u;
  }
  return counter;
}

inline PhiloxBlock philox4x32(PhiloxBlock counter, std::array<uint32_t, 2> key) {
  return philoxRounds(counter, key, [](uint32_t a, uint32_t b) {
    const uint64_t product = uint64_t(a) * b;
    return std::pair(uint32_t(product >> 32), uint32_t(product));
  });
}

/// 64-bit hash of a name for use as a stream; FNV-1a then a finalizer. Fixed for good: initial
/// values depend on it.
uint64_t streamOf(std::string_view name);

/// The generator of one (seed, stream): block(i) is the i-th group of four words.
class PhiloxGenerator {
public:
  PhiloxGenerator(uint64_t seed, uint64_t stream)
      : key_{uint32_t(seed), uint32_t(seed >> 32)}, stream_(stream) {}
  PhiloxBlock block(uint64_t index) const {
    return philox4x32(
        {uint32_t(index), uint32_t(index >> 32), uint32_t(stream_), uint32_t(stream_ >> 32)}, key_);
  }
  /// The i-th 32-bit word. Neighbours share a block; take block() in loops.
  uint32_t word(uint64_t index) const { return block(index / 4)[index % 4]; }

private:
  std::array<uint32_t, 2> key_;
  uint64_t stream_;
};

/// The key of a model's draws: of the one with this number among those with this seed. The
/// generator of a micro-batch's is Philox(key, micro-batch).
inline uint64_t keyOfDraw(uint64_t seed, uint64_t draw) {
  const PhiloxBlock block = PhiloxGenerator(seed, 0x64726177 /* "draw" */).block(draw);
  return uint64_t(block[1]) << 32 | block[0];
}

/// [0, 1) with 24 bits: every value is exact in f32.
inline float uniformFloat(uint32_t word) { return float(word >> 8) * 0x1p-24f; }
/// [0, 1) with 53 bits of two words.
inline double uniformDouble(uint32_t low, uint32_t high) {
  return double((uint64_t(high) << 32 | low) >> 11) * 0x1p-53;
}
/// [0, limit), limit > 0, by multiplication; the bias is below limit / 2^64.
inline uint64_t uniformInteger(uint32_t low, uint32_t high, uint64_t limit) {
  return uint64_t((unsigned __int128)(uint64_t(high) << 32 | low) * limit >> 64);
}
/// Two independent standard normal values (Box and Muller) from four words. Uses only arithmetic
/// and sqrt of IEEE 754 and polynomials of our own, so that every machine draws the same bits.
std::array<double, 2> normalPair(const PhiloxBlock &block);

} // namespace graphc::base
#endif
