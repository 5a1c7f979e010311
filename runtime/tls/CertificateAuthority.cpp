#include "runtime/tls/CertificateAuthority.h"

#include "runtime/common/base/File.h"
#include "runtime/common/base/StatusMacros.h"
#include "runtime/tls/OpenSsl.h"

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"

#include <algorithm>
#include <openssl/rand.h>
#include <openssl/x509v3.h>
#include <unistd.h>

namespace graphc::tls {
namespace {
/// Machines whose clocks are behind ours by less than this accept a new certificate at once.
constexpr absl::Duration kClockSkew = absl::Hours(24);
/// A certificate with less time to go is made anew.
constexpr absl::Duration kRenewBefore = absl::Hours(24 * 30);
constexpr char kAuthorityName[] = "graphc development authority";

absl::Status failed(const char *what) {
  return absl::InternalError(absl::StrCat(what, ": ", takeOpenSslError()));
}

bool addExtension(X509 *to, X509 *issuer, int kind, const std::string &value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, to, nullptr, nullptr, 0);
  X509_EXTENSION *extension = X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str());
  bool added = extension && X509_add_ext(to, extension, -1) == 1;
  X509_EXTENSION_free(extension);
  return added;
}

struct Request {
  std::string commonName;
  std::string host; ///< empty: the authority itself
  absl::Time expires;
};

/// A certificate for `key`, signed with `signer`; `issuer` null: by itself.
absl::StatusOr<X509Ptr> makeCertificate(const Request &request, EVP_PKEY *key, X509 *issuer,
                                        EVP_PKEY *signer) {
  X509Ptr made(X509_new());
  X509 *one = made.get();
  unsigned char serial[16];
  RAND_bytes(serial, sizeof serial);
  serial[0] = (serial[0] & 0x7f) | 0x40; // positive, and of full length
  BIGNUM *number = BN_bin2bn(serial, sizeof serial, nullptr);
  BN_to_ASN1_INTEGER(number, X509_get_serialNumber(one));
  BN_free(number);
  X509_set_version(one, X509_VERSION_3);
  ASN1_TIME_set(X509_getm_notBefore(one), absl::ToTimeT(absl::Now() - kClockSkew));
  ASN1_TIME_set(X509_getm_notAfter(one), absl::ToTimeT(request.expires));
  X509_set_pubkey(one, key);
  X509_NAME *name = X509_get_subject_name(one);
  auto entry = [&](const char *field, const std::string &value) {
    return X509_NAME_add_entry_by_txt(name, field, MBSTRING_UTF8,
                                      reinterpret_cast<const unsigned char *>(value.data()),
                                      static_cast<int>(value.size()), -1, 0) == 1;
  };
  bool good = entry("O", "graphc") && entry("CN", request.commonName);
  good = good && X509_set_issuer_name(one, issuer ? X509_get_subject_name(issuer) : name) == 1;
  X509 *by = issuer ? issuer : one;
  bool authority = request.host.empty();
  good = good &&
         addExtension(one, by, NID_basic_constraints,
                      authority ? "critical,CA:TRUE,pathlen:0" : "critical,CA:FALSE") &&
         addExtension(one, by, NID_key_usage,
                      authority ? "critical,keyCertSign,cRLSign" : "critical,digitalSignature") &&
         addExtension(one, by, NID_subject_key_identifier, "hash") &&
         addExtension(one, by, NID_authority_key_identifier, "keyid:always");
  if (good && !authority)
    good = addExtension(one, by, NID_ext_key_usage, "serverAuth,clientAuth") &&
           addExtension(one, by, NID_subject_alt_name,
                        absl::StrCat(isIpAddress(request.host) ? "IP:" : "DNS:", request.host));
  if (!good || X509_sign(one, signer, EVP_sha256()) == 0)
    return failed("cannot make a certificate");
  return made;
}

absl::Status writePem(const std::string &path, X509 *certificate, EVP_PKEY *key) {
  BioPtr bio(BIO_new(BIO_s_mem()));
  bool good = certificate ? PEM_write_bio_X509(bio.get(), certificate) == 1
                          : PEM_write_bio_PKCS8PrivateKey(bio.get(), key, nullptr, nullptr, 0,
                                                          nullptr, nullptr) == 1;
  if (!good)
    return failed("cannot write PEM text");
  char *text = nullptr;
  long bytes = BIO_get_mem_data(bio.get(), &text);
  return base::writeFileAtomic(path, {text, static_cast<size_t>(bytes)}, certificate ? 0644 : 0600);
}

struct Pair {
  X509Ptr certificate;
  KeyPtr key;
};

absl::StatusOr<Pair> readPair(const std::string &stem) {
  Pair pair;
  GRAPHC_ASSIGN_OR_RETURN(std::string text, base::readFile(stem + ".crt", 1 << 20));
  GRAPHC_ASSIGN_OR_RETURN(auto certificates, parseCertificates(text, stem + ".crt"));
  pair.certificate = std::move(certificates.front());
  GRAPHC_ASSIGN_OR_RETURN(std::string secret, readKeyFile(stem + ".key"));
  GRAPHC_ASSIGN_OR_RETURN(pair.key, parseKey(secret, stem + ".key"));
  if (X509_check_private_key(pair.certificate.get(), pair.key.get()) != 1) {
    (void)takeOpenSslError();
    return absl::InvalidArgumentError(absl::StrCat(stem, ".key is not the key of ", stem, ".crt"));
  }
  return pair;
}

/// Key first: a certificate without its key is noticed, a key without its certificate is merely
/// useless.
absl::Status writePair(const std::string &stem, const Pair &pair) {
  GRAPHC_RETURN_IF_ERROR(writePem(stem + ".key", nullptr, pair.key.get()));
  return writePem(stem + ".crt", pair.certificate.get(), nullptr);
}
} // namespace

struct CertificateAuthority::State {
  Pair own;
};

CertificateAuthority::CertificateAuthority(std::string directory, std::unique_ptr<State> state)
    : directory_(std::move(directory)), state_(std::move(state)) {}
CertificateAuthority::CertificateAuthority(CertificateAuthority &&) noexcept = default;
CertificateAuthority::~CertificateAuthority() = default;

absl::StatusOr<CertificateAuthority> CertificateAuthority::openOrMake(const std::string &directory,
                                                                      absl::Duration validity) {
  GRAPHC_RETURN_IF_ERROR(base::makeDirectories(directory, 0700));
  std::string stem = directory + "/ca";
  bool certificate = base::exists(stem + ".crt"), key = base::exists(stem + ".key"),
       kept = certificate && key;
  if (certificate != key)
    return absl::FailedPreconditionError(absl::StrCat(
        stem,
        certificate ? ".crt is there and its key ca.key is not" : ".key is there and ca.crt is not",
        ": bring the other one, or name an empty folder for a new authority"));
  auto state = std::make_unique<State>();
  if (kept) {
    GRAPHC_ASSIGN_OR_RETURN(state->own, readPair(stem));
    GRAPHC_RETURN_IF_ERROR(checkDates(*state->own.certificate, absl::Now(), stem + ".crt"));
  } else {
    state->own.key.reset(EVP_EC_gen("P-256"));
    if (!state->own.key)
      return failed("cannot make a key");
    GRAPHC_ASSIGN_OR_RETURN(state->own.certificate,
                            makeCertificate({kAuthorityName, "", absl::Now() + validity},
                                            state->own.key.get(), nullptr, state->own.key.get()));
    GRAPHC_RETURN_IF_ERROR(writePair(stem, state->own));
  }
  CertificateAuthority authority(directory, std::move(state));
  authority.issued_ = {stem + ".crt", notAfter(*authority.state_->own.certificate), kept};
  return authority;
}

absl::StatusOr<IssuedCertificate> CertificateAuthority::issue(const std::string &name,
                                                              const std::string &task,
                                                              const std::string &host,
                                                              absl::Duration validity) {
  if (task.size() > kMostNameBytes)
    return absl::InvalidArgumentError(
        absl::StrCat("the name ", task, " is too long for a certificate, which has room for ",
                     kMostNameBytes, " characters; give the job a shorter one"));
  std::string stem = absl::StrCat(directory_, "/", name);
  Pair &own = state_->own;
  if (base::exists(stem + ".crt") && base::exists(stem + ".key")) {
    GRAPHC_ASSIGN_OR_RETURN(Pair pair, readPair(stem));
    bool ours = X509_verify(pair.certificate.get(), own.key.get()) == 1;
    if (!ours)
      (void)takeOpenSslError();
    bool named = commonNameOf(*pair.certificate) == task;
    if (ours && named && matchesHost(*pair.certificate, host) &&
        notAfter(*pair.certificate) - absl::Now() > kRenewBefore)
      return IssuedCertificate{stem + ".crt", notAfter(*pair.certificate), true};
  }
  Pair pair;
  pair.key.reset(EVP_EC_gen("P-256"));
  if (!pair.key)
    return failed("cannot make a key");
  absl::Time expires = std::min(absl::Now() + validity, notAfter(*own.certificate));
  GRAPHC_ASSIGN_OR_RETURN(pair.certificate,
                          makeCertificate({absl::StrCat(task), host, expires}, pair.key.get(),
                                          own.certificate.get(), own.key.get()));
  GRAPHC_RETURN_IF_ERROR(writePair(stem, pair));
  return IssuedCertificate{stem + ".crt", notAfter(*pair.certificate), false};
}

} // namespace graphc::tls
