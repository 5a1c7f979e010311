//===- VerifyLoops.h - what a step of one program repeats ---------------------------*- C++ -*-===//
//
// What is to be checked is that one walk through a body says the same of every iteration. What it
// takes it gives back: each message that it receives it releases, each slot that it acquires it
// sends, each send it waits for. The partial sums, which alone are kept from one iteration to the
// next, are written by nothing else. Whether loops that send to each other can hang the certificate
// says (LivenessCertificate.h); one that holds no end of a channel is to it a call that takes long.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_COMMON_PLAN_VERIFYLOOPS_H
#define GRAPHC_RUNTIME_COMMON_PLAN_VERIFYLOOPS_H

#include "runtime/common/plan/VerifyBuffers.h"

namespace graphc::plan::detail {

class LoopVerifier {
public:
  LoopVerifier(const Plan &plan, const Program &program, const BufferStates &buffers)
      : plan_(plan), program_(program), buffers_(buffers),
        endsByEndOfStream_(plan.phases(int(program.phase())).ends_by_end_of_stream()) {}

  /// The next instruction, whose buffers exist: may it be repeated, where it is?
  absl::Status check(const Instruction &instruction, const InstructionEffects &effects,
                     int position);
  absl::Status checkRepeat(const Instruction::Repeat &repeat, int position);
  /// `queued`: a queue does it.
  absl::Status checkAccumulate(const Instruction::Accumulate &sum, bool queued);
  /// Behind an instruction: if it is the last one of its body, nothing is held that the next
  /// iteration takes.
  absl::Status checkIterationEnds(int position) const;
  /// How often a step executes the instruction that was checked last, and which one repeats it; -1:
  /// none does.
  uint32_t count() const { return end_ ? times_ : 1; }
  int repeatedBy() const { return end_ ? repeat_ : -1; }
  bool endsBody(int position) const { return position + 1 == end_; }

private:
  /// A buffer of the loop's sums that overlaps this one; null where there is none.
  const uint32_t *partialAt(uint32_t buffer) const;

  const Plan &plan_;
  const Program &program_;
  const BufferStates &buffers_;
  const bool endsByEndOfStream_; // of its phase
  uint32_t times_ = 1; // of the loop that the walk is in
  int repeat_ = -1, end_ = 0; // of it; end_ 0: none
  uint32_t perLeaf_ = 0; // of its sums; 0: there is none yet
  std::set<uint32_t> talks_; // channels that it acts on
  uint64_t repeated_ = 0; // instructions of all loops so far, each as often as it is done
  // by where in which arena: what its sums are kept in
  std::map<std::pair<int, uint64_t>, uint32_t> partials_;
};

} // namespace graphc::plan::detail
#endif
