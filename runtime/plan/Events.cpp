#include "runtime/plan/Events.h"

#include "absl/strings/str_cat.h"

namespace graphc::plan::detail {

std::vector<Event> eventsOf(const Plan &plan, uint32_t index) {
  std::vector<Event> events;
  for (uint32_t i = 0; const Instruction &instruction : plan.programs(int(index)).instructions()) {
    auto add = [&](Action action, uint32_t channel) {
      if (channel < uint32_t(plan.channels_size()))
        if (const Channel &word = plan.channels(int(channel)); word.control() && word.sender() == word.receiver())
          return;
      events.push_back({action, channel, index, i, 0});
    };
    if (instruction.has_send_start())
      add(Action::Send, instruction.send_start().channel());
    else if (instruction.has_acquire())
      add(Action::Acquire, instruction.acquire().channel());
    else if (instruction.has_send_done())
      add(Action::Done, instruction.send_done().channel());
    else if (instruction.has_receive())
      add(Action::Receive, instruction.receive().channel());
    else if (instruction.has_aggregate())
      add(Action::Receive, instruction.aggregate().channel());
    else if (instruction.has_all_reduce_start())
      add(Action::Send, instruction.all_reduce_start().channel());
    else if (instruction.has_all_reduce_done())
      add(Action::Receive, instruction.all_reduce_done().channel());
    else if (instruction.has_choose())
      add(Action::Receive, instruction.choose().channel());
    else if (instruction.has_release())
      add(Action::Release, instruction.release().channel());
    else if (instruction.has_control_receive() && !instruction.control_receive().local())
      add(Action::Receive, instruction.control_receive().channel());
    else if (instruction.has_control_send())
      for (uint32_t channel : instruction.control_send().channels())
        add(Action::Send, channel);
    ++i;
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
