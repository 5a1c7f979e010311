#include "runtime/session/recovery/RestartPolicy.h"

#include "runtime/checkpoint/Checkpoint.h"
#include "runtime/checkpoint/TrainingEndMarker.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <unistd.h>

namespace graphc::session {
namespace {
constexpr absl::Duration kShortest = absl::Milliseconds(500), kLongest = absl::Minutes(1),
                         kOneCause = absl::Seconds(10);
} // namespace

std::optional<uint64_t> clearCheckpoints(const std::string &directory) {
  if (directory.empty())
    return std::nullopt;
  auto steps = checkpoint::committedSteps(directory);
  if (steps.ok() && access(directory.c_str(), F_OK) == 0)
    // Its lock says that it is ours to clear.
    (void)checkpoint::CheckpointDirectory::open(directory);
  return steps.ok() && !steps->empty() ? std::optional(steps->back()) : std::nullopt;
}

void forgetFinished(const std::string &directory) {
  if (access(directory.c_str(), F_OK) != 0)
    return;
  // nobody trains there
  if (auto held = checkpoint::CheckpointDirectory::open(directory); held.ok())
    (void)checkpoint::removeFinished(directory);
}

std::optional<absl::Duration> RestartPolicy::next(std::optional<uint64_t> newest) {
  const bool cameFurther = made_ == 0 || newest > from_; // none is less than any
  if (!count())
    return std::nullopt;
  pause_ = cameFurther ? absl::ZeroDuration()
                       : std::clamp(2 * pause_, kShortest, fromMemory_ ? kShortest : kLongest);
  from_ = newest;
  return pause_;
}

bool RestartPolicy::mayBeOne(absl::Time now) const { return now - counted_ < kOneCause; }

std::optional<absl::Duration> RestartPolicy::again(absl::Time now, bool isOne) {
  if (isOne && mayBeOne(now))
    return absl::ZeroDuration();
  if (!count())
    return std::nullopt;
  againPause_ = now - again_ > kOneCause              ? absl::ZeroDuration()
                : againPause_ == absl::ZeroDuration() ? absl::Milliseconds(500)
                                                      : std::min(againPause_ * 2, absl::Minutes(1));
  again_ = now + againPause_;
  counted_ = now;
  return againPause_;
}

std::string RestartPolicy::describe(const std::string &who) const {
  return absl::StrCat(
      "restarting ", who, " ", fromMemory_ ? "from the memory of a task that lives, else " : "",
      from_ ? absl::StrCat("from step ", *from_)
            : "from the beginning, as there is no checkpoint yet,",
      pause_ > absl::ZeroDuration() ? absl::StrCat(" in ", absl::FormatDuration(pause_))
                                    : " at once",
      " (restart ", made_, " of ", most_, ")");
}

bool RestartPolicy::count() {
  if (made_ == most_)
    return false;
  ++made_;
  return true;
}

} // namespace graphc::session
