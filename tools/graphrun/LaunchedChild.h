//===- LaunchedChild.h - a process that the launcher has started ----------------------------------------------------*- C++ -*-===//
#ifndef GRAPHC_TOOLS_GRAPHRUN_LAUNCHEDCHILD_H
#define GRAPHC_TOOLS_GRAPHRUN_LAUNCHEDCHILD_H

#include "runtime/base/File.h"
#include "tools/graphrun/LaunchContext.h"

#include <functional>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace graphc::graphrun {

struct LaunchedTask {
  std::string name; ///< "/job:worker/task:1"
  std::string label; ///< "worker:1", before each line of its log
  std::string job;
  uint32_t index = 0;
  uint32_t firstGpu = 0; ///< LaunchContext::firstGpu
};

struct LaunchedChild {
  size_t number = 0; ///< of its task
  const LaunchedTask *task = nullptr;
  pid_t pid = -1;
  base::UniqueFd out, err, report, words; ///< our ends; words: with maxRestarts
  std::string outRest, errRest, reportRest;
  std::string lastLine; ///< of its standard error
  std::optional<int> status; ///< of waitpid
  bool killedByUs = false;
  bool told = false; ///< that its session is over
  std::optional<ErrorReport> error;
  size_t endedAs = 0; ///< 1 for the first that ended, …
};

/// What has become of it, in a sentence.
std::string describe(const LaunchedChild &child);

/// Of those that failed the one because of which the others did; null: none failed.
const LaunchedChild *rootCause(const std::vector<LaunchedChild> &children);

/// Each whole line that has come through the pipe; `rest`: of a line that has not. False: nothing comes any more.
bool readLines(base::UniqueFd &fd, std::string &rest, const std::function<void(const std::string &)> &line);

} // namespace graphc::graphrun
#endif
