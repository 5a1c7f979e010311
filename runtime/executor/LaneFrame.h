//===- LaneFrame.h - the memory of one lane -----------------------------------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_EXECUTOR_LANEFRAME_H
#define GRAPHC_RUNTIME_EXECUTOR_LANEFRAME_H

#include "runtime/common/base/Mutex.h"
#include "runtime/device/MemoryRegion.h"
#include "runtime/executor/LaneProgram.h"
#include "runtime/executor/VariableStore.h"

#include "absl/status/statusor.h"

#include <memory>
#include <span>
#include <vector>

namespace graphc::executor {

struct FrameOptions {
  /// inaccessible pages before and behind the arena, but one that peers read in
  bool guardPages = true;
  /// fill the arena so that bytesTouched() can be measured; costs a pass over it
  bool pattern = true;
  kernels::ThreadPool *pool = nullptr; ///< helps with large kernels; outlives the lanes
};

/// The variables of one instruction, locked in ascending order; nothing in programs that do not
/// lock.
class VariableLocks {
public:
  VariableLocks(base::Mutex *const *first, uint32_t count) ABSL_NO_THREAD_SAFETY_ANALYSIS
      : first_(first),
        count_(count) {
    for (uint32_t i = 0; i < count; ++i)
      first[i]->lock();
  }
  ~VariableLocks() ABSL_NO_THREAD_SAFETY_ANALYSIS {
    for (uint32_t i = count_; i > 0; --i)
      first_[i - 1]->unlock();
  }
  VariableLocks(const VariableLocks &) = delete;

private:
  base::Mutex *const *first_;
  uint32_t count_;
};

/// Arena and pointer tables of one lane. The arena lies in the zero-copy memory where peers read in
/// it (ZeroCopySource.h). Every argument of every call is one entry of `arguments`, resolved once;
/// a Receive or Acquire rewrites only the entries that name its slot. Of a lane that runs ahead odd
/// steps have an arena of their own.
class LaneFrame {
public:
  static absl::StatusOr<std::unique_ptr<LaneFrame>> create(const LaneProgram &program,
                                                           uint32_t instance,
                                                           VariableStore &variables,
                                                           const FrameOptions &options = {});
  /// Highest byte of the arena ever written, plus 1 (0: none); needs options.pattern.
  uint64_t bytesTouched() const;
  uint64_t arenaBytes() const { return arena_.size(); }
  /// Where a buffer lies; null for a slot that holds no message now.
  void *buffer(uint32_t index) const { return buffers[index]; }

  // For the lane and what it is made of.
  VariableLocks lock(const LaneInstruction &instruction) const {
    return {locks_.data() + instruction.lockFirst, instruction.lockCount};
  }
  std::vector<void *> buffers; ///< one a plan buffer
  std::vector<void *> arguments; ///< one a call argument, in LaneProgram::argumentBuffers' order
  /// the same of odd steps, where the lane runs ahead; else empty
  std::vector<void *> oddArguments;
  void *const *argumentsOf(uint64_t step) const {
    return step % 2 && !oddArguments.empty() ? oddArguments.data() : arguments.data();
  }
  std::vector<std::unique_ptr<kernels::LibraryKernel>>
      libraryKernels; ///< of this lane alone: they hold its thread's state
  kernels::ThreadPool *pool = nullptr; ///< helps with kernels that have blocks; null: nobody does

private:
  LaneFrame() = default;
  device::MemoryRegion own_; // of the arena, where no peer reads in it
  device::MemoryRegion deviceArena_;
  std::span<uint8_t> arena_;
  bool patterned_ = false;
  std::vector<base::Mutex *> locks_; // by LaneProgram::lockVariables
};

} // namespace graphc::executor
#endif
