//===- LaneRunner.h - threads for lanes ---------------------------------------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_EXECUTOR_LANERUNNER_H
#define GRAPHC_RUNTIME_EXECUTOR_LANERUNNER_H

#include "runtime/executor/Lane.h"
#include "runtime/executor/LanePause.h"

#include "absl/time/time.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <span>

namespace graphc::executor {

/// A wait is reported first after so long, and where something ends it sooner, after a quarter of
/// that.
inline constexpr absl::Duration kReportAfter = absl::Seconds(10);
inline absl::Duration firstReport(absl::Duration limit) {
  return std::min(kReportAfter, limit / 4);
}

/// A wait that lasts. Called on the waiting lane's thread.
struct WaitReport {
  const Lane *lane = nullptr;
  std::string text; ///< Lane::describeWait()
  absl::Duration since; ///< how long it has waited
};

struct LaneRunOptions {
  absl::Duration reportAfter = kReportAfter; ///< then again whenever the time has doubled
  /// of one wait; past it the lane fails with DeadlineExceeded
  absl::Duration deadline = absl::Seconds(300);
  std::function<void(const WaitReport &)> onWait; ///< may be empty
  /// Called once, on the thread of the lane that failed first, with its status: abort every
  /// transport here, or the other lanes go on waiting.
  std::function<void(const Lane &, const absl::Status &)> onFailure;
  std::function<void(Lane &)> onStart; ///< on each lane's thread before its first instruction
  LanePause *parking = nullptr; ///< where lanes stop whose task is started again; null: nowhere
};

/// Runs every lane to the end of its phase, the first on the calling thread and each other on a
/// thread of its own, and joins them. Returns the failure that came first: one that is not Aborted
/// goes before one that is (an aborted lane only heard of another's failure).
absl::Status runLanes(std::span<const std::unique_ptr<Lane>> lanes, const LaneRunOptions &options);
/// Whether the lanes' devices end their work within the limit.
bool becomeIdle(std::span<const std::unique_ptr<Lane>> lanes, absl::Duration limit);

} // namespace graphc::executor
#endif
