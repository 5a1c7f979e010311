#include "runtime/common/plan/InstructionText.h"

#include "runtime/common/plan/InstructionTable.h"
#include "runtime/common/plan/MemoryRequirements.h"

#include "absl/strings/str_cat.h"

namespace graphc::plan {
namespace {

std::string copyText(const Program &program, const Instruction::Copy &copy) {
  const bool within =
      program.buffers(int(copy.to())).space() == program.buffers(int(copy.from())).space();
  return within                      ? "copy"
         : isToDevice(program, copy) ? "copy to the device"
                                     : "copy from the device";
}

} // namespace

std::string instructionText(const Plan &plan, const Program &program,
                            const Instruction &instruction) {
  const InstructionFacts *facts = factsOf(instruction.kind_case());
  if (!facts)
    return "instruction";
  switch (instruction.kind_case()) { // what the table does not say
  case Instruction::kCall:
    return plan.kernels(int(instruction.call().kernel())).name();
  case Instruction::kCopy:
    return copyText(program, instruction.copy());
  case Instruction::kRepeat:
    return absl::StrCat(instruction.repeat().count(), " times");
  case Instruction::kWait:
    return absl::StrCat(facts->text, " ", instruction.wait().queue());
  default:
    break;
  }
  const InstructionEffects effects = effectsOf(plan, program, instruction);
  if (effects.channels.size() != 1 || effects.channels.front().control)
    return facts->text;
  return absl::StrCat(facts->text, " ", plan.channels(int(effects.channels.front().channel)).name(),
                      instruction.send_start().ahead() ? " for the next step" : "");
}

} // namespace graphc::plan
