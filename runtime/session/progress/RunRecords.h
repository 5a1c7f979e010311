//===- RunRecords.h - what of a run is told to whom ---------------------------------*- C++ -*-===//
//
// The driver tells where the run begins, what an evaluation gave, and that it is over; the tasks'
// reports of steps come meanwhile. From both this makes records for the observers, and it knows
// which steps are to be reported.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_SESSION_PROGRESS_RUNRECORDS_H
#define GRAPHC_RUNTIME_SESSION_PROGRESS_RUNRECORDS_H

#include "runtime/session/progress/TrainingSteps.h"
#include "runtime/session/results/ReportCollector.h"
#include "runtime/session/results/TrainingObserver.h"

#include <optional>
#include <utility>
#include <vector>

namespace graphc::session {

struct ReportOptions {
  std::vector<TrainingObserver *> observers = {}; ///< they outlive the run
  // Of training, at most one of the two; none: no step is reported.
  std::optional<uint64_t> everySteps = {};
  std::optional<double> everySeconds = {};
};

class RunRecords {
public:
  RunRecords(const plan::Plan &plan, ReportOptions options);

  // Of the master's thread.
  absl::Status begin(const RunStart &start);
  /// Before training: which step is of which epoch.
  void train(const TrainingSteps &steps);
  /// Writes into the order which steps of a run of the training phase tasks report.
  void ask(service::Order::Begin &begin) const;
  /// Training has ended, in good order: its last step has a record, whichever it is.
  void trained();
  void evaluated(uint64_t step, const std::vector<std::pair<std::string, double>> &metrics);
  /// Tells each observer that has begun; the first error.
  absl::Status end(bool complete);

  /// A task's report of a step. Any thread.
  absl::Status reported(const service::Fetched &report) { return collector_.add(report); }

private:
  void take(observe::StepRecord record, bool rest);
  void deliver(observe::StepRecord record);
  std::optional<uint64_t> epochOf(uint64_t step) const;

  const ReportOptions options_;
  size_t begun_ = 0; ///< observers
  TrainingSteps steps_; ///< set before any task reports
  /// of the step before a pause, if no later one has a record yet
  std::optional<observe::StepRecord> rest_;
  ReportCollector collector_;
  // Of the report before; the collector makes one call at a time.
  absl::Time at_ = absl::InfinitePast();
  uint64_t step_ = 0;
};

} // namespace graphc::session
#endif
