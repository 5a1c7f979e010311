//===- VerifyTransfers.h ----------------------------------------------------------------------===//
//
// The instructions of one program that send, receive and sum what is received.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_COMMON_PLAN_VERIFYTRANSFERS_H
#define GRAPHC_RUNTIME_COMMON_PLAN_VERIFYTRANSFERS_H

#include "runtime/common/plan/VerifyBuffers.h"

namespace graphc::plan::detail {

/// Of instructions whose channels and buffers exist, and whose buffers may be touched as they touch
/// them (VerifyProgram.h).
class TransferVerifier {
public:
  TransferVerifier(const Plan &plan, const Program &program, BufferStates &buffers)
      : plan_(plan), program_(program), buffers_(buffers) {}

  absl::Status checkReceive(const Instruction::Receive &receive);
  absl::Status checkAcquire(const Instruction::Acquire &acquire);
  /// `knowsNext`: the control message is here, which says whether there is another step.
  absl::Status checkSendStart(const Instruction::SendStart &send, bool knowsNext);
  absl::Status checkSendDone(const Instruction::SendDone &done);
  absl::Status checkAggregate(const Instruction::Aggregate &aggregate);
  absl::Status checkCollect(const Instruction::Collect &collect);
  absl::Status checkChoose(const Instruction::Choose &choose);
  absl::Status checkAllReduceStart(const Instruction::AllReduceStart &start);
  absl::Status checkAllReduceDone(const Instruction::AllReduceDone &done);

  unsigned __int128 sent = 0, received = 0; ///< bytes of a step
  uint32_t times = 1; ///< that a step does the instruction which is checked

private:
  absl::Status isSet(uint32_t buffer, const Channel &channel) const;
  /// `add` sums one message of the channel.
  absl::Status adds(uint32_t add, const Channel &channel) const;
  /// Messages are whole values.
  absl::Status whole(const Channel &channel) const;
  absl::Status fits(const Buffer &buffer, const Channel &channel) const;
  /// How many units messages have is said where the channel asks for it: of one, or of each
  /// instance's.
  template <typename Transfer>
  absl::Status counts(const Transfer &transfer, const Channel &channel, bool each) const;
  /// It has a message of each instance, end to end.
  absl::Status fitsAll(const Buffer &buffer, const Channel &channel) const;

  const Plan &plan_;
  const Program &program_;
  BufferStates &buffers_;
};

} // namespace graphc::plan::detail
#endif
