#include "runtime/base/Sha256.h"

#include "absl/strings/escaping.h"
#include "absl/strings/string_view.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <cstdlib>

namespace graphc::base {

// libcrypto has SHA-256 in every configuration but one that forbids it; there is no going on without.
static void require(bool done) {
  if (!done)
    std::abort();
}

static EVP_MD_CTX *of(void *context) { return static_cast<EVP_MD_CTX *>(context); }

Sha256::Sha256() : context(EVP_MD_CTX_new()) {
  require(context && EVP_DigestInit_ex(of(context), EVP_sha256(), nullptr) == 1);
}

Sha256::~Sha256() { EVP_MD_CTX_free(of(context)); }

void Sha256::update(std::string_view data) { require(EVP_DigestUpdate(of(context), data.data(), data.size()) == 1); }

Digest Sha256::finish() {
  Digest digest;
  require(EVP_DigestFinal_ex(of(context), digest.data(), nullptr) == 1);
  return digest;
}

Digest sha256(std::string_view data) {
  Digest digest;
  require(EVP_Digest(data.data(), data.size(), digest.data(), nullptr, EVP_sha256(), nullptr) == 1);
  return digest;
}

Digest hmacSha256(std::string_view key, std::string_view data) {
  Digest digest;
  require(HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
               reinterpret_cast<const unsigned char *>(data.data()), data.size(), digest.data(), nullptr) != nullptr);
  return digest;
}

std::string toHex(const Digest &digest) {
  std::string_view bytes = asBytes(digest);
  return absl::BytesToHexString({bytes.data(), bytes.size()});
}

} // namespace graphc::base
