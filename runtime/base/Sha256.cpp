#include "runtime/base/Sha256.h"

#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace graphc::base {
namespace {

alignas(64) constexpr uint32_t roundConstants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

uint32_t rotateRight(uint32_t x, int n) { return (x >> n) | (x << (32 - n)); }

void compressPortable(uint32_t *state, const uint8_t *data, size_t blocks) {
  for (; blocks; --blocks, data += 64) {
    uint32_t w[64];
    for (int i = 0; i < 16; ++i)
      w[i] = uint32_t(data[4 * i]) << 24 | uint32_t(data[4 * i + 1]) << 16 | uint32_t(data[4 * i + 2]) << 8 |
             data[4 * i + 3];
    for (int i = 16; i < 64; ++i) {
      uint32_t s0 = rotateRight(w[i - 15], 7) ^ rotateRight(w[i - 15], 18) ^ (w[i - 15] >> 3);
      uint32_t s1 = rotateRight(w[i - 2], 17) ^ rotateRight(w[i - 2], 19) ^ (w[i - 2] >> 10);
      w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
    uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
    for (int i = 0; i < 64; ++i) {
      uint32_t s1 = rotateRight(e, 6) ^ rotateRight(e, 11) ^ rotateRight(e, 25);
      uint32_t t1 = h + s1 + ((e & f) ^ (~e & g)) + roundConstants[i] + w[i];
      uint32_t s0 = rotateRight(a, 2) ^ rotateRight(a, 13) ^ rotateRight(a, 22);
      uint32_t t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
      h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
    }
    state[0] += a, state[1] += b, state[2] += c, state[3] += d;
    state[4] += e, state[5] += f, state[6] += g, state[7] += h;
  }
}

#if defined(__x86_64__)
// The CPU keeps the state as (ABEF, CDGH); each sha256rnds2 does two rounds, four words of the schedule at a time.
__attribute__((target("sha,sse4.1,ssse3"))) void compressShaNi(uint32_t *state, const uint8_t *data, size_t blocks) {
  const __m128i swap = _mm_set_epi64x(0x0c0d0e0f08090a0bLL, 0x0405060700010203LL);
  __m128i t = _mm_shuffle_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i *>(state)), 0xB1);         // CDAB
  __m128i s1 = _mm_shuffle_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i *>(state + 4)), 0x1B);    // EFGH
  __m128i s0 = _mm_alignr_epi8(t, s1, 8);                                                                 // ABEF
  s1 = _mm_blend_epi16(s1, t, 0xF0);                                                                      // CDGH
  for (; blocks; --blocks, data += 64) {
    const __m128i saved0 = s0, saved1 = s1;
    __m128i w[4];
    for (int i = 0; i < 4; ++i)
      w[i] = _mm_shuffle_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i *>(data + 16 * i)), swap);
#pragma clang loop unroll(full)
    for (int i = 0; i < 16; ++i) {
      __m128i current = w[i & 3];
      __m128i sum = _mm_add_epi32(current, _mm_load_si128(reinterpret_cast<const __m128i *>(roundConstants + 4 * i)));
      s1 = _mm_sha256rnds2_epu32(s1, s0, sum);
      s0 = _mm_sha256rnds2_epu32(s0, s1, _mm_shuffle_epi32(sum, 0x0E));
      if (i < 12) { // words 4(i+4) … from 4i, 4(i+1), 4(i+2), 4(i+3)
        __m128i next = _mm_sha256msg1_epu32(current, w[(i + 1) & 3]);
        next = _mm_add_epi32(next, _mm_alignr_epi8(w[(i + 3) & 3], w[(i + 2) & 3], 4));
        w[i & 3] = _mm_sha256msg2_epu32(next, w[(i + 3) & 3]);
      }
    }
    s0 = _mm_add_epi32(s0, saved0);
    s1 = _mm_add_epi32(s1, saved1);
  }
  t = _mm_shuffle_epi32(s0, 0x1B);  // FEBA
  s1 = _mm_shuffle_epi32(s1, 0xB1); // DCHG
  s0 = _mm_blend_epi16(t, s1, 0xF0);
  s1 = _mm_alignr_epi8(s1, t, 8);
  _mm_storeu_si128(reinterpret_cast<__m128i *>(state), s0);
  _mm_storeu_si128(reinterpret_cast<__m128i *>(state + 4), s1);
}
#endif

using Compress = void (*)(uint32_t *, const uint8_t *, size_t);

Compress chooseCompress() {
#if defined(__x86_64__)
  uint32_t a = 7, b = 0, c = 0, d = 0; // leaf 7: EBX bit 29 is SHA
  __asm__("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
  if ((b >> 29 & 1) && __builtin_cpu_supports("sse4.1"))
    return compressShaNi;
#endif
  return compressPortable;
}

const Compress compress = chooseCompress();

} // namespace

Sha256::Sha256()
    : state{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19} {}

void Sha256::update(const void *data, size_t bytes) {
  const uint8_t *p = static_cast<const uint8_t *>(data);
  total += bytes;
  if (used) {
    size_t n = bytes < 64 - used ? bytes : 64 - used;
    memcpy(block + used, p, n);
    used += n, p += n, bytes -= n;
    if (used < 64)
      return;
    compress(state, block, 1);
    used = 0;
  }
  if (size_t whole = bytes / 64) {
    compress(state, p, whole);
    p += whole * 64, bytes -= whole * 64;
  }
  if (bytes)
    memcpy(block, p, bytes);
  used = bytes;
}

Digest Sha256::finish() {
  uint64_t bits = total * 8;
  block[used++] = 0x80;
  if (used > 56) {
    memset(block + used, 0, 64 - used);
    compress(state, block, 1);
    used = 0;
  }
  memset(block + used, 0, 56 - used);
  for (int i = 0; i < 8; ++i)
    block[56 + i] = uint8_t(bits >> (56 - 8 * i));
  compress(state, block, 1);
  Digest digest;
  for (int i = 0; i < 32; ++i)
    digest[i] = uint8_t(state[i / 4] >> (24 - 8 * (i % 4)));
  return digest;
}

Digest sha256(std::string_view data) {
  Sha256 hash;
  hash.update(data);
  return hash.finish();
}

Digest hmacSha256(std::string_view key, std::string_view data) {
  std::string block(key.size() <= 64 ? key : asBytes(sha256(key)));
  block.resize(64);
  std::string inner = block, outer = block;
  for (size_t i = 0; i < 64; ++i) {
    inner[i] = static_cast<char>(inner[i] ^ 0x36);
    outer[i] = static_cast<char>(outer[i] ^ 0x5c);
  }
  Digest digest = sha256(inner.append(data));
  return sha256(outer.append(asBytes(digest)));
}

std::string toHex(const Digest &digest) {
  static const char digits[] = "0123456789abcdef";
  std::string text;
  text.reserve(64);
  for (uint8_t byte : digest) {
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

} // namespace graphc::base
