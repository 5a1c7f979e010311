#include "runtime/launch/EvaluatorLifecycle.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <sys/wait.h>
#include <utility>

namespace graphc::launch {
namespace {
/// Before it is started again, at least.
constexpr absl::Duration kPause = absl::Milliseconds(500);
/// Before one that is stopped is killed.
constexpr absl::Duration kStopped = absl::Seconds(5);
} // namespace

bool EvaluatorLifecycle::mustStart(absl::Time now) {
  if (startAt_ > now)
    return false;
  startAt_ = absl::InfiniteFuture();
  return true;
}

std::string EvaluatorLifecycle::ended(const LaunchedChild &child, bool stopping, absl::Time now) {
  stopped_ = absl::ZeroDuration();
  startAt_ = absl::InfiniteFuture();
  if (stopping || child.killedByUs || *child.status == 0)
    return "";
  if (WIFSIGNALED(*child.status))
    if (std::optional<absl::Duration> pause = restarts_.next(std::nullopt)) {
      pause = std::max(*pause, kPause);
      startAt_ = now + *pause;
      return absl::StrCat(describe(child), "; started again in ", absl::FormatDuration(*pause));
    }
  failed_ = true;
  return absl::StrCat(describe(child), "; there is none any more");
}

std::string EvaluatorLifecycle::mustBeKilled(const LaunchedChild &child, absl::Time now) {
  const std::string line = describeStopped(child);
  const absl::Duration since =
      std::clamp(now - std::exchange(looked_, now), absl::ZeroDuration(), kLookEvery);
  stopped_ = line.empty() ? absl::ZeroDuration() : stopped_ + since;
  if (stopped_ <= kStopped)
    return "";
  stopped_ = absl::ZeroDuration();
  return absl::StrCat(line, " for ", absl::FormatDuration(kStopped),
                      " behind training's end, and is killed");
}

} // namespace graphc::launch
