//===- TaskLauncher.h - one process for every task of a plan, on this machine -------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_LAUNCH_TASKLAUNCHER_H
#define GRAPHC_RUNTIME_LAUNCH_TASKLAUNCHER_H

#include "runtime/common/plan/plan.pb.h"
#include "runtime/launch/EvaluatorLifecycle.h"
#include "runtime/launch/LaunchedChild.h"
#include "runtime/launch/OomKills.h"
#include "runtime/launch/SessionTable.h"
#include "runtime/launch/TaskReplacements.h"
#include "runtime/session/recovery/RestartPolicy.h"

#include "runtime/common/base/Socket.h"
#include "runtime/observe/ProgressLine.h"

#include "absl/time/time.h"

#include <functional>
#include <sys/types.h>

namespace graphc::launch {

struct LaunchOptions {
  /// graphrun's own, after argv[0]; --job_name and --task_index are appended
  std::vector<std::string> arguments;
  std::vector<LaunchedTask> tasks; ///< by task number
  uint32_t chief = 0;
  std::string checkpointDirectory; ///< for the advice at the end
  std::string dumpDirectory; ///< what a killed chief leaves there goes
  std::string logFile; ///< its own lines go there too
  int planFd = -1; ///< a memfd that the tasks inherit
  std::vector<std::string> wrong; ///< for the chief of a check
  /// A task that has not reached the chief so long after its start is taken to hang, because it
  /// cannot report an error.
  /// Longer than the tasks' own deadline, --join_deadline.
  absl::Duration joinLimit = absl::InfiniteDuration();
  uint32_t maxRestarts = 0; ///< RestartPolicy
  bool fromMemory = false; ///< likewise
  bool evaluator = false; ///< one beside the tasks, whose death is none of theirs
  bool check = false; ///< graphrun check: exit status 1 of a task is a result, and it has said why
};

/// Starts all, shows their logs and the progress line, ends all with the first failure and then
/// names its cause. With maxRestarts, where that may help, those that live leave the session
/// instead (LauncherMessages.h), the others are started again, and all go on from the last
/// checkpoint. Returns the exit status. No process, socket or file is left behind, however it ends.
class TaskLauncher {
public:
  explicit TaskLauncher(LaunchOptions options);
  ~TaskLauncher();
  int run();

private:
  using Child = LaunchedChild;
  absl::Status begin(); ///< the next session
  void watch(); ///< until nobody is in the session any more
  void dismiss(); ///< who waits for a next one
  void killStopped();
  absl::Status start(Child &child, const LaunchContext &common, const std::vector<int> &paths);
  void tell(Child &child, const std::string &word);
  void tellLoss();
  absl::Status startAnew(size_t number);
  void replaceLost();
  void pump(Child &child);
  void onReport(Child &child, const std::string &line);
  void reap();
  void killSilent();
  void onSignals();
  void signalOne(Child &child, int signal, bool byUs);
  bool isAwaited(const Child &child) const {
    return dismissed_ ? child.pid > 0 && !child.status : sessions_.isIn(child.number);
  }
  bool failed() const;
  /// once the session is over; none: there is no other
  std::optional<absl::Duration> restartAfter();
  bool sleeps(absl::Duration pause); ///< false: a stop was asked for meanwhile
  int finish();
  void take(absl::Duration wait);
  void watchEvaluator();
  void endEvaluator();
  std::vector<Child *> all(); ///< the tasks and the evaluator
  void say(const std::string &line); ///< to standard error and the log file

  const LaunchOptions options_;
  observe::ProgressLine progress_;
  std::vector<Child> children_;
  const LaunchedTask evaluatorTask_{"the evaluator", "evaluator", "evaluator", 0, 0};
  std::optional<Child> evaluator_; ///< it outlives restarts of the tasks
  EvaluatorLifecycle evaluatorLife_;
  base::UniqueFd signals_;
  session::RestartPolicy restarts_;
  TaskReplacements replacements_{restarts_, [this](const std::string &line) {
                                   progress_.finish();
                                   say(line);
                                 }};
  SessionTable sessions_;
  OomKills oomKills_;
  bool dismissed_ = false; ///< there is no other session
  std::vector<bool> isNamed_; ///< of those that had ended: that they are started again was said
  LaunchContext context_; ///< of all sessions
  TaskSockets sockets_; ///< without maxRestarts the tasks alone have them
  size_t ended_ = 0;
  int stopSignals_ = 0;
  bool trained_ = false; ///< a step was made
  absl::Time killAt_ = absl::InfiniteFuture();
};

} // namespace graphc::launch
#endif
