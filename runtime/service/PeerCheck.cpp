#include "runtime/service/PeerCheck.h"

#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/cluster/TaskAddresses.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include <algorithm>
#include <climits>
#include <set>
#include <sys/un.h>

namespace graphc::service {
namespace {
constexpr size_t kMostText = 256, kMostAlgorithm = 1024;

/// Names of hosts and versions, which go to people's terminals.
absl::Status checkText(const std::string &text, const std::string &what, size_t most = kMostText) {
  if (text.size() > most)
    return absl::InvalidArgumentError(
        absl::StrCat(what, " has ", text.size(), " bytes, at most ", most, " may be"));
  if (std::any_of(text.begin(), text.end(),
                  [](char c) { return absl::ascii_iscntrl(static_cast<unsigned char>(c)); }))
    return absl::InvalidArgumentError(absl::StrCat(what, " has control characters"));
  return absl::OkStatus();
}

/// None, a Unix socket's, or a host and port: no other scheme that gRPC would resolve.
absl::Status checkAddress(const std::string &address) {
  GRAPHC_RETURN_IF_ERROR(checkText(address, "an address"));
  if (address.empty() || absl::StartsWith(address, "unix:/"))
    return absl::OkStatus();
  return cluster::checkAddress(address);
}

template <class Described> absl::Status checkDescription(const Described &task) {
  GRAPHC_RETURN_IF_ERROR(checkText(task.name(), "the task's name"));
  GRAPHC_RETURN_IF_ERROR(checkText(task.host(), "the host's name"));
  GRAPHC_RETURN_IF_ERROR(checkText(task.host_id(), "the host's mark"));
  return checkAddress(task.address());
}
} // namespace

absl::Status checkHello(const Hello &hello) {
  GRAPHC_RETURN_IF_ERROR(checkText(hello.fingerprint(), "the plan's fingerprint"));
  GRAPHC_RETURN_IF_ERROR(checkText(hello.version(), "the version"));
  return checkDescription(hello);
}

absl::Status checkMember(const Hello &hello, const JoinRequirements &run) {
  if (hello.task() >= run.taskNames.size() || run.taskNames[hello.task()] != hello.name())
    return absl::InvalidArgumentError(absl::StrCat(hello.name(),
                                                   " is no task of this plan; its tasks are ",
                                                   absl::StrJoin(run.taskNames, ", ")));
  if (hello.fingerprint() != run.fingerprint)
    return absl::FailedPreconditionError(absl::StrCat(
        hello.name(), " has another plan: its fingerprint is ", hello.fingerprint(),
        ", the chief's ", run.fingerprint, "; start every task with the same plan file"));
  if (hello.version() != run.version)
    return absl::FailedPreconditionError(absl::StrCat(hello.name(), " runs graphrun ",
                                                      hello.version(), ", the chief ", run.version,
                                                      "; start every task with the same graphrun"));
  if (hello.session() != run.session)
    return absl::FailedPreconditionError(absl::StrCat(
        hello.name(), " (process ", hello.pid(), " on ", hello.host(), ") is of session ",
        hello.session(), " of this launcher, the chief of session ", run.session,
        ": it was given up, and nothing that it has made counts"));
  return absl::OkStatus();
}

absl::Status displacedError(const std::string &task, const Hello *now) {
  if (!now)
    return absl::FailedPreconditionError(
        absl::StrCat("this process was given up as ", task,
                     ", and nothing that it says counts; start it again"));
  return absl::FailedPreconditionError(
      absl::StrCat("another process is ", task, " by now (process ", now->pid(), " on ",
                   now->host(), "); this one was given up, and nothing that it says counts"));
}

Peer peerOf(const Hello &hello) {
  Peer peer;
  peer.set_task(hello.task());
  peer.set_name(hello.name());
  peer.set_address(hello.address());
  peer.set_incarnation(hello.incarnation());
  peer.set_host(hello.host());
  peer.set_host_id(hello.host_id());
  peer.set_pid(hello.pid());
  return peer;
}

absl::Status checkPeer(const Peer &peer, uint32_t number, const std::string &name) {
  if (peer.task() != number || peer.name() != name)
    return absl::InvalidArgumentError(absl::StrCat("task ", peer.task(), " stands where task ",
                                                   number, " of the plan, ", name, ", should be"));
  return base::annotate(checkDescription(peer), name);
}

absl::Status checkRun(const std::string &run) {
  bool good =
      !run.empty() && run.size() <= 64 && std::all_of(run.begin(), run.end(), [](unsigned char c) {
        return absl::ascii_isalnum(c) || c == '-' || c == '_';
      });
  return good ? absl::OkStatus() : absl::InvalidArgumentError("the run's name is malformed");
}

absl::Status checkTransport(const std::string &transport) {
  return transport == "auto" || transport == "shm" || transport == "grpc"
             ? absl::OkStatus()
             : absl::InvalidArgumentError("the transport is none of auto, shm and grpc");
}

absl::Status checkPath(const std::string &path, const std::string &what) {
  if (path.empty())
    return absl::InvalidArgumentError(absl::StrCat(what, " has no name"));
  if (path.size() >= PATH_MAX || path.find('\0') != std::string::npos)
    return absl::InvalidArgumentError(absl::StrCat(what, " has a name that no file can have"));
  return absl::OkStatus();
}

absl::Status checkSocketPath(const std::string &path) {
  if (path.empty() || (path.front() == '/' && path.size() < sizeof(sockaddr_un{}.sun_path) &&
                       path.find('\0') == std::string::npos))
    return absl::OkStatus();
  return absl::InvalidArgumentError("a socket has a path that none can have");
}

absl::Status checkAlgorithms(const google::protobuf::RepeatedPtrField<Algorithm> &algorithms) {
  std::set<std::string> kernels;
  for (const Algorithm &one : algorithms) {
    GRAPHC_RETURN_IF_ERROR(checkText(one.kernel(), "a kernel's name"));
    GRAPHC_RETURN_IF_ERROR(checkText(one.text(), "an algorithm", kMostAlgorithm));
    if (one.kernel().empty() || one.text().empty() || !kernels.insert(one.kernel()).second)
      return absl::InvalidArgumentError(
          "an algorithm is empty, of no kernel, or of one that has one already");
  }
  return absl::OkStatus();
}

} // namespace graphc::service
