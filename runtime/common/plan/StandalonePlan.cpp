#include "runtime/common/plan/StandalonePlan.h"

#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/plan/LivenessCertificate.h"
#include "runtime/common/plan/PlanTypes.h"
#include "runtime/common/plan/VerifyPlan.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace graphc::plan {
namespace {

/// New indices of the entries of a table that are still there, in the order in which they were met.
class Renumbering {
public:
  uint32_t operator()(uint32_t old) {
    auto [entry, isNew] = numbers_.try_emplace(old, static_cast<uint32_t>(order_.size()));
    if (isNew)
      order_.push_back(old);
    return entry->second;
  }
  const std::vector<uint32_t> &order() const { return order_; }

private:
  std::map<uint32_t, uint32_t> numbers_;
  std::vector<uint32_t> order_; ///< by new number the old one
};

class Extraction {
public:
  Extraction(const Plan &plan, const Phase &phase, const std::string &job)
      : plan_(plan), phase_(phase) {
    result_.set_producer(plan.producer());
    result_.set_model(plan.model());
    result_.set_intra_op_threads(plan.intra_op_threads());
    result_.mutable_strategy()->set_name("one_device");
    result_.mutable_strategy()->set_reproduced_by(plan.strategy().reproduced_by());
    *result_.mutable_locations() = plan.locations();
    Job *only = result_.add_jobs();
    only->set_name(job);
    only->set_tasks(1);
    result_.mutable_chief();
  }

  absl::StatusOr<Plan> run() {
    for (uint32_t index : phase_.programs())
      if (const Program &program = plan_.programs(static_cast<int>(index));
          program.instances() != 1)
        return absl::UnimplementedError(absl::StrCat(phase_.name(), " has ", program.instances(),
                                                     " replicas of ", program.name(),
                                                     ", and one process runs a function of one"));
    nameDevices();
    for (uint32_t index : phase_.programs())
      addProgram(index);
    addChannels();
    addTables();
    addPhase();
    GRAPHC_RETURN_IF_ERROR(base::annotate(verifyPlan(result_), "the plan for one process"));
    GRAPHC_RETURN_IF_ERROR(
        base::annotate(checkCertificate(result_).status(), "the plan for one process"));
    return std::move(result_);
  }

private:
  /// The chief's come first, so that its GPU:0 is still that one.
  void nameDevices() {
    for (const bool chief : {true, false})
      for (uint32_t index : phase_.programs())
        if (const Program &program = plan_.programs(static_cast<int>(index));
            sameTask(instanceTask(plan_, program, 0), plan_.chief()) == chief)
          deviceOf(instanceTask(plan_, program, 0), program.device());
  }

  std::string deviceOf(const Task &task, const std::string &device) {
    auto [entry, isNew] = devices_.try_emplace({taskNumber(plan_, task), device});
    if (isNew) {
      const std::string kind = std::vector<std::string>(absl::StrSplit(device, ':')).front();
      entry->second = absl::StrCat(kind, ":", kinds_[kind]++);
    }
    return entry->second;
  }

  void addProgram(uint32_t index) {
    programs_(index);
    Program &program = *result_.add_programs();
    program = plan_.programs(static_cast<int>(index));
    program.set_device(deviceOf(instanceTask(plan_, program, 0), program.device()));
    program.set_phase(0);
    program.set_spread(false);
    program.mutable_task()->Clear();
    for (Instruction &instruction : *program.mutable_instructions())
      renumber(instruction);
    for (Buffer &buffer : *program.mutable_buffers())
      if (buffer.has_variable())
        buffer.set_variable(variableOf(buffer.variable()));
      else if (buffer.has_constant())
        buffer.set_constant(constants_(buffer.constant()));
      else if (buffer.has_outgoing())
        buffer.set_outgoing(channels_(buffer.outgoing()));
  }

  /// With a part come the others: together they are the model's variable.
  uint32_t variableOf(uint32_t index) {
    if (const Variable &variable = plan_.variables(static_cast<int>(index)); variable.has_part_of())
      for (int i = 0; i < plan_.variables_size(); ++i)
        if (plan_.variables(i).has_part_of() &&
            plan_.variables(i).part_of().of() == variable.part_of().of())
          variables_(static_cast<uint32_t>(i));
    return variables_(index);
  }

  /// Numbers of other tables, by the names of their fields (Instruction in plan.proto, which
  /// InstructionTableTest.cpp holds to them).
  void renumber(Instruction &instruction) {
    const google::protobuf::FieldDescriptor *kind =
        instruction.GetReflection()->GetOneofFieldDescriptor(
            instruction, Instruction::descriptor()->oneof_decl(0));
    // of no channel
    if (!kind || (instruction.has_control_receive() && instruction.control_receive().local()))
      return;
    google::protobuf::Message &body =
        *instruction.GetReflection()->MutableMessage(&instruction, kind);
    const google::protobuf::Reflection &reflection = *body.GetReflection();
    const std::pair<const char *, Renumbering &> tables[] = {{"channel", channels_},
                                                             {"channels", channels_},
                                                             {"kernel", kernels_},
                                                             {"add", kernels_},
                                                             {"dataset", datasets_}};
    for (const auto &[name, numbers] : tables) {
      const google::protobuf::FieldDescriptor *field = body.GetDescriptor()->FindFieldByName(name);
      if (!field)
        continue;
      for (int n = 0; field->is_repeated() && n < reflection.FieldSize(body, field); ++n)
        reflection.SetRepeatedUInt32(&body, field, n,
                                     numbers(reflection.GetRepeatedUInt32(body, field, n)));
      if (!field->is_repeated())
        reflection.SetUInt32(&body, field, numbers(reflection.GetUInt32(body, field)));
    }
  }

  void addChannels() {
    for (uint32_t index : channels_.order()) {
      Channel &channel = *result_.add_channels();
      channel = plan_.channels(static_cast<int>(index));
      channel.set_sender(programs_(channel.sender()));
      channel.set_receiver(programs_(channel.receiver()));
      channel.set_zero_copy(false); // lanes of one process have their messages copied
      channel.set_credits_wait(false);
    }
  }

  void addTables() {
    for (uint32_t index : variables_.order()) {
      Variable &variable = *result_.add_variables();
      variable = plan_.variables(static_cast<int>(index));
      variable.set_device(deviceOf(variable.owner(), variable.device()));
      variable.mutable_owner()->Clear();
      variable.set_mirrored(false);
    }
    for (uint32_t index : datasets_.order())
      *result_.add_datasets() = plan_.datasets(static_cast<int>(index));
    for (uint32_t index : constants_.order())
      result_.add_constants(plan_.constants(static_cast<int>(index)));
    for (uint32_t index : kernels_.order()) {
      Kernel &kernel = *result_.add_kernels();
      kernel = plan_.kernels(static_cast<int>(index));
      if (kernel.has_compiled())
        kernel.mutable_compiled()->set_code(code_(kernel.compiled().code()));
    }
    for (uint32_t index : code_.order())
      *result_.add_code() = plan_.code(static_cast<int>(index));
  }

  void addPhase() {
    Phase &phase = *result_.add_phases();
    phase = phase_;
    phase.clear_programs();
    for (uint32_t index : phase_.programs())
      phase.add_programs(programs_(index));
    // What defines its epochs a program of it reads, so it is there.
    phase.set_dataset(phase_.samples_per_step() ? datasets_(phase_.dataset()) : 0);
  }

  const Plan &plan_;
  const Phase &phase_;
  Plan result_;
  /// task's number and device → its new name
  std::map<std::pair<uint32_t, std::string>, std::string> devices_;
  std::map<std::string, uint32_t> kinds_; ///< how many there are
  Renumbering programs_, channels_, kernels_, datasets_, variables_, constants_, code_;
};

} // namespace

absl::StatusOr<Plan> standalonePlan(const Plan &plan, Role role, const std::string &job) {
  for (const Phase &phase : plan.phases())
    if (phase.role() == role)
      return Extraction(plan, phase, job).run();
  return absl::NotFoundError(absl::StrCat("the plan of ", plan.model(), " has no function for ",
                                          role == EVAL      ? "evaluation"
                                          : role == PREDICT ? "predictions"
                                                            : "training"));
}

} // namespace graphc::plan
