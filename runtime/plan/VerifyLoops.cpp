//===- VerifyLoops.cpp - one program: batches, and what a step repeats over them ----------------------------------------------===//
//
// A loop holds no end of a channel, so to liveness it is a call that takes long: no event, no rank. What is to be checked is that one
// walk through its body says the same of every time: nothing in it takes or gives back what it needs the next time, and the partial
// sums, which alone are kept from time to time, are written by nothing else.
//
//===----------------------------------------------------------------------------------------------------------------===//

#include "runtime/base/Status.h"
#include "runtime/plan/SumTree.h"
#include "runtime/plan/Types.h"
#include "runtime/plan/VerifyProgram.h"

#include <set>

namespace graphc::plan::detail {

absl::Status ProgramVerifier::checkNextBatch(const Instruction::NextBatch &next) {
  if (next.dataset() >= uint32_t(plan.datasets_size()))
    return invalid("dataset ", next.dataset(), " does not exist, the plan has ", plan.datasets_size());
  const Dataset &dataset = plan.datasets(int(next.dataset()));
  if (next.batch() == 0)
    return invalid("a batch of 0 samples");
  if (next.micro_batches() == 0 || uint64_t(next.micro_batch()) + loop.count > next.micro_batches())
    return invalid("micro-batch ", next.micro_batch(), loop.count > 1 ? absl::StrCat(", ", loop.count, " times,") : "",
                   " of ", next.micro_batches());
  if (next.buffers_size() != dataset.components_size())
    return invalid(next.buffers_size(), " buffers for the ", dataset.components_size(), " components of dataset ",
                   dataset.name());
  if (next.classes_size() != 0 && next.classes_size() != next.buffers_size())
    return invalid("classes for ", next.classes_size(), " of ", next.buffers_size(), " components");
  for (int i = 0; i < next.classes_size(); ++i) {
    DataType type = dataset.components(i).sample().dtype();
    bool isFloat = type == F32 || type == F64 || type == BF16;
    if (next.classes(i) > (isFloat ? 0 : uint64_t(INT64_MAX)))
      return invalid(next.classes(i), " classes of component ", i, ", which is of ", dataTypeName(type));
  }
  auto check = [&](uint32_t buffer, const TensorType &sample) -> absl::Status {
    const Buffer &b = program.buffers(int(buffer));
    TensorType type;
    type.set_dtype(sample.dtype());
    type.add_shape(next.batch());
    type.mutable_shape()->MergeFrom(sample.shape());
    if (!b.has_arena() || !sameType(b.type(), type))
      return invalid("buffer ", buffer, " is ", typeText(b.type()), ", expected ", typeText(type), " in the arena");
    return absl::OkStatus();
  };
  std::set<uint32_t> distinct;
  for (int i = 0; i < next.buffers_size(); ++i) {
    GRAPHC_RETURN_IF_ERROR(check(next.buffers(i), dataset.components(i).sample()));
    distinct.insert(next.buffers(i));
  }
  if (next.has_valid()) {
    if (!next.pad_last())
      return invalid("a mask of valid samples without pad_last");
    TensorType mask;
    mask.set_dtype(I1);
    GRAPHC_RETURN_IF_ERROR(check(next.valid(), mask));
    distinct.insert(next.valid());
  }
  if (distinct.size() != size_t(next.buffers_size()) + next.has_valid())
    return invalid("one buffer for two components");
  return absl::OkStatus();
}

absl::Status ProgramVerifier::checkRepeat(const Instruction::Repeat &repeat, int position) {
  // VerifyQueues.h knows what a queue has done of what stands before, not of what it was given the last time.
  if (hasOwnMemory(program.device()))
    return invalid("repeats instructions on ", program.device(),
                   ", whose queues may still be at work when they begin again");
  const int left = program.instructions_size() - position - 1;
  if (repeat.count() == 0 || repeat.length() == 0 || repeat.length() > uint32_t(left))
    return invalid("repeats ", repeat.length(), " instructions ", repeat.count(), " times, but ", left,
                   " are left of the step; expected at least one, once");
  if (repeat.count() > uint32_t(Limits::tableEntries))
    return invalid("repeats more than ", Limits::tableEntries, " times");
  loop = {repeat.count(), position + 1 + int(repeat.length())};
  // Known before the walk: what stands before an accumulate may not write its sums either.
  for (int i = position + 1; i < loop.end; ++i)
    for (uint32_t partial : program.instructions(i).accumulate().partials()) {
      GRAPHC_RETURN_IF_ERROR(bufferIndex(partial));
      const Buffer &buffer = program.buffers(int(partial));
      if (!buffer.has_arena())
        return invalid("keeps a sum of a loop in buffer ", partial, " (", buffer.name(),
                       "), which is not in the arena");
      if (const uint32_t *other = partialAt(partial))
        return invalid("keeps sums of a loop in buffers ", *other, " and ", partial, ", which overlap");
      if (buffer.bytes())
        loop.partials[buffer.arena().offset()] = partial;
    }
  return absl::OkStatus();
}

const uint32_t *ProgramVerifier::partialAt(uint32_t index) const {
  const Buffer &buffer = program.buffers(int(index));
  if (!buffer.has_arena() || buffer.bytes() == 0)
    return nullptr;
  auto next = loop.partials.lower_bound(buffer.arena().offset());
  if (next != loop.partials.end() && next->first < buffer.arena().offset() + buffer.bytes())
    return &next->second;
  return next != loop.partials.begin() && overlap(index, std::prev(next)->second) ? &std::prev(next)->second : nullptr;
}

absl::Status ProgramVerifier::checkRepeated(const Instruction &instruction, const Effects &effects) {
  if (!instruction.has_call() && !instruction.has_next_batch() && !instruction.has_accumulate())
    return invalid("is repeated; expected calls, next_batch and accumulate alone in a loop");
  if (instruction.has_accumulate())
    return absl::OkStatus();
  for (const BufferEffect &effect : effects.buffers)
    if (const uint32_t *partial = effect.access == READ ? nullptr : partialAt(effect.buffer))
      return invalid("writes buffer ", effect.buffer, " (", program.buffers(int(effect.buffer)).name(),
                     "), where the loop keeps a sum, buffer ", *partial);
  return absl::OkStatus();
}

absl::Status ProgramVerifier::checkAccumulate(const Instruction::Accumulate &sum) {
  if (loop.end == 0)
    return invalid("accumulates outside of a loop");
  const uint64_t values = uint64_t(loop.count) + 1;
  if (sum.per_leaf() == 0 || values % sum.per_leaf())
    return invalid("sums ", values, " values in leaves of ", sum.per_leaf(), "; expected whole leaves");
  if (const uint32_t kept = keptSums(values, sum.per_leaf()); sum.partials_size() != int(kept))
    return invalid("keeps ", sum.partials_size(), " partial sums of ", values, " values in leaves of ", sum.per_leaf(),
                   ", expected ", kept);
  const Buffer &value = program.buffers(int(sum.buffer()));
  GRAPHC_RETURN_IF_ERROR(adds(sum.add(), value.bytes(), "a value"));
  if (const uint32_t *partial = partialAt(sum.buffer()))
    return invalid("adds buffer ", sum.buffer(), " (", value.name(), ") to sums, one of which, buffer ", *partial,
                   ", it overlaps");
  for (uint32_t partial : sum.partials())
    if (const Buffer &buffer = program.buffers(int(partial));
        buffer.bytes() != value.bytes() || buffer.type().dtype() != value.type().dtype())
      return invalid("keeps a sum of ", typeText(value.type()), " in buffer ", partial, ", ", typeText(buffer.type()));
  const Kernel &add = plan.kernels(int(sum.add()));
  flops += (unsigned __int128)add.flops() * (add.args(0).bytes() ? value.bytes() / add.args(0).bytes() : 1) *
           (loop.count - waitingSums(values, sum.per_leaf()));
  return absl::OkStatus();
}

} // namespace graphc::plan::detail
