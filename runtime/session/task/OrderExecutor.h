//===- OrderExecutor.h - one task's life: what it does for each of the master's orders --------===//
//
// load → join → prepare → connect → initialise or restore → (begin, run)* with saves between → end.
// The master decides what comes next (MasterDriver.h); this class knows how. One thread calls
// run(); the heartbeat thread asks for progress; anything may fail().
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_SESSION_TASK_ORDEREXECUTOR_H
#define GRAPHC_RUNTIME_SESSION_TASK_ORDEREXECUTOR_H

#include "runtime/common/base/Mutex.h"
#include "runtime/common/plan/PlanFile.h"
#include "runtime/data/PhaseBatches.h"
#include "runtime/executor/LaneRunner.h"
#include "runtime/executor/PhaseSetup.h"
#include "runtime/service/ControlLink.h"
#include "runtime/session/hangs/FlightRecorder.h"
#include "runtime/session/hangs/LaneWatch.h"
#include "runtime/session/peers/LocalProcesses.h"
#include "runtime/session/peers/TaskTransports.h"
#include "runtime/session/recovery/MemoryRecovery.h"
#include "runtime/session/recovery/TaskRejoin.h"
#include "runtime/session/task/OrderValidator.h"
#include "runtime/session/task/PhaseCallbacks.h"
#include "runtime/session/task/StepArbiter.h"
#include "runtime/session/task/TaskCheckpoint.h"
#include "runtime/session/task/TaskStatistics.h"
#include "runtime/session/task/TaskTraces.h"

namespace graphc::session {

struct TaskOptions {
  uint32_t task = 0; ///< own number
  TransportOptions transport; ///< task, data, incarnation, … as for TaskTransports
  data::DatasetSearchPath data;
  std::shared_ptr<data::DatasetCache> datasets; ///< outlives sessions of one task; null: its own
  std::map<std::string, std::string> feeds; ///< name → bytes
  uint32_t intraOpThreads = 1; ///< of one library kernel; no bit depends on it
  absl::Duration deadline = absl::Seconds(300); ///< of a lane's wait, where the chief says no other
  absl::Duration reportAfter = executor::kReportAfter;
  std::function<void(const std::string &)> log; ///< a line for this task's log
  std::function<void(const std::string &)> warn;
  /// outlives sessions of one task; null: none goes on from memory
  std::shared_ptr<KeptState> kept;
  FlightRecorder *recorder = nullptr; ///< null: nothing is recorded; else outlives the session
  /// the session of this process, which takes steps of phases of one role; null: there is none
  StepwiseRun *stepping = nullptr;
};

/// Why a task ends before its time.
struct TaskFailure {
  absl::Status status;
  bool secondary = false; ///< another task failed first; `status` names it where known
  std::string suspect;
  /// that other task did not fail by itself: its process or the way to it is gone
  bool lost = false;
};

class OrderExecutor {
public:
  OrderExecutor(const plan::LoadedPlan &plan, TaskOptions options, service::ControlLink &link);
  ~OrderExecutor();

  /// Obeys orders until the end. Never throws, never hangs: every wait ends with an order, a
  /// failure or a deadline.
  std::optional<TaskFailure> run();
  /// SIGTERM: ends the running phase at the next step boundary. Any thread; also a signal's.
  void requestStop() { stop_.store(true, std::memory_order_relaxed); }
  /// A session here wants no step more: the chief ends training behind its next one, in good order.
  /// Any thread.
  void askForEnd() { endAsked_.store(true, std::memory_order_relaxed); }
  /// After run(): whether the run was stopped before its end, as somebody asked.
  bool wasStopped() const { return wasStopped_; }
  /// After run(): nothing outside of it touches what it holds. Else it may be freed only by the end
  /// of the process.
  bool isTakenApart() const { return !leftBehind_; }
  /// For the heartbeat, now and then.
  service::Progress progress() const;
  /// For the heartbeat: the failure, where there was one by then.
  std::optional<TaskFailure> failedBefore(absl::Time time) const;
  /// "; its process 123 is stopped (…)", where the task is on this host and so; else nothing. Any
  /// thread.
  std::string stateOf(const std::string &task) const;
  /// First one wins: aborts the transports, which wakes the lanes. Any thread.
  void fail(TaskFailure failure);

private:
  using Order = service::Order;
  using Done = service::Done;
  absl::Status obey(const Order &order, Done *done);
  absl::Status prepare(const Order::Prepare &order, Done *done);
  absl::Status connect(const Order::Connect &order, Done *done);
  absl::Status begin(const Order::Begin &order);
  absl::Status runPhase(Done *done);
  void noteWhole();
  void keep();
  void obeyBeside(const service::ToTask &message);
  absl::Status relink(const service::Peer &peer, Done *done);
  bool spares(uint32_t peer, uint64_t incarnation, const absl::Status &why);
  void gone(const service::Gone &process);
  void end(Done *done);
  void endPhase();
  void note(const std::string &event) {
    if (options_.recorder)
      options_.recorder->note(event);
  }

  const plan::LoadedPlan &loaded_;
  const plan::Plan &plan_;
  const TaskOptions options_;
  const plan::Task task_;
  const std::string name_;
  service::ControlLink &link_;
  OrderValidator orders_; ///< which may come next

  const std::shared_ptr<data::DatasetCache> datasets_;
  std::vector<service::Peer> peers_;
  absl::Duration waitLimit_; ///< of a lane
  bool nanStops_ = false; ///< its --nan stop
  std::unique_ptr<executor::LoadedKernels> library_;
  std::unique_ptr<executor::VariableStore> variables_;
  std::optional<TaskCheckpoint> files_; ///< of these variables
  WholeState state_; ///< which they are
  std::unique_ptr<TaskTransports> transports_;
  /// of a phase whose workers may come back; written under mutex_, and read there but by the
  /// session
  std::shared_ptr<TaskRejoin> returns_;
  kernels::ThreadPool pool_; ///< of all lanes; has threads once a lane calls what it can share out

  // Of the phase that was begun. The host is shared because the heartbeat may be reading it when
  // the phase ends.
  uint32_t phase_ = 0;
  std::unique_ptr<data::PhaseBatches> batches_;
  std::shared_ptr<PhaseCallbacks> host_;
  TaskTraces traces_; ///< of these lanes
  ReportSchedules schedules_;
  std::vector<std::unique_ptr<executor::Lane>> lanes_;
  StepArbiter steps_;
  std::atomic<bool> stop_{false}, endAsked_{false};
  std::atomic<uint64_t> stopGeneration_{0}; ///< the phase of this generation is to end

  mutable base::Mutex mutex_;
  /// host_ while the heartbeat may look
  std::shared_ptr<PhaseCallbacks> running_ ABSL_GUARDED_BY(mutex_);
  mutable LaneWatch laneWatch_ ABSL_GUARDED_BY(mutex_); ///< of lanes_, where running_ is there
  LocalProcesses near_;
  std::optional<TaskFailure> failure_ ABSL_GUARDED_BY(mutex_);
  absl::Time failedAt_ ABSL_GUARDED_BY(mutex_) = absl::InfiniteFuture();
  bool wasStopped_ = false, leftBehind_ = false;
  bool ended_ = false; ///< End was obeyed; written under mutex_
  transport::Transport *abortable_ ABSL_GUARDED_BY(mutex_) = nullptr;

  TaskStatistics stats_;
};

} // namespace graphc::session
#endif
