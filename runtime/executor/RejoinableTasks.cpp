#include "runtime/executor/RejoinableTasks.h"

#include "runtime/common/plan/InstructionTable.h"
#include "runtime/common/plan/PlanTypes.h"
#include "runtime/executor/PhaseSetup.h"

#include "absl/strings/str_cat.h"

#include <algorithm>

namespace graphc::executor {
namespace {

bool isVariable(const plan::Program &program, uint32_t buffer) {
  return program.buffers(int(buffer)).storage_case() == plan::Buffer::kVariable;
}

bool writes(const plan::BufferEffect &effect) { return effect.access != plan::READ; }

bool writesVariable(const plan::Plan &plan, const plan::Program &program,
                    const plan::Instruction &instruction) {
  const plan::InstructionEffects effects = plan::effectsOf(plan, program, instruction);
  return std::any_of(effects.buffers.begin(), effects.buffers.end(),
                     [&](const plan::BufferEffect &effect) {
                       return writes(effect) && isVariable(program, effect.buffer);
                     });
}

/// Whether an instruction of a server's program, or a channel to one that is no replica's, is of a
/// kind that can be gone through again.
bool canRepeat(const plan::Instruction &instruction) {
  switch (instruction.kind_case()) {
  case plan::Instruction::kCall:
  case plan::Instruction::kReceive:
  case plan::Instruction::kRelease:
  case plan::Instruction::kAcquire:
  case plan::Instruction::kSendDone:
  case plan::Instruction::kTicket:
    return true;
  case plan::Instruction::kSendStart:
    return !instruction.send_start().ahead() && !instruction.send_start().deal();
  default:
    return false;
  }
}

/// Of the programs of the phase, all tasks alike.
std::string whyNot(const plan::Plan &plan, const plan::Phase &phase) {
  if (phase.role() != plan::TRAIN || !phase.ends_by_end_of_stream())
    return "its updates are not asynchronous";
  std::set<uint32_t> programs(phase.programs().begin(), phase.programs().end());
  std::optional<uint32_t> replicas;
  for (uint32_t index : programs) {
    const plan::Program &program = plan.programs(int(index));
    if (program.spread())
      replicas = program.instances();
  }
  if (!replicas)
    return "it has no replicas";
  for (const plan::Channel &channel : plan.channels())
    if (programs.contains(channel.sender()) &&
        (channel.control() || channel.conflating() || channel.all_to_all() ||
         channel.instances() != *replicas))
      return absl::StrCat("channel ", channel.name(), " joins several workers");
  for (uint32_t index : programs) {
    const plan::Program &program = plan.programs(int(index));
    if (program.instances() != *replicas)
      return absl::StrCat("program ", program.name(), " serves all workers together");
    if (program.queues() > 0)
      return absl::StrCat("program ", program.name(), " gives its work to a device's queue");
    std::set<uint32_t> readLater = plan::shownBuffers(program);
    for (const plan::Metric &metric : program.metrics())
      readLater.insert({metric.sum(), metric.count()});
    for (int i = program.instructions_size() - 1; i >= 0; --i) {
      const plan::Instruction &instruction = program.instructions(i);
      if (instruction.send_start().ahead() || (!program.spread() && !canRepeat(instruction)))
        return absl::StrCat("program ", program.name(),
                            " has a step that cannot be gone through again");
      const plan::InstructionEffects effects = plan::effectsOf(plan, program, instruction);
      const bool once = !program.spread() && isDoneOnce(plan, program, instruction);
      for (const plan::BufferEffect &effect : effects.buffers)
        if (once && writes(effect) && !isVariable(program, effect.buffer) &&
            readLater.contains(effect.buffer))
          return writesVariable(plan, program, instruction)
                     ? absl::StrCat("an instruction of program ", program.name(),
                                    " writes a variable and makes a value that is used later")
                     : absl::StrCat(
                           "program ", program.name(),
                           " takes what another server makes of each step (a schedule's rate, Adam's "
                           "corrections; a single server has them itself)");
      for (const plan::BufferEffect &effect : effects.buffers)
        if (effect.access != plan::WRITE)
          readLater.insert(effect.buffer);
    }
  }
  return "";
}

} // namespace

std::set<uint32_t> replicasOf(const plan::Plan &plan, const plan::Task &task) {
  std::set<uint32_t> replicas;
  std::optional<plan::Task> one;
  for (uint32_t r = 0; (one = plan::replicaTask(plan, r)); ++r)
    if (plan::sameTask(*one, task))
      replicas.insert(r);
  return replicas;
}

bool isDoneOnce(const plan::Plan &plan, const plan::Program &program,
                const plan::Instruction &instruction) {
  if (instruction.has_ticket() || writesVariable(plan, program, instruction))
    return true;
  for (const plan::ChannelEffect &effect : plan::effectsOf(plan, program, instruction).channels) {
    const plan::Channel &channel = plan.channels(int(effect.channel));
    const uint32_t other = plan::ofSender(effect.action) ? channel.receiver() : channel.sender();
    if (!plan.programs(int(other)).spread())
      return true;
  }
  return false;
}

std::vector<std::string> whyNoRejoin(const plan::Plan &plan, uint32_t phase) {
  const std::vector<plan::Task> tasks = plan::allTasks(plan);
  std::vector<std::string> why(tasks.size(), whyNot(plan, plan.phases(int(phase))));
  if (!why.front().empty())
    return why;
  for (size_t i = 0; i < tasks.size(); ++i) {
    const bool owns = std::any_of(
        plan.variables().begin(), plan.variables().end(),
        [&](const plan::Variable &variable) { return plan::stores(plan, variable, tasks[i]); });
    bool works = false, serves = false;
    for (uint32_t index : plan.phases(int(phase)).programs()) {
      const plan::Program &program = plan.programs(int(index));
      (program.spread() ? works : serves) |= plan::lanesOn(plan, program, tasks[i]) > 0;
    }
    if (plan::sameTask(tasks[i], plan.chief()))
      why[i] = "it is the chief";
    else if (owns)
      why[i] = "it has variables";
    else if (!works || serves)
      why[i] = "it is no worker of this phase";
  }
  // A link is made anew between one that comes back and those that live, never between two that
  // come back.
  for (size_t i = 0; i < tasks.size(); ++i)
    for (const ChannelEndpoint &end :
         why[i].empty() ? taskEndpoints(plan, tasks[i]) : std::vector<ChannelEndpoint>())
      if (const size_t peer = plan::taskNumber(plan, end.peer); peer != i && why[peer].empty())
        why[i] = absl::StrCat("it exchanges messages with ", plan::taskText(plan, end.peer));
  return why;
}

} // namespace graphc::executor
