#include "runtime/common/plan/StepRunAhead.h"

#include "runtime/common/plan/InstructionTable.h"
#include "runtime/common/plan/PlanTypes.h"

namespace graphc::plan {
namespace {

bool runsAhead(const Program &program, const Instruction &instruction) {
  if (instruction.has_control_send())
    return instruction.control_send().channels_size() == 0;
  if (instruction.has_control_receive())
    return instruction.control_receive().local() && program.instances() == 1;
  const InstructionFacts *facts = factsOf(instruction.kind_case());
  return facts && facts->runsAhead;
}

} // namespace

bool runsAhead(const Program &program) {
  if (!program.queues() || program.feeds_size())
    return false;
  for (const Buffer &buffer : program.buffers())
    if (buffer.storage_case() == Buffer::kVariable && buffer.space() == HOST)
      return false;
  bool waits = false, gives = false;
  LoopWalk loops;
  for (const Instruction &instruction : program.instructions()) {
    loops.times(instruction);
    gives |= instruction.queue() != 0;
    const bool isWait = instruction.has_wait() && !instruction.queue();
    if (!runsAhead(program, instruction) ||
        (waits && !isWait && !instruction.has_control_receive()))
      return false;
    waits |= isWait && !loops.inLoop();
  }
  return gives;
}

} // namespace graphc::plan
