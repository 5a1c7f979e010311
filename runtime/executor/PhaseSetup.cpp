#include "runtime/executor/PhaseSetup.h"

#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/plan/AllReduceMoves.h"
#include "runtime/common/plan/PlanTypes.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <map>

namespace graphc::executor {

using plan::instanceTask;
using plan::sameTask;

transport::ChannelKey allToAllKey(const plan::Plan &plan, uint32_t channel, uint32_t from,
                                  uint32_t to) {
  return {channel, from * plan.channels(int(channel)).instances() + to};
}

/// Whether a lane that receives all instances of the channel waits for them together.
static bool isGathered(const plan::Channel &channel) {
  return channel.algorithm() == plan::SCATTER ||
         (channel.algorithm() == plan::WHOLE && channel.bytes() <= MessageSum::kMostGathered);
}

/// Each instance here exchanges with every other one that its sums need, here or elsewhere.
static void addAllToAll(const plan::Plan &plan, const plan::Task &task, uint32_t index,
                        std::vector<ChannelEndpoint> &endpoints) {
  const plan::Channel &channel = plan.channels(int(index));
  const plan::Program &program = plan.programs(int(channel.sender()));
  const plan::AllReduceShape shape = plan::AllReduceShape::of(channel);
  size_t first = endpoints.size();
  for (uint32_t here = 0; here < channel.instances(); ++here) {
    if (!sameTask(instanceTask(plan, program, here), task))
      continue;
    for (uint32_t other = 0; other < channel.instances(); ++other) {
      ChannelEndpoint endpoint;
      endpoint.phase = program.phase();
      endpoint.peer = instanceTask(plan, program, other);
      endpoint.spec = {allToAllKey(plan, index, other, here), channel.bytes(), channel.capacity(),
                       false, channel.zero_copy()};
      endpoint.spec.creditWaits = channel.credits_wait();
      endpoint.spec.gathered = program.spread() && isGathered(channel);
      endpoint.sends = false;
      if (carries(shape, other, here))
        endpoints.push_back(endpoint);
      endpoint.spec.key = allToAllKey(plan, index, here, other);
      endpoint.sends = true;
      if (carries(shape, here, other))
        endpoints.push_back(endpoint);
    }
  }
  std::sort(endpoints.begin() + ptrdiff_t(first), endpoints.end(),
            [](const ChannelEndpoint &a, const ChannelEndpoint &b) {
              return std::pair(a.spec.key.instance, a.sends) <
                     std::pair(b.spec.key.instance, b.sends);
            });
}

std::vector<ChannelEndpoint> taskEndpoints(const plan::Plan &plan, const plan::Task &task) {
  std::vector<ChannelEndpoint> endpoints;
  for (int i = 0; i < plan.channels_size(); ++i) {
    const plan::Channel &channel = plan.channels(i);
    const plan::Program &sender = plan.programs(int(channel.sender())),
                        &receiver = plan.programs(int(channel.receiver()));
    if (channel.all_to_all()) {
      addAllToAll(plan, task, uint32_t(i), endpoints);
      continue;
    }
    for (uint32_t r = 0; r < channel.instances(); ++r) {
      bool control = channel.control();
      if (control && channel.sender() == channel.receiver() && r == 0)
        continue; // instance 0 knows its own control message
      plan::Task from = instanceTask(plan, sender, control || sender.instances() == 1 ? 0 : r);
      plan::Task to = instanceTask(plan, receiver, receiver.instances() == 1 ? 0 : r);
      ChannelEndpoint endpoint;
      endpoint.spec = {
          {uint32_t(i), r}, channel.bytes(), channel.capacity(), control, channel.zero_copy()};
      endpoint.spec.conflating = channel.conflating();
      endpoint.spec.unit = channel.unit_bytes();
      endpoint.spec.creditWaits = channel.credits_wait();
      endpoint.spec.gathered = !control && !channel.conflating() && channel.instances() > 1 &&
                               receiver.instances() == 1 && isGathered(channel);
      endpoint.phase = receiver.phase();
      if (sameTask(to, task)) {
        endpoint.sends = false;
        endpoint.peer = from;
        endpoints.push_back(endpoint);
      }
      if (sameTask(from, task)) {
        endpoint.sends = true;
        endpoint.peer = to;
        endpoints.push_back(endpoint);
      }
    }
  }
  return endpoints;
}

std::unique_ptr<AsyncUpdateTickets> makeTickets(const plan::Plan &plan, const plan::Task *task,
                                                uint32_t phase, uint64_t total,
                                                std::function<bool()> stopRequested) {
  for (uint32_t index : plan.phases(int(phase)).programs()) {
    const plan::Program &program = plan.programs(int(index));
    if (task && !sameTask(instanceTask(plan, program, 0), *task))
      continue;
    for (const plan::Instruction &instruction : program.instructions())
      if (instruction.has_ticket()) {
        std::optional<uint64_t> bound;
        if (instruction.ticket().has_max_staleness())
          bound = instruction.ticket().max_staleness();
        return std::make_unique<AsyncUpdateTickets>(total, program.instances(), bound,
                                                    std::move(stopRequested));
      }
  }
  return nullptr;
}

uint32_t lanesPerUpdate(const plan::Plan &plan, uint32_t phase) {
  for (uint32_t index : plan.phases(int(phase)).programs())
    for (const plan::Instruction &instruction : plan.programs(int(index)).instructions())
      if (instruction.has_ticket())
        return plan.programs(int(index)).instances();
  return 1;
}

bool hasLanes(const plan::Plan &plan, const plan::Task &task, uint32_t phase) {
  for (uint32_t index : plan.phases(int(phase)).programs())
    if (lanesOn(plan, plan.programs(int(index)), task))
      return true;
  return false;
}

absl::StatusOr<std::vector<std::unique_ptr<Lane>>> makeLanes(const TaskContext &context,
                                                             uint32_t phase) {
  const plan::Plan &plan = context.plan;
  std::vector<std::unique_ptr<Lane>> lanes;
  for (uint32_t index : plan.phases(int(phase)).programs()) {
    const plan::Program &source = plan.programs(int(index));
    std::shared_ptr<const LaneProgram> program;
    for (uint32_t r = 0; r < source.instances(); ++r) {
      if (!sameTask(instanceTask(plan, source, r), context.task))
        continue;
      if (!program) {
        GRAPHC_ASSIGN_OR_RETURN(program, LaneProgram::create(plan, index, context.library));
      }
      LaneInfo info;
      info.plan = &plan;
      info.program = &source;
      info.programIndex = index;
      info.instance = r;
      info.task = context.task;
      info.events = context.events;
      info.stepsBefore = context.stepsBefore;
      info.name = absl::StrCat(plan::taskText(plan, context.task), " ", source.name(),
                               source.instances() > 1 ? absl::StrCat("[", r, "]") : "");
      GRAPHC_ASSIGN_OR_RETURN(std::unique_ptr<LaneFrame> frame,
                              LaneFrame::create(*program, r, context.variables, context.frame));
      GRAPHC_ASSIGN_OR_RETURN(std::unique_ptr<Lane> lane,
                              Lane::create(program, std::move(info), std::move(frame),
                                           context.transport, context.host));
      lanes.push_back(std::move(lane));
    }
  }
  return lanes;
}

} // namespace graphc::executor
