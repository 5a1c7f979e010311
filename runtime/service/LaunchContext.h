//===- LaunchContext.h - what tells a task that it was started beside others, and how they meet ----------------*- C++ -*-===//
//
// An inherited, sealed memfd, named by the environment variable GRAPHC_LAUNCH_FD (a number; the secret itself is in no environment and on no
// command line). graphrun's launcher makes one for each of its tasks, and so does a program whose session starts the other tasks.
//
//===----------------------------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_SERVICE_LAUNCHCONTEXT_H
#define GRAPHC_RUNTIME_SERVICE_LAUNCHCONTEXT_H

#include <cstdint>
#include <string>
#include <vector>

namespace graphc::service {

inline constexpr char kLaunchVariable[] = "GRAPHC_LAUNCH_FD";

struct LaunchContext {
  std::string run; ///< a random name
  std::string secret; ///< of this run (service/Proof.h)
  std::vector<std::string> addresses; ///< by task number; their sockets are inherited as well (base::UnnamedListener)
  int listenerFd = -1; ///< the child's own socket, at which it listens; set by the launcher for each child
  int reportFd = -1; ///< the child's end of the pipe; set by the launcher for each child
  std::vector<std::string> wrong; ///< of a check: what the launcher has found already; the chief alone is told
  int planFd = -1; ///< inherited: the plan as the launcher has read it, which may have come through a pipe
  uint32_t restarts = 0; ///< so far
  uint64_t session = 0; ///< of a launcher that starts tasks again, by number; 0: of one that does not
  int wordsFd = -1; ///< the child's end of that socket; -1: nobody is started again. Set by the launcher for each child
  int programFd =
      -1; ///< inherited: a pidfd of the program whose session has started the child; -1: a launcher has, which its end takes along
  uint32_t firstGpu = 0; ///< of this machine's, the one that is the child's GPU:0; set by the launcher for each child
};

std::string encode(const LaunchContext &context);
/// The exit status of a task that has lost another one, and of a launcher that has lost a task: the run may be started again. What
/// batch systems requeue by; 128 + SIGUSR1, as Kubernetes' training operators have it.
inline constexpr int kPeerLost = 138;

} // namespace graphc::service
#endif
