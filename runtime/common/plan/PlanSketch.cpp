#include "runtime/common/plan/PlanSketch.h"

#include "runtime/common/plan/InstructionTable.h"
#include "runtime/common/plan/PlanTypes.h"
#include "runtime/common/plan/VerifyPlan.h"

#include "absl/strings/str_cat.h"

namespace graphc::plan {

Plan sketchOf(const Plan &plan) {
  Plan sketch;
  sketch.set_producer(plan.producer());
  sketch.set_model(plan.model());
  sketch.mutable_strategy()->set_name(plan.strategy().name());
  *sketch.mutable_jobs() = plan.jobs();
  *sketch.mutable_chief() = plan.chief();
  *sketch.mutable_replicas() = plan.replicas();
  *sketch.mutable_channels() = plan.channels();
  *sketch.mutable_phases() = plan.phases();
  *sketch.mutable_locations() = plan.locations();
  for (const Dataset &dataset : plan.datasets())
    sketch.add_datasets()->set_name(dataset.name());
  for (const Kernel &kernel : plan.kernels())
    sketch.add_kernels()->set_name(kernel.name());
  for (const Program &program : plan.programs()) {
    Program &to = *sketch.add_programs();
    to.set_name(program.name());
    to.set_phase(program.phase());
    to.set_instances(program.instances());
    to.set_spread(program.spread());
    *to.mutable_task() = program.task();
    to.set_device(program.device());
    *to.mutable_instructions() = program.instructions();
  }
  return sketch;
}

absl::Status checkSketch(const Plan &sketch) {
  auto wrong = [](const std::string &what) {
    return absl::InvalidArgumentError("the sketch of the plan is damaged: " + what);
  };
  uint64_t tasks = 0, lanes = 0, replicas = 0, ends = 0;
  for (const Job &job : sketch.jobs())
    tasks += job.tasks();
  // Each is walked through wherever a task is looked up.
  constexpr int kMostJobs = 256;
  if (tasks > uint64_t(PlanLimits::tasks) || sketch.jobs_size() > kMostJobs ||
      sketch.replicas().ranges_size() > kMostJobs)
    return wrong(absl::StrCat(tasks, " tasks, ", sketch.jobs_size(), " jobs, ",
                              sketch.replicas().ranges_size(), " ranges of replicas"));
  auto isTask = [&](const Task &task) {
    return task.job() < uint32_t(sketch.jobs_size()) &&
           task.index() < sketch.jobs(int(task.job())).tasks();
  };
  if (!isTask(sketch.chief()))
    return wrong("the chief is no task");
  for (const ReplicaDomain::Range &range : sketch.replicas().ranges()) {
    if (range.job() >= uint32_t(sketch.jobs_size()) ||
        uint64_t(range.first()) + range.count() > sketch.jobs(int(range.job())).tasks())
      return wrong("a range of replicas has no tasks");
    replicas += range.count();
  }
  for (const Program &program : sketch.programs()) {
    if (program.instances() == 0 ||
        (program.spread() ? program.instances() > replicas : !isTask(program.task())))
      return wrong(absl::StrCat("program ", program.name(), " has no task"));
    if (program.phase() >= uint32_t(sketch.phases_size()))
      return wrong(absl::StrCat("program ", program.name(), " has no phase"));
    lanes += program.instances();
    for (const Instruction &instruction : program.instructions()) {
      const InstructionEffects effects = effectsOf(sketch, program, instruction);
      for (const ChannelEffect &effect : effects.channels)
        if (effect.channel >= uint32_t(sketch.channels_size()))
          return wrong(
              absl::StrCat("program ", program.name(), " uses a channel that is not there"));
      if (effects.kernel && *effects.kernel >= uint32_t(sketch.kernels_size()))
        return wrong(absl::StrCat("program ", program.name(), " calls a kernel that is not there"));
      if (instruction.has_next_batch() &&
          instruction.next_batch().dataset() >= uint32_t(sketch.datasets_size()))
        return wrong(
            absl::StrCat("program ", program.name(), " reads a data set that is not there"));
    }
  }
  for (const Channel &channel : sketch.channels()) {
    if (channel.sender() >= uint32_t(sketch.programs_size()) ||
        channel.receiver() >= uint32_t(sketch.programs_size()))
      return wrong(absl::StrCat("channel ", channel.name(), " has no program"));
    // Who is at the other end of instance i is instance i of a program of several.
    for (uint32_t index : {channel.sender(), channel.receiver()})
      if (const uint32_t instances = sketch.programs(int(index)).instances();
          instances > 1 && channel.instances() > instances)
        return wrong(
            absl::StrCat("channel ", channel.name(), " has more instances than its program"));
    ends += channel.instances();
  }
  if (lanes > PlanLimits::ports || ends > PlanLimits::ports)
    return wrong(absl::StrCat(lanes, " lanes, ", ends, " ends of channels"));
  return absl::OkStatus();
}

} // namespace graphc::plan
