#include "runtime/executor/ReplicaChoice.h"

#include "runtime/common/plan/PlanTypes.h"
#include "runtime/transport/ConflatingTransport.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <cstring>

namespace graphc::executor {

using transport::PollState;

ReplicaChoice::ReplicaChoice(const LaneProgram &program, const LanePorts &ports, LaneFrame &frame)
    : program_(program), ports_(ports), frame_(frame) {
  for (const LaneInstruction &instruction : program.instructions) {
    if (instruction.op == LaneOp::Choose) {
      reports_.assign(instruction.count, INT64_MIN);
      accepted_.assign(instruction.count, 0);
    }
    if (instruction.op == LaneOp::Aggregate && instruction.chosen != LaneProgram::noPort)
      addends_.resize(std::max<size_t>(addends_.size(), instruction.count));
  }
}

// Every instance is asked each time, beginning with another one at each step: of those that came
// between two looks nobody is first for ever. All receivers wake by one event, so waiting on the
// one that was asked first misses none.
SumOutcome ReplicaChoice::choose(const LaneInstruction &instruction, uint64_t step) {
  VariableLocks locks = frame_.lock(instruction);
  int64_t version;
  memcpy(&version, frame_.buffers[instruction.buffer], sizeof version);
  auto *chosen = static_cast<uint8_t *>(frame_.buffers[instruction.chosen]);
  memset(chosen, 0, instruction.count);
  uint32_t first = uint32_t(step % instruction.count), ready = 0, closed = 0;
  for (uint32_t i = 0; i < instruction.count && ready < instruction.take; ++i) {
    uint32_t instance = (first + i) % instruction.count;
    transport::RecvPort *port = ports_.receives[instruction.port + instance];
    const void *data = nullptr;
    PollState state = port->poll(&data);
    if (state == PollState::Aborted)
      return {state, instance};
    if (state == PollState::Ready) {
      memcpy(&reports_[instance], data, sizeof reports_[instance]);
      port->release();
    }
    closed += state == PollState::Closed;
    if (reports_[instance] == version) {
      chosen[instance] = 1;
      ++ready;
    }
  }
  if (ready < instruction.take)
    return {closed > instruction.count - instruction.take ? PollState::Closed : PollState::Pending,
            first};
  for (uint32_t instance = 0; instance < instruction.count; ++instance)
    accepted_[instance] += chosen[instance];
  return {};
}

// Their messages lay in the slots before their reports did. A left fold in replica order: which
// they are is no property of the model, so no shape would give the same bits in two runs.
SumOutcome ReplicaChoice::sum(const LaneInstruction &instruction, const GraphcContext &context) {
  VariableLocks locks = frame_.lock(instruction);
  const auto *chosen = static_cast<const uint8_t *>(frame_.buffers[instruction.chosen]);
  const uint64_t bytes =
      program_.plan->channels(int(instruction.source->aggregate().channel())).bytes();
  uint32_t count = 0;
  for (uint32_t instance = 0; instance < instruction.count; ++instance) {
    if (!chosen[instance])
      continue;
    const void *data = nullptr;
    transport::RecvPort *port = ports_.receives[instruction.port + instance];
    if (PollState state = port->poll(&data); state != PollState::Ready)
      return {state, instance};
    addends_[count++] = static_cast<const uint8_t *>(data);
  }
  auto *total = static_cast<uint8_t *>(frame_.arguments[instruction.first]);
  for (uint64_t at = 0; at < bytes; at += instruction.bytes) {
    memcpy(total + at, addends_[0] + at, instruction.bytes);
    for (uint32_t i = 1; i < count; ++i) {
      void *arguments[] = {total + at, const_cast<uint8_t *>(addends_[i] + at)};
      if (int code = instruction.kernel(arguments, &context)) [[unlikely]]
        return {PollState::Ready, 0, {}, code};
    }
  }
  for (uint32_t instance = 0; instance < instruction.count; ++instance)
    if (chosen[instance])
      ports_.receives[instruction.port + instance]->release();
  return {};
}

std::vector<uint64_t> ReplicaChoice::dropped() const {
  std::vector<uint64_t> dropped;
  for (const LaneInstruction &instruction : program_.instructions)
    if (instruction.op == LaneOp::Choose)
      for (uint32_t instance = 0; instance < instruction.count; ++instance) {
        // Only a ConflatingTransport has ports of conflating channels, and the plan's verifier lets
        // no other be chosen from.
        auto *port = static_cast<transport::ConflatingReceiver *>(
            ports_.receives[instruction.port + instance]);
        dropped.push_back(port->sent() - accepted_[instance]);
      }
  return dropped;
}

// "for the gradients of 1 more replica; not there yet: /job:worker/task:1, /job:worker/task:2"
std::string ReplicaChoice::describe(const LaneInstruction &instruction) const {
  const plan::Plan &plan = *program_.plan;
  int64_t version;
  memcpy(&version, frame_.buffers[instruction.buffer], sizeof version);
  uint32_t ready = 0;
  std::string names;
  for (uint32_t instance = 0; instance < instruction.count; ++instance)
    if (reports_[instance] == version)
      ++ready;
    else
      absl::StrAppend(
          &names, names.empty() ? "" : ", ",
          plan::taskText(plan, plan::replicaTask(plan, instance).value_or(plan::Task())));
  uint32_t missing = instruction.take - std::min(ready, instruction.take);
  return absl::StrCat("for the gradients of ", missing,
                      missing == 1 ? " more replica" : " more replicas",
                      "; not there yet: ", names);
}

} // namespace graphc::executor
