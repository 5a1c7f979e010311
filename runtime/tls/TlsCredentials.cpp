#include "runtime/tls/TlsCredentials.h"

#include "runtime/common/base/ProcessLog.h"
#include "runtime/common/base/Socket.h"
#include "runtime/common/base/StatusMacros.h"
#include "runtime/tls/OpenSsl.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"

#include <algorithm>
#include <openssl/x509v3.h>
#include <sys/stat.h>

namespace graphc::tls {
namespace {
absl::StatusOr<std::string> readNamed(const std::string &path, const std::string &what, bool key) {
  auto text = key ? readKeyFile(path) : base::readFile(path, kMostPemBytes);
  if (text.ok())
    return text;
  return absl::InvalidArgumentError(
      absl::StrCat(what.substr(0, what.find(' ')), " ", text.status().message()));
}

/// Whether `authorities` vouch for chain[0] in the role of `purpose`.
absl::Status checkChain(const std::vector<X509Ptr> &chain, const std::vector<X509Ptr> &authorities,
                        int purpose, const std::string &certificate, const std::string &authority) {
  StorePtr store(X509_STORE_new());
  for (const X509Ptr &one : authorities)
    X509_STORE_add_cert(store.get(), one.get());
  std::unique_ptr<STACK_OF(X509), decltype([](STACK_OF(X509) * stack) { sk_X509_free(stack); })>
      between(sk_X509_new_null());
  for (size_t i = 1; i < chain.size(); ++i)
    sk_X509_push(between.get(), chain[i].get());
  StoreContextPtr context(X509_STORE_CTX_new());
  X509_STORE_CTX_init(context.get(), store.get(), chain[0].get(), between.get());
  X509_STORE_CTX_set_purpose(context.get(), purpose);
  if (X509_verify_cert(context.get()) == 1)
    return absl::OkStatus();
  int error = X509_STORE_CTX_get_error(context.get());
  if (error == X509_V_ERR_INVALID_PURPOSE)
    return absl::InvalidArgumentError(absl::StrCat(
        certificate, " is not for ", purpose == X509_PURPOSE_SSL_CLIENT ? "a client" : "a server",
        " of TLS; a task is both (extended key usage serverAuth, clientAuth)"));
  return absl::InvalidArgumentError(absl::StrCat(certificate, " is not vouched for by ", authority,
                                                 ": ", X509_verify_cert_error_string(error)));
}
} // namespace

absl::StatusOr<std::shared_ptr<const TlsCredentials::Material>>
TlsCredentials::read(const CredentialFiles &files) {
  const std::string certificate = absl::StrCat("--tls_cert ", files.certificate),
                    key = absl::StrCat("--tls_key ", files.key),
                    authority = absl::StrCat("--tls_ca ", files.authority);
  auto result = std::make_shared<Material>();
  GRAPHC_ASSIGN_OR_RETURN(result->certificate, readNamed(files.certificate, certificate, false));
  GRAPHC_ASSIGN_OR_RETURN(result->key, readNamed(files.key, key, true));
  GRAPHC_ASSIGN_OR_RETURN(result->authority, readNamed(files.authority, authority, false));
  GRAPHC_ASSIGN_OR_RETURN(auto chain, parseCertificates(result->certificate, certificate));
  GRAPHC_ASSIGN_OR_RETURN(auto authorities, parseCertificates(result->authority, authority));
  GRAPHC_ASSIGN_OR_RETURN(KeyPtr secret, parseKey(result->key, key));
  if (X509_check_private_key(chain[0].get(), secret.get()) != 1) {
    (void)takeOpenSslError();
    return absl::InvalidArgumentError(absl::StrCat(key, " is not the key of ", certificate));
  }
  absl::Time now = absl::Now();
  GRAPHC_RETURN_IF_ERROR(checkDates(*chain[0], now, certificate));
  for (const X509Ptr &one : authorities)
    GRAPHC_RETURN_IF_ERROR(checkDates(*one, now, authority));
  for (int purpose : {X509_PURPOSE_SSL_SERVER, X509_PURPOSE_SSL_CLIENT})
    GRAPHC_RETURN_IF_ERROR(checkChain(chain, authorities, purpose, certificate, authority));
  result->hosts = hostsOf(*chain[0]);
  result->expires = notAfter(*chain[0]);
  return result;
}

TlsCredentials::Stamp TlsCredentials::stampOf(const CredentialFiles &files) {
  Stamp stamp{};
  size_t at = 0;
  for (const std::string *file : {&files.certificate, &files.key, &files.authority}) {
    struct stat info{};
    if (stat(file->c_str(), &info) == 0)
      for (int64_t part : {int64_t(info.st_ino), int64_t(info.st_size),
                           int64_t(info.st_mtim.tv_sec), int64_t(info.st_mtim.tv_nsec)})
        stamp[at++] = part;
    else
      at += 4;
  }
  return stamp;
}

absl::StatusOr<std::shared_ptr<const TlsCredentials>>
TlsCredentials::load(const CredentialFiles &files) {
  std::vector<std::string> given, missing;
  for (auto [flag, file] : {std::pair("--tls_cert", &files.certificate),
                            {"--tls_key", &files.key},
                            {"--tls_ca", &files.authority}})
    (file->empty() ? missing : given).push_back(flag);
  if (!missing.empty())
    return absl::InvalidArgumentError(
        absl::StrCat("--tls_cert, --tls_key and --tls_ca go together; also give ",
                     absl::StrJoin(missing, " and ")));
  std::shared_ptr<TlsCredentials> result(new TlsCredentials(files));
  base::MutexLock lock(result->mutex_);
  result->stamp_ = stampOf(files);
  GRAPHC_ASSIGN_OR_RETURN(result->material_, read(files));
  return result;
}

std::shared_ptr<const TlsCredentials::Material> TlsCredentials::current() const {
  base::MutexLock lock(mutex_);
  if (Stamp stamp = stampOf(files_); stamp != stamp_) {
    stamp_ = stamp; // what is not good is looked at again when it has changed again
    auto next = read(files_);
    if (next.ok())
      material_ = *std::move(next);
    else
      base::logger().warn("the replaced certificate is not used: {}",
                          base::describe(next.status()));
  }
  return material_;
}

/// What every peer would refuse later is said at once, to whom gave the flag.
absl::Status TlsCredentials::checkOwn(const std::string &task, const std::string &address) const {
  std::string host = base::splitAddress(address).first;
  auto material = current();
  GRAPHC_ASSIGN_OR_RETURN(auto chain, parseCertificates(material->certificate, files_.certificate));
  if (std::string other = otherTaskOf(*chain.front(), task); !other.empty())
    return absl::InvalidArgumentError(
        absl::StrCat("--tls_cert ", files_.certificate, " is of ", other, ", but this task is ",
                     task, ": the others would refuse it; give this task's own certificate"));
  if (matchesHost(*chain.front(), host))
    return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "--tls_cert ", files_.certificate, " is for ",
      material->hosts.empty() ? "no host at all" : absl::StrJoin(material->hosts, ", "),
      ", but this task's address is ", address,
      ": the others would refuse it; give this task's own certificate"));
}

std::shared_ptr<grpc::ChannelCredentials> TlsCredentials::client() const {
  auto material = current();
  grpc::SslCredentialsOptions options;
  options.pem_root_certs = material->authority;
  options.pem_private_key = material->key;
  options.pem_cert_chain = material->certificate;
  return grpc::SslCredentials(options);
}

} // namespace graphc::tls
