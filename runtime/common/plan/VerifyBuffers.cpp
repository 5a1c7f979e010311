#include "runtime/common/plan/VerifyBuffers.h"

#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/plan/PlanTypes.h"
#include "runtime/common/plan/VerifyPlan.h"

#include <algorithm>
#include <utility>

namespace graphc::plan::detail {

/// Each buffer has the bytes of its type, and storage that exists and has as many.
absl::Status BufferStates::checkStorage() const {
  for (int i = 0; i < program_.buffers_size(); ++i) {
    const Buffer &b = program_.buffers(i);
    std::string what =
        absl::StrCat("buffer ", i, b.name().empty() ? "" : absl::StrCat(" (", b.name(), ")"));
    std::optional<uint64_t> bytes = tensorBytes(b.type());
    if (b.type().shape_size() > PlanLimits::rank || !bytes || *bytes > PlanLimits::bytes)
      return invalid(what, ": the type ", typeText(b.type()), " is invalid or too large");
    if (*bytes != b.bytes())
      return invalid(what, ": ", b.bytes(), " bytes, but ", typeText(b.type()), " has ", *bytes);
    switch (b.storage_case()) {
    case Buffer::kArena: {
      const uint64_t offset = b.arena().offset(), size = b.space() == DEVICE
                                                             ? program_.device_arena_bytes()
                                                             : program_.arena_bytes();
      if (offset % 64)
        return invalid(what, ": offset ", offset, " is not a multiple of 64");
      if (offset > size || b.bytes() > size - offset)
        return invalid(what, ": bytes ", offset, " to ", offset + b.bytes(),
                       " lie outside the arena of ", size);
      break;
    }
    case Buffer::kVariable: {
      if (b.variable() >= uint32_t(plan_.variables_size()))
        return invalid(what, ": variable ", b.variable(), " does not exist, the plan has ",
                       plan_.variables_size());
      const Variable &v = plan_.variables(int(b.variable()));
      std::optional<uint64_t> size = tensorBytes(v.type());
      if (!size || *size != b.bytes() || v.type().dtype() != b.type().dtype())
        return invalid(what, " is ", typeText(b.type()), ", but variable ", v.name(), " is ",
                       typeText(v.type()));
      // Not spread: all instances are on one task. Spread: the tasks are distinct, so two instances
      // cannot both be the owner.
      for (uint32_t r = 0; r < std::min(program_.instances(), 2u); ++r)
        if (Task task = instanceTask(plan_, program_, r); !stores(plan_, v, task))
          return invalid(what, ": variable ", v.name(), " is owned by ", taskText(plan_, v.owner()),
                         ", but instance ", r, " of the program runs on ", taskText(plan_, task));
      break;
    }
    case Buffer::kConstant: {
      if (b.constant() >= uint32_t(plan_.constants_size()))
        return invalid(what, ": constant ", b.constant(), " does not exist, the plan has ",
                       plan_.constants_size());
      const size_t size = plan_.constants(int(b.constant())).size();
      if (size != b.bytes() && size != elementBytes(b.type().dtype()))
        return invalid(what, ": ", b.bytes(), " bytes, but its constant has ", size);
      break;
    }
    case Buffer::kSlot:
      if (!b.slot())
        return invalid(what, ": storage 'slot' is false");
      break;
    case Buffer::kOutgoing: {
      if (b.outgoing() >= uint32_t(plan_.channels_size()))
        return invalid(what, ": channel ", b.outgoing(), " does not exist, the plan has ",
                       plan_.channels_size());
      const Channel &c = plan_.channels(int(b.outgoing()));
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
  if (buffer >= uint32_t(program_.buffers_size()))
    return invalid("buffer ", buffer, " does not exist, the program has ", program_.buffers_size());
  return absl::OkStatus();
}

absl::Status BufferStates::sendAhead(uint32_t channel, uint32_t buffer) {
  GRAPHC_RETURN_IF_ERROR(exists(buffer));
  if (const Buffer &sent = program_.buffers(int(buffer)); sent.storage_case() != Buffer::kVariable)
    return invalid("sends buffer ", buffer, " (", sent.name(), ") ahead on channel ",
                   plan_.channels(int(channel)).name(),
                   ", which is no variable and holds nothing before the first step");
  if (!ahead_.emplace(channel, buffer).second)
    return invalid("sends ahead twice on channel ", plan_.channels(int(channel)).name());
  loans_.push_back({channel, buffer, BufferHold::Done});
  return absl::OkStatus();
}

/// Nobody else has the buffer now: no send reads what is written, no all-reduce sums in what is
/// touched.
absl::Status BufferStates::notLent(uint32_t buffer, bool write) const {
  for (const Loan &loan : loans_) {
    if ((!write && !loan.isSum()) || !overlap(buffer, loan.buffer))
      continue;
    const std::string &name = program_.buffers(int(buffer)).name(),
                      &channel = plan_.channels(int(loan.channel)).name();
    if (loan.isSum())
      return invalid("buffer ", buffer, " (", name, ") is used while channel ", channel,
                     " sums in it; expected an all_reduce_done before");
    return invalid("buffer ", buffer, " (", name, ") is written while channel ", channel,
                   " still sends from it; expected a send_done before");
  }
  return absl::OkStatus();
}

const BufferStates::Loan *BufferStates::loanOf(uint32_t channel) const {
  auto loan = std::find_if(loans_.begin(), loans_.end(),
                           [&](const Loan &each) { return each.channel == channel; });
  return loan == loans_.end() ? nullptr : &*loan;
}

/// The buffer holds something now: its message was received and not released, its slot was
/// acquired, no sum is under way in it.
absl::Status BufferStates::readable(uint32_t buffer) {
  GRAPHC_RETURN_IF_ERROR(exists(buffer));
  const Buffer &b = program_.buffers(int(buffer));
  if (b.storage_case() == Buffer::kSlot && !filled_.contains(buffer))
    return invalid("buffer ", buffer, " (", b.name(),
                   ") is a message slot that no receive has bound, or that was released");
  if (b.storage_case() == Buffer::kOutgoing && !acquired_.contains(buffer))
    return invalid("buffer ", buffer, " (", b.name(),
                   ") lies in a slot that no acquire has taken in this step");
  GRAPHC_RETURN_IF_ERROR(notLent(buffer, /*write=*/false));
  if (b.storage_case() == Buffer::kVariable)
    touchedVariables_.emplace(b.variable(), false);
  return absl::OkStatus();
}

/// The buffer may be written now: it is no constant and no message, its slot is still the sender's,
/// nobody reads it.
absl::Status BufferStates::writable(uint32_t buffer) {
  GRAPHC_RETURN_IF_ERROR(exists(buffer));
  const Buffer &b = program_.buffers(int(buffer));
  if (b.storage_case() == Buffer::kSlot || b.storage_case() == Buffer::kConstant)
    return invalid("buffer ", buffer, " (", b.name(), ") is a ",
                   b.has_constant() ? "constant" : "message", " and may not be written");
  if (b.storage_case() == Buffer::kOutgoing) {
    auto taken = acquired_.find(buffer);
    if (taken == acquired_.end() || taken->second)
      return invalid("buffer ", buffer, " (", b.name(), ") is written ",
                     taken == acquired_.end() ? "before its slot is acquired"
                                              : "after it was sent: it is the receiver's");
  }
  GRAPHC_RETURN_IF_ERROR(notLent(buffer, /*write=*/true));
  if (b.storage_case() == Buffer::kVariable) {
    touchedVariables_[b.variable()] = true;
  }
  return absl::OkStatus();
}

/// A slot buffer that holds no message, and no second message before the first is released.
absl::Status BufferStates::bind(const Channel &channel, uint32_t number, uint32_t buffer) {
  if (releasedAtEnd_.contains(number))
    return invalid(
        "receives from channel ", channel.name(),
        " again, but a fetch or metric shows its message, which is held until the step's end");
  if (boundBuffer_.contains(number))
    return invalid("receives from channel ", channel.name(), " again before its release");
  if (filled_.contains(buffer))
    return invalid("binds buffer ", buffer, ", which another message holds");
  if (channel.zero_copy())
    borrowed_.insert(buffer);
  return absl::OkStatus();
}

std::optional<uint32_t> BufferStates::messageOf(uint32_t channel) const {
  auto bound = boundBuffer_.find(channel);
  return bound == boundBuffer_.end() ? std::nullopt : std::optional(bound->second);
}

/// The channel's message is here, and nothing sends it on.
absl::Status BufferStates::release(uint32_t channel) {
  auto bound = boundBuffer_.find(channel);
  if (bound == boundBuffer_.end() || releasedAtEnd_.contains(channel))
    return invalid("releases channel ", plan_.channels(int(channel)).name(),
                   ", of which it holds no message");
  for (const Loan &loan : loans_)
    if (loan.buffer == bound->second)
      return invalid("releases a message that channel ", plan_.channels(int(loan.channel)).name(),
                     " still sends");
  if (shown_.contains(bound->second)) {
    releasedAtEnd_.insert(channel);
    return absl::OkStatus();
  }
  filled_.erase(bound->second);
  boundBuffer_.erase(bound);
  return absl::OkStatus();
}

/// One a step of each channel.
absl::Status BufferStates::acquire(uint32_t channel) {
  if (!slotsTaken_.insert(channel).second)
    return invalid("acquires a second slot of channel ", plan_.channels(int(channel)).name(),
                   " in one step");
  return absl::OkStatus();
}

/// A slot that was acquired is sent once, as it is.
absl::Status BufferStates::send(uint32_t channel, uint32_t index) {
  if (!slotsTaken_.contains(channel))
    return absl::OkStatus();
  const Buffer &buffer = program_.buffers(int(index));
  const std::string &name = plan_.channels(int(channel)).name();
  if (!buffer.has_outgoing() || buffer.outgoing() != channel)
    return invalid("sends buffer ", index, " (", buffer.name(), ") on channel ", name,
                   ", whose slot it has acquired for another");
  if (std::exchange(acquired_[index], true))
    return invalid("sends buffer ", index, " (", buffer.name(), ") on channel ", name,
                   " again: it is the receiver's");
  return absl::OkStatus();
}

/// What is lent until when, which slots are bound.
void BufferStates::apply(const InstructionEffects &effects) {
  for (const ChannelEffect &effect : effects.channels) {
    std::erase_if(loans_, [&](const Loan &loan) {
      return loan.channel == effect.channel &&
             ((effect.action == ChannelAction::Done && loan.until == BufferHold::Done) ||
              (effect.action == ChannelAction::Receive && loan.until == BufferHold::Received));
    });
    for (Loan &loan : loans_)
      if (effect.action == ChannelAction::Receive && loan.channel == effect.channel &&
          loan.until == BufferHold::ReceivedThenDone)
        loan.until = BufferHold::Done; // others may still take their sums from it
  }
  for (const BufferEffect &effect : effects.buffers) {
    if (effect.until == BufferHold::End)
      continue;
    const uint32_t channel = effects.channels.front().channel;
    if (effect.until == BufferHold::Released) {
      boundBuffer_[channel] = effect.buffer;
      filled_.insert(effect.buffer);
    } else if (effect.until == BufferHold::Sent) {
      acquired_[effect.buffer] = false;
    } else {
      loans_.push_back({channel, effect.buffer, effect.until});
    }
  }
}

/// A step begins where the one before ended. So each message was released, each acquired slot sent,
/// each send and each sum waited for. Only what is sent ahead is still lent.
absl::Status BufferStates::checkEnd() const {
  for (auto [channel, buffer] : boundBuffer_)
    if (!releasedAtEnd_.contains(channel))
      return invalid("the step ends without a release of channel ",
                     plan_.channels(int(channel)).name());
  for (auto [buffer, sent] : acquired_)
    if (!sent)
      return invalid("the step ends without a send of buffer ", buffer, ", whose slot it acquired");
  for (const Loan &loan : loans_)
    if (!loan.isSum() && !ahead_.contains(loan.channel))
      return invalid("the step ends without a send_done of channel ",
                     plan_.channels(int(loan.channel)).name());
  for (auto [channel, buffer] : ahead_)
    if (!loanOf(channel))
      return invalid("the step ends with a send_done of channel ",
                     plan_.channels(int(channel)).name(),
                     " behind its send ahead, which the next step has to wait for");
  for (const Loan &loan : loans_)
    if (loan.isSum())
      return invalid("the step ends without an all_reduce_done of channel ",
                     plan_.channels(int(loan.channel)).name());
  return absl::OkStatus();
}

/// The next iteration begins where this one ended, so it receives, acquires and sends on the
/// channel as this one did.
absl::Status BufferStates::checkIterationEnd(uint32_t channel) const {
  const std::string &name = plan_.channels(int(channel)).name();
  if (boundBuffer_.contains(channel))
    return invalid("an iteration ends without a release of channel ", name);
  for (auto [buffer, sent] : acquired_)
    if (!sent && program_.buffers(int(buffer)).outgoing() == channel)
      return invalid("an iteration ends without a send of buffer ", buffer,
                     ", whose slot it acquired");
  if (loanOf(channel))
    return invalid("an iteration ends without a send_done of channel ", name);
  return absl::OkStatus();
}

/// How many lanes touch each variable: from this verifyPlan knows whether they need its lock.
void BufferStates::countVariables(std::vector<VariableUse> &uses) const {
  for (auto [v, isWritten] : touchedVariables_) {
    // each replica's copy of a mirrored one is touched by one instance
    uses[v].lanes +=
        plan_.variables(int(v)).mirrored() && program_.spread() ? 1 : program_.instances();
    uses[v].unlocked |= !program_.locks_variables();
    uses[v].written |= isWritten;
  }
}

} // namespace graphc::plan::detail
