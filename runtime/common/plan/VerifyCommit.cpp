#include "runtime/common/plan/VerifyCommit.h"

#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/plan/InstructionTable.h"
#include "runtime/common/plan/PlanTypes.h"
#include "runtime/common/plan/VerifyHelpers.h"

#include <optional>

namespace graphc::plan {

bool recoversFromMemory(const Plan &plan) {
  for (const Program &program : plan.programs())
    if (program.has_commit_point())
      return true;
  return false;
}

namespace detail {
namespace {

/// The variable that an instruction writes, if any.
std::optional<uint32_t> writtenBy(const Plan &plan, const Program &program,
                                  const Instruction &instruction) {
  for (const BufferEffect &effect : effectsOf(plan, program, instruction).buffers)
    if (const Buffer &buffer = program.buffers(int(effect.buffer));
        effect.access != READ && buffer.storage_case() == Buffer::kVariable)
      return buffer.variable();
  return std::nullopt;
}

/// Instructions that end by themselves, whatever anybody else does.
bool waitsForNobody(const Instruction &instruction) {
  const InstructionFacts *facts = factsOf(instruction.kind_case());
  return instruction.queue() == 0 && facts && facts->endsAlone;
}

/// Of a program with a commit point: all tasks make its steps together, and each of them has every
/// variable.
absl::Status checkTasks(const Plan &plan, const Program &program) {
  const Phase &phase = plan.phases(int(program.phase()));
  if (phase.role() != TRAIN || phase.ends_by_end_of_stream())
    return invalid("it has a commit point, but phase ", phase.name(),
                   " does not train in steps that all make together");
  if (phase.programs_size() != 1 || !program.spread())
    return invalid("it has a commit point, but is not the only program of phase ", phase.name(),
                   ", with an instance a task: what another one has written by then nobody knows");
  for (const Variable &variable : plan.variables())
    if (!variable.mirrored() && program.instances() > 1)
      return invalid("it has a commit point, but variable ", variable.name(),
                     " is in the memory of ", taskText(plan, variable.owner()),
                     " alone, and is lost with that");
  return absl::OkStatus();
}

} // namespace

/// Before a commit point nothing writes a variable; behind it nothing waits.
absl::Status checkCommitPoint(const Plan &plan, const Program &program) {
  if (!program.has_commit_point()) {
    if (recoversFromMemory(plan))
      for (const Instruction &instruction : program.instructions())
        if (std::optional<uint32_t> variable = writtenBy(plan, program, instruction))
          return invalid("it writes variable ", plan.variables(int(*variable)).name(),
                         " and has no commit point, in a plan that has one");
    return absl::OkStatus();
  }
  if (program.commit_point() >= uint32_t(program.instructions_size()))
    return invalid("its commit point is before instruction ", program.commit_point(), " of ",
                   program.instructions_size());
  GRAPHC_RETURN_IF_ERROR(checkTasks(plan, program));
  for (int i = 0; i < program.instructions_size(); ++i) {
    const Instruction &instruction = program.instructions(i);
    const bool isBehind = uint32_t(i) >= program.commit_point();
    if (isBehind && !waitsForNobody(instruction))
      return invalid(
          "instruction ", i, ": may wait behind the commit point, which is before instruction ",
          program.commit_point(), ": a task that loses another would be left between two steps");
    if (isBehind)
      continue;
    if (std::optional<uint32_t> variable = writtenBy(plan, program, instruction))
      return invalid("instruction ", i, ": writes variable ", plan.variables(int(*variable)).name(),
                     " before the commit point, which is before instruction ",
                     program.commit_point());
  }
  return absl::OkStatus();
}

} // namespace detail
} // namespace graphc::plan
