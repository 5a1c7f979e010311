//===- Sha256.h - SHA-256 (FIPS 180-4) ----------------------------------------------------------------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_BASE_SHA256_H
#define GRAPHC_RUNTIME_BASE_SHA256_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace graphc::base {

using Digest = std::array<uint8_t, 32>;

/// Incremental; uses the CPU's SHA instructions where it has them.
class Sha256 {
public:
  Sha256();
  void update(const void *data, size_t bytes);
  void update(std::string_view data) { update(data.data(), data.size()); }
  /// The object may not be used afterwards.
  Digest finish();

private:
  uint32_t state[8];
  uint8_t block[64];
  size_t used = 0;
  uint64_t total = 0; // bytes
};

Digest sha256(std::string_view data);
/// HMAC (RFC 2104) over SHA-256.
Digest hmacSha256(std::string_view key, std::string_view data);
/// 64 lower-case hexadecimal digits.
std::string toHex(const Digest &digest);
inline std::string_view asBytes(const Digest &digest) {
  return {reinterpret_cast<const char *>(digest.data()), digest.size()};
}

} // namespace graphc::base
#endif
