//===- VerifyProgram.h - the walk over one program's instructions -------------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_COMMON_PLAN_VERIFYPROGRAM_H
#define GRAPHC_RUNTIME_COMMON_PLAN_VERIFYPROGRAM_H

#include "runtime/common/plan/VerifyBuffers.h"
#include "runtime/common/plan/VerifyLoops.h"
#include "runtime/common/plan/VerifyQueues.h"
#include "runtime/common/plan/VerifySums.h"
#include "runtime/common/plan/VerifyTransfers.h"

namespace graphc::plan::detail {

/// Walks the instructions of a step once, in order, and the bodies of loops for their queues once
/// more. What buffers hold, transfers, sums, loops and queues have classes of their own; here is
/// what every instruction has, and the rest.
class ProgramVerifier {
public:
  ProgramVerifier(const Plan &plan, uint32_t index, std::vector<ChannelUse> &channels,
                  std::vector<VariableUse> &variables)
      : plan_(plan), program_(plan.programs(int(index))),
        phase_(plan.phases(int(program_.phase()))), index_(index), channels_(channels),
        variables_(variables), buffers_(plan, program_), transfers_(plan, program_, buffers_),
        sums_(plan, program_, buffers_), loops_(plan, program_, buffers_), queues_(plan, program_) {
  }

  absl::Status run();

private:
  absl::Status checkHead();
  absl::Status beginStep();
  absl::Status checkInstruction(const Instruction &instruction, int position);
  /// What the table of effects says alone: kernel, channels and buffers exist, this program is on
  /// the channels' right side, and the buffers may be read and written now.
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
  /// The host reads the buffer after the step's last instruction, and what it shows of a message is
  /// released only then, when its sender may wait for that already.
  absl::Status showable(uint32_t buffer, const char *what, const std::string &name);
  /// What the host feeds or shows it touches itself.
  absl::Status ofHost(uint32_t buffer, const char *what, const std::string &name) const;

  const Plan &plan_;
  const Program &program_;
  const Phase &phase_;
  uint32_t index_;
  std::vector<ChannelUse> &channels_;
  std::vector<VariableUse> &variables_;
  BufferStates buffers_;
  TransferVerifier transfers_;
  SumsVerifier sums_;
  LoopVerifier loops_;
  QueueOrder queues_;
  int controlReceives_ = 0, controlSends_ = 0;
};

} // namespace graphc::plan::detail
#endif
