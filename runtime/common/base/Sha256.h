//===- Sha256.h - SHA-256 (FIPS 180-4), of libcrypto --------------------------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_COMMON_BASE_SHA256_H
#define GRAPHC_RUNTIME_COMMON_BASE_SHA256_H

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace graphc::base {

using Sha256Digest = std::array<uint8_t, 32>;

/// Incremental.
class Sha256 {
public:
  Sha256();
  void update(std::string_view data);
  /// The object may not be used afterwards.
  Sha256Digest finish();

private:
  alignas(uint64_t) unsigned char context_[128]; // SHA256_CTX
};

Sha256Digest sha256(std::string_view data);
/// HMAC (RFC 2104) over SHA-256.
Sha256Digest hmacSha256(std::string_view key, std::string_view data);
/// 64 lower-case hexadecimal digits.
std::string toHex(const Sha256Digest &digest);
inline std::string_view asBytes(const Sha256Digest &digest) {
  return {reinterpret_cast<const char *>(digest.data()), digest.size()};
}

} // namespace graphc::base
#endif
