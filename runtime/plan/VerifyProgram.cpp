//===- VerifyProgram.cpp - one program: buffers, instruction protocol, ports -------------------------------------------===//
//
// The instructions are walked once, in order, with the state of every slot and send in flight; from step to step only what is sent ahead is held.
//
//===----------------------------------------------------------------------------------------------------------------===//

#include "runtime/plan/VerifyProgram.h"
#include "runtime/base/Status.h"

#include <algorithm>
#include <set>

namespace graphc::plan::detail {
absl::Status ProgramVerifier::checkHead() {
  if (program.name().empty() || program.name().size() > size_t(Limits::nameBytes))
    return invalid("it has no name, or one longer than ", Limits::nameBytes, " bytes");
  uint32_t replicas = plan.replicas().size();
  if (program.instances() == 0 || (program.instances() != 1 && program.instances() != replicas))
    return invalid(program.instances(), " instances, expected 1 or the ", replicas, " of the replica domain");
  if (program.spread()) {
    if (program.instances() != replicas)
      return invalid("spread over replicas with ", program.instances(), " instances, but the domain has ", replicas);
  } else if (program.task().job() >= uint32_t(plan.jobs_size()) ||
             program.task().index() >= plan.jobs(int(program.task().job())).tasks()) {
    return invalid("its task does not exist");
  }
  if (!isDevice(program.device()))
    return invalid("on the device '", program.device().substr(0, 64), "', expected one such as CPU:0");
  for (uint64_t bytes : {program.arena_bytes(), program.device_arena_bytes()})
    if (bytes > Limits::bytes)
      return invalid("an arena of ", bytes, " bytes, more than ", Limits::bytes);
  if (program.instructions_size() == 0)
    return invalid("no instruction");
  if (program.instructions_size() > Limits::tableEntries || program.buffers_size() > Limits::tableEntries)
    return invalid("more than ", Limits::tableEntries, " instructions or buffers");
  return absl::OkStatus();
}

/// Each buffer has the bytes of its type, and storage that exists and has as many.
absl::Status ProgramVerifier::checkBuffers() {
  for (int i = 0; i < program.buffers_size(); ++i) {
    const Buffer &b = program.buffers(i);
    std::string what = absl::StrCat("buffer ", i, b.name().empty() ? "" : absl::StrCat(" (", b.name(), ")"));
    std::optional<uint64_t> bytes = tensorBytes(b.type());
    if (b.type().shape_size() > Limits::rank || !bytes || *bytes > Limits::bytes)
      return invalid(what, ": the type ", typeText(b.type()), " is invalid or too large");
    if (*bytes != b.bytes())
      return invalid(what, ": ", b.bytes(), " bytes, but ", typeText(b.type()), " has ", *bytes);
    switch (b.storage_case()) {
    case Buffer::kArena: {
      const uint64_t offset = b.arena().offset(),
                     size = b.space() == DEVICE ? program.device_arena_bytes() : program.arena_bytes();
      if (offset % 64)
        return invalid(what, ": offset ", offset, " is not a multiple of 64");
      if (offset > size || b.bytes() > size - offset)
        return invalid(what, ": bytes ", offset, " to ", offset + b.bytes(), " lie outside the arena of ", size);
      break;
    }
    case Buffer::kVariable: {
      if (b.variable() >= uint32_t(plan.variables_size()))
        return invalid(what, ": variable ", b.variable(), " does not exist, the plan has ", plan.variables_size());
      const Variable &v = plan.variables(int(b.variable()));
      std::optional<uint64_t> size = tensorBytes(v.type());
      if (!size || *size != b.bytes() || v.type().dtype() != b.type().dtype())
        return invalid(what, " is ", typeText(b.type()), ", but variable ", v.name(), " is ", typeText(v.type()));
      // Not spread: all instances are on one task. Spread: the tasks are distinct, so two instances cannot both be the owner.
      for (uint32_t r = 0; r < std::min(program.instances(), 2u); ++r)
        if (Task task = instanceTask(plan, program, r); !stores(plan, v, task))
          return invalid(what, ": variable ", v.name(), " is owned by ", taskText(plan, v.owner()), ", but instance ",
                         r, " of the program runs on ", taskText(plan, task));
      break;
    }
    case Buffer::kConstant: {
      if (b.constant() >= uint32_t(plan.constants_size()))
        return invalid(what, ": constant ", b.constant(), " does not exist, the plan has ", plan.constants_size());
      const size_t size = plan.constants(int(b.constant())).size();
      if (size != b.bytes() && size != elementBytes(b.type().dtype()))
        return invalid(what, ": ", b.bytes(), " bytes, but its constant has ", size);
      break;
    }
    case Buffer::kSlot:
      if (!b.slot())
        return invalid(what, ": storage 'slot' is false");
      break;
    case Buffer::kOutgoing: {
      if (b.outgoing() >= uint32_t(plan.channels_size()))
        return invalid(what, ": channel ", b.outgoing(), " does not exist, the plan has ", plan.channels_size());
      const Channel &c = plan.channels(int(b.outgoing()));
      if (c.control() || c.zero_copy())
        return invalid(what, " lies in a slot of channel ", c.name(), ", which has none to give");
      break;
    }
    default:
      return invalid(what, " has no storage");
    }
  }
  return absl::OkStatus();
}

/// Nobody else has the buffer now: no send reads what is written, no all-reduce sums in what is touched.
absl::Status ProgramVerifier::notLent(uint32_t buffer, bool write) const {
  for (const Loan &loan : loans) {
    if ((!write && !loan.isSum()) || !overlap(buffer, loan.buffer))
      continue;
    const std::string &name = program.buffers(int(buffer)).name(), &channel = plan.channels(int(loan.channel)).name();
    if (loan.isSum())
      return invalid("buffer ", buffer, " (", name, ") is used while channel ", channel,
                     " sums in it; expected an all_reduce_done before");
    return invalid("buffer ", buffer, " (", name, ") is written while channel ", channel,
                   " still sends from it; expected a send_done before");
  }
  return absl::OkStatus();
}

const ProgramVerifier::Loan *ProgramVerifier::loanOf(uint32_t channel) const {
  auto loan = std::find_if(loans.begin(), loans.end(), [&](const Loan &each) { return each.channel == channel; });
  return loan == loans.end() ? nullptr : &*loan;
}

/// The buffer holds something now: its message was received and not released, its slot was acquired, no sum is under way in it.
absl::Status ProgramVerifier::readable(uint32_t buffer) {
  GRAPHC_RETURN_IF_ERROR(bufferIndex(buffer));
  const Buffer &b = program.buffers(int(buffer));
  if (b.storage_case() == Buffer::kSlot && !slotOf.contains(buffer))
    return invalid("buffer ", buffer, " (", b.name(),
                   ") is a message slot that no receive has bound, or that was released");
  if (b.storage_case() == Buffer::kOutgoing && !acquired.contains(buffer))
    return invalid("buffer ", buffer, " (", b.name(), ") lies in a slot that no acquire has taken in this step");
  GRAPHC_RETURN_IF_ERROR(notLent(buffer, /*write=*/false));
  if (b.storage_case() == Buffer::kVariable)
    touchedVariables.insert(b.variable());
  return absl::OkStatus();
}

/// The buffer may be written now: it is no constant and no message, its slot is still the sender's, nobody reads it.
absl::Status ProgramVerifier::writable(uint32_t buffer) {
  GRAPHC_RETURN_IF_ERROR(bufferIndex(buffer));
  const Buffer &b = program.buffers(int(buffer));
  if (b.storage_case() == Buffer::kSlot || b.storage_case() == Buffer::kConstant)
    return invalid("buffer ", buffer, " (", b.name(), ") is a ", b.has_constant() ? "constant" : "message",
                   " and may not be written");
  if (b.storage_case() == Buffer::kOutgoing) {
    auto taken = acquired.find(buffer);
    if (taken == acquired.end() || taken->second)
      return invalid("buffer ", buffer, " (", b.name(), ") is written ",
                     taken == acquired.end() ? "before its slot is acquired"
                                             : "after it was sent: it is the receiver's");
  }
  GRAPHC_RETURN_IF_ERROR(notLent(buffer, /*write=*/true));
  if (b.storage_case() == Buffer::kVariable) {
    touchedVariables.insert(b.variable());
    variables[b.variable()].written = true;
  }
  return absl::OkStatus();
}

absl::Status ProgramVerifier::checkCall(const Instruction::Call &call) {
  const Kernel &kernel = plan.kernels(int(call.kernel()));
  for (int i = 0; i < call.buffers_size(); ++i)
    if (const Buffer &buffer = program.buffers(int(call.buffers(i))); buffer.bytes() != kernel.args(i).bytes())
      return invalid("argument ", i, " of kernel ", kernel.name(), " has ", kernel.args(i).bytes(), " bytes, buffer ",
                     call.buffers(i), " has ", buffer.bytes());
  for (int i = 0; i < call.buffers_size(); ++i)
    for (int j = i + 1; j < call.buffers_size(); ++j)
      if ((kernel.args(i).access() != READ || kernel.args(j).access() != READ) &&
          overlap(call.buffers(i), call.buffers(j)))
        return invalid("arguments ", i, " and ", j, " of kernel ", kernel.name(), " overlap and one is written");
  flops += (unsigned __int128)kernel.flops() * loop.count;
  return absl::OkStatus();
}

/// The chief's first instance decides, once a step, in a phase that ends so.
absl::Status ProgramVerifier::checkControlSend(const Instruction::ControlSend &send) {
  if (phase.ends_by_end_of_stream())
    return invalid("a control message in a phase that ends by end of stream");
  if (!sameTask(instanceTask(plan, program, 0), plan.chief()))
    return invalid("the control message is sent from ", taskText(plan, instanceTask(plan, program, 0)),
                   ", but the chief is ", taskText(plan, plan.chief()));
  if (++controlSends > 1)
    return invalid("a second control_send");
  std::set<uint32_t> distinct;
  for (uint32_t channel : send.channels())
    if (!distinct.insert(channel).second)
      return invalid("names channel ", plan.channels(int(channel)).name(), " twice");
  return absl::OkStatus();
}

/// Every program takes the decision once a step, from where it comes, as its last instruction or right before its first send ahead.
absl::Status ProgramVerifier::checkControlReceive(const Instruction::ControlReceive &receive, int position) {
  if (phase.ends_by_end_of_stream())
    return invalid("a control message in a phase that ends by end of stream");
  // Among the instances of a program the control message ends the step: the certificate does not have it among its events.
  bool last = position + 1 == program.instructions_size();
  if (!last && (program.instances() != 1 || !program.instructions(position + 1).send_start().ahead()))
    return invalid(
        "a control_receive that is not the last instruction, nor right before a send ahead in a program of one "
        "instance");
  if (++controlReceives > 1)
    return invalid("a second control_receive");
  if (receive.local() != (controlSends == 1))
    return invalid(receive.local() ? "a local control_receive in a program without control_send"
                                   : "a control_receive that is not local in the program that holds the control_send");
  if (receive.local() && program.instances() == 1)
    return absl::OkStatus(); // its own control message; no channel
  const Channel &channel = plan.channels(int(receive.channel()));
  if ((channel.sender() == index) != receive.local())
    return invalid("takes its control message from channel ", channel.name(), ", which does not bring it here");
  return absl::OkStatus();
}

/// Of any instruction: this program is at that end of the channel; what it reads can be read, what it writes written.
absl::Status ProgramVerifier::checkEffects(const Effects &effects) {
  static constexpr const char *verbs[] = {"sends on", "waits for a send on", "receives from", "releases",
                                          "acquires a slot of"};
  for (const ChannelEffect &effect : effects.channels) {
    GRAPHC_RETURN_IF_ERROR(channelIndex(effect.channel, effect.control));
    const Channel &channel = plan.channels(int(effect.channel));
    const bool sends = ofSender(effect.action);
    if (const uint32_t side = sends ? channel.sender() : channel.receiver(); side != index)
      return invalid(verbs[int(effect.action)], " channel ", channel.name(), ", whose ", sends ? "sender" : "receiver",
                     " is program ", plan.programs(int(side)).name());
  }
  for (const BufferEffect &effect : effects.buffers) {
    GRAPHC_RETURN_IF_ERROR(bufferIndex(effect.buffer));
    if (effect.binds())
      continue;
    if (effect.access != WRITE)
      GRAPHC_RETURN_IF_ERROR(readable(effect.buffer));
    if (effect.access != READ)
      GRAPHC_RETURN_IF_ERROR(writable(effect.buffer));
  }
  return absl::OkStatus();
}

/// The state behind the instruction: what was sent and received, which buffers are lent and until when.
void ProgramVerifier::apply(const Effects &effects) {
  for (const ChannelEffect &effect : effects.channels) {
    channels[effect.channel].sends += effect.action == Action::Send;
    channels[effect.channel].receives += effect.action == Action::Receive;
    std::erase_if(loans, [&](const Loan &loan) {
      return loan.channel == effect.channel && ((effect.action == Action::Done && loan.until == Until::Done) ||
                                                (effect.action == Action::Receive && loan.until == Until::Received));
    });
    for (Loan &loan : loans)
      if (effect.action == Action::Receive && loan.channel == effect.channel && loan.until == Until::ReceivedThenDone)
        loan.until = Until::Done; // others may still take their sums from it
  }
  for (const BufferEffect &effect : effects.buffers) {
    if (effect.until == Until::End)
      continue;
    const uint32_t channel = effects.channels.front().channel;
    if (effect.until == Until::Released) {
      boundBuffer[channel] = effect.buffer;
      slotOf[effect.buffer] = channel;
    } else if (effect.until == Until::Sent) {
      acquired[effect.buffer] = false;
    } else {
      loans.push_back({channel, effect.buffer, effect.until});
    }
  }
}

absl::Status ProgramVerifier::checkInstruction(const Instruction &instruction, int position) {
  const Effects effects = effectsOf(plan, program, instruction);
  if (effects.kernel && *effects.kernel >= uint32_t(plan.kernels_size()))
    return invalid("kernel ", *effects.kernel, " does not exist, the plan has ", plan.kernels_size());
  if (instruction.has_call())
    if (const Kernel &kernel = plan.kernels(int(*effects.kernel));
        instruction.call().buffers_size() != kernel.args_size())
      return invalid("kernel ", kernel.name(), " takes ", kernel.args_size(), " buffers, the call gives ",
                     instruction.call().buffers_size());
  GRAPHC_RETURN_IF_ERROR(checkEffects(effects));
  GRAPHC_RETURN_IF_ERROR(queues.check(instruction, effects, givenBack(instruction)));
  if (loop.end && position >= loop.end)
    loop = {};
  if (loop.end)
    GRAPHC_RETURN_IF_ERROR(checkRepeated(instruction, effects));
  GRAPHC_RETURN_IF_ERROR(checkKind(instruction, position));
  apply(effects);
  return absl::OkStatus();
}

absl::Status ProgramVerifier::checkKind(const Instruction &instruction, int position) {
  switch (instruction.kind_case()) {
  case Instruction::kCall:
    return checkCall(instruction.call());
  case Instruction::kReceive:
    return checkReceive(instruction.receive());
  case Instruction::kRelease:
    return checkRelease(instruction.release());
  case Instruction::kAcquire:
    return checkAcquire(instruction.acquire());
  case Instruction::kSendStart:
    return checkSendStart(instruction.send_start());
  case Instruction::kSendDone:
    return checkSendDone(instruction.send_done());
  case Instruction::kAllReduceStart:
    return checkAllReduceStart(instruction.all_reduce_start());
  case Instruction::kAllReduceDone:
    return checkAllReduceDone(instruction.all_reduce_done());
  case Instruction::kAggregate:
    return checkAggregate(instruction.aggregate());
  case Instruction::kChoose:
    return checkChoose(instruction.choose());
  case Instruction::kRepeat:
    return checkRepeat(instruction.repeat(), position);
  case Instruction::kAccumulate:
    return checkAccumulate(instruction.accumulate());
  case Instruction::kNextBatch:
    return checkNextBatch(instruction.next_batch());
  case Instruction::kControlSend:
    return checkControlSend(instruction.control_send());
  case Instruction::kControlReceive:
    return checkControlReceive(instruction.control_receive(), position);
  case Instruction::kTicket:
    if (!phase.ends_by_end_of_stream())
      return invalid("a ticket in a phase that ends by a control message");
    if (program.spread())
      return invalid("a ticket in a program that is spread over tasks; one task gives them all");
    for (int i = 0; i < position; ++i)
      if (!program.instructions(i).has_receive() && !program.instructions(i).has_release())
        return invalid("a ticket behind an instruction that is no receive");
    ++tickets;
    return absl::OkStatus();
  case Instruction::kCopy: // all that is asked of these three the queues have said
  case Instruction::kSignal:
  case Instruction::kWait:
    return absl::OkStatus();
  default:
    return invalid("an instruction of no known kind; the plan is newer than this graphrun or damaged");
  }
}

absl::Status ProgramVerifier::showable(uint32_t buffer, const char *what, const std::string &name) {
  if (borrowed.contains(buffer))
    return invalid(what, " ", name, " shows a message of a zero-copy channel, which has to be released in its step");
  GRAPHC_RETURN_IF_ERROR(ofHost(buffer, what, name));
  return base::annotate(readable(buffer), absl::StrCat(what, " ", name));
}

/// The state before the first instruction: what was sent ahead in the step before is under way.
absl::Status ProgramVerifier::beginStep() {
  for (const Instruction &instruction : program.instructions()) {
    const Instruction::SendStart &send = instruction.send_start();
    if (!send.ahead())
      continue;
    GRAPHC_RETURN_IF_ERROR(channelIndex(send.channel(), false));
    GRAPHC_RETURN_IF_ERROR(bufferIndex(send.buffer()));
    if (const Buffer &buffer = program.buffers(int(send.buffer())); buffer.storage_case() != Buffer::kVariable)
      return invalid("sends buffer ", send.buffer(), " (", buffer.name(), ") ahead on channel ",
                     plan.channels(int(send.channel())).name(),
                     ", which is no variable and holds nothing before the first step");
    if (!ahead.emplace(send.channel(), send.buffer()).second)
      return invalid("sends ahead twice on channel ", plan.channels(int(send.channel())).name());
  }
  for (auto [channel, buffer] : ahead)
    loans.push_back({channel, buffer, Until::Done});
  return absl::OkStatus();
}

/// Feeds, fetches and metrics name buffers of their types that hold something at the step's end.
absl::Status ProgramVerifier::checkPorts() {
  std::set<std::string> names;
  for (const Port &feed : program.feeds()) {
    GRAPHC_RETURN_IF_ERROR(bufferIndex(feed.buffer()));
    if (feed.name().empty() || !names.insert(feed.name()).second)
      return invalid("a feed without name, or '", feed.name(), "' twice");
    if (!program.buffers(int(feed.buffer())).has_arena())
      return invalid("feed ", feed.name(), " is not in the arena");
    GRAPHC_RETURN_IF_ERROR(ofHost(feed.buffer(), "feed", feed.name()));
  }
  names.clear();
  for (const Port &fetch : program.fetches()) {
    if (fetch.micro_batches() > 1 && (fetch.reduction() != MEAN || program.instances() == 1))
      return invalid("fetch ", fetch.name(), " is a sum over ", fetch.micro_batches(),
                     " micro-batches of each instance, expected the reduction MEAN in a family");
    GRAPHC_RETURN_IF_ERROR(bufferIndex(fetch.buffer()));
    if (fetch.name().empty() || !names.insert(fetch.name()).second)
      return invalid("a fetch without name, or '", fetch.name(), "' twice");
    if (!Reduction_IsValid(fetch.reduction()))
      return invalid("fetch ", fetch.name(), ": unknown reduction ", int(fetch.reduction()));
    GRAPHC_RETURN_IF_ERROR(showable(fetch.buffer(), "fetch", fetch.name()));
  }
  names.clear();
  for (const Metric &metric : program.metrics()) {
    GRAPHC_RETURN_IF_ERROR(bufferIndex(metric.sum()));
    GRAPHC_RETURN_IF_ERROR(bufferIndex(metric.count()));
    for (uint32_t buffer : {metric.sum(), metric.count()})
      GRAPHC_RETURN_IF_ERROR(showable(buffer, "metric", metric.name()));
    const Buffer &sum = program.buffers(int(metric.sum())), &count = program.buffers(int(metric.count()));
    if (metric.name().empty() || !names.insert(metric.name()).second)
      return invalid("a metric without name, or '", metric.name(), "' twice");
    if (sum.bytes() != 8 || (sum.type().dtype() != I64 && sum.type().dtype() != F64) || sum.type().shape_size() != 0 ||
        count.type().dtype() != I64 || count.type().shape_size() != 0)
      return invalid("metric ", metric.name(), " is (", typeText(sum.type()), ", ", typeText(count.type()),
                     "), expected (tensor<i64> or tensor<f64>, tensor<i64>)");
  }
  return absl::OkStatus();
}

/// Nothing is held or under way at the step's end but what is sent ahead; bytes and flops are those that the plan promises.
absl::Status ProgramVerifier::checkTotals() {
  for (auto [channel, buffer] : boundBuffer)
    if (!releasedAtEnd.contains(channel))
      return invalid("the step ends without a release of channel ", plan.channels(int(channel)).name());
  for (auto [buffer, sent] : acquired)
    if (!sent)
      return invalid("the step ends without a send of buffer ", buffer, ", whose slot it acquired");
  for (const Loan &loan : loans)
    if (!loan.isSum() && !ahead.contains(loan.channel))
      return invalid("the step ends without a send_done of channel ", plan.channels(int(loan.channel)).name());
  for (auto [channel, buffer] : ahead)
    if (!loanOf(channel))
      return invalid("the step ends with a send_done of channel ", plan.channels(int(channel)).name(),
                     " behind its send ahead, which the next step has to wait for");
  for (const Loan &loan : loans)
    if (loan.isSum())
      return invalid("the step ends without an all_reduce_done of channel ", plan.channels(int(loan.channel)).name());
  if (!phase.ends_by_end_of_stream() && controlReceives != 1)
    return invalid("the step does not end with a control_receive, so the program would never learn of its phase's end");
  GRAPHC_RETURN_IF_ERROR(queues.checkEnd());
  if (sent != program.bytes_sent_per_step() || received != program.bytes_received_per_step())
    return invalid("its instructions send ", uint64_t(sent), " and receive ", uint64_t(received),
                   " bytes a step, the plan says ", program.bytes_sent_per_step(), " and ",
                   program.bytes_received_per_step());
  for (uint32_t v : touchedVariables) { // each replica's copy of a mirrored one is touched by one instance
    variables[v].lanes += plan.variables(int(v)).mirrored() && program.spread() ? 1 : program.instances();
    variables[v].unlocked |= !program.locks_variables();
  }
  return absl::OkStatus();
}

absl::Status ProgramVerifier::run() {
  GRAPHC_RETURN_IF_ERROR(checkHead());
  GRAPHC_RETURN_IF_ERROR(checkBuffers());
  GRAPHC_RETURN_IF_ERROR(queues.checkHead());
  GRAPHC_RETURN_IF_ERROR(beginStep());
  for (int i = 0; i < program.instructions_size(); ++i) {
    const Instruction &instruction = program.instructions(i);
    if (instruction.location() != 0 && instruction.location() >= uint32_t(plan.locations_size()))
      return invalid("instruction ", i, ": location ", instruction.location(), " does not exist");
    if (absl::Status status = checkInstruction(instruction, i); !status.ok()) {
      const std::string &where = locationText(plan, instruction.location());
      return invalid("instruction ", i, where.empty() ? "" : absl::StrCat(" (", where, ")"), ": ", status.message());
    }
  }
  GRAPHC_RETURN_IF_ERROR(checkPorts());
  return checkTotals();
}

absl::Status verifyProgram(const Plan &plan, uint32_t index, std::vector<ChannelUse> &channels,
                           std::vector<VariableUse> &variables) {
  const Program &program = plan.programs(int(index));
  return base::annotate(ProgramVerifier(plan, index, channels, variables).run(),
                        absl::StrCat("program ", program.name().substr(0, 200)));
}

} // namespace graphc::plan::detail
