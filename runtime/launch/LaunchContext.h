//===- LaunchContext.h - what the tasks of a launcher take and tell it ---------------------------------------*- C++ -*-===//
//
// Down: service/LaunchContext.h. Up: one JSON object a line on an inherited pipe. Down, of a launcher that starts tasks again: words on an
// inherited socket (LauncherWords.h).
//
//===----------------------------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_LAUNCH_LAUNCHCONTEXT_H
#define GRAPHC_RUNTIME_LAUNCH_LAUNCHCONTEXT_H

#include "runtime/service/LaunchContext.h"

#include "absl/status/statusor.h"

#include <csignal>
#include <optional>
#include <string>
#include <vector>

namespace graphc::graphrun {

using service::kLaunchVariable;
using service::LaunchContext;
/// None where this process was not started by a launcher. Closes the descriptor and clears the variable.
absl::StatusOr<std::optional<LaunchContext>> takeLaunchContext();

/// Whether a process has ended, by its pidfd. -1: it is nobody's business.
bool hasEnded(int process);

/// Whether a terminal that closes ends this process: SIGHUP asks for a stop as SIGTERM does, unless it was ignored at the start (nohup).
bool hangupStops();
/// SIGTERM, SIGINT and, where it does, SIGHUP.
sigset_t stopSignals();
/// Whether one of them has come while they were blocked, and was not taken yet.
bool stopIsPending();

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

using service::kPeerLost;
std::string encode(const ErrorReport &report);
/// A task has left the session of this number, of which another task was lost, and waits for the next.
std::string encodeLeft(uint64_t session);

} // namespace graphc::graphrun
#endif
