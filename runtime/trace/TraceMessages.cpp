#include "runtime/trace/TraceMessages.h"

#include "runtime/common/plan/PlanTypes.h"
#include "runtime/common/plan/StepRunAhead.h"

#include <algorithm>
#include <map>

namespace graphc::session {

using executor::TraceRecord;

TraceMessages::TraceMessages(const plan::Plan &plan, uint32_t program, uint32_t instance)
    : plan_(plan), program_(plan.programs(static_cast<int>(program))), instance_(instance) {
  for (const plan::Instruction &instruction : program_.instructions()) {
    ends_.push_back(endsOf(instruction));
    if (instruction.has_all_reduce_start())
      moves_.emplace_back(instruction.all_reduce_start().channel(),
                          movesOf(instruction.all_reduce_start()));
  }
}

/// As executor::LaneProgram orders a channel's sending ports.
void TraceMessages::addSends(uint32_t index, Ends &ends) const {
  const plan::Channel &channel = plan_.channels(static_cast<int>(index));
  ends.sends = true;
  const bool oneReceiver = plan_.programs(static_cast<int>(channel.receiver())).instances() == 1;
  if (channel.control()) {
    for (uint32_t r = channel.sender() == channel.receiver() ? 1 : 0; r < channel.instances(); ++r)
      ends.ports.push_back({index, r, oneReceiver ? 0 : r, instance_ != 0});
  } else if (channel.all_to_all()) {
    const plan::AllReduceShape shape = plan::AllReduceShape::of(channel);
    for (uint32_t r = 0; r < channel.instances(); ++r)
      ends.ports.push_back(
          {index, instance_ * channel.instances() + r, r, !plan::carries(shape, instance_, r)});
  } else if (program_.instances() == 1) {
    for (uint32_t r = 0; r < channel.instances(); ++r)
      ends.ports.push_back({index, r, oneReceiver ? 0 : r, false});
  } else {
    ends.ports.push_back({index, instance_, oneReceiver ? 0 : instance_, false});
  }
}

void TraceMessages::addReceives(uint32_t index, bool allInstances, Ends &ends) const {
  const plan::Channel &channel = plan_.channels(static_cast<int>(index));
  const bool oneSender =
      channel.control() || plan_.programs(static_cast<int>(channel.sender())).instances() == 1;
  if (!allInstances) {
    ends.ports.push_back({index, instance_, oneSender ? 0 : instance_, false});
    return;
  }
  const plan::AllReduceShape shape = plan::AllReduceShape::of(channel);
  for (uint32_t r = 0; r < channel.instances(); ++r)
    if (channel.all_to_all())
      ends.ports.push_back(
          {index, r * channel.instances() + instance_, r, !plan::carries(shape, r, instance_)});
    else
      ends.ports.push_back({index, r, oneSender ? 0 : r, false});
}

TraceMessages::Ends TraceMessages::endsOf(const plan::Instruction &instruction) const {
  Ends ends;
  switch (instruction.kind_case()) {
  case plan::Instruction::kSendStart:
    addSends(instruction.send_start().channel(), ends);
    break;
  case plan::Instruction::kSendDone:
    addSends(instruction.send_done().channel(), ends);
    break;
  case plan::Instruction::kAcquire:
    addSends(instruction.acquire().channel(), ends);
    break;
  case plan::Instruction::kControlSend:
    for (uint32_t channel : instruction.control_send().channels())
      addSends(channel, ends);
    break;
  case plan::Instruction::kReceive:
    addReceives(instruction.receive().channel(), /*allInstances=*/false, ends);
    break;
  case plan::Instruction::kControlReceive:
    if (!instruction.control_receive().local() || instance_ != 0)
      addReceives(instruction.control_receive().channel(), /*allInstances=*/false, ends);
    break;
  case plan::Instruction::kAggregate:
    addReceives(instruction.aggregate().channel(), /*allInstances=*/true, ends);
    break;
  case plan::Instruction::kCollect:
    addReceives(instruction.collect().channel(), /*allInstances=*/true, ends);
    break;
  case plan::Instruction::kChoose:
    addReceives(instruction.choose().channel(), /*allInstances=*/true, ends);
    break;
  default:
    break;
  }
  return ends;
}

std::vector<std::vector<TraceMessages::Moved>>
TraceMessages::movesOf(const plan::Instruction::AllReduceStart &start) const {
  const plan::Channel &channel = plan_.channels(static_cast<int>(start.channel()));
  const plan::AllReduceShape shape = plan::AllReduceShape::of(channel);
  const uint64_t chunks =
      program_.buffers(static_cast<int>(start.buffer())).bytes() / channel.bytes();
  std::map<std::pair<uint32_t, bool>, uint32_t> counts; // by channel instance and end
  std::vector<std::vector<Moved>> all;
  auto add = [&](uint32_t peer, bool sends) {
    const uint32_t instance =
        sends ? instance_ * channel.instances() + peer : peer * channel.instances() + instance_;
    all.back().push_back({instance, counts[{instance, sends}]++, sends});
  };
  for (const plan::AllReduceMove &move : plan::allReduceMoves(shape, chunks, instance_)) {
    all.emplace_back();
    if (move.kind == plan::AllReduceMove::Sum || move.kind == plan::AllReduceMove::SumHosts) {
      const plan::AllReduceGroup group = plan::allReduceGroup(shape, move.kind, instance_);
      for (uint32_t i = 0; i < group.count; ++i)
        if (group.member(i) != instance_)
          add(group.member(i), /*sends=*/false);
    } else {
      add(move.peer, move.kind == plan::AllReduceMove::Send);
    }
  }
  return all;
}

std::optional<uint32_t> TraceMessages::reducedBy(const plan::Instruction &instruction) {
  if (instruction.has_all_reduce_start())
    return instruction.all_reduce_start().channel();
  if (instruction.has_all_reduce_done())
    return instruction.all_reduce_done().channel();
  return std::nullopt;
}

std::vector<MessageEnd> TraceMessages::of(const TracedLane &lane, const TraceRecord &record) const {
  std::vector<MessageEnd> messages;
  if (record.instruction == TraceRecord::kNone ||
      (record.kind != TraceRecord::Work && record.kind != TraceRecord::Moves))
    return messages;
  const plan::Instruction &instruction =
      program_.instructions(static_cast<int>(record.instruction));
  MessageId id{lane.run, 0, 0, record.step, record.iteration};
  if (std::optional<uint32_t> reduced = reducedBy(instruction)) {
    if (instruction.has_all_reduce_start() && record.kind == TraceRecord::Work) // it begins
      return messages;
    auto moves = std::find_if(moves_.begin(), moves_.end(),
                              [&](auto &one) { return one.first == *reduced; });
    if (moves == moves_.end())
      return messages;
    for (uint32_t i = record.first; i < std::min<size_t>(record.until, moves->second.size()); ++i)
      for (const Moved &moved : moves->second[i]) {
        id.channel = *reduced;
        id.instance = moved.instance;
        id.number = moved.number;
        messages.push_back({id, moved.sends});
      }
    return messages;
  }
  if (instruction.has_send_done() || instruction.has_acquire()) // nothing travels
    return messages;
  const Ends &ends = ends_[record.instruction];
  if (!ends.sends && !record.last) // all of them count as taken with the last part
    return messages;
  const size_t until =
      ends.sends ? std::min<size_t>(record.until, ends.ports.size()) : ends.ports.size();
  for (size_t i = ends.sends ? record.first : 0; i < until; ++i) {
    const End &end = ends.ports[i];
    if (end.none || plan_.channels(static_cast<int>(end.channel)).conflating())
      continue;
    id.channel = end.channel;
    id.instance = end.instance;
    id.step = uint64_t(record.step) + record.ahead;
    messages.push_back({id, ends.sends});
  }
  return messages;
}

std::optional<plan::Task> TraceMessages::waitsFor(const TraceRecord &record) const {
  if (record.instruction == TraceRecord::kNone)
    return plan::runsAhead(program_) ? std::nullopt // its device
                                     : std::optional(plan_.chief()); // takes results
  const plan::Instruction &instruction =
      program_.instructions(static_cast<int>(record.instruction));
  if (reducedBy(instruction))
    return record.first < program_.instances()
               ? std::optional(plan::instanceTask(plan_, program_, record.first))
               : std::nullopt;
  const Ends &ends = ends_[record.instruction];
  if (record.first >= ends.ports.size())
    return std::nullopt;
  const End &end = ends.ports[record.first];
  const plan::Channel &channel = plan_.channels(static_cast<int>(end.channel));
  const plan::Program &other =
      plan_.programs(static_cast<int>(ends.sends ? channel.receiver() : channel.sender()));
  return plan::instanceTask(plan_, other, end.peer);
}

} // namespace graphc::session
