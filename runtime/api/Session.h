//===- Session.h - a plan, run step by step, with hooks -----------------------------*- C++ -*-===//
//
//   graphc::Session session(plan, options, {std::make_shared<MyHook>()});
//   while (!session.shouldStop())
//     session.run();
//   absl::StatusOr<graphc::RunResult> result = session.close();
//
// As tf.train.MonitoredTrainingSession: it initialises or restores, steps, calls hooks around each
// step, saves and evaluates where the options say so, and ends in good order. graphc::run (Run.h)
// makes the same steps, with the same bits, and waits for nobody between them.
//
// Errors are kept: the first one makes shouldStop() true, and close() returns it. The loss of
// another task is none as long as RunOptions::maxRestarts lets the run begin again.
//
// Of a plan of several tasks this is one (RunOptions::cluster). Where all replicas make their steps
// together, the chief's session takes the steps of all tasks: no task begins a step before the
// chief's run() does, results are those of all replicas, reduced, and the run ends behind the step
// in which the chief's session was asked to. A session of another task takes the steps of that one,
// sees its values, and where it is asked to end, all tasks end behind the next step that they make
// together. Where replicas share no step (asynchronous, backup workers), each session takes its own
// task's, counts those, and sees its values; a step for which an update ticket was taken before the
// end was asked for is made without hooks.
//
// The caller's thread steps and runs the hooks; the lanes, the master's script and the heartbeat
// have threads of the session's own. What run() costs beside the step is that two threads wake each
// other. How long the caller takes between two steps is its own affair.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_API_SESSION_H
#define GRAPHC_RUNTIME_API_SESSION_H

#include "runtime/api/Hook.h"
#include "runtime/api/HookRunner.h"
#include "runtime/api/Run.h"
#include "runtime/api/RunRestarts.h"
#include "runtime/common/base/Mutex.h"
#include "runtime/session/task/StepwiseRun.h"

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <thread>
#include <vector>

namespace graphc::session {

class TaskRun;

class Session {
public:
  using Hooks = std::vector<std::shared_ptr<Hook>>;

  /// Begins: when it returns the first step can be made, or there is none to make. With the entry
  /// eval or predict the steps are those of that function.
  explicit Session(plan::LoadedPlan plan, RunOptions options = {}, Hooks hooks = {});
  explicit Session(const plan::Plan &plan, RunOptions options = {}, Hooks hooks = {});
  /// Closes. While an exception passes through, as a hook may throw, it ends as an error does.
  ~Session();
  Session(const Session &) = delete;
  Session &operator=(const Session &) = delete;

  /// Whether the loop should end: all steps are made, somebody asked for the end, or something
  /// failed. Any thread.
  bool shouldStop() const {
    return stop_.load(std::memory_order_relaxed) || over_.load(std::memory_order_relaxed);
  }
  /// No further step: the loop ends, and then the run does, in good order, as if its steps were
  /// done. Any thread.
  void requestStop() { stop_.store(true, std::memory_order_relaxed); }
  /// One step, with all hooks: beforeRun, the step, afterRun. With it comes what follows it: a
  /// checkpoint, an evaluation. Nothing where shouldStop(). Where another task is lost meanwhile,
  /// and RunOptions::maxRestarts permits, the run begins again with its last checkpoint,
  /// afterCreateSession is called, and the step is the next one from there: globalStep() may be
  /// less than before. Not once the end is asked for.
  void run();
  /// Steps made since the model's first; of an evaluation, a prediction, and where replicas share
  /// no step: since this session's.
  uint64_t globalStep() const { return step_.load(std::memory_order_relaxed); }
  /// OK, or what went wrong. Cancelled: RunOptions::stop, or another task that got a signal, asked
  /// for the end.
  const absl::Status &status() const { return status_; }
  /// What graphrun's would be: 0; 138 where another task was lost and the run may be started again;
  /// else 1.
  int exitStatus() const;
  /// The hooks' end, then the run's: where steps are left, the checkpoint and the evaluation.
  /// Again: the same answer.
  absl::StatusOr<RunResult> close();

private:
  /// One run of the plan, on a thread of its own. Where it has lost a task there may be another.
  class Attempt {
  public:
    ~Attempt(); ///< whatever ends this
    void start();
    /// After the gate was closed, ended or aborted. Once.
    absl::StatusOr<RunResult> join();

    StepwiseRun stepping;
    std::unique_ptr<TaskRun> run;

  private:
    absl::StatusOr<RunResult> result_;
    std::thread thread_;
  };

  Session(absl::StatusOr<plan::LoadedPlan> plan, RunOptions options, Hooks hooks);
  absl::Status start();
  absl::Status beginRun();
  absl::Status makeAttempt();
  absl::Status step();
  absl::Status want(const RunArgs &args);
  void fail(const absl::Status &why);
  /// Waits until the lanes stand before a step, or the run is over.
  void settle();
  void takeResult();
  std::map<std::string, FetchedTensor> takeFetched();
  size_t expected() const; ///< results of the step that runs
  void endRun();

  RunOptions options_;
  const HookRunner hooks_;
  RunRestarts restarts_;
  const int exceptions_; ///< that were under way when this was made
  absl::StatusOr<plan::LoadedPlan> loaded_;
  std::map<std::string, size_t> results_; ///< what can be fetched, and how many programs make it
  std::set<std::string> wanted_; ///< of the step that runs; written while no lane runs
  /// the end was asked for; no step can be made any more
  std::atomic<bool> stop_{false}, over_{false};
  std::atomic<bool> endAsked_{false}; ///< of the run
  std::atomic<uint64_t> step_{0};
  bool failed_ = false, ended_ = false; ///< the hooks' end was called
  bool again_ = false; ///< the run has lost a task, and begins again
  std::atomic<bool> isAgain_{false}; ///< it did, and waits for the others: requestStop() ends that
  absl::Status status_;
  std::optional<absl::StatusOr<RunResult>> result_; ///< of the run, once it is over
  base::Mutex mutex_; ///< a leaf
  std::optional<SessionStart> started_ ABSL_GUARDED_BY(mutex_);
  std::map<std::string, FetchedTensor> fetched_ ABSL_GUARDED_BY(mutex_); ///< of the step that runs
  size_t came_ ABSL_GUARDED_BY(mutex_) = 0; ///< so many
  base::CondVar fetchedMore_;
  std::vector<FetchedTensor> kept_; ///< for the result
  std::unique_ptr<Attempt> attempt_; ///< the last, so that it goes first
};

} // namespace graphc::session

namespace graphc {
using session::Session;
} // namespace graphc
#endif
