#include "runtime/common/base/Sha256.h"

#include "absl/strings/escaping.h"
#include "absl/strings/string_view.h"

// What EVP_Digest would call. EVP loads its providers first: 1 ms and 2 MB of each task, before the
// first step.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>

#include <algorithm>

namespace graphc::base {

static_assert(sizeof(SHA256_CTX) <= sizeof(Sha256) && alignof(SHA256_CTX) <= alignof(Sha256));

static SHA256_CTX *of(unsigned char *context) { return reinterpret_cast<SHA256_CTX *>(context); }

Sha256::Sha256() { SHA256_Init(of(context_)); }

void Sha256::update(std::string_view data) {
  SHA256_Update(of(context_), data.data(), data.size());
}

Sha256Digest Sha256::finish() {
  Sha256Digest digest;
  SHA256_Final(digest.data(), of(context_));
  return digest;
}

Sha256Digest sha256(std::string_view data) {
  Sha256 sha;
  sha.update(data);
  return sha.finish();
}

Sha256Digest hmacSha256(std::string_view key, std::string_view data) {
  std::array<uint8_t, SHA256_CBLOCK> block{};
  Sha256Digest hashed;
  if (key.size() > block.size()) {
    hashed = sha256(key);
    key = asBytes(hashed);
  }
  std::copy(key.begin(), key.end(), block.begin());
  auto padded = [&](uint8_t pad, std::string_view text) {
    std::array<uint8_t, SHA256_CBLOCK> mixed = block;
    for (uint8_t &byte : mixed)
      byte ^= pad;
    Sha256 sha;
    sha.update({reinterpret_cast<const char *>(mixed.data()), mixed.size()});
    sha.update(text);
    return sha.finish();
  };
  const Sha256Digest inner = padded(0x36, data);
  return padded(0x5c, asBytes(inner));
}

std::string toHex(const Sha256Digest &digest) {
  std::string_view bytes = asBytes(digest);
  return absl::BytesToHexString({bytes.data(), bytes.size()});
}

} // namespace graphc::base
