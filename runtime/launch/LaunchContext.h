//===- LaunchContext.h ------------------------------------------------------------------------===//
//
// What a started task receives from the process that started it, and reports to it.
//
// Down: an inherited, sealed memfd, named by the environment variable GRAPHC_LAUNCH_FD (a number;
// the secret itself is in no environment and on no command line). graphrun's launcher creates one
// for each of its tasks, and so does a program whose session starts the other tasks. Up, to a
// launcher: one JSON object a line on an inherited pipe. A launcher that starts tasks again also
// sends words down on an inherited socket (LauncherMessages.h).
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_LAUNCH_LAUNCHCONTEXT_H
#define GRAPHC_RUNTIME_LAUNCH_LAUNCHCONTEXT_H

#include "absl/status/statusor.h"

#include <cstdint>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace graphc::launch {

inline constexpr char kLaunchVariable[] = "GRAPHC_LAUNCH_FD";

struct LaunchContext {
  std::string run; ///< a random name
  std::string secret; ///< of this run (service/SecretProof.h)
  /// by task number; their sockets are inherited as well (base::UnnamedListener)
  std::vector<std::string> addresses;
  int listenerFd = -1; ///< the child's own socket, at which it listens; set for each child
  int reportFd = -1; ///< the child's end of the pipe; set by the launcher for each child
  /// of a check: what the launcher has found already; the chief alone is told
  std::vector<std::string> wrong;
  int planFd = -1; ///< the plan as the launcher has read it, which may have come through a pipe
  uint32_t restarts = 0; ///< so far
  /// of a launcher that starts tasks again, by number; 0: of one that does not
  uint64_t session = 0;
  /// the child's end of that socket; -1: nobody is started again. Set by the launcher for each
  /// child
  int wordsFd = -1;
  // The child ends with the process that started it. One of these two says which that is.
  pid_t launcherPid = 0; ///< a launcher of one thread, as its parent; 0: none
  int programFd = -1; ///< a pidfd of the program whose session started it; -1: none
  /// of this machine's, the one that is the child's GPU:0; set for each child
  uint32_t firstGpu = 0;
};
std::string encode(const LaunchContext &context);
/// None if this process was started by neither. Closes the descriptor and clears the variable. From
/// here on the process is killed when its launcher ends. On the main thread.
absl::StatusOr<std::optional<LaunchContext>> takeLaunchContext();

/// Whether a process has ended, by its pidfd. -1: no process to look at.
bool hasEnded(int process);

/// What a task reports about itself before it ends with an error.
struct ErrorReport {
  std::string task, message;
  bool secondary = false; ///< it only noticed that another failed
  bool lost = false; ///< and that other one was lost
};
/// The exit status of a task that has lost another one, and of a launcher that has lost a task: the
/// run may be started again. What batch systems requeue by; 128 + SIGUSR1, as Kubernetes' training
/// operators have it.
inline constexpr int kPeerLost = 138;

std::string encode(const ErrorReport &report);
/// A task has left the session of this number, of which another task was lost, and waits for the
/// next.
std::string encodeLeft(uint64_t session);
/// A task has reached the chief of the session of this number.
std::string encodeJoined(uint64_t session);

} // namespace graphc::launch
#endif
