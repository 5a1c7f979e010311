//===- TrainingProgress.h - how far a training is, as the line that a user sees -----*- C++ -*-===//
//
// The master's thread tells where phases begin and end and what they gave; the heartbeat brings
// what the tasks have told meanwhile. From both this makes what is shown: the step, which never
// goes back, steps a second, the mean loss of the epoch so far, metrics.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_SESSION_PROGRESS_TRAININGPROGRESS_H
#define GRAPHC_RUNTIME_SESSION_PROGRESS_TRAININGPROGRESS_H

#include "runtime/common/base/Mutex.h"
#include "runtime/observe/ProgressLine.h"
#include "runtime/service/TaskCoordinator.h"
#include "runtime/session/progress/TrainingSteps.h"
#include "runtime/session/results/ResultSums.h"

#include <functional>

namespace graphc::session {

class TrainingProgress {
public:
  using Show = std::function<void(const observe::ProgressSnapshot &)>;
  using Metrics = std::vector<std::pair<std::string, double>>;
  /// `chief`: number of the task whose steps are everybody's, except in asynchronous phases. `show`
  /// is called by one thread at a time; it is given no call by the heartbeat behind the last of a
  /// stretch of training.
  /// `logEvery`: with so many steps more a snapshot is to be logged; 0: it says nothing of that.
  TrainingProgress(uint32_t chief, Show show, uint64_t logEvery = 0)
      : chief_(chief), logEvery_(logEvery), show_(std::move(show)) {}

  // Of the master's thread.
  void begin(const TrainingSteps &trainingSteps, uint64_t step, absl::Time now);
  /// `generation`: of the channels, which tells phases apart.
  void beginPhase(uint64_t generation, uint64_t step, bool asynchronous);
  void endPhase();
  /// What the training gave until the end of that phase: the losses of its last epoch, metrics.
  void trained(uint64_t step, uint64_t epoch, const ResultSum &loss, Metrics metrics);
  void evaluated(Metrics metrics);
  /// The last line of a stretch.
  void showLast(const service::ClusterProgress &progress, absl::Time now);

  /// Of the heartbeat's, which waits for no line of the master's: nothing is shown where that phase
  /// of training does not run any more, or while the master's thread shows one.
  void showRunning(uint64_t generation, const service::ClusterProgress &progress, absl::Time now);

private:
  /// Nothing where that phase of training does not run any more.
  std::optional<observe::ProgressSnapshot>
  takeRunning(uint64_t generation, const service::ClusterProgress &progress, absl::Time now);
  void count(observe::ProgressSnapshot &snapshot, absl::Time now)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  observe::ProgressSnapshot take(const service::ClusterProgress &progress, absl::Time now)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const uint32_t chief_;
  const uint64_t logEvery_;
  const Show show_;
  /// one call of show_ at a time; it may block, and calls nothing back
  base::Mutex showing_ ABSL_ACQUIRED_BEFORE(mutex_);
  base::Mutex mutex_; ///< a leaf
  TrainingSteps trainingSteps_ ABSL_GUARDED_BY(mutex_);
  /// the channels' generation of the phase that runs; 0: none
  uint64_t running_ ABSL_GUARDED_BY(mutex_) = 0;
  bool asynchronous_ ABSL_GUARDED_BY(mutex_) = false;
  /// at the begin of the running phase, or now between phases
  uint64_t step_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t highest_ ABSL_GUARDED_BY(mutex_) = 0; ///< step that was shown
  /// Since when and where the rate is measured.
  absl::Time ratedAt_ ABSL_GUARDED_BY(mutex_);
  uint64_t ratedStep_ ABSL_GUARDED_BY(mutex_) = 0;
  double rate_ ABSL_GUARDED_BY(mutex_) = 0;
  ResultSum lossSoFar(const service::ClusterProgress &progress, uint64_t epoch) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  /// Of phases that have ended: the losses of their last epoch.
  ResultSum loss_ ABSL_GUARDED_BY(mutex_);
  uint64_t lossEpoch_ ABSL_GUARDED_BY(mutex_) = 0;
  /// Of the last snapshot that is logged.
  absl::Time loggedAt_ ABSL_GUARDED_BY(mutex_);
  uint64_t loggedStep_ ABSL_GUARDED_BY(mutex_) = 0;
  Metrics trained_ ABSL_GUARDED_BY(mutex_), evaluated_ ABSL_GUARDED_BY(mutex_);
};

} // namespace graphc::session
#endif
