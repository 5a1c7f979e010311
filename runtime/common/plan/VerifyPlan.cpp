//===- VerifyPlan.cpp - the plan's tables, then what programs share ---------------------------===//

#include "runtime/common/plan/VerifyPlan.h"

#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/plan/AllReduceMoves.h"
#include "runtime/common/plan/PiggybackedCredits.h"
#include "runtime/common/plan/PlanTypes.h"
#include "runtime/common/plan/VerifyHelpers.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>

namespace graphc::plan {

absl::Status detail::checkName(absl::string_view what, const std::string &name,
                               std::set<std::string> *seen) {
  if (name.empty())
    return invalid(what, " has no name");
  if (name.size() > size_t(PlanLimits::nameBytes))
    return invalid(what, " has a name of ", name.size(), " bytes, more than ",
                   PlanLimits::nameBytes);
  for (unsigned char c : name)
    if (c < 0x20 || c == 0x7f)
      return invalid(what, " has a control character in its name");
  if (seen && !seen->insert(name).second)
    return invalid(what, " '", name, "' exists twice");
  return absl::OkStatus();
}

/// A type whose bytes can be counted, within the limits.
absl::Status detail::checkType(const TensorType &type, absl::string_view what) {
  if (type.shape_size() > PlanLimits::rank)
    return invalid(what, ": rank ", type.shape_size(), ", more than ", PlanLimits::rank);
  std::optional<uint64_t> bytes = tensorBytes(type);
  if (!bytes || *bytes > PlanLimits::bytes)
    return invalid(what, ": the type ", typeText(type), " is invalid or too large");
  return absl::OkStatus();
}

namespace {

using detail::checkName;
using detail::checkType;
using detail::invalid;

/// The task is one of the plan's jobs.
absl::Status checkTask(const Plan &plan, const Task &task, absl::string_view what) {
  if (task.job() >= uint32_t(plan.jobs_size()))
    return invalid(what, ": job ", task.job(), " does not exist, the plan has ", plan.jobs_size());
  const Job &job = plan.jobs(int(task.job()));
  if (task.index() >= job.tasks())
    return invalid(what, ": task ", task.index(), " of job ", job.name(),
                   " does not exist, it has ", job.tasks());
  return absl::OkStatus();
}

/// Jobs, the chief and the replica domain: names, counts, and that each task named exists.
absl::Status checkCluster(const Plan &plan) {
  if (plan.jobs_size() == 0)
    return invalid("the plan has no job");
  std::set<std::string> names;
  uint64_t tasks = 0;
  for (const Job &job : plan.jobs()) {
    GRAPHC_RETURN_IF_ERROR(checkName("a job", job.name(), &names));
    if (job.tasks() == 0)
      return invalid("job ", job.name(), " has no task");
    tasks += job.tasks();
    if (tasks > uint64_t(PlanLimits::tasks))
      return invalid("the plan has more than ", PlanLimits::tasks, " tasks");
  }
  GRAPHC_RETURN_IF_ERROR(checkTask(plan, plan.chief(), "chief"));
  uint64_t size = 0;
  std::set<std::pair<uint32_t, uint32_t>> used;
  for (const ReplicaDomain::Range &range : plan.replicas().ranges()) {
    if (range.job() >= uint32_t(plan.jobs_size()))
      return invalid("replica domain: job ", range.job(), " does not exist");
    uint64_t end = uint64_t(range.first()) + range.count();
    if (range.count() == 0 || end > plan.jobs(int(range.job())).tasks())
      return invalid("replica domain: tasks ", range.first(), " to ", end, " are not tasks of job ",
                     plan.jobs(int(range.job())).name());
    for (uint64_t i = range.first(); i < end; ++i)
      if (!used.emplace(range.job(), uint32_t(i)).second)
        return invalid("replica domain: task ", i, " of job ", plan.jobs(int(range.job())).name(),
                       " is in it twice");
    size += range.count();
  }
  if (size != plan.replicas().size())
    return invalid("replica domain: its ranges hold ", size, " tasks, its size says ",
                   plan.replicas().size());
  return absl::OkStatus();
}

/// What is only shown: text that a terminal bears, and places that exist.
absl::Status checkStrategy(const Plan &plan) {
  const Strategy &strategy = plan.strategy();
  if (strategy.settings_size() > PlanLimits::tableEntries ||
      strategy.rules_size() > PlanLimits::tableEntries)
    return invalid("the strategy has ", strategy.settings_size(), " settings and ",
                   strategy.rules_size(), " placement rules, more than ", PlanLimits::tableEntries);
  std::set<std::string> names;
  for (const Strategy::Setting &setting : strategy.settings()) {
    GRAPHC_RETURN_IF_ERROR(checkName("a setting of the strategy", setting.name(), &names));
    GRAPHC_RETURN_IF_ERROR(
        checkName("the value of a setting of the strategy", setting.value(), nullptr));
  }
  for (const Strategy::Rule &rule : strategy.rules()) {
    GRAPHC_RETURN_IF_ERROR(checkName("a placement rule", rule.name(), nullptr));
    GRAPHC_RETURN_IF_ERROR(checkName("the device of a placement rule", rule.device(), nullptr));
    if (rule.location() != 0 && rule.location() >= uint32_t(plan.locations_size()))
      return invalid("placement rule ", rule.name(), ": location ", rule.location(),
                     " does not exist");
  }
  return absl::OkStatus();
}

/// The parts of one variable of the model: rows of one type, each once, none left out.
absl::Status checkParts(const Plan &plan, const std::set<std::string> &names) {
  std::map<std::string, std::vector<const Variable *>> wholes;
  for (const Variable &v : plan.variables())
    if (v.has_part_of())
      wholes[v.part_of().of()].push_back(&v);
  for (auto &[whole, parts] : wholes) {
    if (names.contains(whole))
      return invalid("variable ", parts.front()->name(), " is a part of ", whole,
                     ", which is a variable itself");
    std::sort(parts.begin(), parts.end(), [](const Variable *a, const Variable *b) {
      return a->part_of().row() < b->part_of().row();
    });
    uint64_t next = 0;
    for (const Variable *part : parts) {
      if (!sameType(part->part_of().type(), parts.front()->part_of().type()))
        return invalid("variable ", part->name(), " is a part of ",
                       typeText(part->part_of().type()), ", but ", parts.front()->name(), " of ",
                       typeText(parts.front()->part_of().type()));
      if (part->part_of().row() != next)
        return invalid("variable ", part->name(), " begins at row ", part->part_of().row(), " of ",
                       whole, ", expected row ", next,
                       ": parts neither overlap nor leave rows out");
      next += uint64_t(part->type().shape(0));
    }
    if (next != uint64_t(parts.front()->part_of().type().shape(0)))
      return invalid("the parts of variable ", whole, " end at row ", next, " of ",
                     typeText(parts.front()->part_of().type()));
  }
  return absl::OkStatus();
}

/// Each variable: type, owner, initializer; the parts of one have distinct rows and together all;
/// one counter of steps at most.
absl::Status checkVariables(const Plan &plan) {
  std::set<std::string> names;
  bool globalStep = false;
  for (const Variable &v : plan.variables()) {
    GRAPHC_RETURN_IF_ERROR(checkName("a variable", v.name(), &names));
    std::string what = absl::StrCat("variable ", v.name());
    GRAPHC_RETURN_IF_ERROR(checkType(v.type(), what));
    GRAPHC_RETURN_IF_ERROR(checkTask(plan, v.owner(), what));
    if (!isDevice(v.device()))
      return invalid(what, " is on the device '", v.device().substr(0, 64),
                     "', expected one such as CPU:0");
    if (v.has_part_of()) {
      if (absl::Status s = checkName("a variable", v.part_of().of(), nullptr); !s.ok())
        return s;
      GRAPHC_RETURN_IF_ERROR(checkType(v.part_of().type(), what));
      if (!isPartOf(v.type(), v.part_of()) || v.mirrored() || v.global_step())
        return invalid(what, ": ", typeText(v.type()), " at row ", v.part_of().row(),
                       " is not rows of ", typeText(v.part_of().type()));
    }
    if (!v.slot_of().empty())
      GRAPHC_RETURN_IF_ERROR(checkName("a variable", v.slot_of(), nullptr));
    if (v.is_average() && v.slot_of().empty())
      return invalid(what, " is the moving average of no variable");
    if (v.mirrored() && !sameTask(v.owner(), plan.chief()))
      return invalid(what, " is mirrored, but owned by ", taskText(plan, v.owner()),
                     " and not by the chief");
    if (v.location() != 0 && v.location() >= uint32_t(plan.locations_size()))
      return invalid(what, ": location ", v.location(), " does not exist");
    if (v.global_step()) {
      if (globalStep)
        return invalid(what, " is a second global_step");
      globalStep = true;
      if (v.type().dtype() != I64 || v.type().shape_size() != 0)
        return invalid(what, ": global_step is ", typeText(v.type()), ", expected tensor<i64>");
    }
    bool isFloat = v.type().dtype() == F32 || v.type().dtype() == F64;
    const Initializer &init = v.initializer();
    switch (init.kind_case()) {
    case Initializer::kZeros:
      break;
    case Initializer::kValue:
      if (init.value().size() != elementBytes(v.type().dtype()) &&
          init.value().size() != *tensorBytes(v.type()))
        return invalid(what, ": its initial value has ", init.value().size(),
                       " bytes, expected one element or ", *tensorBytes(v.type()));
      break;
    case Initializer::kUniform:
      if (!isFloat || !std::isfinite(init.uniform().low()) ||
          !std::isfinite(init.uniform().high()) || init.uniform().low() > init.uniform().high())
        return invalid(
            what, ": a uniform initializer needs a floating-point type and finite limits in order");
      break;
    case Initializer::kNormal:
      if (!isFloat || !std::isfinite(init.normal().mean()) ||
          !std::isfinite(init.normal().stddev()) || init.normal().stddev() < 0)
        return invalid(
            what,
            ": a normal initializer needs a floating-point type, a finite mean and deviation");
      break;
    case Initializer::kUninitialized:
      if (v.global_step() || (!v.slot_of().empty() && !v.is_average()))
        return invalid(what, " is uninitialized, but begins anew with each training");
      break;
    default:
      return invalid(what, " has no initializer");
    }
  }
  return checkParts(plan, names);
}

/// Each channel: type and bytes, programs of one phase, what its flags exclude, as many instances
/// as its programs have; all of them together fit in memory.
absl::Status checkChannels(const Plan &plan) {
  std::set<std::string> names;
  // Each instance costs ports and a ring of slots at its receiver; their sum must not overflow what
  // the transports add up, nor be a bomb in a small file.
  uint64_t ports = 0;
  unsigned __int128 slots = 0;
  for (const Channel &c : plan.channels()) {
    GRAPHC_RETURN_IF_ERROR(checkName("a channel", c.name(), &names));
    std::string what = absl::StrCat("channel ", c.name());
    GRAPHC_RETURN_IF_ERROR(checkType(c.type(), what));
    if (c.bytes() != *tensorBytes(c.type()))
      return invalid(what, ": ", c.bytes(), " bytes, but ", typeText(c.type()), " has ",
                     *tensorBytes(c.type()));
    if (c.capacity() == 0 || c.capacity() > PlanLimits::capacity)
      return invalid(what, ": capacity ", c.capacity(), ", expected 1 to ", PlanLimits::capacity);
    if (c.sender() >= uint32_t(plan.programs_size()) ||
        c.receiver() >= uint32_t(plan.programs_size()))
      return invalid(what, ": its sender or receiver is not a program");
    const Program &sender = plan.programs(int(c.sender())),
                  &receiver = plan.programs(int(c.receiver()));
    if (sender.phase() != receiver.phase())
      return invalid(what, " joins programs of two phases, ", sender.name(), " and ",
                     receiver.name());
    const bool stays = !c.all_to_all() || readsInPlace(c.algorithm());
    if (c.zero_copy() && (c.control() || !stays || sender.locks_variables()))
      return invalid(what, " is zero-copy, but ",
                     c.control() ? "carries the control message"
                     : !stays ? absl::StrCat("its instances sum by ",
                                             AllReduceAlgorithm_Name(c.algorithm()),
                                             ", which leaves nothing as it is while others read it")
                              : absl::StrCat("its sender ", sender.name(),
                                             " shares its variables with other lanes"));
    if (c.conflating() && (c.zero_copy() || c.all_to_all()))
      return invalid(what, " is a conflating channel, but ",
                     c.zero_copy() ? "zero-copy" : "all to all");
    if (c.algorithm() != WHOLE && (c.control() || !c.all_to_all()))
      return invalid(what, " has an all-reduce algorithm, but is not all to all");
    if (const uint64_t unit = c.unit_bytes()) {
      if (c.control() || c.all_to_all() || c.zero_copy() || c.conflating())
        return invalid(what, " has messages of an actual size, but is ",
                       c.control()      ? "a control channel"
                       : c.all_to_all() ? "all to all"
                       : c.zero_copy()  ? "zero-copy"
                                        : "conflating");
      if (c.type().shape_size() == 0 || c.bytes() == 0 ||
          c.bytes() / uint64_t(c.type().shape(0)) != unit || c.type().shape(0) > PlanLimits::units)
        return invalid(what, ": units of ", unit, " bytes, expected an entry of dimension 0 of ",
                       typeText(c.type()), ", of which there are at most ", PlanLimits::units);
    }
    if (absl::Status hosts = checkAllReduceHosts(AllReduceShape::of(c)); !hosts.ok())
      return invalid(what, ": ", hosts.message());
    if (c.control()) {
      if (c.conflating() || c.all_to_all())
        return invalid(what, " is a control channel and ",
                       c.conflating() ? "a conflating one" : "all to all");
      if (c.type().dtype() != I64 || c.type().shape_size() != 0)
        return invalid(what, ": a control channel carries ", typeText(c.type()),
                       ", expected tensor<i64>");
      if (c.instances() != receiver.instances())
        return invalid(what, ": ", c.instances(), " instances, but its receiver ", receiver.name(),
                       " has ", receiver.instances());
    } else if (c.all_to_all()) {
      if (!AllReduceAlgorithm_IsValid(c.algorithm()))
        return invalid(what, ": unknown all-reduce algorithm ", int(c.algorithm()));
      if (c.algorithm() != WHOLE &&
          (c.capacity() < allReduceCapacity(c.algorithm()) || c.bytes() == 0))
        return invalid(what, ": ", AllReduceAlgorithm_Name(c.algorithm()), " with ", c.capacity(),
                       " slots of ", c.bytes(), " bytes, expected at least ",
                       allReduceCapacity(c.algorithm()), " of at least one");
      if (c.sender() != c.receiver() || c.instances() != sender.instances() || c.instances() < 2)
        return invalid(what, ": all to all with ", c.instances(), " instances from ", sender.name(),
                       " to ", receiver.name(),
                       "; expected one replicated program of at least two instances");
    } else {
      if (c.sender() == c.receiver())
        return invalid(what, ": program ", sender.name(), " sends to itself");
      if (c.conflating() &&
          (sender.spread() || receiver.spread() || !sameTask(sender.task(), receiver.task()) ||
           !plan.phases(int(sender.phase())).ends_by_end_of_stream()))
        return invalid(
            what,
            ": a conflating channel joins two programs of one task in a phase that ends by end of stream, not ",
            sender.name(), " and ", receiver.name());
      uint32_t expected = std::max(sender.instances(), receiver.instances());
      if (c.instances() != expected)
        return invalid(what, ": ", c.instances(), " instances, but its programs have ", expected);
    }
    // All to all is as many ports as pairs, but a task has only those of its own instances.
    uint64_t instances =
        c.all_to_all() ? 2 * (allReducePeers(AllReduceShape::of(c)) + 1) : c.instances();
    ports += instances;
    slots += (unsigned __int128)(c.bytes() + 320) * c.capacity() * instances;
    if (ports > PlanLimits::ports || slots > PlanLimits::bytes)
      return invalid(what, ": the channels up to this one have ", ports, " instances or more than ",
                     PlanLimits::bytes, " bytes of slots; at most ", PlanLimits::ports,
                     " and that are allowed");
    if (c.location() != 0 && c.location() >= uint32_t(plan.locations_size()))
      return invalid(what, ": location ", c.location(), " does not exist");
  }
  return absl::OkStatus();
}

/// Each phase: role, data set, programs; every program is of one phase.
absl::Status checkPhases(const Plan &plan) {
  std::set<std::string> names;
  std::vector<int> owner(size_t(plan.programs_size()), -1);
  for (int p = 0; p < plan.phases_size(); ++p) {
    const Phase &phase = plan.phases(p);
    GRAPHC_RETURN_IF_ERROR(checkName("a phase", phase.name(), &names));
    if (!Role_IsValid(phase.role()))
      return invalid("phase ", phase.name(), ": unknown role ", int(phase.role()));
    if (phase.programs_size() == 0)
      return invalid("phase ", phase.name(), " has no program");
    if (phase.samples_per_step() > PlanLimits::bytes)
      return invalid("phase ", phase.name(), ": ", phase.samples_per_step(), " samples a step");
    if (phase.samples_per_step() && phase.dataset() >= uint32_t(plan.datasets_size()))
      return invalid("phase ", phase.name(), ": dataset ", phase.dataset(), " does not exist");
    for (uint32_t program : phase.programs()) {
      if (program >= uint32_t(plan.programs_size()))
        return invalid("phase ", phase.name(), ": program ", program, " does not exist");
      if (owner[program] != -1)
        return invalid("program ", plan.programs(int(program)).name(),
                       " is listed twice by phases");
      if (plan.programs(int(program)).phase() != uint32_t(p))
        return invalid("phase ", phase.name(), " lists program ",
                       plan.programs(int(program)).name(), ", which is of another");
      owner[program] = p;
    }
  }
  uint64_t instances = 0;
  for (const Program &program : plan.programs())
    instances += program.instances();
  if (instances > PlanLimits::ports)
    return invalid("the programs have more than ", PlanLimits::ports, " instances together");
  for (int i = 0; i < plan.programs_size(); ++i)
    if (owner[size_t(i)] == -1)
      return invalid("program ", plan.programs(i).name(), " belongs to no phase");
  return absl::OkStatus();
}

std::string inLoop(const detail::SideUse &side) {
  return side.times ? absl::StrCat("in a loop of ", side.times) : "outside of loops";
}

// After the programs were walked: both ends of every channel, and every phase's way to end.
absl::Status checkChannelUse(const Plan &plan, const std::vector<detail::ChannelUse> &use) {
  for (int i = 0; i < plan.channels_size(); ++i) {
    const Channel &c = plan.channels(i);
    if (use[size_t(i)].sends == 0)
      return invalid("channel ", c.name(), ": its sender ", plan.programs(int(c.sender())).name(),
                     " never sends");
    bool toItselfAlone = c.control() && c.sender() == c.receiver() && c.instances() == 1;
    if (use[size_t(i)].receives == 0 && !toItselfAlone)
      return invalid("channel ", c.name(), ": its receiver ",
                     plan.programs(int(c.receiver())).name(), " never receives");
    if (use[size_t(i)].sends != use[size_t(i)].receives && !toItselfAlone)
      return invalid("channel ", c.name(), ": ", use[size_t(i)].sends, " sends but ",
                     use[size_t(i)].receives, " receives a step");
    if (const detail::SideUse &sends = use[size_t(i)].sender, &receives = use[size_t(i)].receiver;
        sends.times != receives.times && !toItselfAlone)
      return invalid("channel ", c.name(), ": ", plan.programs(int(c.sender())).name(), " sends ",
                     inLoop(sends), ", but ", plan.programs(int(c.receiver())).name(), " receives ",
                     inLoop(receives),
                     "; expected both ends in loops of equal count, or both outside");
    // Of several the first may be gone before it is taken, and its receiver waits for one more than
    // there are.
    if (c.conflating() && use[size_t(i)].sends != 1)
      return invalid("channel ", c.name(), ": ", use[size_t(i)].sends,
                     " messages a step on a conflating channel, expected 1");
  }
  return absl::OkStatus();
}

/// One program decides when a synchronous phase ends; an asynchronous one takes update tickets, at
/// one place.
absl::Status checkPhaseEnds(const Plan &plan, const Phase &phase) {
  int deciders = 0, tickets = 0;
  for (uint32_t index : phase.programs())
    for (const Instruction &instruction : plan.programs(int(index)).instructions()) {
      deciders += instruction.has_control_send();
      tickets += instruction.has_ticket();
    }
  if (!phase.ends_by_end_of_stream() && deciders != 1)
    return invalid("phase ", phase.name(), ": ", deciders, " programs decide its end, expected 1");
  if (phase.ends_by_end_of_stream() && tickets == 0)
    return invalid(
        "phase ", phase.name(),
        " ends by end of stream, but no program takes an update ticket: it would never end");
  if (tickets > 1)
    return invalid("phase ", phase.name(), ": ", tickets, " update tickets a step, expected 1");
  return absl::OkStatus();
}

/// Epochs and positions in the data are counted by what the phase says that a step takes.
absl::Status checkPhaseData(const Plan &plan, const Phase &phase) {
  bool reads = false, readsItsOwn = false;
  std::map<uint32_t, const Instruction::NextBatch *> firsts; // by data set
  for (uint32_t index : phase.programs())
    for (const Instruction &instruction : plan.programs(int(index)).instructions()) {
      if (!instruction.has_next_batch())
        continue;
      reads = true;
      const Instruction::NextBatch &next = instruction.next_batch();
      readsItsOwn |= next.dataset() == phase.dataset();
      const Instruction::NextBatch &first =
          *firsts.try_emplace(next.dataset(), &next).first->second;
      if (samplesOfMicroBatch(next) != samplesOfMicroBatch(first) ||
          next.micro_batches() != first.micro_batches())
        return invalid("phase ", phase.name(), " takes ", samplesOfMicroBatch(first), " x ",
                       first.micro_batches(), " and ", samplesOfMicroBatch(next), " x ",
                       next.micro_batches(), " samples (micro-batch x micro-batches) of dataset ",
                       plan.datasets(int(next.dataset())).name(), "; expected the same");
      if (phase.ends_by_end_of_stream() && instruction.next_batch().pad_last() &&
          plan.programs(int(index)).instances() > 1)
        return invalid("phase ", phase.name(),
                       ": its replicas do not wait for each other, so they have no epoch in "
                       "common whose last batch could be padded (pad_last)");
    }
  if (reads && phase.samples_per_step() == 0)
    return invalid("phase ", phase.name(), " reads data, but takes 0 samples a step");
  if (phase.samples_per_step() && !readsItsOwn)
    return invalid("phase ", phase.name(), " takes ", phase.samples_per_step(),
                   " samples a step of dataset ", plan.datasets(int(phase.dataset())).name(),
                   ", which no program of it reads");
  return absl::OkStatus();
}

} // namespace

/// Tables first, each entry by itself, so that what follows may index them; then each program's
/// instructions; then what programs do together: variables that several lanes touch, how phases
/// end, both ends of every channel.
absl::Status verifyPlan(const Plan &plan) {
  for (int size : {plan.variables_size(), plan.datasets_size(), plan.channels_size(),
                   plan.code_size(), plan.kernels_size(), plan.programs_size(), plan.phases_size(),
                   plan.locations_size(), plan.constants_size()})
    if (size > PlanLimits::tableEntries)
      return invalid("a table of the plan has ", size, " entries, more than ",
                     PlanLimits::tableEntries);
  if (plan.intra_op_threads() > PlanLimits::threads)
    return invalid("the plan asks for ", plan.intra_op_threads(),
                   " threads of one kernel, more than ", PlanLimits::threads);
  GRAPHC_RETURN_IF_ERROR(checkCluster(plan));
  GRAPHC_RETURN_IF_ERROR(checkStrategy(plan));
  GRAPHC_RETURN_IF_ERROR(checkVariables(plan));
  GRAPHC_RETURN_IF_ERROR(detail::checkDatasets(plan));
  GRAPHC_RETURN_IF_ERROR(detail::checkKernels(plan));
  GRAPHC_RETURN_IF_ERROR(checkPhases(plan));
  GRAPHC_RETURN_IF_ERROR(checkChannels(plan));
  std::vector<detail::ChannelUse> channels(size_t(plan.channels_size()));
  for (const Phase &phase : plan.phases()) {
    std::vector<detail::VariableUse> variables(size_t(plan.variables_size()));
    for (uint32_t program : phase.programs())
      GRAPHC_RETURN_IF_ERROR(detail::verifyProgram(plan, program, channels, variables));
    for (int v = 0; v < plan.variables_size(); ++v)
      if (const detail::VariableUse &use = variables[size_t(v)];
          use.lanes > 1 && use.written && use.unlocked)
        return invalid("phase ", phase.name(), ": ", use.lanes, " lanes touch variable ",
                       plan.variables(v).name(),
                       " and one writes it, but not all of their programs lock variables");
    GRAPHC_RETURN_IF_ERROR(checkPhaseEnds(plan, phase));
    GRAPHC_RETURN_IF_ERROR(checkPhaseData(plan, phase));
  }
  GRAPHC_RETURN_IF_ERROR(checkChannelUse(plan, channels));
  return checkCredits(plan);
}

} // namespace graphc::plan
