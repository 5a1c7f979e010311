#include "runtime/data/ElementConversion.h"

#include "runtime/common/base/CpuFeatures.h"
#include "runtime/common/base/PhiloxRandom.h"

#include <algorithm>
#include <bit>
#include <cstring>

#pragma STDC FP_CONTRACT OFF

#if defined(__x86_64__)
#define GRAPHC_VECTOR_VERSIONS 1
#endif

namespace graphc::data {
namespace {

using plan::DataType;

template <typename T> T load(const uint8_t *p) {
  T value;
  memcpy(&value, p, sizeof(T));
  return value;
}

/// Any byte but 0 is true.
struct Bool {
  uint8_t byte;
  template <typename To> explicit operator To() const { return To(byte != 0); }
};

/// IEEE 754 binary16, exact in a float.
struct Half {
  uint16_t bits;
  explicit operator float() const {
    const uint32_t sign = uint32_t(bits & 0x8000) << 16, exponent = bits >> 10 & 31,
                   fraction = bits & 1023;
    if (exponent == 0) { // 0, or so many 2^-24
      const float value = float(fraction) * 0x1p-24f;
      return sign ? -value : value;
    }
    const uint32_t wide = exponent == 31 ? 255 : exponent + 112;
    return std::bit_cast<float>(sign | wide << 23 | fraction << 13);
  }
  explicit operator double() const { return double(float(*this)); }
};

// Written once, compiled for three instruction sets: an always_inline body takes the caller's.
#define GRAPHC_INLINE inline __attribute__((always_inline))

template <typename From, typename To>
GRAPHC_INLINE void scaledLoop(const uint8_t *__restrict in, size_t count, To scale, To offset,
                              To *__restrict out) {
  for (size_t i = 0; i < count; ++i) {
    To product = static_cast<To>(load<From>(in + i * sizeof(From))) * scale;
    out[i] = product + offset;
  }
}

template <typename From, typename To>
GRAPHC_INLINE void widenLoop(const uint8_t *__restrict in, size_t count, To *__restrict out) {
  for (size_t i = 0; i < count; ++i)
    out[i] = static_cast<To>(load<From>(in + i * sizeof(From)));
}

constexpr size_t kBlocksAtOnce = 16;

/// 16 blocks side by side: the loops over `l` become vector instructions. Each word of a counter
/// lives in 64 bits whose upper half is meaningless, so that a product is one instruction and
/// nothing is packed or unpacked between rounds.
GRAPHC_INLINE void philoxLoop(uint64_t seed, uint64_t stream, uint64_t first, size_t blocks,
                              uint32_t *__restrict out) {
  constexpr uint64_t low = UINT32_MAX;
  for (size_t done = 0; done < blocks; done += kBlocksAtOnce) {
    uint64_t c0[kBlocksAtOnce], c1[kBlocksAtOnce], c2[kBlocksAtOnce], c3[kBlocksAtOnce];
    for (size_t l = 0; l < kBlocksAtOnce; ++l) {
      c0[l] = first + done + l;
      c1[l] = c0[l] >> 32;
      c2[l] = stream;
      c3[l] = stream >> 32;
    }
    uint32_t k0 = static_cast<uint32_t>(seed), k1 = static_cast<uint32_t>(seed >> 32);
    for (int round = 0; round < 10; ++round) {
      for (size_t l = 0; l < kBlocksAtOnce; ++l) {
        uint64_t p0 = 0xD2511F53 * (c0[l] & low), p1 = 0xCD9E8D57 * (c2[l] & low);
        c0[l] = (p1 >> 32) ^ c1[l] ^ k0;
        c1[l] = p1;
        c2[l] = (p0 >> 32) ^ c3[l] ^ k1;
        c3[l] = p0;
      }
      k0 += 0x9E3779B9;
      k1 += 0xBB67AE85;
    }
    uint64_t pairs[2 * kBlocksAtOnce];
    for (size_t l = 0; l < kBlocksAtOnce; ++l) {
      pairs[2 * l] = (c0[l] & low) | c1[l] << 32;
      pairs[2 * l + 1] = (c2[l] & low) | c3[l] << 32;
    }
    memcpy(out + done * 4, pairs, std::min(kBlocksAtOnce, blocks - done) * 16);
  }
}

GRAPHC_INLINE void uniformLoop(const uint32_t *__restrict words, size_t count,
                               float *__restrict out) {
  for (size_t i = 0; i < count; ++i)
    out[i] = base::uniformFloat(words[i]);
}

/// The three loops that matter for speed, in one instruction set.
struct Loops {
  void (*u8ToF32)(const uint8_t *, size_t, float, float, float *);
  void (*philox)(uint64_t, uint64_t, uint64_t, size_t, uint32_t *);
  void (*uniform)(const uint32_t *, size_t, float *);
};

#define GRAPHC_LOOPS(name, attribute)                                                              \
  attribute void u8ToF32##name(const uint8_t *in, size_t n, float s, float o, float *out) {        \
    scaledLoop<uint8_t, float>(in, n, s, o, out);                                                  \
  }                                                                                                \
  attribute void philox##name(uint64_t seed, uint64_t stream, uint64_t first, size_t n,            \
                              uint32_t *out) {                                                     \
    philoxLoop(seed, stream, first, n, out);                                                       \
  }                                                                                                \
  attribute void uniform##name(const uint32_t *in, size_t n, float *out) {                         \
    uniformLoop(in, n, out);                                                                       \
  }                                                                                                \
  constexpr Loops loops##name = {u8ToF32##name, philox##name, uniform##name};

GRAPHC_LOOPS(Plain, )
#ifdef GRAPHC_VECTOR_VERSIONS
GRAPHC_LOOPS(Avx2, __attribute__((target("avx2"))))
GRAPHC_LOOPS(Avx512, __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,prefer-256-bit"))))
#endif

const Loops &loops() {
  static const Loops &chosen = []() -> const Loops & {
#ifdef GRAPHC_VECTOR_VERSIONS
    if (base::hasCpuFeatures({"avx512f", "avx512bw", "avx512dq", "avx512vl"}))
      return loopsAvx512;
    if (base::hasCpuFeatures({"avx2"}))
      return loopsAvx2;
#endif
    return loopsPlain;
  }();
  return chosen;
}

template <typename From>
void toFloat(const ElementConversion &c, const uint8_t *in, size_t count, void *out) {
  if (c.to == plan::F32)
    scaledLoop<From, float>(in, count, static_cast<float>(c.scale), static_cast<float>(c.offset),
                            static_cast<float *>(out));
  else
    scaledLoop<From, double>(in, count, c.scale, c.offset, static_cast<double *>(out));
}

template <typename From> void toInteger(DataType to, const uint8_t *in, size_t count, void *out) {
  if (to == plan::I32)
    widenLoop<From, int32_t>(in, count, static_cast<int32_t *>(out));
  else if (to == plan::I64)
    widenLoop<From, int64_t>(in, count, static_cast<int64_t *>(out));
  else // a byte: canConvert() allows the same type, and a Bool
    widenLoop<From, uint8_t>(in, count, static_cast<uint8_t *>(out));
}

template <typename From>
void convert(const ElementConversion &c, const uint8_t *in, size_t count, void *out) {
  if (c.to == plan::F32 || c.to == plan::F64)
    toFloat<From>(c, in, count, out);
  else
    toInteger<From>(c.to, in, count, out);
}

} // namespace

bool canConvert(StoredType from, DataType to) {
  const bool real = from == StoredType::F16 || from == StoredType::F32 || from == StoredType::F64;
  switch (to) {
  case plan::F32:
    return from != StoredType::F64;
  case plan::F64:
    return true;
  case plan::I32:
    return !real && from != StoredType::U32 && from != StoredType::I64;
  case plan::I64:
    return !real;
  case plan::U8:
    return from == StoredType::U8 || from == StoredType::Bool;
  case plan::I8:
    return from == StoredType::I8 || from == StoredType::Bool;
  case plan::I1:
    return from == StoredType::Bool;
  default:
    return false;
  }
}

void convertRow(const ElementConversion &c, const uint8_t *in, size_t count, void *out) {
  switch (c.from) {
  case StoredType::U8:
    if (c.to == plan::F32)
      return loops().u8ToF32(in, count, static_cast<float>(c.scale), static_cast<float>(c.offset),
                             static_cast<float *>(out));
    return convert<uint8_t>(c, in, count, out);
  case StoredType::I8:
    return convert<int8_t>(c, in, count, out);
  case StoredType::I16:
    return convert<int16_t>(c, in, count, out);
  case StoredType::I32:
    return convert<int32_t>(c, in, count, out);
  case StoredType::F32:
    return toFloat<float>(c, in, count, out);
  case StoredType::F64:
    return toFloat<double>(c, in, count, out);
  case StoredType::Bool:
    return convert<Bool>(c, in, count, out);
  case StoredType::U16:
    return convert<uint16_t>(c, in, count, out);
  case StoredType::U32:
    return convert<uint32_t>(c, in, count, out);
  case StoredType::I64:
    return convert<int64_t>(c, in, count, out);
  case StoredType::F16:
    return toFloat<Half>(c, in, count, out);
  }
}

void philoxWords(uint64_t seed, uint64_t stream, uint64_t first, size_t blocks, uint32_t *out) {
  loops().philox(seed, stream, first, blocks, out);
}

uint64_t syntheticBlocks(DataType type, uint64_t count) {
  uint64_t perBlock = type == plan::F32 ? 4 : 2;
  return count / perBlock + (count % perBlock != 0);
}

void syntheticRow(uint64_t seed, uint64_t stream, uint64_t sample, DataType type, int64_t limit,
                  size_t count, void *out) {
  constexpr size_t pieceBlocks = 64;
  uint32_t words[pieceBlocks * 4];
  uint64_t block = sample * syntheticBlocks(type, count);
  size_t perPiece = type == plan::F32 ? pieceBlocks * 4 : pieceBlocks * 2;
  for (size_t done = 0; done < count; done += perPiece, block += pieceBlocks) {
    size_t some = std::min(perPiece, count - done);
    philoxWords(seed, stream, block, syntheticBlocks(type, some), words);
    if (type == plan::F32) {
      loops().uniform(words, some, static_cast<float *>(out) + done);
      continue;
    }
    for (size_t i = 0; i < some; ++i) {
      uint32_t low = words[2 * i], high = words[2 * i + 1];
      if (type == plan::F64) {
        static_cast<double *>(out)[done + i] = base::uniformDouble(low, high);
        continue;
      }
      uint64_t value = base::uniformInteger(low, high, static_cast<uint64_t>(limit));
      switch (type) {
      case plan::I32:
        static_cast<int32_t *>(out)[done + i] = static_cast<int32_t>(value);
        break;
      case plan::I64:
        static_cast<int64_t *>(out)[done + i] = static_cast<int64_t>(value);
        break;
      default: // I1, I8, U8: one byte
        static_cast<uint8_t *>(out)[done + i] = static_cast<uint8_t>(value);
      }
    }
  }
}

} // namespace graphc::data
