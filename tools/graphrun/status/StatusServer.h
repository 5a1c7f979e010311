//===- StatusServer.h - the status of a run, for its user and for Prometheus --------*- C++ -*-===//
//
// On the chief. Always at a Unix socket without a name, which this user's processes reach by /proc
// (base::UnnamedListener), so that nothing is left however the run ends; with --status_address at a
// TCP port too, to who shows a certificate of the run's authority or brings a secret.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_TOOLS_GRAPHRUN_STATUS_STATUSSERVER_H
#define GRAPHC_TOOLS_GRAPHRUN_STATUS_STATUSSERVER_H

#include "runtime/common/base/Socket.h"
#include "runtime/http/HttpServer.h"
#include "runtime/observe/RunStatus.h"
#include "tools/graphrun/RunFlags.h"

#include <functional>
#include <memory>

namespace graphc::graphrun {

/// The socket's name before it had none: in /proc a run is known by it.
inline constexpr char kStatusSocket[] = "status";

/// The secret of a file that nobody else may read.
absl::StatusOr<std::string> readStatusSecret(const std::string &file);
/// What --status_address and --status_secret can be refused for before anything starts. `hasTls`:
/// the run has certificates.
absl::Status checkStatusFlags(const RunFlags &flags, bool hasTls);

class StatusServer {
public:
  /// `look` is called on its thread. `credentials`: of --tls_cert or --job_dir, for the TCP port;
  /// null: none.
  static absl::StatusOr<std::unique_ptr<StatusServer>>
  start(const RunFlags &flags, std::shared_ptr<const tls::TlsCredentials> credentials,
        std::function<observe::RunStatus()> look);
  /// "/proc/4711/fd/7"; empty: there is none.
  const std::string &socket() const { return socket_; }
  /// "http://localhost:9464/"; empty: no --status_address.
  const std::string &url() const { return url_; }

private:
  StatusServer() = default;
  base::UniqueFd path_; ///< of the socket
  std::string socket_, url_;
  std::unique_ptr<http::HttpServer> responder_;
};

} // namespace graphc::graphrun
#endif
