#include "runtime/common/plan/VerifyBuffers.h"

#include "runtime/common/base/Status.h"
#include "runtime/common/plan/Types.h"
#include "runtime/common/plan/Verify.h"

#include <algorithm>
#include <utility>

namespace graphc::plan::detail {

/// Each buffer has the bytes of its type, and storage that exists and has as many.
absl::Status BufferStates::checkStorage() const {
  for (int i = 0; i < program.buffers_size(); ++i) {
    const Buffer &b = program.buffers(i);
    std::string what = absl::StrCat("buffer ", i, b.name().empty() ? "" : absl::StrCat(" (", b.name(), ")"));
    std::optional<uint64_t> bytes = tensorBytes(b.type());
    if (b.type().shape_size() > PlanLimits::rank || !bytes || *bytes > PlanLimits::bytes)
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

absl::Status BufferStates::exists(uint32_t buffer) const {
  if (buffer >= uint32_t(program.buffers_size()))
    return invalid("buffer ", buffer, " does not exist, the program has ", program.buffers_size());
  return absl::OkStatus();
}

absl::Status BufferStates::sendAhead(uint32_t channel, uint32_t buffer) {
  GRAPHC_RETURN_IF_ERROR(exists(buffer));
  if (const Buffer &sent = program.buffers(int(buffer)); sent.storage_case() != Buffer::kVariable)
    return invalid("sends buffer ", buffer, " (", sent.name(), ") ahead on channel ",
                   plan.channels(int(channel)).name(),
                   ", which is no variable and holds nothing before the first step");
  if (!ahead.emplace(channel, buffer).second)
    return invalid("sends ahead twice on channel ", plan.channels(int(channel)).name());
  loans.push_back({channel, buffer, BufferHold::Done});
  return absl::OkStatus();
}

/// Nobody else has the buffer now: no send reads what is written, no all-reduce sums in what is touched.
absl::Status BufferStates::notLent(uint32_t buffer, bool write) const {
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

const BufferStates::Loan *BufferStates::loanOf(uint32_t channel) const {
  auto loan = std::find_if(loans.begin(), loans.end(), [&](const Loan &each) { return each.channel == channel; });
  return loan == loans.end() ? nullptr : &*loan;
}

/// The buffer holds something now: its message was received and not released, its slot was acquired, no sum is under way in it.
absl::Status BufferStates::readable(uint32_t buffer) {
  GRAPHC_RETURN_IF_ERROR(exists(buffer));
  const Buffer &b = program.buffers(int(buffer));
  if (b.storage_case() == Buffer::kSlot && !filled.contains(buffer))
    return invalid("buffer ", buffer, " (", b.name(),
                   ") is a message slot that no receive has bound, or that was released");
  if (b.storage_case() == Buffer::kOutgoing && !acquired.contains(buffer))
    return invalid("buffer ", buffer, " (", b.name(), ") lies in a slot that no acquire has taken in this step");
  GRAPHC_RETURN_IF_ERROR(notLent(buffer, /*write=*/false));
  if (b.storage_case() == Buffer::kVariable)
    touchedVariables.emplace(b.variable(), false);
  return absl::OkStatus();
}

/// The buffer may be written now: it is no constant and no message, its slot is still the sender's, nobody reads it.
absl::Status BufferStates::writable(uint32_t buffer) {
  GRAPHC_RETURN_IF_ERROR(exists(buffer));
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
    touchedVariables[b.variable()] = true;
  }
  return absl::OkStatus();
}

/// A slot buffer that holds no message, and no second message before the first is released.
absl::Status BufferStates::bind(const Channel &channel, uint32_t number, uint32_t buffer) {
  if (releasedAtEnd.contains(number))
    return invalid("receives from channel ", channel.name(),
                   " again, but a fetch or metric shows its message, which is held until the step's end");
  if (boundBuffer.contains(number))
    return invalid("receives from channel ", channel.name(), " again before its release");
  if (filled.contains(buffer))
    return invalid("binds buffer ", buffer, ", which another message holds");
  if (channel.zero_copy())
    borrowed.insert(buffer);
  return absl::OkStatus();
}

std::optional<uint32_t> BufferStates::messageOf(uint32_t channel) const {
  auto bound = boundBuffer.find(channel);
  return bound == boundBuffer.end() ? std::nullopt : std::optional(bound->second);
}

/// The channel's message is here, and nothing sends it on.
absl::Status BufferStates::release(uint32_t channel) {
  auto bound = boundBuffer.find(channel);
  if (bound == boundBuffer.end() || releasedAtEnd.contains(channel))
    return invalid("releases channel ", plan.channels(int(channel)).name(), ", of which it holds no message");
  for (const Loan &loan : loans)
    if (loan.buffer == bound->second)
      return invalid("releases a message that channel ", plan.channels(int(loan.channel)).name(), " still sends");
  if (shown.contains(bound->second)) {
    releasedAtEnd.insert(channel);
    return absl::OkStatus();
  }
  filled.erase(bound->second);
  boundBuffer.erase(bound);
  return absl::OkStatus();
}

/// One a step of each channel.
absl::Status BufferStates::acquire(uint32_t channel) {
  if (!slotsTaken.insert(channel).second)
    return invalid("acquires a second slot of channel ", plan.channels(int(channel)).name(), " in one step");
  return absl::OkStatus();
}

/// A slot that was acquired is sent once, as it is.
absl::Status BufferStates::send(uint32_t channel, uint32_t index) {
  if (!slotsTaken.contains(channel))
    return absl::OkStatus();
  const Buffer &buffer = program.buffers(int(index));
  const std::string &name = plan.channels(int(channel)).name();
  if (!buffer.has_outgoing() || buffer.outgoing() != channel)
    return invalid("sends buffer ", index, " (", buffer.name(), ") on channel ", name,
                   ", whose slot it has acquired for another");
  if (std::exchange(acquired[index], true))
    return invalid("sends buffer ", index, " (", buffer.name(), ") on channel ", name, " again: it is the receiver's");
  return absl::OkStatus();
}

/// What is lent until when, which slots are bound.
void BufferStates::apply(const InstructionEffects &effects) {
  for (const ChannelEffect &effect : effects.channels) {
    std::erase_if(loans, [&](const Loan &loan) {
      return loan.channel == effect.channel && ((effect.action == ChannelAction::Done && loan.until == BufferHold::Done) ||
                                                (effect.action == ChannelAction::Receive && loan.until == BufferHold::Received));
    });
    for (Loan &loan : loans)
      if (effect.action == ChannelAction::Receive && loan.channel == effect.channel && loan.until == BufferHold::ReceivedThenDone)
        loan.until = BufferHold::Done; // others may still take their sums from it
  }
  for (const BufferEffect &effect : effects.buffers) {
    if (effect.until == BufferHold::End)
      continue;
    const uint32_t channel = effects.channels.front().channel;
    if (effect.until == BufferHold::Released) {
      boundBuffer[channel] = effect.buffer;
      filled.insert(effect.buffer);
    } else if (effect.until == BufferHold::Sent) {
      acquired[effect.buffer] = false;
    } else {
      loans.push_back({channel, effect.buffer, effect.until});
    }
  }
}

/// A step begins where the one before ended. So each message was released, each acquired slot sent, each send and each
/// sum waited for. Only what is sent ahead is still lent.
absl::Status BufferStates::checkEnd() const {
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
  return absl::OkStatus();
}

/// The next iteration begins where this one ended, so it receives, acquires and sends on the channel as this one did.
absl::Status BufferStates::checkIterationEnd(uint32_t channel) const {
  const std::string &name = plan.channels(int(channel)).name();
  if (boundBuffer.contains(channel))
    return invalid("an iteration ends without a release of channel ", name);
  for (auto [buffer, sent] : acquired)
    if (!sent && program.buffers(int(buffer)).outgoing() == channel)
      return invalid("an iteration ends without a send of buffer ", buffer, ", whose slot it acquired");
  if (loanOf(channel))
    return invalid("an iteration ends without a send_done of channel ", name);
  return absl::OkStatus();
}

/// How many lanes touch each variable: from this verifyPlan knows whether they need its lock.
void BufferStates::countVariables(std::vector<VariableUse> &uses) const {
  for (auto [v, isWritten] : touchedVariables) { // each replica's copy of a mirrored one is touched by one instance
    uses[v].lanes += plan.variables(int(v)).mirrored() && program.spread() ? 1 : program.instances();
    uses[v].unlocked |= !program.locks_variables();
    uses[v].written |= isWritten;
  }
}

} // namespace graphc::plan::detail
