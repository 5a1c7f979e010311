#include "runtime/tls/Credentials.h"

#include "runtime/base/File.h"
#include "runtime/base/Status.h"
#include "runtime/tls/OpenSsl.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"

#include <algorithm>
#include <openssl/x509v3.h>

namespace graphc::tls {
namespace {
absl::StatusOr<std::string> readNamed(const std::string &path, const std::string &what, bool key) {
  auto text = key ? readKeyFile(path) : base::readFile(path, kMostPemBytes);
  if (text.ok())
    return text;
  return absl::InvalidArgumentError(absl::StrCat(what.substr(0, what.find(' ')), " ", text.status().message()));
}

/// Whether `authorities` vouch for chain[0] in the role of `purpose`.
absl::Status checkChain(const std::vector<X509Ptr> &chain, const std::vector<X509Ptr> &authorities, int purpose,
                        const std::string &certificate, const std::string &authority) {
  StorePtr store(X509_STORE_new());
  for (const X509Ptr &one : authorities)
    X509_STORE_add_cert(store.get(), one.get());
  std::unique_ptr<STACK_OF(X509), decltype([](STACK_OF(X509) * stack) { sk_X509_free(stack); })> between(
      sk_X509_new_null());
  for (size_t i = 1; i < chain.size(); ++i)
    sk_X509_push(between.get(), chain[i].get());
  StoreContextPtr context(X509_STORE_CTX_new());
  X509_STORE_CTX_init(context.get(), store.get(), chain[0].get(), between.get());
  X509_STORE_CTX_set_purpose(context.get(), purpose);
  if (X509_verify_cert(context.get()) == 1)
    return absl::OkStatus();
  int error = X509_STORE_CTX_get_error(context.get());
  if (error == X509_V_ERR_INVALID_PURPOSE)
    return absl::InvalidArgumentError(
        absl::StrCat(certificate, " is not for ", purpose == X509_PURPOSE_SSL_CLIENT ? "a client" : "a server",
                     " of TLS; a task is both (extended key usage serverAuth, clientAuth)"));
  return absl::InvalidArgumentError(
      absl::StrCat(certificate, " is not vouched for by ", authority, ": ", X509_verify_cert_error_string(error)));
}
} // namespace

absl::StatusOr<std::shared_ptr<const Credentials>> Credentials::load(const Files &files) {
  std::vector<std::string> given, missing;
  for (auto [flag, file] :
       {std::pair("--tls_cert", &files.certificate), {"--tls_key", &files.key}, {"--tls_ca", &files.authority}})
    (file->empty() ? missing : given).push_back(flag);
  if (!missing.empty())
    return absl::InvalidArgumentError(
        absl::StrCat("--tls_cert, --tls_key and --tls_ca go together; also give ", absl::StrJoin(missing, " and ")));
  const std::string certificate = absl::StrCat("--tls_cert ", files.certificate),
                    key = absl::StrCat("--tls_key ", files.key), authority = absl::StrCat("--tls_ca ", files.authority);
  std::shared_ptr<Credentials> result(new Credentials);
  result->file_ = files.certificate;
  GRAPHC_ASSIGN_OR_RETURN(result->certificate_, readNamed(files.certificate, certificate, false));
  GRAPHC_ASSIGN_OR_RETURN(result->key_, readNamed(files.key, key, true));
  GRAPHC_ASSIGN_OR_RETURN(result->authority_, readNamed(files.authority, authority, false));
  GRAPHC_ASSIGN_OR_RETURN(auto chain, parseCertificates(result->certificate_, certificate));
  GRAPHC_ASSIGN_OR_RETURN(auto authorities, parseCertificates(result->authority_, authority));
  GRAPHC_ASSIGN_OR_RETURN(KeyPtr secret, parseKey(result->key_, key));
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
  result->hosts_ = hostsOf(*chain[0]);
  result->expires_ = notAfter(*chain[0]);
  return result;
}

absl::Status Credentials::checkOwnAddress(const std::string &address) const {
  std::string host = splitAddress(address).first;
  auto chain = parseCertificates(certificate_, file_);
  if (chain.ok() && matchesHost(*chain->front(), host))
    return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "--tls_cert ", file_, " is for ", hosts_.empty() ? "no host at all" : absl::StrJoin(hosts_, ", "),
      ", but this task's address is ", address, ": the others would refuse it; give this task's own certificate"));
}

std::shared_ptr<grpc::ServerCredentials> Credentials::server() const {
  grpc::SslServerCredentialsOptions options(GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  options.pem_root_certs = authority_;
  options.pem_key_cert_pairs.push_back({key_, certificate_});
  return grpc::SslServerCredentials(options);
}

std::shared_ptr<grpc::ChannelCredentials> Credentials::client() const {
  grpc::SslCredentialsOptions options;
  options.pem_root_certs = authority_;
  options.pem_private_key = key_;
  options.pem_cert_chain = certificate_;
  return grpc::SslCredentials(options);
}

} // namespace graphc::tls
