// gRPC's C++ interface fixes a server's certificate when the server starts. Its C interface asks
// before each handshake.
#include "runtime/tls/ServerCredentials.h"

#include <grpc/grpc.h>
#include <grpc/grpc_security.h>

namespace graphc::tls {
namespace {
class AskedEachTime final : public grpc::ServerCredentials {
public:
  explicit AskedEachTime(std::shared_ptr<const TlsCredentials> credentials)
      : credentials_(std::move(credentials)),
        made_(grpc_ssl_server_credentials_create_with_options(
            grpc_ssl_server_credentials_create_options_using_config_fetcher(
                GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY, fetch, this))) {}
  ~AskedEachTime() override { grpc_server_credentials_release(made_); }
  void SetAuthMetadataProcessor(const std::shared_ptr<grpc::AuthMetadataProcessor> &) override {}

private:
  int AddPortToServer(const std::string &address, grpc_server *server) override {
    return grpc_server_add_http2_port(server, address.c_str(), made_);
  }
  static grpc_ssl_certificate_config_reload_status
  fetch(void *self, grpc_ssl_server_certificate_config **config) {
    auto &own = *static_cast<AskedEachTime *>(self);
    auto material = own.credentials_->current();
    if (material == own.given_) // handshakes ask one at a time: gRPC holds a lock
      return GRPC_SSL_CERTIFICATE_CONFIG_RELOAD_UNCHANGED;
    own.given_ = material;
    grpc_ssl_pem_key_cert_pair pair{material->key.c_str(), material->certificate.c_str()};
    *config = grpc_ssl_server_certificate_config_create(material->authority.c_str(), &pair, 1);
    return GRPC_SSL_CERTIFICATE_CONFIG_RELOAD_NEW;
  }

  const std::shared_ptr<const TlsCredentials> credentials_;
  std::shared_ptr<const TlsCredentials::Material> given_;
  grpc_server_credentials *const made_;
};
} // namespace

std::shared_ptr<grpc::ServerCredentials>
makeServerCredentials(std::shared_ptr<const TlsCredentials> own) {
  return std::make_shared<AskedEachTime>(std::move(own));
}

} // namespace graphc::tls
