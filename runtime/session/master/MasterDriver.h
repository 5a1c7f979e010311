//===- MasterDriver.h - the master's script: which phase comes next -----------------*- C++ -*-===//
//
// Runs on the chief, on the master thread. Gives orders through the coordinator and waits; knows
// how long to train and where to pause (TrainingSteps.h), but no tensor. What it keeps meanwhile
// are classes of their own: checkpoints, positions in the data, sums of results, what is shown, the
// clock over its files.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_SESSION_MASTER_MASTERDRIVER_H
#define GRAPHC_RUNTIME_SESSION_MASTER_MASTERDRIVER_H

#include "runtime/common/base/Mutex.h"
#include "runtime/common/plan/PlanFile.h"
#include "runtime/observe/StatsFile.h"
#include "runtime/service/TaskCoordinator.h"
#include "runtime/session/hangs/HangWatch.h"
#include "runtime/session/master/ChiefCheckpoints.h"
#include "runtime/session/master/ChiefDump.h"
#include "runtime/session/master/ChiefEarlyStop.h"
#include "runtime/session/master/ChiefExport.h"
#include "runtime/session/master/ChiefTrace.h"
#include "runtime/session/master/FileWatchdog.h"
#include "runtime/session/progress/RunRecords.h"
#include "runtime/session/progress/StreamPositions.h"
#include "runtime/session/progress/TrainingProgress.h"
#include "runtime/session/progress/TrainingSteps.h"
#include "runtime/session/recovery/ChiefRejoin.h"
#include "runtime/session/results/FetchFiles.h"
#include "runtime/session/results/ResultSums.h"

#include <atomic>
#include <functional>

namespace graphc::session {

struct DriverOptions {
  std::string entry = "train"; ///< train, eval, predict
  std::optional<double> epochs;
  std::optional<uint64_t> steps;
  std::optional<double> evalEveryEpochs, saveEverySeconds;
  std::optional<uint64_t> saveEverySteps;
  /// Tasks may have steps in memory that no checkpoint has: a stop before the first step comes
  /// behind these.
  bool mayGoOnFromMemory = false;
  uint32_t keepCheckpoints = checkpoint::CheckpointDirectory::kKeep; ///< 0: all
  /// a loss that is no number ends training in good order, and is no failure
  bool nanStops = false;
  std::optional<EarlyStop> earlyStop; ///< with evalEveryEpochs
  bool evaluates = true; ///< training ends with the plan's evaluation, where it has one
  uint64_t logEverySteps = 0; ///< snapshots say when so many are made; 0: never
  std::string checkpointDirectory, dumpDirectory, statsFile, traceFile;
  /// of checkpointDirectory this one alone, for another entry than train; empty: the newest that is
  /// whole
  std::string checkpoint;
  /// behind training: predictions and the last checkpoint's variables; empty: none
  std::string exportDirectory;
  std::optional<BestExport> exportBest; ///< not the last; with evalEveryEpochs
  std::optional<ProfileSteps> profileSteps; ///< of traceFile
  /// another training's checkpoint, or its folder of them, or a file of values, where this one
  /// begins: variables by name and type
  std::string initFrom;
  /// GPUs' libraries choose anew, whatever the checkpoint was made by; CPUs may be unlike
  bool newAlgorithms = false;
  std::string transport = "auto", run;
  std::vector<std::string> fetches; ///< names of --fetch; every task hears of them
  HangLimits hangs;
  FetchFileNames fetchFiles; ///< those of them that go to files
  ReportOptions reports;
  absl::Duration fileDeadline = kFileDeadline; ///< of one piece of the chief's own file work
  /// one call at a time, on the driver's or the heartbeat's thread; calls nothing of the driver
  std::function<void(const observe::ProgressSnapshot &)> show;
  std::function<void(const std::string &)> print; ///< a result, for standard output
  std::function<void(const std::string &)> log;
  /// a line of the log that somebody should see; empty: as any other
  std::function<void(const std::string &)> warn;
  const std::function<void(const std::string &)> &warner() const { return warn ? warn : log; }
  std::function<void(uint64_t step, const std::string &restoredFrom)>
      initialized; ///< the variables have their values; may be empty
  std::function<void(const service::Order &)>
      ordered; ///< hears of each order, under the coordinator's lock; may be empty
  std::function<bool()> endAsked; ///< ends training, in good order; may be empty
  RejoinOptions returns; ///< of workers that are lost while the others go on
  /// every step of these phases waits for a step permit of the coordinator's
  std::optional<plan::Role> stepped;
};

class MasterDriver {
public:
  MasterDriver(const plan::LoadedPlan &plan, service::TaskCoordinator &coordinator,
               DriverOptions options);

  /// The whole run. An error that is not a task's was told to all tasks before it is returned.
  absl::Status run();
  /// Every fraction of a second, on the heartbeat thread: progress, stop requests, the clock of
  /// --save_checkpoint_secs.
  void heartbeat();
  /// What a task reports of a step. Any thread.
  absl::Status reported(const service::Fetched &report) { return records_.reported(report); }
  ChiefCheckpoints::Known checkpoints() const { return checkpoints_.known(); } ///< any thread
  uint64_t globalStep() const { return step_.load(std::memory_order_relaxed); }
  /// After run().
  const observe::FinalResults &results() const { return results_; }

  /// What a command line asks of a plan that the plan cannot give; before anything starts.
  static absl::Status validate(const plan::Plan &plan, const DriverOptions &options);

private:
  /// How far the script is, as the heartbeat has to know.
  struct Stage {
    bool joined = false, initialized = false;
    uint64_t phase = 0; ///< the channels' generation of the phase that runs; 0: none
    bool trains = false;
  };
  absl::Status script();
  absl::Status setUp();
  absl::Status initialize();
  absl::Status train(uint32_t phase);
  absl::Status save(const StreamPositions &streams);
  void endEarly(const std::string &why);
  bool endAsked() const { return endAsked_ || (options_.endAsked && options_.endAsked()); }
  TrainingSteps trainingStepsOf(uint32_t phase, const StreamPositions &streams) const;
  absl::Status evaluate(uint32_t phase, bool final);
  absl::Status predict(uint32_t phase);
  absl::StatusOr<PhaseResult> runPhase(uint32_t phase, uint64_t steps,
                                       const StreamPositions *streams);
  PhaseResult addUp(const plan::Phase &phase, const std::vector<service::Done> &ended);
  absl::Status finish(bool stopped);
  absl::StatusOr<std::vector<service::Done>> giveOrder(service::Order order,
                                                       absl::Duration deadline);
  void abort(const absl::Status &why);
  absl::Status goesOn() const;
  void remark(const std::string &line) const {
    if (!line.empty())
      options_.log(line);
  }
  void showLast();
  void printTrained();
  std::vector<uint32_t> phasesToRun() const; ///< numbers of phases
  std::optional<uint32_t> finalEvaluation() const; ///< phase of the evaluation after training
  absl::Status exportModel();
  uint64_t samplesOf(uint32_t phase) const;
  uint64_t stepsOfOnePass(uint32_t phase) const; ///< over its data set; 1 without one

  const plan::Plan &plan_;
  service::TaskCoordinator &coordinator_;
  const DriverOptions options_;

  // Each of these says what the heartbeat may call.
  FileWatchdog files_;
  ChiefCheckpoints checkpoints_;
  ChiefEarlyStop earlyStop_;
  TrainingProgress progress_;
  ChiefTrace trace_;
  ChiefExport export_;
  ChiefDump dump_;
  HangWatch hangs_;
  RunRecords records_; ///< and what may call it
  ChiefRejoin returns_;

  TrainingSteps trainingSteps_; ///< how many, and where to pause
  DatasetSizes samples_;
  std::map<std::string, std::string> algorithms_; ///< of libraries, by kernel
  std::vector<service::Done> prepared_; ///< each task's answer to `prepare`
  /// of the checkpoint that the run went on from
  std::optional<checkpoint::CheckpointManifest> restored_;
  uint64_t generation_ = 0; ///< of the channels: one a phase that ran
  TrainedSums trained_;
  /// the variables are worth nothing: they are neither saved nor dumped, nor evaluated
  bool notFinite_ = false;
  /// training's last line comes behind the evaluation, whose results it shows
  bool lineDue_ = false;
  observe::FinalResults results_;

  // Shared with the heartbeat thread.
  std::atomic<uint64_t> step_{0}; ///< at the begin of the running phase, or now between phases
  std::atomic<bool> stopRequested_{false},
      endAsked_{false}; ///< set by the heartbeat; the second by another task's session
  base::Mutex mutex_; ///< a leaf
  Stage stage_ ABSL_GUARDED_BY(mutex_);
  void runs(uint64_t phase, bool trains) { // 0: none
    base::MutexLock lock(mutex_);
    stage_.phase = phase;
    stage_.trains = trains;
  }
};

} // namespace graphc::session
#endif
