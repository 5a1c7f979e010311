//===- OpenSsl.h - owners and errors of libcrypto's objects -------------------------*- C++ -*-===//
//
// For the files of this folder only; their headers name no OpenSSL type.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_TLS_OPENSSL_H
#define GRAPHC_RUNTIME_TLS_OPENSSL_H

#include "absl/status/statusor.h"
#include "absl/time/time.h"

#include <memory>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <string>
#include <vector>

namespace graphc::tls {

template <auto free> struct Freed {
  template <class T> void operator()(T *object) const { free(object); }
};
using X509Ptr = std::unique_ptr<X509, Freed<X509_free>>;
using KeyPtr = std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY_free>>;
using BioPtr = std::unique_ptr<BIO, Freed<BIO_free_all>>;
using StorePtr = std::unique_ptr<X509_STORE, Freed<X509_STORE_free>>;
using StoreContextPtr = std::unique_ptr<X509_STORE_CTX, Freed<X509_STORE_CTX_free>>;
using SslContextPtr = std::unique_ptr<SSL_CTX, Freed<SSL_CTX_free>>;
using SslPtr = std::unique_ptr<SSL, Freed<SSL_free>>;

/// The newest entry of this thread's error queue, in words; the queue is empty afterwards.
std::string takeOpenSslError();

/// Every certificate of PEM text, at least one. Errors name `what`.
absl::StatusOr<std::vector<X509Ptr>> parseCertificates(const std::string &pem,
                                                       const std::string &what);
/// A private key of PEM text; one with a passphrase is refused, since a task has nobody to ask.
absl::StatusOr<KeyPtr> parseKey(const std::string &pem, const std::string &what);

inline constexpr size_t kMostNameBytes = 64; ///< of a common name; X.509 allows no more
inline constexpr uint64_t kMostPemBytes = 1 << 20; ///< of a file; a real one has some thousand
/// A key file's text. One that other users may read is refused.
absl::StatusOr<std::string> readKeyFile(const std::string &path);

absl::Time notBefore(const X509 &certificate);
absl::Time notAfter(const X509 &certificate);
/// "2027-11-21".
std::string dateText(absl::Time time);
/// Whether `now` lies in the certificate's time; the error says the date, and that a clock may be
/// wrong.
absl::Status checkDates(const X509 &certificate, absl::Time now, const std::string &what);
/// The names and addresses that a certificate is good for: "10.0.0.1", "node1"; sorted.
std::vector<std::string> hostsOf(const X509 &certificate);
/// The subject's common name, "" where it has none.
std::string commonNameOf(const X509 &certificate);
/// The task that a certificate is good for where that is another than `task`; "": it names none, or
/// this one.
std::string otherTaskOf(const X509 &certificate, const std::string &task);
/// Whether clients that dial `host` accept the certificate.
bool matchesHost(const X509 &certificate, const std::string &host);

/// Whether `host` is an IP address and no name.
bool isIpAddress(const std::string &host);

} // namespace graphc::tls
#endif
