#include "runtime/service/TaskDialer.h"

#include "runtime/common/base/Socket.h"
#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/base/WaitDurationText.h"
#include "runtime/service/SecretProof.h"

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include <grpc/support/log.h>
#include <grpcpp/create_channel_posix.h>

#include <algorithm>
#include <sys/socket.h>

namespace graphc::service {
namespace {
/// How long the other end may take for its part of the proof: a machine with much to do.
constexpr absl::Duration kProofLimit = absl::Seconds(2);
/// How long the reason may be looked for why one who is waited for does not answer.
constexpr absl::Duration kReasonLimit = absl::Seconds(1);

/// A connection to one who knows the secret: made until `deadline`, proven until `proven`.
absl::StatusOr<base::UniqueFd> call(const std::string &address, const std::string &secret,
                                    absl::Time deadline, absl::Time proven) {
  base::UniqueFd socket;
  if (base::isUnixAddress(address)) {
    GRAPHC_ASSIGN_OR_RETURN(socket, base::connectUnix(address.substr(5), SOCK_STREAM));
    GRAPHC_RETURN_IF_ERROR(base::checkSameUser(socket.get()));
  } else {
    GRAPHC_ASSIGN_OR_RETURN(socket, base::connectTcp(address, deadline));
  }
  GRAPHC_RETURN_IF_ERROR(prove(socket.get(), secret, proven));
  return socket;
}
} // namespace

std::shared_ptr<grpc::Channel> TaskDialer::overTls() const {
  return grpc::CreateCustomChannel(address_, identity_.credentials->client(),
                                   transport::channelArguments(identity_.silence));
}

/// One try. With TLS gRPC connects and makes the handshake, again with the certificate of now if
/// that was replaced. Without, this side connects and proves itself, and gRPC gets the socket.
absl::StatusOr<std::shared_ptr<grpc::Channel>> TaskDialer::connect(absl::Duration limit,
                                                                   absl::Time deadline) {
  const absl::Time until = absl::Now() + limit;
  if (identity_.credentials) {
    if (auto now = identity_.credentials->current(); !tried_ || now != shown_) {
      shown_ = now;
      tried_ = overTls();
    }
    if (tried_->WaitForConnected(absl::ToChronoTime(until)))
      return std::exchange(tried_, nullptr);
    // it would wait 100 ms at least by itself
    grpc::experimental::ChannelResetConnectionBackoff(tried_.get());
    return absl::UnavailableError("no connection");
  }
  auto socket = call(address_, identity_.secret, until,
                     std::min(deadline, std::max(until, absl::Now() + kProofLimit)));
  if (socket.ok())
    return grpc::CreateCustomInsecureChannelFromFd(address_, socket->release(),
                                                   transport::channelArguments(identity_.silence));
  if (absl::IsUnavailable(socket.status()))
    absl::SleepFor(until - absl::Now());
  return socket.status();
}

absl::StatusOr<std::shared_ptr<grpc::Channel>> TaskDialer::start(absl::Duration limit) {
  if (identity_.credentials)
    return overTls();
  absl::Time deadline = absl::Now() + limit;
  auto channel = connect(absl::Milliseconds(5), deadline);
  while (absl::IsUnavailable(channel.status()) && absl::Now() < deadline)
    channel = connect(absl::Milliseconds(20), deadline);
  return channel;
}

/// Tries until the other end is there, says now and then for whom it waits, and why. Two ends that
/// would never accept each other are not waited for.
absl::StatusOr<std::shared_ptr<grpc::Channel>> TaskDialer::await(const AwaitOptions &awaited) {
  absl::Time began = absl::Now(), announceAt = began + absl::Seconds(1);
  // tasks that a launcher has started together find each other soon
  absl::Duration pause = absl::Milliseconds(2);
  while (true) {
    auto channel = connect(pause, awaited.deadline);
    if (channel.ok())
      return channel;
    pause = std::min(pause * 1.5, absl::Milliseconds(200));
    bool late = absl::Now() >= awaited.deadline;
    absl::Status why = channel.status();
    if (late || absl::Now() >= announceAt)
      why = this->why(why, kReasonLimit);
    if (absl::IsUnauthenticated(why))
      return absl::UnauthenticatedError(absl::StrCat(awaited.who, ": ", why.message()));
    std::string reason = why.ok() ? "" : absl::StrCat(" (", why.message(), ")");
    if (late)
      return absl::UnavailableError(absl::StrCat(
          awaited.who, " did not come within ",
          absl::FormatDuration(absl::Ceil(awaited.deadline - began, absl::Milliseconds(1))),
          reason));
    if (awaited.ended)
      GRAPHC_RETURN_IF_ERROR(awaited.ended());
    if (absl::Now() >= announceAt) {
      awaited.announce(
          absl::StrCat("waiting for ", awaited.who, reason,
                       base::waitSoFar(absl::Now() - began, awaited.deadline - absl::Now())));
      announceAt = absl::Now() + absl::Seconds(5);
    }
  }
}

absl::Status TaskDialer::reach(absl::Duration limit) const {
  if (identity_.credentials)
    return tls::reach(address_, *identity_.credentials, limit);
  absl::Time deadline = absl::Now() + limit;
  return call(address_, identity_.secret, deadline, deadline).status();
}

absl::Status TaskDialer::why(const absl::Status &status, absl::Duration limit) const {
  return identity_.credentials && absl::IsUnavailable(status)
             ? tls::reach(address_, *identity_.credentials, limit)
             : status;
}

void silenceGrpc() {
  gpr_set_log_function([](gpr_log_func_args *) {});
}

} // namespace graphc::service
