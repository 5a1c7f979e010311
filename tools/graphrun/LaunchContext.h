//===- LaunchContext.h - what the launcher tells the tasks that it starts, and they it ---------------------*- C++ -*-===//
//
// Down: an inherited, sealed memfd, named by the environment variable GRAPHC_LAUNCH_FD (a number; the secret itself is in no
// environment and on no command line). Up: one JSON object a line on an inherited pipe. Down, of a launcher that starts tasks again:
// words on an inherited socket (LauncherWords.h).
//
//===----------------------------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_TOOLS_GRAPHRUN_LAUNCHCONTEXT_H
#define GRAPHC_TOOLS_GRAPHRUN_LAUNCHCONTEXT_H

#include "absl/status/statusor.h"

#include <csignal>
#include <optional>
#include <string>
#include <vector>

namespace graphc::graphrun {

inline constexpr char kLaunchVariable[] = "GRAPHC_LAUNCH_FD";

struct LaunchContext {
  std::string run; ///< a random name
  std::string secret; ///< of this run (service/Proof.h)
  std::vector<std::string> addresses; ///< by task number; their sockets are inherited as well (base::UnnamedListener)
  int listenerFd = -1; ///< the child's own socket, at which it listens; set by the launcher for each child
  int reportFd = -1; ///< the child's end of the pipe; set by the launcher for each child
  std::vector<std::string> wrong; ///< of a check: what the launcher has found already; the chief alone is told
  int planFd = -1; ///< inherited: the plan as the launcher has read it, which may have come through a pipe
  uint32_t firstGpu = 0; ///< of this machine's, the one that is the child's GPU:0; set by the launcher for each child
  uint64_t session = 0; ///< LauncherWords
  int wordsFd = -1; ///< the child's end of that socket; -1: nobody is started again. Set by the launcher for each child
};

std::string encode(const LaunchContext &context);
/// None where this process was not started by a launcher. Closes the descriptor and clears the variable.
absl::StatusOr<std::optional<LaunchContext>> takeLaunchContext();

/// Whether a terminal that closes ends this process: SIGHUP asks for a stop as SIGTERM does, unless it was ignored at the start (nohup).
bool hangupStops();
/// SIGTERM, SIGINT and, where it does, SIGHUP.
sigset_t stopSignals();

/// A launched task is begun with SIGTERM, SIGINT and SIGHUP blocked, and no other signal: a stop waits until the task knows what to
/// do with it and unblocks them. SIGHUP that is ignored stays so.
void blockStopsAlone();
void unblockStops();

/// What a task says about itself before it ends with an error.
struct ErrorReport {
  std::string task, message;
  bool secondary = false; ///< it only noticed that another failed
  bool lost = false; ///< and that other one was lost
};

/// The exit status of a task that has lost another one, and of a launcher that has lost a task: the run may be started again. What
/// batch systems requeue by; 128 + SIGUSR1, as Kubernetes' training operators have it.
inline constexpr int kPeerLost = 138;
std::string encode(const ErrorReport &report);
/// A task has left the session of this number, of which another task was lost, and waits for the next.
std::string encodeLeft(uint64_t session);

} // namespace graphc::graphrun
#endif
