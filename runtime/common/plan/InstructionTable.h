//===- InstructionTable.h - what is known of each kind of instruction ---------------*- C++ -*-===//
//
// Two tables, a row a kind of instruction (InstructionTable.cpp): facts that hold for all
// instructions of a kind, and the effects of one instruction on buffers, channels and kernels.
// Whoever wants to know what an instruction touches asks here: verifyPlan (what may be touched
// when, which side of a channel acts), the certificate (events), the executor (locks, who reads a
// sum, what peers read, which kernels to load), predictions, traces and reports. A kind without its
// rows does not compile.
//
// The dist dialect has the like for its operations (dialects/dist/BufferEffects.cpp): compiler and
// verifier share nothing.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_COMMON_PLAN_INSTRUCTIONTABLE_H
#define GRAPHC_RUNTIME_COMMON_PLAN_INSTRUCTIONTABLE_H

#include "runtime/common/plan/plan.pb.h"

#include "absl/container/inlined_vector.h"

#include <cstdint>
#include <optional>

namespace graphc::plan {

struct InstructionFacts {
  /// for people; the name of the channel it acts on, if any, follows. Calls, copies and loops have
  /// other texts
  const char *text;
  /// in TensorBoard's graph; "": it neither computes nor moves a value. A call has its kernel's
  const char *op;
  /// of its time, in traces
  enum Category : uint8_t { Host, Kernel, Sum, Data, Wait, Message } category;
  bool inLoops = false; ///< may be repeated
  /// waits for nothing but the device, and nothing waits for it (StepRunAhead.cpp decides control
  /// messages itself)
  bool runsAhead = false;
  /// it ends by itself, whatever other tasks do: may come after a commit point
  bool endsAlone = false;
  /// valid if its effects are; the other kinds have a check in VerifyProgram.cpp
  bool isPlain = false;
};
/// Null for a kind that this version does not know.
const InstructionFacts *factsOf(Instruction::KindCase kind);

/// What happens at an end of a channel: a message is sent, its buffer may be written again
/// (SendDone), it is received, it is given back, memory for the next one is taken.
enum class ChannelAction : uint8_t { Send, Done, Receive, Release, Acquire };

/// Does the sending side do this? Else the receiving one.
inline bool ofSender(ChannelAction action) {
  return action != ChannelAction::Receive && action != ChannelAction::Release;
}

struct ChannelEffect {
  ChannelAction action;
  uint32_t channel;
  bool control = false; ///< of a channel of the control messages
};

/// For how long an instruction has a buffer that it names, beyond its own time.
enum class BufferHold : uint8_t {
  End, ///< it has not
  Done, ///< it is read, and so not written, until the channel's SendDone
  Received, ///< nobody else touches it until the sum over the channel is received
  ReceivedThenDone, ///< likewise; from then on as Done
  Released, ///< it names a message, which nobody writes, until the channel's Release
  Sent ///< it names memory of the channel's next message, which nobody writes once it is sent
};

struct BufferEffect {
  uint32_t buffer;
  Access access;
  BufferHold until = BufferHold::End;
  /// It names other memory from here on.
  bool binds() const { return until == BufferHold::Released || until == BufferHold::Sent; }
};

struct InstructionEffects {
  /// In the order in which the instruction names them; of a call its arguments.
  absl::InlinedVector<BufferEffect, 4> buffers;
  /// One, of which `until` speaks; a ControlSend has any number.
  absl::InlinedVector<ChannelEffect, 1> channels;
  std::optional<uint32_t> kernel;
};

/// Any plan, verified or not: what is named need not exist. The arguments of a kernel that does not
/// are read and written.
InstructionEffects effectsOf(const Plan &plan, const Program &program,
                             const Instruction &instruction);

} // namespace graphc::plan
#endif
