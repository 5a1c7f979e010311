#include "runtime/common/plan/InstructionText.h"

#include "runtime/common/plan/MemoryNeeds.h"

#include "absl/strings/str_cat.h"

namespace graphc::plan {
namespace {

std::string copyText(const Program &program, const Instruction::Copy &copy) {
  const bool within = program.buffers(int(copy.to())).space() == program.buffers(int(copy.from())).space();
  return within ? "copy" : isToDevice(program, copy) ? "copy to the device" : "copy from the device";
}

} // namespace

std::string instructionText(const Plan &plan, const Program &program, const Instruction &instruction) {
  auto of = [&](const char *what, uint32_t channel) {
    return absl::StrCat(what, " ", plan.channels(int(channel)).name());
  };
  switch (instruction.kind_case()) {
  case Instruction::kCall:
    return plan.kernels(int(instruction.call().kernel())).name();
  case Instruction::kReceive:
    return of("receive", instruction.receive().channel());
  case Instruction::kRelease:
    return of("release", instruction.release().channel());
  case Instruction::kAcquire:
    return of("slot for", instruction.acquire().channel());
  case Instruction::kSendStart:
    return of("send", instruction.send_start().channel()) +
           (instruction.send_start().ahead() ? " for the next step" : "");
  case Instruction::kSendDone:
    return of("sent", instruction.send_done().channel());
  case Instruction::kRepeat:
    return absl::StrCat(instruction.repeat().count(), " times");
  case Instruction::kAccumulate:
    return "sum of a loop";
  case Instruction::kAggregate:
    return of("sum of", instruction.aggregate().channel());
  case Instruction::kCollect:
    return of("messages of", instruction.collect().channel());
  case Instruction::kAllReduceStart:
    return of("begin of all-reduce", instruction.all_reduce_start().channel());
  case Instruction::kAllReduceDone:
    return of("all-reduce", instruction.all_reduce_done().channel());
  case Instruction::kChoose:
    return of("choose from", instruction.choose().channel());
  case Instruction::kNextBatch:
    return "next batch";
  case Instruction::kMicroBatchIndex:
    return "number of the micro-batch";
  case Instruction::kControlSend:
    return "control message, sent";
  case Instruction::kControlReceive:
    return "control message";
  case Instruction::kCopy:
    return copyText(program, instruction.copy());
  case Instruction::kSignal:
    return "signal";
  case Instruction::kWait:
    return absl::StrCat("wait for queue ", instruction.wait().queue());
  case Instruction::kTicket:
    return "ticket";
  case Instruction::KIND_NOT_SET:
    break;
  }
  return "instruction";
}

} // namespace graphc::plan
