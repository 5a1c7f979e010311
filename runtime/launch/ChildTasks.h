//===- ChildTasks.h - the other tasks of a program's run, as processes that it has started ----===//
//
// As graphrun's launcher does: each gets its part of the plan, its socket and a secret of this run
// by an inherited file, and what it writes is handed on as lines of a log. A process here that
// nobody else has started is ended and waited for by its number, and nobody else's is: the
// program's own children, and its handler of SIGCHLD, are left alone.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_LAUNCH_CHILDTASKS_H
#define GRAPHC_RUNTIME_LAUNCH_CHILDTASKS_H

#include "runtime/common/base/Mutex.h"
#include "runtime/common/plan/PlanFile.h"
#include "runtime/launch/ChildProcess.h"

#include "absl/status/statusor.h"
#include "absl/time/time.h"

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace graphc::launch {

class ChildTasks {
public:
  struct Options {
    std::string graphrun;
    std::vector<std::string> arguments; ///< of every one, but for its name
    uint32_t own = 0; ///< the task that this program is
    std::function<void(const std::string &)> log;
    /// One has ended by itself while it should not have: its number, its process, how. On a thread
    /// of this. `lost`: by a signal. False: nobody can hear it yet, and it is said again.
    std::function<bool(uint32_t task, int64_t pid, const std::string &how, bool lost)> died;
  };
  static absl::StatusOr<std::unique_ptr<ChildTasks>> start(const plan::LoadedPlan &plan,
                                                           Options options);
  /// Ends those that are left.
  ~ChildTasks();

  /// by task number
  const std::vector<std::string> &addresses() const { return sockets_.addresses(); }
  const std::string &secret() const { return secret_; }
  const std::string &run() const { return run_; }
  base::UniqueFd takeListener() { return std::move(listener_); } ///< this program's own
  /// Waits for all for so long; who is left then is killed.
  void finish(absl::Duration grace);
  /// "was killed by signal 9 (Killed)", once that is known, which takes `limit` at most; else "".
  std::string deathOf(const std::string &task, absl::Duration limit);

private:
  struct Child {
    uint32_t number = 0; ///< of its task
    LaunchedTask task;
    pid_t pid = -1;
    base::UniqueFd output;
    std::string rest, lastLine;
    std::string ended; ///< how; empty: it lives
    bool killed = false; ///< by a signal
    absl::Time endedAt = absl::InfiniteFuture();
    bool told = false;
  };
  explicit ChildTasks(Options options) : options_(std::move(options)) {}
  absl::Status launch(const plan::LoadedPlan &plan);
  absl::Status start(Child &child, const LaunchContext &context);
  void watch();
  void reap();
  void tell();
  void told(uint32_t task);
  bool allEnded();

  const Options options_;
  std::string run_, secret_;
  TaskSockets sockets_;
  base::UniqueFd listener_;
  base::Mutex mutex_; ///< a leaf
  std::vector<Child> children_ ABSL_GUARDED_BY(mutex_);
  std::atomic<bool> ending_{false}, over_{false};
  std::thread watcher_;
};

} // namespace graphc::launch
#endif
