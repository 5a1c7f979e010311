//===- VerifyLoops.h - what a step of one program repeats ---------------------------------------------------------*- C++ -*-===//
//
// A loop holds no end of a channel, so to liveness it is a call that takes long: no event, no rank. What is to be checked is that one
// walk through its body says the same of every time: nothing in it takes or gives back what it needs the next time, and the partial
// sums, which alone are kept from time to time, are written by nothing else.
//
//===--------------------------------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_PLAN_VERIFYLOOPS_H
#define GRAPHC_RUNTIME_PLAN_VERIFYLOOPS_H

#include "runtime/plan/VerifyBuffers.h"

namespace graphc::plan::detail {

class LoopVerifier {
public:
  LoopVerifier(const Plan &plan, const Program &program, const BufferStates &buffers)
      : plan(plan), program(program), buffers(buffers) {}

  /// The next instruction, whose buffers exist: may it be repeated, where it is?
  absl::Status check(const Instruction &instruction, const Effects &effects, int position);
  absl::Status checkRepeat(const Instruction::Repeat &repeat, int position);
  absl::Status checkAccumulate(const Instruction::Accumulate &sum) const;
  /// How often a step executes the instruction that was checked last.
  uint32_t count() const { return end ? times : 1; }

private:
  /// A buffer of the loop's sums that overlaps this one; null where there is none.
  const uint32_t *partialAt(uint32_t buffer) const;

  const Plan &plan;
  const Program &program;
  const BufferStates &buffers;
  uint32_t times = 1; // of the loop that the walk is in
  int end = 0; // of it; 0: none
  uint64_t repeated = 0; // instructions of all loops so far, each as often as it is done
  std::map<uint64_t, uint32_t> partials; // by where in the arena: what its sums are kept in
};

} // namespace graphc::plan::detail
#endif
