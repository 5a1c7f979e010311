#include "runtime/service/ClockOffsets.h"

#include "runtime/common/base/MonotonicClock.h"

#include "absl/time/clock.h"

#include <algorithm>

namespace graphc::service {
namespace {
/// of each task; a task that was busy at the first is quicker at another
constexpr int kQuestions = 8;
/// after so long without one the task is asked no more
constexpr absl::Duration kLongestAnswer = absl::Seconds(1);
} // namespace

std::vector<std::optional<ClockOffset>>
ClockOffsets::measure(const std::vector<std::shared_ptr<TaskLink>> &members) {
  std::vector<std::optional<ClockOffset>> offsets(members.size());
  for (uint32_t task = 0; task < members.size(); ++task)
    for (int i = 0; i < kQuestions; ++i) {
      ToTask message;
      {
        base::MutexLock lock(mutex_);
        asked_ = {task, asked_.id + 1, std::nullopt, 0};
        message.set_clock(asked_.id);
      }
      const int64_t before = base::nowNanoseconds();
      members[task]->send(message);
      base::MutexLock lock(mutex_);
      changed_.waitFor(mutex_, kLongestAnswer, [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
        return asked_.theirs.has_value();
      });
      if (!asked_.theirs)
        break;
      const int64_t took = asked_.at - before;
      const ClockOffset offset = {before + took / 2 - *asked_.theirs, took / 2 + 1};
      if (!offsets[task] || offset.error < offsets[task]->error)
        offsets[task] = offset;
    }
  return offsets;
}

/// What nobody has asked, or what comes too late, is dropped.
void ClockOffsets::answered(uint32_t task, const ClockReading &reading) {
  const int64_t now = base::nowNanoseconds();
  base::MutexLock lock(mutex_);
  if (task != asked_.task || reading.id() != asked_.id || asked_.theirs)
    return;
  // a monotonic clock is never below, whatever a peer says
  asked_.theirs = std::max<int64_t>(0, reading.nanoseconds());
  asked_.at = now;
  changed_.notifyAll();
}

} // namespace graphc::service
