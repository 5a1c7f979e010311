//===- TaskDialer.h - a task's way to another task's server -------------------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_SERVICE_TASKDIALER_H
#define GRAPHC_RUNTIME_SERVICE_TASKDIALER_H

#include "runtime/tls/TlsCredentials.h"
#include "runtime/transport/GrpcOptions.h"

#include "absl/status/statusor.h"
#include <grpcpp/grpcpp.h>

#include <functional>
#include <memory>
#include <string>

namespace graphc::service {

/// What a task shows the others, and they it.
struct TaskIdentity {
  std::string secret; ///< of the run or the user; without TLS
  /// null: no TLS, every address is of this machine
  std::shared_ptr<const tls::TlsCredentials> credentials;
  absl::Duration silence = transport::kSilence; ///< of a connection before it counts as broken
};

/// How one is waited for who may come later.
struct AwaitOptions {
  std::string who; ///< "the chief /job:worker/task:0 at 10.0.0.2:2222"
  absl::Time deadline;
  std::function<void(const std::string &)>
      announce; ///< "waiting for WHO (why) for 1s; …": after a second, then every five
  /// asked between two tries; an error ends the wait. May be empty
  std::function<absl::Status()> ended = {};
};

class TaskDialer {
public:
  /// `address`: "host:port", or "unix:PATH" without TLS.
  TaskDialer(std::string address, TaskIdentity identity)
      : address_(std::move(address)), identity_(std::move(identity)) {}
  /// A new channel, connected. Takes the whole of `limit` where nobody answers, so that it can be
  /// called again at once, and longer where somebody listens and is slow, but not beyond
  /// `deadline`. Unavailable: nobody answers, or not as graphrun does. Unauthenticated: one of the
  /// two ends does not accept the other, and waiting will not help.
  absl::StatusOr<std::shared_ptr<grpc::Channel>>
  connect(absl::Duration limit, absl::Time deadline = absl::InfiniteFuture());
  /// connect(), until it succeeds. Unavailable: it did not until the deadline. Errors begin with
  /// `who`.
  absl::StatusOr<std::shared_ptr<grpc::Channel>> await(const AwaitOptions &awaited);
  /// Why connect() has failed with `status`: gRPC keeps to itself what a TLS handshake says, and
  /// another one, of `limit` at most, is made to hear it. OK: that one succeeded.
  absl::Status why(const absl::Status &status, absl::Duration limit) const;
  /// A new channel that is connected or, with TLS, on its way; errors as from connect().
  absl::StatusOr<std::shared_ptr<grpc::Channel>> start(absl::Duration limit);
  /// A connection made only to learn whether it can be, and why not. Takes at most `limit` (DNS
  /// aside).
  absl::Status reach(absl::Duration limit) const;

private:
  std::shared_ptr<grpc::Channel> overTls() const;

  const std::string address_;
  const TaskIdentity identity_;
  std::shared_ptr<grpc::Channel> tried_; ///< with TLS: not connected yet
  std::shared_ptr<const tls::TlsCredentials::Material> shown_; ///< by it
};

/// gRPC writes its own log on standard error; errors reach the user as ours, so it is silenced.
void silenceGrpc();

} // namespace graphc::service
#endif
