//===- Coordinator.h - the master's table of tasks and its barriers ---------------------------------------*- C++ -*-===//
//
// Lives on the chief. Knows nothing of gRPC: a member is anything that takes ToTask messages (a control stream, or the chief's
// own task in the same process). One thread, the master's, gives orders and waits; members' messages come on any thread.
//
//===----------------------------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_SERVICE_COORDINATOR_H
#define GRAPHC_RUNTIME_SERVICE_COORDINATOR_H

#include "runtime/base/Mutex.h"
#include "runtime/service/ClockOffsets.h"
#include "runtime/service/service.pb.h"

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace graphc::service {

/// What the tasks of a run may say, for whom knows the plan (session/Answers.h). Called under the coordinator's lock.
class AnswerRules {
public:
  virtual ~AnswerRules() = default;
  /// This is under way from now on.
  virtual void ordered(const Order &order) = 0;
  virtual absl::Status check(uint32_t task, const Done &done) = 0; ///< its first answer to that, which is no error
  virtual absl::Status check(uint32_t task, const Fetched &value) = 0;
  virtual absl::Status check(uint32_t task, const Traced &trace) = 0;
};

/// Who failed first and why: what the user reads at the end.
struct RootCause {
  std::string task; ///< "/job:worker/task:1"
  std::string host;
  int64_t pid = 0;
  absl::Status status;
  bool lost = false; ///< it did not fail by itself: its process or the way to it is gone
  /// "/job:worker/task:1: what went wrong".
  std::string describe() const;
};

/// The process that says something. A task may have had others before, whose streams still stand.
struct Speaker {
  uint32_t task = 0;
  uint64_t incarnation = 0;
};

/// The cluster's progress, for the line that the user sees.
struct ClusterProgress {
  std::vector<Progress> tasks; ///< by task number; the last one heard
  bool stopRequested = false; ///< by any task
};

/// What the chief knows of a task at a moment.
struct Heard {
  Hello hello; ///< empty: it is not there
  Progress progress; ///< when it was heard last
  absl::Duration silent = absl::InfiniteDuration(); ///< since then
  bool straggler = false; ///< the others go on without it
};

class Coordinator {
public:
  struct Options {
    std::string fingerprint;
    std::string version; ///< of graphrun
    uint64_t session = 0; ///< Hello::session of all
    std::vector<std::string> taskNames; ///< by number
    absl::Duration lostAfter = absl::Seconds(5); ///< silence that counts as death
    absl::Duration stragglerDeadline = absl::Seconds(300); ///< the same for those whom the others do not wait for
    absl::Duration joinDeadline = absl::Minutes(10);
    absl::Duration announceEvery = absl::Seconds(5); ///< "waiting for …"
    std::function<void(const std::string &)> announce; ///< a line for the chief's log
    std::function<std::string(uint32_t task, const Heard &)>
        silence; ///< what there is to say of a task that is silent for too long, behind its name; any thread, no lock; may be empty
    std::function<absl::Status(const Fetched &)>
        fetched; ///< any thread, no lock; an error ends the run in the sender's name
  };
  explicit Coordinator(Options options);
  /// Before anybody joins.
  void use(std::shared_ptr<AnswerRules> rules);

  /// A task says hello. An error refuses it, with a message for its user.
  absl::Status join(const Hello &hello, std::shared_ptr<Member> member);
  // What tasks say. False: that process is not the task any more, another one is or it was given up, and what it says counts for nothing.
  bool progress(const Speaker &from, const Progress &progress);
  /// An answer to the order under way, one a task; any other ends the run in the task's name.
  bool done(const Speaker &from, Done done);
  bool failed(const Speaker &from, const Error &error);
  bool fetched(const Speaker &from, const Fetched &value);
  /// Kept until takeTraces().
  bool traced(const Speaker &from, Traced trace);
  bool clockRead(const Speaker &from, const ClockReading &reading);
  /// For a process of which that was false: who is the task now.
  absl::Status displaced(const Speaker &from) const;
  /// By task number: who may be silent for long (stopped, swapped out, on a machine that is busy), since the running phase goes on
  /// without it. That is announced, and when it answers again. Its broken stream is a failure as ever. Empty: nobody.
  void allowStragglers(std::vector<bool> tasks);
  /// Asks every task to end the phase that began with `epoch` at the next step boundary; where that has ended, nothing happens.
  void requestStop(uint64_t epoch);
  /// To every task, in the order of these calls: how many steps may be made (a run whose steps the chief's session takes).
  void permit(const ToTask::Permit &permit);
  /// The task's stream ended. An error unless the task said it was leaving or the run has ended.
  void disconnected(uint32_t task, uint64_t incarnation, const std::string &how);
  /// Called every fraction of a second by the heartbeat: sends heartbeats, finds silent tasks. Where it was not called for long, this
  /// process itself was stopped (Ctrl-Z, a sleeping machine) and heard nobody; the others' silence counts from now.
  void heartbeat(absl::Time now, uint64_t globalStep);

  /// Waits until every task of the plan is there.
  absl::Status waitForAll();
  /// Gives `order` to every task and waits for all answers, in order of task. `deadline` InfiniteFuture: as long as the
  /// tasks live. The error is the root cause.
  absl::StatusOr<std::vector<Done>> giveOrder(Order order, absl::Time deadline);
  std::vector<Peer> peers() const;
  ClusterProgress clusterProgress() const;
  std::vector<Heard> heard(absl::Time now) const; ///< by task number
  /// By task, each in its order.
  std::vector<std::pair<uint32_t, Traced>> takeTraces() {
    base::MutexLock lock(mutex_);
    return std::exchange(traces_, {});
  }
  /// Asks every task for its clock, by number, some times each; on the master's thread, while no order is under way.
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
  struct Slot {
    std::shared_ptr<Member> member;
    Hello hello;
    Progress progress;
    absl::Time heard = absl::InfinitePast();
    std::optional<Done> done;
    bool asked = false; ///< has an order that it has not answered
    bool leaving = false;
    bool taking = false; ///< a result of it is being printed
    absl::Time silentSince = absl::InfiniteFuture(); ///< of a straggler that was announced
  };
  /// A report that the connection with another task broke, for whose cause there may be better words.
  struct Suspicion {
    RootCause cause;
    std::string reporter;
    std::optional<uint32_t> suspect; ///< number
    absl::Time since;
  };
  bool isCurrent(const Speaker &from) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  Heard heardOf(uint32_t task, absl::Time now) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  std::optional<RootCause> ripe(absl::Time now) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  std::string waitedFor(absl::Duration waited) const;
  std::vector<std::string> missing() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    std::vector<std::string> names;
    for (size_t task = 0; task < slots_.size(); ++task)
      if (!slots_[task].member)
        names.push_back(options_.taskNames[task]);
    return names;
  }
  std::vector<std::shared_ptr<Member>> everyone() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    std::vector<std::shared_ptr<Member>> members;
    for (const Slot &slot : slots_)
      if (slot.member)
        members.push_back(slot.member);
    return members;
  }
  std::optional<std::string> watchStraggler(Slot &slot, absl::Time now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void tell(const ToTask &message); ///< everyone who is there
  void lose(uint32_t task, const std::string &how);
  void refuse(uint32_t task, const absl::Status &why);
  absl::Status failure() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return {cause_->status.code(), cause_->describe()};
  }

  const Options options_;
  mutable base::Mutex mutex_;
  base::CondVar changed_;
  std::vector<Slot> slots_ ABSL_GUARDED_BY(mutex_);
  uint64_t order_ ABSL_GUARDED_BY(mutex_) = 0; ///< id of the last order
  std::shared_ptr<AnswerRules> rules_ ABSL_GUARDED_BY(mutex_); ///< may be null
  bool started_ ABSL_GUARDED_BY(mutex_) = false; ///< everyone was there once
  bool ending_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<bool> stragglers_ ABSL_GUARDED_BY(mutex_);
  std::optional<RootCause> cause_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::pair<uint32_t, Traced>> traces_ ABSL_GUARDED_BY(mutex_);
  ClockOffsets clocks_;
  /// A task that only noticed another's death: kept for a moment, in case the other's own words arrive.
  std::optional<Suspicion> suspicion_ ABSL_GUARDED_BY(mutex_);
  absl::Time lastHeartbeat_ ABSL_GUARDED_BY(mutex_) = absl::InfinitePast();
  absl::Time lastChecked_ ABSL_GUARDED_BY(mutex_) = absl::InfinitePast();
};

} // namespace graphc::service
#endif
