#include "runtime/common/plan/LanePosition.h"

#include "runtime/common/plan/InstructionTable.h"
#include "runtime/common/plan/PlanTypes.h"

#include "absl/strings/str_cat.h"

namespace graphc::plan {
namespace {

/// " (model.mlir:3:4)", or nothing.
std::string inBrackets(const Plan &plan, uint32_t location) {
  const std::string &where = locationText(plan, location);
  return where.empty() ? "" : absl::StrCat(" (", where, ")");
}

/// The Repeat around an instruction, or null.
const Instruction *loopAround(const Program &program, uint32_t instruction) {
  for (int i = 0; i < int(instruction); ++i)
    if (const Instruction &one = program.instructions(i);
        one.has_repeat() && one.repeat().length() >= instruction - i)
      return &one;
  return nullptr;
}

/// "step 3", in a loop "step 3, iteration 5 of 15,".
std::string stepText(const Program &program, const LanePosition &place) {
  const Instruction *loop = loopAround(program, place.instruction);
  return loop ? absl::StrCat("step ", stepNumber(place), ", iteration ", place.iteration + 1,
                             " of ", loop->repeat().count(), ",")
              : absl::StrCat("step ", stepNumber(place));
}

std::string workText(const Plan &plan, const Program &program, const LanePosition &place) {
  const Instruction &instruction = program.instructions(int(place.instruction));
  const std::string where = inBrackets(plan, instruction.location()),
                    at = " at " + stepText(program, place);
  if (instruction.queue())
    return absl::StrCat("gives its device work", where, at);
  const InstructionEffects effects = effectsOf(plan, program, instruction);
  if (!effects.channels.empty()) {
    const ChannelEffect &effect = effects.channels.front();
    return absl::StrCat("moves or sums messages of ", plan.channels(int(effect.channel)).name(),
                        where, at);
  }
  if (effects.kernel)
    return absl::StrCat("computes kernel ", plan.kernels(int(*effects.kernel)).name(), where, at);
  return absl::StrCat("computes", where, at);
}

/// In the order of a step, the instruction that does this to the channel; nothing where there is
/// none, or several.
std::optional<uint32_t> actsOn(const Plan &plan, const Program &program, uint32_t channel,
                               ChannelAction action) {
  std::optional<uint32_t> found;
  for (int i = 0; i < program.instructions_size(); ++i)
    for (const ChannelEffect &effect : effectsOf(plan, program, program.instructions(i)).channels)
      if (effect.channel == channel && effect.action == action) {
        if (found && *found != uint32_t(i))
          return std::nullopt;
        found = uint32_t(i);
      }
  return found;
}

} // namespace

std::string laneText(const Plan &plan, const LaneName &lane) {
  const Program &program = plan.programs(int(lane.program));
  return absl::StrCat(taskText(plan, instanceTask(plan, program, lane.instance)), " ",
                      program.name(),
                      program.instances() > 1 ? absl::StrCat("[", lane.instance, "]") : "");
}

// All to all: `instance` is the peer's.
LaneName otherEnd(const Plan &plan, uint32_t channel, uint32_t instance, bool sends) {
  const Channel &one = plan.channels(int(channel));
  const uint32_t program = sends ? one.receiver() : one.sender();
  const bool fromChief = one.control() && !sends;
  return {program, plan.programs(int(program)).instances() == 1 || fromChief ? 0 : instance};
}

std::string endText(const Plan &plan, uint32_t channel, uint32_t instance, bool sends) {
  const Channel &one = plan.channels(int(channel));
  return absl::StrCat(sends ? "send " : "receive ", one.name(),
                      one.instances() > 1 ? absl::StrCat("[", instance, "]") : "",
                      inBrackets(plan, one.location()), sends ? " to " : " from ",
                      laneText(plan, otherEnd(plan, channel, instance, sends)));
}

std::string placeText(const Plan &plan, const LanePosition &place) {
  const Program &program = plan.programs(int(place.lane.program));
  const std::string waits = absl::StrCat("waits at ", stepText(program, place), " ");
  const bool behind = int(place.instruction) >= program.instructions_size();
  switch (place.doing) {
  case LaneActivity::Receives:
  case LaneActivity::Sends:
    return absl::StrCat(
        waits, "to ", endText(plan, place.channel, place.peer, place.doing == LaneActivity::Sends));
  case LaneActivity::Choice:
    return absl::StrCat(waits, "for replicas to be ready with ",
                        plan.channels(int(place.channel)).name(),
                        inBrackets(plan, plan.channels(int(place.channel)).location()));
  case LaneActivity::Ticket:
    return absl::StrCat(waits, "for an update ticket, until ",
                        laneText(plan, {place.lane.program, place.peer}),
                        ", the slowest, has got on");
  case LaneActivity::Device:
    if (behind)
      return absl::StrCat(waits, "for the end of its work on ", program.device());
    return absl::StrCat(waits, "for queue ",
                        program.instructions(int(place.instruction)).wait().queue(), " of ",
                        program.device(),
                        inBrackets(plan, program.instructions(int(place.instruction)).location()));
  case LaneActivity::Results:
    return absl::StrCat(waits, "for the chief ", taskText(plan, plan.chief()),
                        " to take the results (--fetch) of steps before");
  case LaneActivity::Reads: {
    const Instruction &next = program.instructions(int(place.instruction));
    return absl::StrCat(waits, "for a batch of data set ",
                        plan.datasets(int(next.next_batch().dataset())).name(),
                        inBrackets(plan, next.location()));
  }
  case LaneActivity::Works:
    if (!behind)
      return workText(plan, program, place);
    [[fallthrough]];
  case LaneActivity::Between:
    break;
  }
  return place.begins ? "has not begun its first step"
                      : absl::StrCat("is between two steps, after step ", stepNumber(place));
}

bool checkPlace(const Plan &plan, uint32_t task, const LanePosition &place) {
  const auto [programIndex, instance] = place.lane;
  if (programIndex >= uint32_t(plan.programs_size()) ||
      instance >= plan.programs(int(programIndex)).instances() || uint32_t(place.doing) >= kDoings)
    return false;
  const Program &program = plan.programs(int(programIndex));
  if (taskNumber(plan, instanceTask(plan, program, instance)) != task ||
      place.instruction > uint32_t(program.instructions_size()))
    return false;
  const Instruction *const at = place.instruction < uint32_t(program.instructions_size())
                                    ? &program.instructions(int(place.instruction))
                                    : nullptr;
  auto touchesChannel = [&] {
    if (at)
      for (const ChannelEffect &effect : effectsOf(plan, program, *at).channels)
        if (effect.channel == place.channel)
          return true;
    return false;
  };
  switch (place.doing) {
  case LaneActivity::Receives:
  case LaneActivity::Sends:
    return touchesChannel() && place.peer < plan.channels(int(place.channel)).instances();
  case LaneActivity::Choice:
    return at && at->has_choose() && at->choose().channel() == place.channel;
  case LaneActivity::Reads:
    return at && at->has_next_batch();
  case LaneActivity::Ticket:
    return place.peer < program.instances();
  case LaneActivity::Device:
  case LaneActivity::Results:
  case LaneActivity::Works:
  case LaneActivity::Between:
    break;
  }
  return true;
}

// Messages of a channel outside of loops are numbered as steps are; one that is sent ahead is the
// next step's. What is proven here is what the sender has done for certain; where it is in doubt,
// by a loop or a message shown to the host, the next step makes it certain.
std::optional<bool> hasDone(const Plan &plan, const LanePosition &waits, const LanePosition &peer) {
  if (waits.doing != LaneActivity::Receives && waits.doing != LaneActivity::Sends)
    return std::nullopt;
  const Channel &channel = plan.channels(int(waits.channel));
  const Program &mine = plan.programs(int(waits.lane.program)),
                &theirs = plan.programs(int(peer.lane.program));
  if (channel.conflating() || channel.algorithm() != WHOLE ||
      (channel.all_to_all() && waits.doing == LaneActivity::Sends) ||
      loopAround(mine, waits.instruction) || waits.begins)
    return std::nullopt;
  if (peer.begins)
    return false;
  const bool receives = waits.doing == LaneActivity::Receives;
  const std::optional<uint32_t> send =
      actsOn(plan, receives ? theirs : mine, waits.channel, ChannelAction::Send);
  if (!send)
    return std::nullopt;
  const Program &sender = receives ? theirs : mine;
  const bool ahead = sender.instructions(int(*send)).send_start().ahead();
  if (receives) {
    if (ahead && waits.step == 0)
      return peer.step > 0;
    const uint64_t step = waits.step - ahead;
    return peer.step > step ||
           (peer.step == step && peer.instruction > *send && !loopAround(theirs, *send));
  }
  // A slot is free, or the buffer back, once the peer has released a message: certainly once it has
  // ended that message's step.
  const bool back = mine.instructions(int(waits.instruction)).has_send_done();
  const uint64_t message = waits.step + (ahead && !back);
  const uint64_t before = back ? 0 : channel.capacity();
  if (message < before)
    return true; // there never was a message in that slot
  return peer.step > message - before;
}

} // namespace graphc::plan
