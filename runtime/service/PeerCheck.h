//===- PeerCheck.h - what tasks and masters say of tasks, before it is believed -----*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_SERVICE_PEERCHECK_H
#define GRAPHC_RUNTIME_SERVICE_PEERCHECK_H

#include "runtime/service/service.pb.h"

#include "absl/status/status.h"

#include <string>
#include <vector>

namespace graphc::service {

/// What a task says of itself: short printable texts and an address that is one. Its number and
/// name are compared elsewhere.
absl::Status checkHello(const Hello &hello);
/// What a run is: who may join it.
struct JoinRequirements {
  const std::vector<std::string> &taskNames; ///< by number
  const std::string &fingerprint, &version; ///< of the plan, of graphrun
  uint64_t session;
};
/// Whether such a task may: one of the plan's, with the same plan, version and session. The error
/// is for its user.
absl::Status checkMember(const Hello &hello, const JoinRequirements &run);
/// For a process of `task` that counts for nothing any more; `now`: the one that has its place,
/// null: none.
absl::Status displacedError(const std::string &task, const Hello *now);
/// What the others are told of a task.
Peer peerOf(const Hello &hello);
/// What a master says of the plan's task `number`, called `name`.
absl::Status checkPeer(const Peer &peer, uint32_t number, const std::string &name);
/// The name of a run: letters, digits, '-' and '_', 64 at most.
absl::Status checkRun(const std::string &run);
/// auto, shm or grpc.
absl::Status checkTransport(const std::string &transport);
/// The name of a file or folder on its way from another task: any bytes but 0, as many as a name
/// may have. `what` is for the message.
absl::Status checkPath(const std::string &path, const std::string &what);
/// Where a task listens for others on its host: nowhere (empty), or an absolute path that a
/// socket's address can hold.
absl::Status checkSocketPath(const std::string &path);
/// Each of a kernel of its own, in words that may go to a terminal.
absl::Status checkAlgorithms(const google::protobuf::RepeatedPtrField<Algorithm> &algorithms);

} // namespace graphc::service
#endif
