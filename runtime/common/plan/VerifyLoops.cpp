#include "runtime/common/plan/VerifyLoops.h"

#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/plan/PlanTypes.h"
#include "runtime/common/plan/SumTree.h"
#include "runtime/common/plan/VerifyPlan.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace graphc::plan::detail {

/// The body lies within the step, and a step's loops are not endless. Then the body's sums are
/// listed: they are the arena's and do not overlap.
absl::Status LoopVerifier::checkRepeat(const Instruction::Repeat &repeat, int position) {
  const int left = program_.instructions_size() - position - 1;
  if (repeat.count() == 0 || repeat.length() == 0 || repeat.length() > uint32_t(left))
    return invalid("repeats ", repeat.length(), " instructions ", repeat.count(), " times, but ",
                   left, " are left of the step; expected at least one, once");
  if (repeat.count() > uint32_t(PlanLimits::tableEntries))
    return invalid("repeats more than ", PlanLimits::tableEntries, " times");
  repeated_ += uint64_t(repeat.count()) * repeat.length();
  if (repeated_ > PlanLimits::repeated)
    return invalid("repeats ", repeat.length(), " instructions ", repeat.count(),
                   " times; expected at most ", PlanLimits::repeated, " in the loops of a step");
  times_ = repeat.count();
  this->repeat_ = position;
  talks_.clear();
  end_ = position + 1 + int(repeat.length());
  partials_.clear();
  perLeaf_ = 0;
  // Known before the walk: what stands before an accumulate may not write its sums either.
  for (int i = position + 1; i < end_; ++i)
    for (uint32_t partial : program_.instructions(i).accumulate().partials()) {
      GRAPHC_RETURN_IF_ERROR(buffers_.exists(partial));
      const Buffer &buffer = program_.buffers(int(partial));
      if (!buffer.has_arena())
        return invalid("keeps a sum of a loop in buffer ", partial, " (", buffer.name(),
                       "), which is not in the arena");
      if (const uint32_t *other = partialAt(partial))
        return invalid("keeps sums of a loop in buffers ", *other, " and ", partial,
                       ", which overlap");
      if (buffer.bytes())
        partials_[{buffer.space(), buffer.arena().offset()}] = partial;
    }
  return absl::OkStatus();
}

const uint32_t *LoopVerifier::partialAt(uint32_t index) const {
  const Buffer &buffer = program_.buffers(int(index));
  if (!buffer.has_arena() || buffer.bytes() == 0)
    return nullptr;
  auto next = partials_.lower_bound({buffer.space(), buffer.arena().offset()});
  if (next != partials_.end() && buffers_.overlap(index, next->second))
    return &next->second;
  return next != partials_.begin() && buffers_.overlap(index, std::prev(next)->second)
             ? &std::prev(next)->second
             : nullptr;
}

/// A body has instructions of kinds that may be repeated (InstructionTable.cpp). Only an accumulate
/// writes a sum. So one walk says what every iteration does.
absl::Status LoopVerifier::check(const Instruction &instruction, const InstructionEffects &effects,
                                 int position) {
  if (position >= end_) {
    end_ = 0;
    return absl::OkStatus();
  }
  const InstructionFacts *facts = factsOf(instruction.kind_case());
  const bool talksHere = !effects.channels.empty();
  auto sums = [&](const ChannelEffect &effect) {
    return plan_.channels(int(effect.channel)).algorithm() != WHOLE;
  };
  if (!facts || !facts->inLoops ||
      std::any_of(effects.channels.begin(), effects.channels.end(), sums))
    return invalid(
        "is repeated; expected calls, copies, signals, waits, next_batch, micro_batch_index, accumulate, "
        "sends and receives alone in a loop");
  if (talksHere && endsByEndOfStream_)
    return invalid(
        "is repeated in a phase that ends by end of stream, which could come between two iterations");
  if (instruction.send_start().ahead())
    return invalid("sends the next step's message, and is repeated");
  for (const ChannelEffect &effect : effects.channels)
    talks_.insert(effect.channel);
  if (instruction.has_accumulate())
    return absl::OkStatus();
  for (const BufferEffect &effect : effects.buffers)
    if (const uint32_t *partial = effect.access == READ ? nullptr : partialAt(effect.buffer))
      return invalid("writes buffer ", effect.buffer, " (",
                     program_.buffers(int(effect.buffer)).name(),
                     "), where the loop keeps a sum, buffer ", *partial);
  return absl::OkStatus();
}

/// What an iteration takes of a channel it gives back before the next one begins: one walk over the
/// body then says what every iteration does.
absl::Status LoopVerifier::checkIterationEnds(int position) const {
  if (endsBody(position))
    for (uint32_t channel : talks_)
      GRAPHC_RETURN_IF_ERROR(buffers_.checkIterationEnd(channel));
  return absl::OkStatus();
}

/// The loop's values and the one behind it make whole leaves; there are as many partial sums as the
/// binary counter of SumTree.h needs, of the value's type and apart from it; the kernel adds such
/// values. What a queue is given is recorded before the step, once for each way to go on with a
/// sum: those of a loop's sums are the same.
absl::Status LoopVerifier::checkAccumulate(const Instruction::Accumulate &sum, bool queued) {
  if (end_ == 0)
    return invalid("accumulates outside of a loop");
  if (const uint32_t other = std::exchange(perLeaf_, sum.per_leaf());
      queued && other && other != sum.per_leaf())
    return invalid("sums leaves of ", sum.per_leaf(),
                   " values in a loop of a queue that has leaves of ", other,
                   "; expected one number");
  const uint64_t values = uint64_t(times_) + 1;
  if (sum.per_leaf() == 0 || values % sum.per_leaf())
    return invalid("sums ", values, " values in leaves of ", sum.per_leaf(),
                   "; expected whole leaves");
  if (const uint32_t kept = keptSums(values, sum.per_leaf()); sum.partials_size() != int(kept))
    return invalid("keeps ", sum.partials_size(), " partial sums of ", values,
                   " values in leaves of ", sum.per_leaf(), ", expected ", kept);
  const Buffer &value = program_.buffers(int(sum.buffer()));
  GRAPHC_RETURN_IF_ERROR(checkAddition(plan_.kernels(int(sum.add())), value.bytes(), "a value"));
  if (const uint32_t *partial = partialAt(sum.buffer()))
    return invalid("adds buffer ", sum.buffer(), " (", value.name(),
                   ") to sums, one of which, buffer ", *partial, ", it overlaps");
  for (uint32_t partial : sum.partials())
    if (const Buffer &buffer = program_.buffers(int(partial));
        buffer.bytes() != value.bytes() || buffer.type().dtype() != value.type().dtype())
      return invalid("keeps a sum of ", typeText(value.type()), " in buffer ", partial, ", ",
                     typeText(buffer.type()));
  return absl::OkStatus();
}

} // namespace graphc::plan::detail
