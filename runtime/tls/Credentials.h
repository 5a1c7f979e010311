//===- Credentials.h - who this task is, to tasks on other machines ---------------------------------------*- C++ -*-===//
//
// Tasks on different machines speak mutual TLS: each side shows a certificate of the run's own authority and the dialling
// side checks that the certificate is for the host it dialled. The certificates take the place of the token that tasks of
// one machine share (docs/decisions/2026-11-21-mutual-tls.md).
//
//===----------------------------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_TLS_CREDENTIALS_H
#define GRAPHC_RUNTIME_TLS_CREDENTIALS_H

#include "absl/status/statusor.h"
#include "absl/time/time.h"

#include <grpcpp/security/credentials.h>
#include <grpcpp/security/server_credentials.h>

#include <memory>
#include <string>
#include <vector>

namespace graphc::tls {

/// Paths of PEM files; all three or none.
struct Files {
  std::string certificate; ///< --tls_cert: the task's, then what leads from it to the authority
  std::string key; ///< --tls_key
  std::string authority; ///< --tls_ca
};

class Credentials {
public:
  /// Reads and checks everything that can be checked alone: dates, key and certificate belong together, the authority has
  /// signed the certificate for both ends of a connection. Errors name the flag and the file.
  static absl::StatusOr<std::shared_ptr<const Credentials>> load(const Files &files);

  /// Whether others, who dial `address` to reach this task, will accept its certificate.
  absl::Status checkOwnAddress(const std::string &address) const;
  std::shared_ptr<grpc::ServerCredentials> server() const;
  std::shared_ptr<grpc::ChannelCredentials> client() const;

  const std::string &certificate() const { return certificate_; }
  const std::string &key() const { return key_; }
  const std::string &authority() const { return authority_; }
  /// The last day of the certificate.
  absl::Time expires() const { return expires_; }

private:
  Credentials() = default;
  std::string file_; ///< of the certificate, for errors
  std::string certificate_, key_, authority_; ///< PEM text
  std::vector<std::string> hosts_;
  absl::Time expires_;
};

/// Connects to a task's server and says why that fails, which gRPC keeps to itself. OK: it answers. Unauthenticated: one of
/// the two ends does not accept the other's certificate, and waiting will not help. Unavailable: it cannot be reached, or
/// one end speaks TLS and the other does not. `own` is null without TLS. Waits at most `limit` (DNS aside).
absl::Status reach(const std::string &address, const Credentials *own, absl::Duration limit);

} // namespace graphc::tls
#endif
