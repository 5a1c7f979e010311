#include "runtime/common/plan/RunAhead.h"

#include "runtime/common/plan/Types.h"

namespace graphc::plan {
namespace {

/// Nobody but the device is waited for, or waits.
bool isAlone(const Program &program, const Instruction &instruction) {
  switch (instruction.kind_case()) {
  case Instruction::kCall:
  case Instruction::kCopy:
  case Instruction::kSignal:
  case Instruction::kWait:
  case Instruction::kNextBatch:
  case Instruction::kMicroBatchIndex:
  case Instruction::kRepeat:
  case Instruction::kAccumulate:
    return true;
  case Instruction::kControlSend:
    return instruction.control_send().channels_size() == 0;
  case Instruction::kControlReceive:
    return instruction.control_receive().local() && program.instances() == 1;
  default:
    return false;
  }
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
    if (!isAlone(program, instruction) || (waits && !isWait && !instruction.has_control_receive()))
      return false;
    waits |= isWait && !loops.inLoop();
  }
  return gives;
}

} // namespace graphc::plan
