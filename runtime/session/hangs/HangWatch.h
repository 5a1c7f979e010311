//===- HangWatch.h - the chief's eye on waits that last -----------------------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_SESSION_HANGS_HANGWATCH_H
#define GRAPHC_RUNTIME_SESSION_HANGS_HANGWATCH_H

#include "runtime/executor/LaneRunner.h"
#include "runtime/service/TaskCoordinator.h"
#include "runtime/session/hangs/WaitGraph.h"

#include <algorithm>
#include <functional>
#include <optional>

namespace graphc::session {

struct HangLimits {
  /// of a wait; then again whenever the time has doubled
  absl::Duration reportAfter = executor::kReportAfter;
  absl::Duration wait = absl::InfiniteDuration(); ///< --wait_deadline: of one wait
  /// --deadline: of one kernel, and of a wait for a straggler
  absl::Duration task = absl::InfiniteDuration();
};

/// What a task was when it was heard last, as the graph of waits takes it.
WatchedTask watchedTask(const plan::Plan &plan, uint32_t number,
                        const service::TaskSnapshot &heard);

/// On the chief's heartbeat thread.
class HangWatch {
public:
  /// `say`: a line for people. The plan is verified and outlives this.
  HangWatch(const plan::Plan &plan, HangLimits limits, std::function<void(const std::string &)> say)
      : plan_(plan), limits_(limits), say_(std::move(say)), nextReport_(limits.reportAfter) {}

  /// While a phase runs, as often as one likes: asks the coordinator once a second and judges.
  std::optional<service::RootCause> look(const service::TaskCoordinator &coordinator,
                                         absl::Time now);
  /// Says who is waited for, after a while; then why the run has to end. `tasks`: by number.
  std::optional<service::RootCause> judge(std::span<const service::TaskSnapshot> tasks);
  /// After so long without a word of the chief a lane ends its wait itself; infinite where nothing
  /// ends one.
  absl::Duration lanesLimit() const {
    return std::max(limits_.wait, limits_.task) + absl::Seconds(10);
  }

private:
  std::optional<WaitCause> overdue(std::span<const WatchedTask> tasks) const;

  const plan::Plan &plan_;
  const HangLimits limits_;
  const std::function<void(const std::string &)> say_;
  absl::Duration nextReport_;
  absl::Time looked_ = absl::InfinitePast();
};

} // namespace graphc::session
#endif
