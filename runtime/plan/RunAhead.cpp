#include "runtime/plan/RunAhead.h"

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
  bool waits = false;
  uint32_t left = 0; // of a loop
  for (const Instruction &instruction : program.instructions()) {
    const bool repeated = left > 0;
    left = instruction.has_repeat() ? instruction.repeat().length() : left - repeated;
    const bool isWait = instruction.has_wait() && !instruction.queue();
    if (!isAlone(program, instruction) || (waits && !isWait && !instruction.has_control_receive()))
      return false;
    waits |= isWait && !repeated;
  }
  return true;
}

} // namespace graphc::plan
