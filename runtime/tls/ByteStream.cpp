#include "runtime/tls/ByteStream.h"

#include "runtime/common/base/StatusMacros.h"
#include "runtime/tls/OpenSsl.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <openssl/err.h>
#include <poll.h>
#include <sys/socket.h>

namespace graphc::tls {
namespace {
class PlainStream final : public ByteStream {
public:
  explicit PlainStream(int fd) : fd_(fd) {}
  Moved read(char *to, size_t most) override {
    return moved(recv(fd_, to, most, MSG_DONTWAIT), POLLIN);
  }
  Moved write(const char *from, size_t bytes) override {
    return moved(send(fd_, from, bytes, MSG_DONTWAIT | MSG_NOSIGNAL), POLLOUT);
  }
  void finish() override { shutdown(fd_, SHUT_WR); }

private:
  static Moved moved(ssize_t got, short events) {
    if (got > 0)
      return {static_cast<size_t>(got), events};
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR))
      return {0, events};
    return {0, events, true, got < 0 ? std::strerror(errno) : ""};
  }
  const int fd_;
};

class TlsStream final : public ByteStream {
public:
  explicit TlsStream(SslPtr ssl) : ssl_(std::move(ssl)) {}
  Moved read(char *to, size_t most) override {
    ERR_clear_error();
    return moved(SSL_read(ssl_.get(), to, clamped(most)));
  }
  Moved write(const char *from, size_t bytes) override {
    ERR_clear_error();
    return moved(SSL_write(ssl_.get(), from, clamped(bytes)));
  }
  void finish() override {
    ERR_clear_error();
    if (SSL_is_init_finished(ssl_.get()))
      SSL_shutdown(ssl_.get()); // one way, and without waiting for the other's
    shutdown(SSL_get_fd(ssl_.get()), SHUT_WR);
  }

private:
  static int clamped(size_t bytes) { return static_cast<int>(std::min<size_t>(bytes, INT_MAX)); }
  Moved moved(int got) {
    if (got > 0)
      return {static_cast<size_t>(got), 0};
    switch (SSL_get_error(ssl_.get(), got)) {
    case SSL_ERROR_WANT_READ:
      return {0, POLLIN};
    case SSL_ERROR_WANT_WRITE:
      return {0, POLLOUT};
    case SSL_ERROR_ZERO_RETURN:
      return {0, 0, true};
    case SSL_ERROR_SYSCALL:
      return {0, 0, true, "the connection was broken off"};
    default:
      return {0, 0, true, takeOpenSslError()};
    }
  }
  SslPtr ssl_;
};

/// A connection of its own kind each time, with the files as they are now.
absl::StatusOr<SslPtr> makeSsl(int fd, const TlsCredentials &own, bool server) {
  auto material = own.current();
  SslContextPtr context(SSL_CTX_new(server ? TLS_server_method() : TLS_client_method()));
  GRAPHC_ASSIGN_OR_RETURN(auto chain, parseCertificates(material->certificate, "--tls_cert"));
  GRAPHC_ASSIGN_OR_RETURN(auto authorities, parseCertificates(material->authority, "--tls_ca"));
  GRAPHC_ASSIGN_OR_RETURN(KeyPtr key, parseKey(material->key, "--tls_key"));
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  SSL_CTX_set_options(context.get(), SSL_OP_NO_RENEGOTIATION);
  SSL_CTX_set_mode(context.get(),
                   SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_OFF);
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  for (const X509Ptr &one : authorities) {
    X509_STORE_add_cert(SSL_CTX_get_cert_store(context.get()), one.get());
    if (server)
      SSL_CTX_add_client_CA(context.get(), one.get());
  }
  SSL_CTX_use_certificate(context.get(), chain[0].get());
  SSL_CTX_use_PrivateKey(context.get(), key.get());
  for (size_t i = 1; i < chain.size(); ++i)
    SSL_CTX_add1_chain_cert(context.get(), chain[i].get());
  SslPtr ssl(SSL_new(context.get()));
  if (!ssl || SSL_set_fd(ssl.get(), fd) != 1)
    return absl::InternalError(absl::StrCat("no TLS connection: ", takeOpenSslError()));
  return ssl;
}
} // namespace

absl::StatusOr<std::unique_ptr<ByteStream>> ByteStream::accept(int fd, const TlsCredentials *own) {
  if (!own)
    return std::make_unique<PlainStream>(fd);
  GRAPHC_ASSIGN_OR_RETURN(SslPtr ssl, makeSsl(fd, *own, /*server=*/true));
  SSL_set_accept_state(ssl.get());
  return std::make_unique<TlsStream>(std::move(ssl));
}

absl::StatusOr<std::unique_ptr<ByteStream>> ByteStream::connect(int fd, const std::string &host,
                                                                const TlsCredentials *own) {
  if (!own)
    return std::make_unique<PlainStream>(fd);
  GRAPHC_ASSIGN_OR_RETURN(SslPtr ssl, makeSsl(fd, *own, /*server=*/false));
  SSL_set_connect_state(ssl.get());
  if (isIpAddress(host)) {
    X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl.get()), host.c_str());
  } else {
    SSL_set1_host(ssl.get(), host.c_str());
    SSL_set_tlsext_host_name(ssl.get(), host.c_str());
  }
  return std::make_unique<TlsStream>(std::move(ssl));
}

} // namespace graphc::tls
