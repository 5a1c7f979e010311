//===- FindRuns.h - the runs of this user on this machine ---------------------------*- C++ -*-===//
#ifndef GRAPHC_TOOLS_GRAPHRUN_STATUS_FINDRUNS_H
#define GRAPHC_TOOLS_GRAPHRUN_STATUS_FINDRUNS_H

#include "runtime/observe/RunStatus.h"

#include "absl/time/time.h"

#include <string>
#include <vector>

namespace graphc::graphrun {

struct FoundRun {
  std::string socket; ///< "/proc/4711/fd/7"
  std::string json; ///< as the run has said it
  observe::RunStatus status;
};

/// Sockets of StatusServer among the descriptors of this user's processes, by process.
std::vector<std::string> statusSockets();
/// What each of them says; who does not answer in time, or is no run, is left out. Oldest first.
std::vector<FoundRun> findRuns(absl::Duration limit);

} // namespace graphc::graphrun
#endif
