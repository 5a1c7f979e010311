#include "runtime/api/RunRestarts.h"

#include "runtime/api/Run.h"
#include "runtime/common/base/StatusMacros.h"

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"

#include <algorithm>

namespace graphc::session {
namespace {
constexpr absl::Duration kLookForStop = absl::Milliseconds(20), kRejoin = absl::Milliseconds(200);
} // namespace

RunRestarts::RunRestarts(const RunOptions &options)
    : options_(options), restarts_(options.maxRestarts) {}

bool RunRestarts::await(const LostRun &loss, const std::function<bool()> &stopAsked) {
  if (stopAsked())
    return false;
  std::optional<absl::Duration> pause;
  if (!loss.chief && !loss.met && absl::Now() < joinBy_) {
    pause = kRejoin;
  } else {
    std::string what;
    if (loss.chief) {
      pause = restarts_.next(clearCheckpoints(options_.checkpointDirectory));
      what = pause ? restarts_.describe("the run") : "";
    } else if (restarts_.count()) {
      pause = absl::ZeroDuration();
      what = absl::StrCat("joining the chief again (restart ", restarts_.made(), " of ",
                          restarts_.most(), ")");
    }
    if (!pause)
      return false;
    joinBy_ = absl::Now() + options_.cluster.joinDeadline;
    if (options_.log)
      options_.log(absl::StrCat(base::describe(loss.why), "; ", what));
  }
  for (const absl::Time until = absl::Now() + *pause; absl::Now() < until && !stopAsked();)
    absl::SleepFor(std::min(kLookForStop, until - absl::Now()));
  return !stopAsked();
}

} // namespace graphc::session
