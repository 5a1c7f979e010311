//===- VerifyProgram.h - the walk over one program's instructions -------------------------------------------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_COMMON_PLAN_VERIFYPROGRAM_H
#define GRAPHC_RUNTIME_COMMON_PLAN_VERIFYPROGRAM_H

#include "runtime/common/plan/VerifyBuffers.h"
#include "runtime/common/plan/VerifyLoops.h"
#include "runtime/common/plan/VerifyQueues.h"
#include "runtime/common/plan/VerifySums.h"
#include "runtime/common/plan/VerifyTransfers.h"

namespace graphc::plan::detail {

/// Walks the instructions of a step once, in order, and the bodies of loops for their queues once more. What buffers hold, transfers, sums, loops and queues have classes of their own; here is
/// what every instruction has, and the rest.
class ProgramVerifier {
public:
  ProgramVerifier(const Plan &plan, uint32_t index, std::vector<ChannelUse> &channels,
                  std::vector<VariableUse> &variables)
      : plan(plan), program(plan.programs(int(index))), phase(plan.phases(int(program.phase()))), index(index),
        channels(channels), variables(variables), buffers(plan, program), transfers(plan, program, buffers),
        sums(plan, program, buffers), loops(plan, program, buffers), queues(plan, program) {}

  absl::Status run();

private:
  absl::Status checkHead();
  absl::Status beginStep();
  absl::Status checkInstruction(const Instruction &instruction, int position);
  /// What the table of effects says alone: kernel, channels and buffers exist, this program is on the channels' right side, and
  /// the buffers may be read and written now.
  absl::Status checkEffects(const InstructionEffects &effects);
  /// All that this side does with a channel it does outside of loops, or in one.
  absl::Status noteUse(const ChannelEffect &effect);
  /// What a kind of instruction asks for beyond that.
  absl::Status checkKind(const Instruction &instruction, int position);
  absl::Status checkCall(const Instruction::Call &call);
  absl::Status checkNextBatch(const Instruction::NextBatch &next);
  absl::Status checkMicroBatchIndex(const Instruction::MicroBatchIndex &index);
  absl::Status checkControlSend(const Instruction::ControlSend &send);
  absl::Status checkControlReceive(const Instruction::ControlReceive &receive, int position);
  absl::Status checkPorts();
  absl::Status checkTotals();
  absl::Status channelIndex(uint32_t channel, bool control) const;
  /// The host reads the buffer after the step's last instruction, and what it shows of a message is released only then, when
  /// its sender may wait for that already.
  absl::Status showable(uint32_t buffer, const char *what, const std::string &name);
  /// What the host feeds or shows it touches itself.
  absl::Status ofHost(uint32_t buffer, const char *what, const std::string &name) const;

  const Plan &plan;
  const Program &program;
  const Phase &phase;
  uint32_t index;
  std::vector<ChannelUse> &channels;
  std::vector<VariableUse> &variables;
  BufferStates buffers;
  TransferVerifier transfers;
  SumsVerifier sums;
  LoopVerifier loops;
  QueueOrder queues;
  int controlReceives = 0, controlSends = 0;
};

} // namespace graphc::plan::detail
#endif
