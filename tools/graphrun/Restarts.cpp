#include "tools/graphrun/Restarts.h"

#include "absl/strings/str_cat.h"

#include <algorithm>

namespace graphc::graphrun {
namespace {
constexpr absl::Duration kFirst = absl::Milliseconds(500), kLongest = absl::Minutes(1);
} // namespace

std::optional<absl::Duration> Restarts::next(std::optional<uint64_t> newest) {
  if (made_ == most_)
    return std::nullopt;
  const bool cameFurther = made_ == 0 || newest > from_; // none is less than any
  pause_ = cameFurther ? kFirst : std::min(2 * pause_, kLongest);
  from_ = newest;
  ++made_;
  return pause_;
}

std::string Restarts::describe() const {
  return absl::StrCat("restarting all tasks ",
                      from_ ? absl::StrCat("from step ", *from_) : "from the beginning, as there is no checkpoint yet,",
                      " in ", absl::FormatDuration(pause_), " (restart ", made_, " of ", most_, ")");
}

} // namespace graphc::graphrun
