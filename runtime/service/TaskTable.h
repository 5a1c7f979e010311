//===- TaskTable.h - what the chief knows of each task ------------------------------*- C++ -*-===//
//
// A row a task of the plan: who is it now, what it has said, what it was asked. The coordinator's,
// under whose lock it is.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_SERVICE_TASKTABLE_H
#define GRAPHC_RUNTIME_SERVICE_TASKTABLE_H

#include "runtime/service/ClockOffsets.h"
#include "runtime/service/service.pb.h"

#include "absl/status/status.h"
#include "absl/time/time.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace graphc::service {

/// For whom the run waits to begin, how long it has and at most will: what every task that waits
/// says. Another process's text is cleaned.
std::string waitingText(const ToTask::Waiting &waiting);
/// The message of that; `left`: negative counts as none.
ToTask::Waiting waitingFor(const std::vector<std::string> &tasks, absl::Duration waited,
                           absl::Duration left);

/// Puts into the order for this task what is for it alone.
using AddOwn = std::function<void(uint32_t task, Order *order)>;

/// The process that says something. A task may have had others before, whose streams still stand.
struct TaskIncarnation {
  uint32_t task = 0;
  uint64_t incarnation = 0;
};

/// The cluster's progress, for the line that the user sees.
struct ClusterProgress {
  std::vector<Progress> tasks; ///< by task number; the last one heard
  bool stopRequested = false; ///< by any task
};

/// What the chief knows of a task at a moment.
struct TaskSnapshot {
  Hello hello; ///< empty: it is not there
  Progress progress; ///< when it was heard last
  absl::Duration silent = absl::InfiniteDuration(); ///< since then
  bool straggler = false; ///< the others go on without it
  bool away = false; ///< it was lost, and is started again while the others go on
  /// since it came back from there; infinite: it never was
  absl::Duration back = absl::InfiniteDuration();
};

struct TaskRow {
  std::shared_ptr<TaskLink> member;
  Hello hello;
  Progress progress;
  absl::Time heard = absl::InfinitePast();
  std::optional<Done> done;
  bool asked = false; ///< has an order that it has not answered
  uint64_t askedAs = 0; ///< that order's id
  std::optional<Order> own; ///< one of its own, which it has not answered
  std::optional<Done> ownDone;
  absl::Time backSince = absl::InfinitePast();
  /// it was lost, and what it was asked for is owed until another process of it is back
  bool away = false;
  bool leaving = false;
  bool taking = false; ///< a result of it is being printed
  bool straggler = false; ///< may be silent for long, since the others go on without it
  absl::Time silentSince = absl::InfiniteFuture(); ///< of a straggler that was announced

  /// That process is the task from now on, unless another one is.
  absl::Status join(const Hello &who, std::shared_ptr<TaskLink> by);
  /// It is given the order of that id, as all are.
  void ask(uint64_t order) {
    done.reset();
    asked = true;
    askedAs = order;
  }
  /// A phase begins: what was heard is of an earlier one.
  void beginPhase();
  /// Its process is no more, and another may come for it while the others go on.
  void leave();
  /// Of a straggler: what there is to say now of its silence or that it answers again.
  std::optional<std::string> watch(absl::Time now, absl::Duration lostAfter,
                                   absl::Duration deadline);
  /// What it has said at `now`.
  TaskSnapshot heardAt(absl::Time now) const;
};

class TaskTable {
public:
  explicit TaskTable(size_t tasks) : rows_(tasks) {}
  TaskRow &operator[](size_t task) { return rows_[task]; }
  const TaskRow &operator[](size_t task) const { return rows_[task]; }
  size_t size() const { return rows_.size(); }
  auto begin() { return rows_.begin(); }
  auto end() { return rows_.end(); }
  auto begin() const { return rows_.begin(); }
  auto end() const { return rows_.end(); }

  bool isCurrent(const TaskIncarnation &from) const;
  bool isThere(const std::string &name, uint64_t incarnation) const;
  std::vector<uint32_t> away() const;
  /// By `names`, those that are not there.
  std::vector<std::string> missing(const std::vector<std::string> &names) const;
  std::vector<std::shared_ptr<TaskLink>> everyone() const;
  std::vector<Peer> peers() const;
  ClusterProgress progress() const;
  std::vector<TaskSnapshot> heard(absl::Time now) const;
  /// Who has not answered the order of all, by name; and the answers, once nobody has not.
  std::vector<std::string> late() const;
  std::vector<Done> takeAnswers();

  /// What a task is to be told.
  using Letter = std::pair<std::shared_ptr<TaskLink>, ToTask>;
  /// Orders of tasks' own, of those that are there, numbered from `last` on; whether one of them
  /// still owes its answer; those that came.
  std::vector<Letter> giveOwn(std::map<uint32_t, Order> &orders,
                              const std::optional<TaskIncarnation> &comer, uint64_t &last);
  bool owes(const std::map<uint32_t, Order> &orders) const;
  std::map<uint32_t, Done> takeOwn(const std::map<uint32_t, Order> &orders);

  struct Silent {
    uint32_t task;
    absl::Duration allowed; ///< for which it has been silent, and longer
  };
  /// Who is silent for too long; `lines`: what there is to say of stragglers.
  std::optional<Silent> watch(absl::Time now, absl::Duration lostAfter,
                              absl::Duration stragglerDeadline, std::vector<std::string> &lines);

private:
  std::vector<TaskRow> rows_;
};

} // namespace graphc::service
#endif
