#include "runtime/executor/LaneCallbacks.h"

#include "absl/strings/str_cat.h"

namespace graphc::executor {

absl::Status LaneCallbacks::feed(const LaneInfo &lane, uint64_t, std::span<void *const>) {
  return absl::FailedPreconditionError(
      absl::StrCat(lane.name, ": the program has arguments to feed, but this session feeds none"));
}

} // namespace graphc::executor
