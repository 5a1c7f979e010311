//===- VerifySums.h - sums of an all-reduce that are read where the instances made them -------===//
//
// Where a channel with an algorithm has a Release, each instance may read the others' sums where
// those lie, and has nothing of them in its own buffer. So from AllReduceDone to the Release calls
// alone may read the buffer, which nobody may write before the SendDone anyhow (VerifyBuffers.h),
// and behind the Release nothing may touch it in this step.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_COMMON_PLAN_VERIFYSUMS_H
#define GRAPHC_RUNTIME_COMMON_PLAN_VERIFYSUMS_H

#include "runtime/common/plan/VerifyBuffers.h"

#include <map>
#include <set>

namespace graphc::plan::detail {

class SumsVerifier {
public:
  SumsVerifier(const Plan &plan, const Program &program, const BufferStates &buffers);

  /// The next instruction, whose buffers exist: does it leave such sums alone, but for a call that
  /// reads them in time?
  absl::Status check(const Instruction &instruction, const InstructionEffects &effects) const;
  /// Of an all-reduce that TransferVerifier has passed: where its channel has a Release, can its
  /// sums be read elsewhere?
  absl::Status start(const Instruction::AllReduceStart &start);
  void done(uint32_t channel);
  /// Once, while the others wait for it in their SendDone.
  absl::Status release(uint32_t channel);
  /// What the host shows behind the step's last instruction it takes from the buffer itself.
  absl::Status checkShown(uint32_t buffer, const char *what, const std::string &name) const;
  /// Each sum of a channel with a Release had one.
  absl::Status checkEnd() const;

private:
  struct Sums {
    uint32_t channel, buffer;
    bool made = false, released = false;
  };
  /// Those in memory that the buffer meets, made or not; null: none. They never overlap: who begins
  /// to sum where others are is refused.
  const Sums *at(uint32_t buffer) const;
  Sums *of(uint32_t channel);

  const Plan &plan_;
  const Program &program_;
  const BufferStates &buffers_;
  const std::set<uint32_t> released_; // channels with a Release
  std::map<uint64_t, Sums> sums_; // by where they begin in the host's arena
  std::map<uint32_t, uint64_t> latest_; // channel → where its last begin
};

} // namespace graphc::plan::detail
#endif
