#include "runtime/common/base/Crc32c.h"

#include <array>
#include <cstring>

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

namespace graphc::base {
namespace {

constexpr std::array<uint32_t, 256> makeTable() {
  std::array<uint32_t, 256> table{};
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t x = i;
    for (int bit = 0; bit < 8; ++bit)
      x = (x >> 1) ^ (x & 1 ? 0x82f63b78u : 0);
    table[i] = x;
  }
  return table;
}
constexpr std::array<uint32_t, 256> table = makeTable();

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) uint32_t crc32cHardware(uint32_t crc, const void *data,
                                                          size_t bytes) {
  const uint8_t *p = static_cast<const uint8_t *>(data);
  uint64_t x = uint32_t(~crc);
  for (; bytes >= 8; bytes -= 8, p += 8) {
    uint64_t word;
    memcpy(&word, p, 8);
    x = _mm_crc32_u64(x, word);
  }
  for (; bytes; --bytes, ++p)
    x = _mm_crc32_u8(uint32_t(x), *p);
  return ~uint32_t(x);
}
#endif

} // namespace

uint32_t crc32cPortable(uint32_t crc, const void *data, size_t bytes) {
  const uint8_t *p = static_cast<const uint8_t *>(data);
  crc = ~crc;
  for (; bytes; --bytes, ++p)
    crc = (crc >> 8) ^ table[(crc ^ *p) & 255];
  return ~crc;
}

uint32_t crc32c(uint32_t crc, const void *data, size_t bytes) {
#if defined(__x86_64__)
  static const bool hardware = __builtin_cpu_supports("sse4.2");
  if (hardware)
    return crc32cHardware(crc, data, bytes);
#endif
  return crc32cPortable(crc, data, bytes);
}

} // namespace graphc::base
