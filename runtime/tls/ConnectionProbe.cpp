// A connection of our own to a task's server, made only to learn why gRPC's does not come about.
#include "runtime/common/base/Socket.h"
#include "runtime/common/base/StatusMacros.h"
#include "runtime/tls/OpenSsl.h"
#include "runtime/tls/TlsCredentials.h"

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <openssl/err.h>
#include <poll.h>

namespace graphc::tls {
namespace {
// What a client of HTTP/2 says first: the magic words and an empty SETTINGS frame.
constexpr char kPreface[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0";
constexpr size_t kPrefaceBytes = sizeof kPreface - 1;
constexpr absl::Duration kEnding = absl::Milliseconds(300);
constexpr unsigned char kHttp2[] = {2, 'h', '2'};

/// libssl writes with write(), which raises SIGPIPE where the other end has closed. It is taken off
/// this thread again.
class NoSigpipe {
public:
  NoSigpipe() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~NoSigpipe() {
    timespec none{};
    while (!sigismember(&before_, SIGPIPE) && sigtimedwait(&pipe_, nullptr, &none) > 0) {
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

private:
  sigset_t pipe_, before_;
};

/// Calls `step` until it succeeds, fails for good or the deadline passes; returns what
/// SSL_get_error says of the last.
template <class Step> int repeat(SSL *ssl, absl::Time deadline, Step step) {
  while (true) {
    ERR_clear_error();
    int got = step();
    int error = got > 0 ? SSL_ERROR_NONE : SSL_get_error(ssl, got);
    if ((error != SSL_ERROR_WANT_READ && error != SSL_ERROR_WANT_WRITE) ||
        !base::waitFor(SSL_get_fd(ssl), error == SSL_ERROR_WANT_READ ? POLLIN : POLLOUT, deadline))
      return error;
  }
}

/// The alert that `reason` names, as a user would say it.
std::string alertText(const std::string &reason) {
  for (auto [part, text] :
       {std::pair("unknown ca", "it is of another authority than the other end's --tls_ca"),
        std::pair("expired", "it has expired, by the other end's clock"),
        std::pair("certificate required", "the other end has received none")})
    if (reason.find(part) != std::string::npos)
      return text;
  return reason;
}

absl::Status reachTls(int fd, const std::string &host, const std::string &address,
                      const TlsCredentials &own, absl::Time deadline) {
  auto material = own.current();
  SslContextPtr context(SSL_CTX_new(TLS_client_method()));
  GRAPHC_ASSIGN_OR_RETURN(auto chain, parseCertificates(material->certificate, "--tls_cert"));
  GRAPHC_ASSIGN_OR_RETURN(auto authorities, parseCertificates(material->authority, "--tls_ca"));
  GRAPHC_ASSIGN_OR_RETURN(KeyPtr key, parseKey(material->key, "--tls_key"));
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
  for (const X509Ptr &one : authorities)
    X509_STORE_add_cert(SSL_CTX_get_cert_store(context.get()), one.get());
  SSL_CTX_use_certificate(context.get(), chain[0].get());
  SSL_CTX_use_PrivateKey(context.get(), key.get());
  for (size_t i = 1; i < chain.size(); ++i)
    SSL_CTX_add1_chain_cert(context.get(), chain[i].get());
  SSL_CTX_set_alpn_protos(context.get(), kHttp2, sizeof kHttp2);
  SslPtr ssl(SSL_new(context.get()));
  SSL_set_fd(ssl.get(), fd);
  if (isIpAddress(host)) {
    X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl.get()), host.c_str());
  } else {
    SSL_set1_host(ssl.get(), host.c_str());
    SSL_set_tlsext_host_name(ssl.get(), host.c_str());
  }
  int error = repeat(ssl.get(), deadline, [&] { return SSL_connect(ssl.get()); });
  if (error != SSL_ERROR_NONE) {
    long verdict = SSL_get_verify_result(ssl.get());
    std::string reason = takeOpenSslError();
    if (verdict == X509_V_ERR_HOSTNAME_MISMATCH || verdict == X509_V_ERR_IP_ADDRESS_MISMATCH) {
      X509Ptr shown(SSL_get1_peer_certificate(ssl.get()));
      return absl::UnauthenticatedError(
          absl::StrCat("what answers at ", address,
                       " has the certificate of another host: it is not for ", host));
    }
    if (verdict != X509_V_OK)
      return absl::UnauthenticatedError(absl::StrCat(
          "the certificate that ", address,
          " shows is not accepted by --tls_ca here: ", X509_verify_cert_error_string(verdict)));
    if (reason.find("alert") != std::string::npos)
      return absl::UnauthenticatedError(
          absl::StrCat(address, " refuses this task's certificate: ", alertText(reason)));
    if (reason == "wrong version number" || error == SSL_ERROR_SYSCALL ||
        error == SSL_ERROR_ZERO_RETURN || reason == "unexpected eof while reading")
      return absl::UnavailableError(
          "something listens there that does not speak TLS; was it started without "
          "--tls_cert? Or it has as many connections "
          "as it takes");
    return absl::UnavailableError(error == SSL_ERROR_SSL
                                      ? absl::StrCat("no TLS connection: ", reason)
                                      : "something listens there that does not answer");
  }
  // In TLS 1.3 a server says what it thinks of the client's certificate only after the client has
  // ended its part.
  char byte = 0;
  repeat(ssl.get(), deadline, [&] { return SSL_write(ssl.get(), kPreface, kPrefaceBytes); });
  error = repeat(ssl.get(), deadline, [&] { return SSL_read(ssl.get(), &byte, 1); });
  if (error == SSL_ERROR_NONE)
    return absl::OkStatus();
  std::string reason = takeOpenSslError();
  if (reason.find("alert") != std::string::npos)
    return absl::UnauthenticatedError(
        absl::StrCat(address, " refuses this task's certificate: ", alertText(reason)));
  // closed after it had our certificate; gRPC's servers send no alert
  return absl::DataLossError("");
}

absl::Status tryOnce(const std::string &address, const TlsCredentials &own, absl::Time deadline) {
  GRAPHC_ASSIGN_OR_RETURN(base::UniqueFd fd, base::connectTcp(address, deadline));
  return reachTls(fd.get(), base::splitAddress(address).first, address, own, deadline);
}
} // namespace

absl::Status reach(const std::string &address, const TlsCredentials &own, absl::Duration limit) {
  NoSigpipe quiet;
  absl::Time deadline = absl::Now() + limit;
  absl::Status status = tryOnce(address, own, deadline);
  if (!absl::IsDataLoss(status))
    return status;
  // a server that was just ending is gone by then; one that does not want us does it again
  absl::SleepFor(kEnding);
  status = tryOnce(address, own, deadline);
  if (!absl::IsDataLoss(status))
    return status;
  return absl::UnauthenticatedError(absl::StrCat(
      address,
      " refuses this task's certificate: it closes the connection as soon as it has seen it (another --tls_ca, "
      "or another date, on that machine?)"));
}

} // namespace graphc::tls
