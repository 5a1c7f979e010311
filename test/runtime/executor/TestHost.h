//===- TestHost.h - a session's part for tests --------------------------------------*- C++ -*-===//
#ifndef GRAPHC_TEST_RUNTIME_EXECUTOR_TESTHOST_H
#define GRAPHC_TEST_RUNTIME_EXECUTOR_TESTHOST_H

#include "runtime/executor/LaneCallbacks.h"

#include <functional>

namespace graphc::executor {

/// Ends a synchronous phase after `steps`, gives `steps` update tickets, knows no data.
class TestHost : public LaneCallbacks {
public:
  /// At most `instances` take update tickets.
  explicit TestHost(uint64_t steps, uint32_t instances = 64,
                    std::optional<uint64_t> maxStaleness = {})
      : steps_(steps), given_(steps, instances, maxStaleness) {}

  absl::Status nextBatch(const LaneInfo &, uint64_t, const plan::Instruction::NextBatch &,
                         std::span<void *const>, uint8_t *) override {
    return absl::FailedPreconditionError("no data here");
  }
  ControlMessage decide(const LaneInfo &, uint64_t step) override {
    return {step + 1 >= steps_ ? ControlAction::EndPhase : ControlAction::Continue,
            EndReason::Finished, 0};
  }
  AsyncUpdateTickets *tickets() override { return &given_; }
  absl::Status stepDone(const LaneInfo &lane, const StepResults &results) override {
    return onStep ? onStep(lane, results) : absl::OkStatus();
  }

  std::function<absl::Status(const LaneInfo &, const StepResults &)> onStep;

private:
  uint64_t steps_;
  AsyncUpdateTickets given_;
};

} // namespace graphc::executor
#endif
