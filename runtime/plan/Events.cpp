#include "runtime/plan/Events.h"

#include "absl/strings/str_cat.h"

namespace graphc::plan::detail {

/// What a program does at its ends of channels, in order; but for the control message that it sends to itself
/// (Certificate.h).
std::vector<Event> eventsOf(const Plan &plan, uint32_t index) {
  const Program &program = plan.programs(int(index));
  std::vector<Event> events;
  for (uint32_t i = 0; i < uint32_t(program.instructions_size()); ++i)
    for (const ChannelEffect &effect : effectsOf(plan, program, program.instructions(int(i))).channels) {
      if (effect.channel < uint32_t(plan.channels_size()))
        if (const Channel &control = plan.channels(int(effect.channel));
            control.control() && control.sender() == control.receiver())
          continue;
      events.push_back({effect.action, effect.channel, index, i, 0});
    }
  return events;
}

std::string eventText(const Plan &plan, const Event &event) {
  static constexpr const char *verbs[] = {"sends", "finishes sending", "receives", "releases", "takes a slot of"};
  const Program &program = plan.programs(int(event.program));
  std::string where;
  uint32_t location = program.instructions(int(event.instruction)).location();
  if (location < uint32_t(plan.locations_size()) && !plan.locations(int(location)).empty())
    where = absl::StrCat(", ", plan.locations(int(location)));
  return absl::StrCat("program ", program.name(), " ", verbs[int(event.action)], " ",
                      plan.channels(int(event.channel)).name(), " (instruction ", event.instruction, where, ")");
}

} // namespace graphc::plan::detail
