#include "runtime/common/plan/VerifySums.h"

#include "runtime/common/plan/AllReduceMoves.h"
#include "runtime/common/plan/PlanTypes.h"
#include "runtime/common/plan/VerifyQueues.h"

#include <iterator>

namespace graphc::plan::detail {

SumsVerifier::SumsVerifier(const Plan &plan, const Program &program, const BufferStates &buffers)
    : plan_(plan), program_(program), buffers_(buffers), released_(releasedChannels(program)) {}

const SumsVerifier::Sums *SumsVerifier::at(uint32_t index) const {
  const Buffer &buffer = program_.buffers(int(index));
  if (!buffer.has_arena() || sums_.empty())
    return nullptr;
  // the first that it cannot meet
  auto behind = sums_.lower_bound(buffer.arena().offset() + buffer.bytes());
  return behind != sums_.begin() && buffers_.overlap(index, std::prev(behind)->second.buffer)
             ? &std::prev(behind)->second
             : nullptr;
}

SumsVerifier::Sums *SumsVerifier::of(uint32_t channel) {
  auto found = latest_.find(channel);
  return found == latest_.end() ? nullptr : &sums_.at(found->second);
}

/// From the sums' AllReduceDone on: who meets them is a call that reads no byte beside them, and
/// before the release.
absl::Status SumsVerifier::check(const Instruction &instruction,
                                 const InstructionEffects &effects) const {
  for (const BufferEffect &effect : effects.buffers) {
    const Sums *met = at(effect.buffer);
    if (!met || !met->made)
      continue;
    const Buffer &part = program_.buffers(int(effect.buffer));
    const std::string &channel = plan_.channels(int(met->channel)).name();
    if (met->released)
      return invalid("touches buffer ", effect.buffer, " (", part.name(),
                     ") behind the release of channel ", channel,
                     ", whose sums others may write over by then; expected the release behind it");
    if (!instruction.has_call())
      return invalid("touches buffer ", effect.buffer, " (", part.name(),
                     "), but the sums over channel ", channel,
                     " may lie elsewhere until its release; expected calls alone that read them");
    if (!buffersCover(program_, met->buffer, effect.buffer))
      return invalid("reads buffer ", effect.buffer, " (", part.name(),
                     "), only a part of which are sums over channel ", channel,
                     ", which may lie elsewhere until its release");
  }
  return absl::OkStatus();
}

/// Sums that are released can be read in the memory of who made them: the channel is zero-copy, its
/// chunks are large enough to be mapped rather than copied, and the buffer begins where a mapping
/// may.
absl::Status SumsVerifier::start(const Instruction::AllReduceStart &start) {
  if (!released_.contains(start.channel()))
    return absl::OkStatus();
  const Channel &channel = plan_.channels(int(start.channel()));
  const Buffer &buffer = program_.buffers(int(start.buffer()));
  const uint64_t begin = buffer.arena().offset();
  std::string why;
  if (!channel.zero_copy())
    why = "the channel is not zero-copy";
  else if (!mapsSums(channel.algorithm(), channel.bytes()))
    why = absl::StrCat("sums by ", AllReduceAlgorithm_Name(channel.algorithm()), " in chunks of ",
                       channel.bytes(), " bytes are copied");
  else if (begin % kMappableBytes)
    why = absl::StrCat("buffer ", start.buffer(), " (", buffer.name(), ") begins at ", begin,
                       ", which is no multiple of ", kMappableBytes);
  if (!why.empty())
    return invalid("sums over channel ", channel.name(),
                   ", and releases the sums, which cannot be read where they are made: ", why);
  sums_[begin] = {start.channel(), start.buffer()};
  latest_[start.channel()] = begin;
  return absl::OkStatus();
}

void SumsVerifier::done(uint32_t channel) {
  if (Sums *made = of(channel))
    made->made = true;
}

/// Made and not yet released, and lent still: the SendDone, for which the others wait, comes
/// behind.
absl::Status SumsVerifier::release(uint32_t channel) {
  Sums *held = of(channel);
  if (!held || !held->made || held->released || !buffers_.loanOf(channel))
    return invalid(
        "releases the sums of channel ", plan_.channels(int(channel)).name(),
        ", which it does not hold; expected it once, between the all_reduce_done and the send_done");
  held->released = true;
  return absl::OkStatus();
}

/// The buffer that is shown behind the last instruction has nothing of such sums, which are given
/// back by then.
absl::Status SumsVerifier::checkShown(uint32_t buffer, const char *what,
                                      const std::string &name) const {
  if (const Sums *met = at(buffer))
    return invalid(what, " ", name, " shows sums over channel ",
                   plan_.channels(int(met->channel)).name(),
                   ", which may lie elsewhere and are released before");
  return absl::OkStatus();
}

/// The others wait in their SendDone for each release: without one of this instance their step
/// never ends.
absl::Status SumsVerifier::checkEnd() const {
  for (const auto &[begin, held] : sums_)
    if (!held.released)
      return invalid("the step ends without a release of the sums of channel ",
                     plan_.channels(int(held.channel)).name());
  return absl::OkStatus();
}

} // namespace graphc::plan::detail
