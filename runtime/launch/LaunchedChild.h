//===- LaunchedChild.h - a process that the launcher has started --------------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_LAUNCH_LAUNCHEDCHILD_H
#define GRAPHC_RUNTIME_LAUNCH_LAUNCHEDCHILD_H

#include "runtime/launch/ChildProcess.h"

#include "absl/time/time.h"

#include <optional>
#include <string>
#include <vector>

namespace graphc::launch {

struct LaunchedChild {
  size_t number = 0; ///< of its task
  const LaunchedTask *task = nullptr;
  pid_t pid = -1;
  base::UniqueFd out, err, report, words; ///< our ends; words: with maxRestarts
  std::string outRest, errRest, reportRest;
  std::string lastLine; ///< of its standard error
  std::optional<int> status; ///< of waitpid
  bool killedByUs = false;
  std::string
      oomFile; ///< not empty: the kernel killed it for lack of memory, and counts that there
  /// killed behind the chief's good end, which means that all tasks have done what they had to
  bool isSpare = false;
  bool told = false; ///< that its session is over
  /// it is killed then, unless it has reached the chief of its session
  absl::Time joinBy = absl::InfiniteFuture();
  /// it died, and until then the chief may say that the others go on without it
  absl::Time heldUntil = absl::InfinitePast();
  bool joins = false; ///< it was started while the others go on, and is not with them yet
  bool again = false; ///< the chief says so: it is started again, not before `startAt`
  absl::Time startAt = absl::InfinitePast();
  bool givenUp = false; ///< the chief says so, and there is no restart left
  std::optional<ErrorReport> error;
  size_t endedAs = 0; ///< 1 for the first that ended, …
};

/// What has become of it, in a sentence.
std::string describe(const LaunchedChild &child);

/// Of one whom the kernel has stopped, the beginning of a sentence: who that is, and by what; ""
/// where it is not.
std::string describeStopped(const LaunchedChild &child);

/// Of those that failed the one because of which the others did; null: none failed.
const LaunchedChild *rootCause(const std::vector<LaunchedChild> &children);

/// Whether what ended the run need not come again. A task that was refused, that has found NaN or a
/// full disk would say the same once more.
bool mayPass(const std::vector<LaunchedChild> &children, const LaunchedChild &cause);

} // namespace graphc::launch
#endif
