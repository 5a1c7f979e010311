//===- VerifyQueues.h - that nobody touches what a queue has not done yet -----------*- C++ -*-===//
//
// In a program with queues several do a step's instructions: the lane, and each queue what the lane
// gives it, in that order and at a time of its own. Two of them may touch the same memory, one
// writing it, only where the later one is known to come after:
//
//   given     what a queue is given comes after all that the lane has done or waited for before
//   signal    a queue that has counted to n has done all that it was given before that signal, and knows what it knew
//   wait      whoever waits for a count knows from then on what the queue knew when it signalled
//
// Segments order more than that (each comes after the one before, and signals at its end), and are
// not relied upon. That they are runs is what lets every wait of the lane end: none stands within
// the segment that it waits for.
//
// A message's slot is written by its Release, the memory of a send is read from its SendStart on
// (what lies between is a loan of VerifyProgram.h, which queues are held to as well). The end of
// the step touches everything: the lane has to know of all work. Nothing here can wait for ever: a
// wait is for a signal that stands before it, and a queue waits for nobody outside its program.
//
// The body of a loop is walked twice, the second time behind the first: queues may still be at work
// on one time when the next begins. A wait there is for the signal of the same time, or for one
// before the loop; behind the loop for the last.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_COMMON_PLAN_VERIFYQUEUES_H
#define GRAPHC_RUNTIME_COMMON_PLAN_VERIFYQUEUES_H

#include "runtime/common/plan/InstructionTable.h"

#include "absl/status/status.h"

#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace graphc::plan::detail {

/// Whether two buffers of the program share a byte. Slots are told apart by their index.
bool buffersMeet(const Program &program, uint32_t a, uint32_t b);
/// Whether `outer` covers all bytes of `inner`; both lie in the same place.
bool buffersCover(const Program &program, uint32_t outer, uint32_t inner);

class QueueOrder {
public:
  QueueOrder(const Plan &plan, const Program &program);

  /// How many queues there are, and in whose memory each buffer lies.
  absl::Status checkHead() const;
  /// The next instruction of the step, whose buffers exist. `released`: the buffer of the message
  /// that it gives back.
  absl::Status check(const Instruction &instruction, const InstructionEffects &effects,
                     std::optional<uint32_t> released);
  /// The body of a loop, from instruction `begin` to `end`, was checked. `again`: then it begins
  /// again.
  absl::Status endBody(int begin, int end, bool again);
  absl::Status checkEnd() const;

private:
  struct Access {
    uint32_t buffer, queue;
    uint64_t item; ///< of what the queue was given, from 1
    bool write;
  };
  using Known = std::vector<uint64_t>; ///< of each queue: as many of its items are done

  absl::Status checkSpaces(const Instruction &instruction, const InstructionEffects &effects) const;
  absl::Status checkKernel(const Instruction &instruction, const InstructionEffects &effects) const;
  absl::Status checkSegment(const Instruction &instruction);
  absl::Status checkSignal(const Instruction &instruction);
  absl::Status checkWait(const Instruction &instruction);
  /// `doer` touches the buffer now, as its item `item` where it is a queue.
  absl::Status touch(uint32_t doer, uint64_t item, uint32_t buffer, bool write);
  /// What a buffer lies in: two that meet have the same.
  std::pair<int, uint32_t> placeOf(uint32_t buffer) const;

  const Plan &plan_;
  const Program &program_;
  const bool ownMemory_;
  std::vector<Known> known_; ///< by who knows it: the lane, then the queues
  std::vector<uint64_t> given_; ///< to each queue; entry 0 is nobody's
  bool isNextTime_ = false; ///< a body is walked for the second time
  uint32_t segment_ = 0; ///< the last one
  bool inSegment_ = false; ///< the instruction before was of it
  std::vector<std::vector<Known>> signals_; ///< of each queue: what it knew at each
  /// of queues, that the lane does not know of
  std::map<std::pair<int, uint32_t>, std::vector<Access>> accesses_;
};

} // namespace graphc::plan::detail
#endif
