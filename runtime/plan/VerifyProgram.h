//===- VerifyProgram.h - the walk over one program's instructions -------------------------------------------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_PLAN_VERIFYPROGRAM_H
#define GRAPHC_RUNTIME_PLAN_VERIFYPROGRAM_H

#include "runtime/plan/Effects.h"
#include "runtime/plan/Types.h"
#include "runtime/plan/Verify.h"
#include "runtime/plan/VerifyInternal.h"
#include "runtime/plan/VerifyQueues.h"

#include <map>
#include <set>
#include <vector>

namespace graphc::plan::detail {

/// Knows the state of every slot and every send in flight while it walks. One step is one walk: nothing is held across
/// the step boundary but what is sent ahead. What moves messages is in VerifyTransfers.cpp, the rest in VerifyProgram.cpp.
class ProgramVerifier {
public:
  ProgramVerifier(const Plan &plan, uint32_t index, std::vector<ChannelUse> &channels,
                  std::vector<VariableUse> &variables)
      : plan(plan), program(plan.programs(int(index))), phase(plan.phases(int(program.phase()))), index(index),
        channels(channels), variables(variables), shown(shownBuffers(program)), queues(plan, program) {}

  absl::Status run();

private:
  absl::Status checkHead();
  absl::Status beginStep();
  absl::Status checkBuffers();
  absl::Status checkInstruction(const Instruction &instruction, int position);
  /// What the table of effects says alone: kernel, channels and buffers exist, this program is on the channels' right side, and
  /// the buffers may be read and written now.
  absl::Status checkEffects(const Effects &effects);
  /// What a kind of instruction asks for beyond that.
  absl::Status checkKind(const Instruction &instruction, int position);
  /// What holds from here on.
  void apply(const Effects &effects);
  absl::Status checkCall(const Instruction::Call &call);
  absl::Status checkReceive(const Instruction::Receive &receive);
  absl::Status checkRelease(const Instruction::Release &release);
  absl::Status checkAcquire(const Instruction::Acquire &acquire);
  absl::Status checkSendStart(const Instruction::SendStart &send);
  absl::Status checkSendDone(const Instruction::SendDone &done);
  absl::Status checkAggregate(const Instruction::Aggregate &aggregate);
  absl::Status checkChoose(const Instruction::Choose &choose);
  absl::Status isSet(uint32_t buffer, const Channel &channel) const;
  absl::Status checkAllReduceStart(const Instruction::AllReduceStart &start);
  absl::Status checkAllReduceDone(const Instruction::AllReduceDone &done);
  /// `add` sums one message of the channel: (read_write, read), both of as many bytes, or of a divisor.
  absl::Status adds(uint32_t add, const Channel &channel) const {
    return adds(add, channel.bytes(), absl::StrCat("a message of channel ", channel.name()));
  }
  absl::Status adds(uint32_t add, uint64_t bytes, const std::string &what) const;
  /// Messages are whole values.
  absl::Status whole(const Channel &channel) const {
    if (channel.algorithm() != WHOLE)
      return invalid("uses channel ", channel.name(), ", over which its instances sum by ",
                     AllReduceAlgorithm_Name(channel.algorithm()), "; expected an all_reduce_start");
    return absl::OkStatus();
  }
  absl::Status checkRepeat(const Instruction::Repeat &repeat, int position);
  absl::Status checkRepeated(const Instruction &instruction, const Effects &effects);
  absl::Status checkAccumulate(const Instruction::Accumulate &sum);
  /// A buffer of the loop's sums that overlaps this one; null where there is none.
  const uint32_t *partialAt(uint32_t buffer) const;
  absl::Status checkNextBatch(const Instruction::NextBatch &next);
  absl::Status checkControlSend(const Instruction::ControlSend &send);
  absl::Status checkControlReceive(const Instruction::ControlReceive &receive, int position);
  absl::Status checkPorts();
  absl::Status checkTotals();

  absl::Status bufferIndex(uint32_t buffer) const {
    if (buffer >= uint32_t(program.buffers_size()))
      return invalid("buffer ", buffer, " does not exist, the program has ", program.buffers_size());
    return absl::OkStatus();
  }
  absl::Status channelIndex(uint32_t channel, bool control) const {
    if (channel >= uint32_t(plan.channels_size()))
      return invalid("channel ", channel, " does not exist, the plan has ", plan.channels_size());
    if (plan.channels(int(channel)).control() != control)
      return invalid("channel ", plan.channels(int(channel)).name(), control ? " is not" : " is", " a control channel");
    return absl::OkStatus();
  }
  absl::Status fits(const Buffer &buffer, const Channel &channel) const {
    if (buffer.bytes() != channel.bytes() || buffer.type().dtype() != channel.type().dtype())
      return invalid("buffer ", buffer.name(), " is ", typeText(buffer.type()), ", but channel ", channel.name(),
                     " carries ", typeText(channel.type()));
    return absl::OkStatus();
  }
  /// May the buffer be read (a slot: is it bound)? May it be written (not a constant, a slot or in flight)?
  absl::Status readable(uint32_t buffer);
  absl::Status writable(uint32_t buffer);
  bool overlap(uint32_t a, uint32_t b) const { return buffersMeet(program, a, b); }
  /// A buffer that others use, by a channel: `until` is Done, Received or ReceivedThenDone.
  struct Loan {
    uint32_t channel, buffer;
    Until until;
    /// A sum is being made in it, or with it: nobody here may even read it.
    bool isSum() const { return until != Until::Done; }
  };
  /// May it be read, or, with `write`, written?
  absl::Status notLent(uint32_t buffer, bool write) const;
  const Loan *loanOf(uint32_t channel) const;
  /// The host reads the buffer after the step's last instruction, and what it shows of a message is released only then, when
  /// its sender may wait for that already.
  absl::Status showable(uint32_t buffer, const char *what, const std::string &name);
  /// The message that a release gives back; nothing of any other instruction.
  std::optional<uint32_t> givenBack(const Instruction &instruction) const;
  /// What the host feeds or shows it touches itself.
  absl::Status ofHost(uint32_t buffer, const char *what, const std::string &name) const;

  const Plan &plan;
  const Program &program;
  const Phase &phase;
  uint32_t index;
  std::vector<ChannelUse> &channels;
  std::vector<VariableUse> &variables;

  const std::set<uint32_t> shown; // their messages are released at the step's end
  std::map<uint32_t, uint32_t> slotOf; // slot buffer → channel it is bound to now
  std::map<uint32_t, uint32_t> boundBuffer; // channel → buffer of its Receive not yet released
  std::set<uint32_t> releasedAtEnd; // channels of messages that are shown, once their Release has come
  std::vector<Loan> loans;
  std::map<uint32_t, uint32_t> ahead; // channel → buffer of its SendStart ahead: lent when a step begins and ends
  std::set<uint32_t> touchedVariables;
  std::map<uint32_t, bool> acquired; // outgoing buffers of this step → sent already?
  std::set<uint32_t> slotsTaken; // channels of their acquires
  QueueOrder queues;
  std::set<uint32_t> borrowed; // slot buffers that a zero-copy channel's message was bound to
  unsigned __int128 sent = 0, received = 0, flops = 0;
  struct Loop { // that the walk is in
    uint32_t count = 1;
    int end = 0; // 0: none
    std::map<uint64_t, uint32_t> partials = {}; // by where in the arena: what its sums are kept in
  } loop;
  int controlReceives = 0, controlSends = 0, tickets = 0;
};

} // namespace graphc::plan::detail
#endif
