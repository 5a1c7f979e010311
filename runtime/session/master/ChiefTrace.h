//===- ChiefTrace.h - a run's --trace, as the chief asks for it and writes it -------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_SESSION_MASTER_CHIEFTRACE_H
#define GRAPHC_RUNTIME_SESSION_MASTER_CHIEFTRACE_H

#include "runtime/session/master/FileWatchdog.h"
#include "runtime/trace/TraceMerge.h"

#include "runtime/service/TaskCoordinator.h"

#include <functional>
#include <optional>

namespace graphc::session {

/// Which steps are traced, counted from the very first as the progress line counts them: the first
/// and the last.
using ProfileSteps = std::pair<uint64_t, uint64_t>;

/// All on the master's thread. Of the phase that the run is about: one that trains may run several
/// times, its evaluations are not in it.
class ChiefTrace {
public:
  struct Options {
    std::string file; ///< empty: no trace
    std::optional<ProfileSteps> steps; ///< none: ten, without the first one of the run
    std::function<void(const std::string &)> log;
  };
  /// The others have to outlive it.
  ChiefTrace(const plan::LoadedPlan &plan, service::TaskCoordinator &coordinator,
             FileWatchdog &files, Options options)
      : loaded_(plan), coordinator_(coordinator), files_(files), options_(std::move(options)) {}

  /// The run makes the steps from `done` up to `total` of this phase. An error where
  /// --profile_steps names steps behind them.
  absl::Status choose(uint32_t phase, uint64_t done, uint64_t total);
  /// Behind how many steps the trace is whole: there a run of the phase ends, so that the file is
  /// there and nothing is kept any longer.
  std::optional<uint64_t> whole() const { return wanted_ ? std::optional(end_) : std::nullopt; }
  /// What a run of the phase is asked to record.
  void ask(service::Order::Begin &begin) const;
  /// Behind that run: what the tasks have recorded.
  void take(const service::Order::Begin &begin);
  /// Writes the file once the trace is whole, or where the run is at its end.
  absl::Status write(uint64_t done, bool isLast);
  /// What the steps went into; nothing before a file was written.
  const std::optional<observe::TraceSummary> &summary() const { return summary_; }

private:
  const plan::LoadedPlan &loaded_;
  service::TaskCoordinator &coordinator_;
  FileWatchdog &files_;
  const Options options_;
  bool wanted_ = false; ///< and not written yet
  uint32_t phase_ = 0;
  uint64_t first_ = 0, end_ = 0; ///< steps, counted from 0
  uint64_t sharing_ = 1; ///< lanes share updates: each makes one in so many
  std::vector<TracedLane> lanes_;
  std::optional<observe::TraceSummary> summary_;
};

} // namespace graphc::session
#endif
