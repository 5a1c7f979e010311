#include "tools/graphrun/Restarts.h"

#include "runtime/checkpoint/Checkpoint.h"
#include "runtime/checkpoint/Finished.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <unistd.h>

namespace graphc::graphrun {
namespace {
constexpr absl::Duration kShortest = absl::Milliseconds(500), kLongest = absl::Minutes(1);
} // namespace

std::optional<uint64_t> clearCheckpoints(const std::string &directory) {
  if (directory.empty())
    return std::nullopt;
  auto steps = checkpoint::committedSteps(directory);
  if (steps.ok() && access(directory.c_str(), F_OK) == 0)
    (void)checkpoint::Directory::open(directory); // whose lock says that it is ours to clear
  return steps.ok() && !steps->empty() ? std::optional(steps->back()) : std::nullopt;
}

void forgetFinished(const std::string &directory) {
  if (access(directory.c_str(), F_OK) != 0)
    return;
  if (auto held = checkpoint::Directory::open(directory); held.ok()) // nobody trains there
    (void)checkpoint::removeFinished(directory);
}

std::optional<absl::Duration> Restarts::next(std::optional<uint64_t> newest) {
  if (made_ == most_)
    return std::nullopt;
  const bool cameFurther = made_ == 0 || newest > from_; // none is less than any
  pause_ = cameFurther ? absl::ZeroDuration() : std::clamp(2 * pause_, kShortest, kLongest);
  from_ = newest;
  ++made_;
  return pause_;
}

std::string Restarts::describe(const std::string &who) const {
  return absl::StrCat("restarting ", who, " ",
                      from_ ? absl::StrCat("from step ", *from_) : "from the beginning, as there is no checkpoint yet,",
                      pause_ > absl::ZeroDuration() ? absl::StrCat(" in ", absl::FormatDuration(pause_)) : " at once",
                      " (restart ", made_, " of ", most_, ")");
}

} // namespace graphc::graphrun
