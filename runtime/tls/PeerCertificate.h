//===- PeerCertificate.h - for whom the other end's certificate is good -------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_TLS_PEERCERTIFICATE_H
#define GRAPHC_RUNTIME_TLS_PEERCERTIFICATE_H

#include "absl/status/status.h"
#include <grpcpp/security/auth_context.h>

#include <string>
#include <utility>

namespace graphc::tls {

/// What gRPC has verified of a caller or of who was called. Without TLS it names nobody, and every
/// check is OK: then both ends are one user (service/ConnectionAdmission.h).
class PeerCertificate {
public:
  PeerCertificate() = default;
  /// `pem`: the verified certificate.
  explicit PeerCertificate(std::string pem) : pem_(std::move(pem)) {}
  /// A certificate whose common name is a task's ("/job:worker/task:1", as graphrun certs writes
  /// it) is good for that task alone; one of another name for every task of its hosts.
  /// PermissionDenied: it is another task's.
  absl::Status checkTask(const std::string &task) const;
  /// And it must be good for the host of `address`, where that task says it is.
  absl::Status check(const std::string &task, const std::string &address) const;

private:
  std::string pem_; ///< empty: no TLS
};

PeerCertificate certificateOf(const grpc::AuthContext &context);

} // namespace graphc::tls
#endif
