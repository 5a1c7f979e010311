//===- LaneCallbacks.h - what a lane asks of the session ----------------------------*- C++ -*-===//
//
// Called on the lane's thread, in the order of its instructions. None of these may wait on another
// task: a lane blocks on ports alone. Several lanes call at once; the implementation guards what
// they share.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_EXECUTOR_LANECALLBACKS_H
#define GRAPHC_RUNTIME_EXECUTOR_LANECALLBACKS_H

#include "runtime/common/plan/plan.pb.h"
#include "runtime/executor/AsyncUpdateTickets.h"
#include "runtime/executor/ControlMessage.h"
#include "runtime/executor/EventRing.h"
#include "runtime/executor/StepwiseGate.h"
#include "runtime/transport/Transport.h"

#include "absl/status/status.h"

#include <cstdint>
#include <span>
#include <string>

namespace graphc::executor {

/// Who calls. Lives as long as the lane.
struct LaneInfo {
  const plan::Plan *plan = nullptr;
  const plan::Program *program = nullptr;
  uint32_t programIndex = 0;
  uint32_t instance = 0; ///< the replica, in a replicated program
  plan::Task task;
  std::string name; ///< "/job:worker/task:1 train.worker[1]"
  EventRing *events = nullptr; ///< takes what the lane does; null: nobody asks
  uint64_t stepsBefore = 0; ///< that it made before the phase, for people
  /// The number of a step of the phase for people, as plan::stepNumber.
  uint64_t stepNumber(uint64_t step) const { return stepsBefore + step + 1; }
};

/// The results of one step, valid during the call.
struct StepResults {
  uint64_t step = 0; ///< 0-based within the phase
  std::span<const void *const> fetches; ///< in the order of Program.fetches
  std::span<const void *const> metricSums; ///< in the order of Program.metrics
  std::span<const void *const> metricCounts;
  uint64_t nanoseconds = 0; ///< wall time of this step on this lane
  bool report = false; ///< of the step's control message; false where a phase has none
  bool last = false; ///< likewise: this run of the phase ends behind it
};

class LaneCallbacks {
public:
  virtual ~LaneCallbacks() = default;
  /// Before the first instruction of a step, for programs that have feeds: write each of them.
  virtual absl::Status feed(const LaneInfo &lane, uint64_t step, std::span<void *const> feeds);
  /// Fills one buffer a component and, where the instruction has it, the mask. `step` is 0-based
  /// within the phase; the session adds its own position.
  virtual absl::Status nextBatch(const LaneInfo &lane, uint64_t step,
                                 const plan::Instruction::NextBatch &instruction,
                                 std::span<void *const> buffers, uint8_t *valid) = 0;
  /// Steps of the phase (asynchronous: updates) that were made before this run of it: those of this
  /// run are counted from there on.
  virtual uint64_t stepsBefore() const { return 0; }
  /// Chief's lane, once a step: does the phase end after this step?
  virtual ControlMessage decide(const LaneInfo &lane, uint64_t step) = 0;
  /// Asynchronous phases: the updates still to be done. Null where no program of this task takes
  /// update tickets.
  virtual AsyncUpdateTickets *tickets() = 0;
  /// Where the lane waits before each step, asked as it is made; null: it waits for nobody.
  virtual StepwiseGate *gate(const LaneInfo &) { return nullptr; }
  /// What the lane waits on before stepDone() where earlier results still wait to be taken; null
  /// where they do not.
  virtual transport::Port *untaken(const LaneInfo &) { return nullptr; }
  /// After the last instruction of each step. An error ends the run.
  virtual absl::Status stepDone(const LaneInfo &lane, const StepResults &results) = 0;
};

} // namespace graphc::executor
#endif
