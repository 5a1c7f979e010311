//===- ChildProcess.h -------------------------------------------------------------------------===//
//
// A task in a process of its own: how it is started, what it writes, how it has ended.
//
// graphrun's launcher (TaskLauncher.h) and the session of a program (ChildTasks.h) start tasks by
// these functions alone. Processes are started by posix_spawn, which neither copies the memory of a
// large program nor runs its fork handlers.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_LAUNCH_CHILDPROCESS_H
#define GRAPHC_RUNTIME_LAUNCH_CHILDPROCESS_H

#include "runtime/common/base/File.h"
#include "runtime/common/base/Socket.h"
#include "runtime/launch/LaunchContext.h"

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace graphc::launch {

struct LaunchedTask {
  std::string name; ///< "/job:worker/task:1"
  std::string label; ///< "worker:1", before each line of its log
  std::string job;
  uint32_t index = 0;
  uint32_t firstGpu = 0; ///< LaunchContext::firstGpu
  std::string memory = {}; ///< what the plan says that it needs, for people; empty: nothing
};

/// A socket for each task of a run, by number. All are there before the first task starts, so that
/// no task waits until another one listens.
class TaskSockets {
public:
  static absl::StatusOr<TaskSockets> create(size_t tasks);
  const std::vector<std::string> &addresses() const { return addresses_; }
  int listener(size_t task) const { return sockets_.empty() ? -1 : sockets_[task].listener.get(); }
  base::UniqueFd takeListener(size_t task) { return std::move(sockets_[task].listener); }
  /// The descriptors by which the sockets are found; each task inherits all of them.
  std::vector<int> paths() const;
  /// Closes the listeners, and the paths as well where `all`.
  void close(bool all);

private:
  std::vector<base::UnnamedListener> sockets_;
  std::vector<std::string> addresses_;
};

struct ChildOptions {
  std::string program; ///< a path to graphrun, or a name that is looked up on PATH
  std::vector<std::string> arguments; ///< after argv[0]; --job_name and --task_index are appended
  int out = -1, err = -1; ///< become standard output and standard error
  bool hasInput = true; ///< false: its standard input is /dev/null
  /// the signals of stopSignals() are blocked until it takes them; false: no signal is blocked or
  /// ignored
  bool stopsWait = true;
};
/// Starts the task's process, which inherits the descriptors of `context` and `paths` by their
/// numbers. The error is errno's.
absl::StatusOr<pid_t> startChild(const LaunchedTask &task, const LaunchContext &context,
                                 const std::vector<int> &paths, const ChildOptions &options);

/// The end that is read, without waiting, and the end that is written.
absl::StatusOr<std::pair<base::UniqueFd, base::UniqueFd>> createPipe();
/// Each whole line that has come through the pipe; `rest`: of a line that has not. A line of over 1
/// MiB comes in pieces. False: nothing comes any more.
bool readLines(base::UniqueFd &fd, std::string &rest,
               const std::function<void(const std::string &)> &line);
/// "was killed by signal 9 (Killed)", of a status that says so.
std::string describeSignal(int status);

} // namespace graphc::launch
#endif
