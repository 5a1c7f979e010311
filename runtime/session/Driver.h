//===- Driver.h - the master's script: which phase comes next ---------------------------------------------*- C++ -*-===//
//
// Runs on the chief, on the master thread. Gives orders through the coordinator and waits; knows totals, pauses, checkpoints and
// results, but no tensor.
//
//===----------------------------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_SESSION_DRIVER_H
#define GRAPHC_RUNTIME_SESSION_DRIVER_H

#include "runtime/base/Mutex.h"
#include "runtime/checkpoint/Checkpoint.h"
#include "runtime/data/Streams.h"
#include "runtime/observe/ProgressLine.h"
#include "runtime/observe/Stats.h"
#include "runtime/plan/PlanFile.h"
#include "runtime/service/Coordinator.h"
#include "runtime/session/Schedule.h"

#include <atomic>
#include <functional>
#include <map>

namespace graphc::session {

struct DriverOptions {
  std::string entry = "train"; ///< train, eval, predict
  std::optional<double> epochs;
  std::optional<uint64_t> steps;
  std::optional<double> evalEveryEpochs, saveEverySeconds;
  std::optional<uint64_t> saveEverySteps;
  std::string checkpointDirectory, dumpDirectory, statsFile;
  std::string transport = "auto", run;
  std::vector<std::string> fetches; ///< names of --fetch; every task hears of them
  absl::Duration fileDeadline = absl::Minutes(30); ///< of one piece of the chief's own file work
  std::function<void(const observe::ProgressSnapshot &)>
      show; ///< one call at a time, on the driver's or the heartbeat's thread
  std::function<void(const std::string &)> print; ///< a result, for standard output
  std::function<void(const std::string &)> log;
};

class Driver {
public:
  Driver(const plan::LoadedPlan &plan, service::Coordinator &coordinator, DriverOptions options);

  /// The whole run. An error that is not a task's was told to all tasks before it is returned.
  absl::Status run();
  /// Every fraction of a second, on the heartbeat thread: progress, stop requests, the clock of --checkpoint_every_seconds.
  void heartbeat();
  uint64_t globalStep() const { return step_.load(std::memory_order_relaxed); }
  /// After run().
  const observe::FinalResults &results() const { return results_; }
  /// Ended early because a task got a signal; run() then returned Cancelled.
  bool stopped() const { return stopRequested_.load(); }

  /// What a command line asks of a plan that the plan cannot give; before anything starts.
  static absl::Status validate(const plan::Plan &plan, const DriverOptions &options);

private:
  using Sum = std::pair<double, int64_t>; ///< and how many were added
  struct PhaseResult {
    uint64_t steps = 0;
    bool stopped = false;
    std::map<std::string, Sum> metrics; ///< of an evaluation
  };
  /// While it lives the heartbeat watches the clock over what this thread does with files.
  class FileWork {
  public:
    FileWork(Driver &driver, std::string what);
    ~FileWork();
    FileWork(const FileWork &) = delete;
    FileWork &operator=(const FileWork &) = delete;

  private:
    Driver &driver_;
  };
  void watchFiles();
  absl::Status script();
  absl::Status train(uint32_t phase);
  absl::Status evaluate(uint32_t phase, bool final);
  void remarkOverlap(uint32_t phase, uint64_t steps) const;
  void remarkUntrained() const;
  absl::Status predict(uint32_t phase);
  std::vector<bool> stragglersOf(const plan::Phase &phase) const;
  absl::StatusOr<PhaseResult> runPhase(uint32_t phase, uint64_t steps, const std::vector<uint64_t> &positions);
  std::vector<data::Walk> walksOf(uint32_t phase, const std::vector<data::Stream> &streams) const;
  std::vector<uint64_t> positionsOf(uint32_t phase, const std::vector<data::Stream> &streams,
                                    const std::vector<data::Walk> &walks) const;
  absl::Status initialize();
  absl::Status save();
  absl::Status writeCheckpoint();
  absl::Status compareMirrors(const std::vector<service::Done> &answers, std::string_view when) const;
  absl::StatusOr<std::vector<service::Done>> order(service::Order order,
                                                   absl::Duration deadline = absl::InfiniteDuration());
  absl::Status compareDatasets(const std::vector<service::Done> &connected);
  absl::Status finish(bool stopped);
  void showNow(bool last);
  void noteTrained();
  void printTrained();
  std::optional<uint32_t> phaseOf(plan::Role role) const;
  uint64_t samplesOf(uint32_t phase) const;

  const plan::Plan &plan_;
  service::Coordinator &coordinator_;
  const DriverOptions options_;
  uint32_t chief_ = 0;

  Schedule schedule_;
  std::map<uint32_t, uint64_t> samples_; ///< by data set
  uint64_t epoch_ = 0; ///< of the channels: one a phase that ran
  std::map<uint64_t, Sum> losses_; ///< by data epoch; the last of each phase that ran
  std::map<std::string, std::map<uint64_t, Sum>> trainMetrics_; ///< by name and data epoch, as losses_
  bool lineDue_ = false; ///< training's last line comes behind the evaluation, whose results it shows
  observe::FinalResults results_;
  std::map<std::string, std::string> stats_;
  std::optional<checkpoint::Directory> directory_; ///< held for the whole run
  std::map<std::string, uint64_t>
      positions_; ///< by name of a stream (data/Streams.h): samples taken of it by all replicas
  bool restored_ = false; ///< from a checkpoint
  uint64_t savedStep_ = UINT64_MAX;

  // Shared with the heartbeat thread.
  std::atomic<uint64_t> step_{0}; ///< at the begin of the running phase, or now between phases
  std::atomic<uint64_t> running_{0}; ///< the channels' epoch of the phase that runs; 0: none
  std::atomic<bool> joined_{false}, initialized_{false}, training_{false}, async_{false}, stopRequested_{false},
      saveDue_{false};
  base::Mutex showing_ ABSL_ACQUIRED_BEFORE(mutex_); ///< one call of options_.show at a time
  base::Mutex mutex_; ///< a leaf
  absl::Time savedAt_ ABSL_GUARDED_BY(mutex_);
  struct Working {
    std::string what;
    absl::Time since;
  };
  std::optional<Working> working_ ABSL_GUARDED_BY(mutex_);
  struct Shown {
    absl::Time at;
    uint64_t step = 0, highest = 0;
    double rate = 0, lossSum = 0;
    uint64_t lossCount = 0;
    std::optional<double> loss;
    std::vector<std::pair<std::string, double>> trained, evaluated; ///< metrics
  } shown_ ABSL_GUARDED_BY(mutex_);
};

} // namespace graphc::session
#endif
