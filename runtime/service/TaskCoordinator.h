//===- TaskCoordinator.h - the master's table of tasks and its barriers -------------*- C++ -*-===//
//
// Lives on the chief. Knows nothing of gRPC: a member is anything that takes ToTask messages (a
// control stream, or the chief's own task in the same process). One thread, the master's, gives
// orders and waits; members' messages come on any thread.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_SERVICE_TASKCOORDINATOR_H
#define GRAPHC_RUNTIME_SERVICE_TASKCOORDINATOR_H

#include "runtime/common/base/Mutex.h"
#include "runtime/service/ClockOffsets.h"
#include "runtime/service/RootCause.h"
#include "runtime/service/TaskTable.h"
#include "runtime/service/service.pb.h"

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace graphc::service {

/// What the tasks of a run may say, for whom knows the plan (session/master/AnswerValidator.h).
/// Called under the coordinator's lock.
class AnswerRules {
public:
  virtual ~AnswerRules() = default;
  /// This is under way from now on.
  virtual void ordered(const Order &order) = 0;
  /// its first answer to that, which is no error
  virtual absl::Status check(uint32_t task, const Done &done) = 0;
  /// of any phase: it may come late
  virtual absl::Status check(uint32_t task, const Progress &progress) = 0;
  virtual absl::Status checkOwn(uint32_t task, const Order &order,
                                const Done &done) = 0; ///< to an order of its own meanwhile
  /// another process goes on for it: some steps are made again
  virtual void rejoins(uint32_t task) = 0;
  /// the process before has sent it already
  virtual bool isRepeated(uint32_t task, const Fetched &value) const = 0;
  virtual absl::Status check(uint32_t task, const Fetched &value) = 0;
  virtual absl::Status check(uint32_t task, const Traced &trace) = 0;
};

class TaskCoordinator {
public:
  struct Options {
    std::string fingerprint;
    std::string version; ///< of graphrun
    uint64_t session = 0; ///< Hello::session of all
    std::vector<std::string> taskNames; ///< by number
    absl::Duration lostAfter = absl::Seconds(5); ///< silence that counts as death
    /// the same for those whom the others do not wait for
    absl::Duration stragglerDeadline = absl::Seconds(300);
    absl::Duration joinDeadline = absl::Minutes(10);
    absl::Duration announceEvery = absl::Seconds(5); ///< "waiting for …"
    std::function<void(const std::string &)> announce; ///< a line for the chief's log
    /// what there is to say of a task that is silent for too long, behind its name; any thread, no
    /// lock; may be empty
    std::function<std::string(uint32_t task, const TaskSnapshot &)> silence;
    std::function<absl::Status(const Fetched &)>
        fetched; ///< any thread, no lock; an error ends the run in the sender's name
  };
  /// Of a running phase, by task: why the others cannot go on while that one is started again.
  /// Empty: they can.
  struct Rejoining {
    std::vector<std::string> why; ///< empty: nobody is asked for
    /// that process of it was lost, and somebody is to start it again; any thread, no lock
    std::function<void(uint32_t task, int64_t process, const std::string &how)> away;
  };
  explicit TaskCoordinator(Options options);
  /// Before anybody joins.
  void use(std::shared_ptr<AnswerRules> rules);

  /// A task says hello. An error refuses it, with a message for its user.
  absl::Status join(const Hello &hello, std::shared_ptr<TaskLink> member);
  // What tasks say. False: that process is not the task any more, another one is or it was given
  // up, and what it says counts for nothing.
  bool progress(const TaskIncarnation &from, const Progress &progress);
  /// An answer to the order under way, one a task; any other ends the run in the task's name.
  bool done(const TaskIncarnation &from, Done done);
  bool failed(const TaskIncarnation &from, const Error &error);
  bool fetched(const TaskIncarnation &from, const Fetched &value);
  /// Kept until takeTraces().
  bool traced(const TaskIncarnation &from, Traced trace);
  bool clockRead(const TaskIncarnation &from, const ClockReading &reading);
  /// For a process of which that was false: who is the task now.
  absl::Status displaced(const TaskIncarnation &from) const;
  /// By task number: who may be silent for long (stopped, swapped out, on a machine that is busy),
  /// since the running phase goes on without it. That is announced, and when it answers again. Its
  /// broken stream is a failure as ever. Empty: nobody.
  void allowStragglers(std::vector<bool> tasks);
  /// Until the next call.
  void letRejoin(Rejoining rejoining);
  // For those who are lost then, on the master's thread, while an order is under way for all.
  std::vector<uint32_t> away() const; ///< by number: until back()
  bool hasJoined(uint32_t task) const; ///< it is there (again)
  /// Waits for that.
  absl::Status awaitJoin(uint32_t task, absl::Time deadline);
  /// Gives each of these an order of its own. The answers of those that were not lost meanwhile.
  /// `comer`: of its task no other process gets one.
  absl::StatusOr<std::map<uint32_t, Done>>
  giveOrders(std::map<uint32_t, Order> orders, absl::Time deadline,
             std::optional<TaskIncarnation> comer = std::nullopt);
  /// The order under way for all is now given to this one: so it is one of all. False: it was lost
  /// again.
  bool back(const TaskIncarnation &comer, Order order);
  /// Asks every task to end the phase that began with `generation` at the next step boundary; where
  /// that has ended, nothing happens.
  void requestStop(uint64_t generation);
  /// To every task, in the order of these calls: how many steps may be made (a run whose steps the
  /// chief's session takes).
  void permit(const ToTask::StepPermit &permit);
  /// The task's stream ended. An error unless the task said it was leaving or the run has ended.
  void disconnected(uint32_t task, uint64_t incarnation, const std::string &how);
  /// Called every fraction of a second by the heartbeat: sends heartbeats, finds silent tasks.
  /// Where it was not called for long, this process itself was stopped (Ctrl-Z, a sleeping machine)
  /// and heard nobody; the others' silence counts from now.
  void heartbeat(absl::Time now, uint64_t globalStep);

  /// Waits until every task of the plan is there.
  absl::Status waitForAll();
  /// Gives `order` to every task and waits for all answers, in order of task. `deadline`
  /// InfiniteFuture: as long as the tasks live. The error is the root cause.
  /// `meanwhile`: is called, on this thread and under no lock, whenever a task is away. `own`: puts
  /// into a task's order what the others' have not.
  absl::StatusOr<std::vector<Done>> giveOrder(
      Order order, absl::Time deadline, const std::function<absl::Status()> &meanwhile = {},
      const AddOwn &own = [](uint32_t, Order *) {});
  std::vector<Peer> peers() const {
    base::MutexLock lock(mutex_);
    return slots_.peers();
  }
  ClusterProgress clusterProgress() const;
  std::vector<TaskSnapshot> heard(absl::Time now) const; ///< by task number
  /// By task, each in its order.
  std::vector<std::pair<uint32_t, Traced>> takeTraces() {
    base::MutexLock lock(mutex_);
    return std::exchange(traces_, {});
  }
  /// Asks every task for its clock, by number, some times each; on the master's thread, while no
  /// order is under way.
  std::vector<std::optional<ClockOffset>> clockOffsets();

  /// Ends the run: tells everyone once. First cause wins.
  void abort(RootCause cause);
  std::optional<RootCause> rootCause() const {
    base::MutexLock lock(mutex_);
    return cause_;
  }
  /// Everyone has answered End: from here on a task that goes is no error; lets them go.
  void release();

private:
  void tell(const ToTask &message); ///< everyone who is there
  void lose(const TaskIncarnation &who, const std::string &how);
  void refuse(uint32_t task, const absl::Status &why);
  absl::Status failure() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return {cause_->status.code(), cause_->describe()};
  }

  const Options options_;
  mutable base::Mutex mutex_;
  base::CondVar changed_;
  TaskTable slots_ ABSL_GUARDED_BY(mutex_);
  uint64_t order_ ABSL_GUARDED_BY(mutex_) = 0; ///< id of the last order
  std::shared_ptr<AnswerRules> rules_ ABSL_GUARDED_BY(mutex_); ///< may be null
  bool started_ ABSL_GUARDED_BY(mutex_) = false; ///< everyone was there once
  bool ending_ ABSL_GUARDED_BY(mutex_) = false;
  Rejoining rejoining_ ABSL_GUARDED_BY(mutex_);
  std::optional<RootCause> cause_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::pair<uint32_t, Traced>> traces_ ABSL_GUARDED_BY(mutex_);
  ClockOffsets clocks_;
  /// A task that only noticed another's death: kept for a moment, in case the other's own words
  /// arrive.
  std::optional<SuspectedCause> suspicion_ ABSL_GUARDED_BY(mutex_);
  absl::Time lastHeartbeat_ ABSL_GUARDED_BY(mutex_) = absl::InfinitePast();
  absl::Time lastChecked_ ABSL_GUARDED_BY(mutex_) = absl::InfinitePast();
};

} // namespace graphc::service
#endif
