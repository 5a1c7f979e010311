#include "runtime/common/plan/ChannelEvents.h"

#include "absl/strings/str_cat.h"

#include <algorithm>

namespace graphc::plan::detail {

/// What a program does at its ends of channels, in order; but for the control message that it sends
/// to itself (LivenessCertificate.h).
std::vector<ChannelEvent> eventsOf(const Plan &plan, uint32_t index) {
  const Program &program = plan.programs(int(index));
  std::vector<ChannelEvent> events;
  uint32_t loop = ChannelEvent::noLoop, end = 0; // of the last loop so far
  for (uint32_t i = 0; i < uint32_t(program.instructions_size()); ++i) {
    if (const Instruction &repeat = program.instructions(int(i)); repeat.has_repeat() && i >= end) {
      loop = i;
      end = uint32_t(std::min(uint64_t(i) + 1 + repeat.repeat().length(),
                              uint64_t(program.instructions_size())));
    }
    for (const ChannelEffect &effect :
         effectsOf(plan, program, program.instructions(int(i))).channels) {
      if (effect.channel < uint32_t(plan.channels_size()))
        if (const Channel &control = plan.channels(int(effect.channel));
            control.control() && control.sender() == control.receiver())
          continue;
      const uint32_t by = i < end ? loop : ChannelEvent::noLoop;
      if (by != ChannelEvent::noLoop && (events.empty() || events.back().loop != by))
        events.push_back({ChannelAction(), 0, index, loop, 0, loop});
      events.push_back({effect.action, effect.channel, index, i, 0, by});
    }
  }
  return events;
}

std::string eventText(const Plan &plan, const ChannelEvent &event) {
  static constexpr const char *verbs[] = {"sends", "finishes sending", "receives", "releases",
                                          "takes a slot of"};
  const Program &program = plan.programs(int(event.program));
  std::string where;
  uint32_t location = program.instructions(int(event.instruction)).location();
  if (location < uint32_t(plan.locations_size()) && !plan.locations(int(location)).empty())
    where = absl::StrCat(", ", plan.locations(int(location)));
  const Instruction &instruction = program.instructions(int(event.instruction));
  const std::string what =
      event.isLoop()
          ? absl::StrCat("repeats ", instruction.repeat().count(), " times")
          : absl::StrCat(verbs[int(event.action)], " ", plan.channels(int(event.channel)).name());
  return absl::StrCat("program ", program.name(), " ", what, " (instruction ", event.instruction,
                      where, ")");
}

} // namespace graphc::plan::detail
