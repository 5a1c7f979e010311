//===- SessionTable.h - who of a launcher's tasks is in which session ---------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_LAUNCH_SESSIONTABLE_H
#define GRAPHC_RUNTIME_LAUNCH_SESSIONTABLE_H

#include <algorithm>
#include <cstdint>
#include <vector>

namespace graphc::launch {

/// What LauncherMessages.h says of sessions, without processes and clocks: the launcher tells what
/// happens, and asks.
class SessionTable {
public:
  explicit SessionTable(size_t tasks) : tasks_(tasks, Task::Ended) {}
  /// Of the one that goes on or was the last; the first is 1.
  uint64_t number() const { return number_; }
  /// A process is of the session, and has neither left nor ended.
  bool isIn(size_t task) const { return tasks_[task] == Task::In; }
  /// It has left, and waits for the next one.
  bool waits(size_t task) const { return tasks_[task] == Task::Left; }
  bool anyWaits() const { return std::count(tasks_.begin(), tasks_.end(), Task::Left) > 0; }
  bool isOver() const { return std::count(tasks_.begin(), tasks_.end(), Task::In) == 0; }

  /// Its process is no more, whatever it was.
  void ended(size_t task) { tasks_[task] = Task::Ended; }
  /// It was started again while the others go on.
  void again(size_t task) { tasks_[task] = Task::In; }
  /// Its process says that it has left `session`; of another one that counts for nothing.
  void left(size_t task, uint64_t session) {
    if (session == number_ && isIn(task))
      tasks_[task] = Task::Left;
  }
  /// Only where it is over: the next one, with all tasks in it. Those that have no process and have
  /// to be started.
  std::vector<size_t> begin() {
    std::vector<size_t> started;
    for (size_t task = 0; task < tasks_.size(); ++task)
      if (tasks_[task] == Task::Ended)
        started.push_back(task);
    std::fill(tasks_.begin(), tasks_.end(), Task::In);
    ++number_;
    return started;
  }

private:
  enum class Task { Ended, In, Left };
  std::vector<Task> tasks_;
  uint64_t number_ = 0;
};

} // namespace graphc::launch
#endif
