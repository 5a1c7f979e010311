#include "runtime/trace/TraceClocks.h"

#include "runtime/executor/LaneTrace.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <map>

namespace graphc::session {

std::vector<int64_t> alignClocks(const std::vector<std::optional<service::ClockOffset>> &asked,
                                 const std::vector<bool> &sameHost, uint32_t chief,
                                 std::span<const TracedMessage> messages) {
  const size_t tasks = asked.size();
  constexpr int64_t kMost = executor::kMostTraceTime;
  std::vector<int64_t> offsets(tasks);
  for (size_t task = 0; task < tasks; ++task)
    if (task != chief && asked[task] &&
        (!sameHost[task] || std::llabs(asked[task]->nanoseconds) > asked[task]->error))
      offsets[task] = std::clamp(asked[task]->nanoseconds, -kMost, kMost);
  // The least of received - sent, by clocks as they are: offset of the receiver less that of the
  // sender is no less than minus that.
  std::map<std::pair<uint32_t, uint32_t>, int64_t> shortest;
  for (const TracedMessage &message : messages)
    if (message.from != message.to) {
      auto [least, isNew] =
          shortest.try_emplace({message.from, message.to}, message.received - message.sent);
      least->second = std::min(least->second, message.received - message.sent);
    }
  // Each in turn goes between what its messages allow. Once round settles a star, a few rounds what
  // is in a ring.
  for (size_t round = 0; round < tasks + 1; ++round)
    for (uint32_t task = 0; task < tasks; ++task) {
      if (task == chief)
        continue;
      int64_t least = std::numeric_limits<int64_t>::min(),
              most = std::numeric_limits<int64_t>::max();
      for (auto [ends, took] : shortest) {
        if (ends.second == task)
          least = std::max(least, offsets[ends.first] - took);
        if (ends.first == task)
          most = std::min(most, offsets[ends.second] + took);
      }
      if (least > most) // others are still where they cannot be
        offsets[task] = least / 2 + most / 2;
      else
        offsets[task] = std::clamp(offsets[task], least, most);
      offsets[task] = std::clamp(offsets[task], -kMost, kMost);
    }
  return offsets;
}

} // namespace graphc::session
