#include "runtime/session/hangs/LaneWatch.h"

#include <algorithm>

namespace graphc::session {
namespace {
/// Looks are a fraction of a second apart; what is longer, the process was stopped.
constexpr absl::Duration kMostBetween = absl::Seconds(2);
constexpr absl::Duration kMostStood = absl::Hours(24 * 365);
} // namespace

service::LanePosition toProto(const StandingLane &lane) {
  const plan::LanePosition &place = lane.place;
  service::LanePosition to;
  to.set_program(place.lane.program);
  to.set_instance(place.lane.instance);
  to.set_step(place.step);
  to.set_begins(place.begins);
  to.set_iteration(place.iteration);
  to.set_instruction(place.instruction);
  to.set_doing(static_cast<uint32_t>(place.doing));
  to.set_channel(place.channel);
  to.set_peer(place.peer);
  to.set_steps_before(place.stepsBefore);
  to.set_stood_ms(static_cast<uint64_t>(absl::ToInt64Milliseconds(lane.stood)));
  return to;
}

std::optional<StandingLane> fromProto(const plan::Plan &plan, uint32_t task,
                                      const service::LanePosition &place) {
  if (place.doing() >= plan::kDoings)
    return std::nullopt;
  StandingLane lane;
  lane.place = {{place.program(), place.instance()},
                place.step(),
                place.begins(),
                place.iteration(),
                place.instruction(),
                static_cast<plan::LaneActivity>(place.doing()),
                place.channel(),
                place.peer(),
                place.steps_before()};
  lane.stood = absl::Milliseconds(static_cast<int64_t>(std::min<uint64_t>(
      place.stood_ms(), static_cast<uint64_t>(absl::ToInt64Milliseconds(kMostStood)))));
  return plan::checkPlace(plan, task, lane.place) ? std::optional(lane) : std::nullopt;
}

std::vector<StandingLane> LaneWatch::look(std::span<const std::unique_ptr<executor::Lane>> lanes,
                                          absl::Time now) {
  const bool first = seen_.size() != lanes.size();
  if (first)
    seen_.assign(lanes.size(), {});
  const absl::Duration between = std::clamp(now - last_, absl::ZeroDuration(), kMostBetween);
  last_ = now;
  std::vector<StandingLane> found;
  for (size_t i = 0; i < lanes.size(); ++i) {
    const executor::Lane::Progress at = lanes[i]->progress();
    Seen &seen = seen_[i];
    seen.stood = !first && seen.at == at ? seen.stood + between : absl::ZeroDuration();
    seen.at = at;
    found.push_back({lanes[i]->place(), seen.stood});
  }
  return found;
}

} // namespace graphc::session
