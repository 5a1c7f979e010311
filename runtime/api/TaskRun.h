//===- TaskRun.h - the run behind graphc::run and graphc::Session: one task, in this process --===//
//
// Of a plan of one task all there is; else one of several, which meets the others as
// ClusterOptions.h says. On the chief the coordinator and the driver are here too.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_API_TASKRUN_H
#define GRAPHC_RUNTIME_API_TASKRUN_H

#include "runtime/api/Run.h"
#include "runtime/api/RunRestarts.h"
#include "runtime/api/TaskRendezvous.h"
#include "runtime/api/TaskThreads.h"
#include "runtime/common/base/Mutex.h"
#include "runtime/common/plan/PlanTypes.h"
#include "runtime/launch/ChildTasks.h"
#include "runtime/service/MasterService.h"
#include "runtime/service/RunSecret.h"
#include "runtime/service/TaskServer.h"
#include "runtime/session/task/StepwiseRun.h"

#include <memory>
#include <set>
#include <string>
#include <vector>

namespace graphc::session {

class TaskRun {
public:
  /// Checks plan and options, listens and starts what is to be started; waits for nobody.
  /// `stepping`: who takes the steps, null: nobody; whether it sees its own task alone is decided
  /// here. Both outlive the run.
  static absl::StatusOr<std::unique_ptr<TaskRun>>
  create(const plan::LoadedPlan &loaded, const RunOptions &options, StepwiseRun *stepping);
  ~TaskRun();
  /// The whole run; once.
  absl::StatusOr<RunResult> run();
  /// After run(): it ended since the process of another task, or the way to it, is gone.
  bool lost() const { return lost_; }
  /// The same where it may begin again in this process, nothing of it being left: it ended by
  /// `why`.
  std::optional<LostRun> loss(const absl::Status &why) const;
  /// After run(): what has come of RunOptions::fetches, where nobody took it. Where replicas share
  /// their steps, what is there of a step that was made again goes.
  void moveFetches(std::vector<FetchedTensor> &to);

  /// Names of results of the phases that are stepped, of this task where the session sees that
  /// alone, and how many programs make each.
  std::map<std::string, size_t> steppedResults() const;

  // Of the session, on any thread, while it runs or later, when nothing happens.
  /// All tasks may make so many steps, the last of them sends these results; `end`: none comes
  /// behind.
  void permit(uint64_t steps, const std::set<std::string> &wanted, bool end);
  void askForEnd();
  /// The run ends by this, in this task's name.
  void fail(const absl::Status &why);

private:
  TaskRun(const plan::LoadedPlan &loaded, const RunOptions &options, StepwiseRun *stepping)
      : loaded_(loaded), options_(options), stepping_(stepping),
        tasks_(plan::allTasks(loaded.plan)), incarnation_(service::randomIncarnation()) {}
  absl::Status check();
  absl::Status letStep();
  absl::Status meet();
  absl::Status startOthers();
  void makeMaster();
  absl::Status listen();
  void makeSession();
  absl::Status join();
  void tearDown();
  void take(const FetchedTensor &value);
  void say(const std::string &line) const {
    if (options_.log)
      options_.log(line);
  }
  const plan::Plan &plan() const { return loaded_.plan; }
  bool alone() const { return tasks_.size() == 1; }
  std::string name() const;
  std::string chiefName() const;

  const plan::LoadedPlan &loaded_;
  const RunOptions &options_;
  StepwiseRun *const stepping_;
  const std::vector<plan::Task> tasks_;
  const uint64_t incarnation_;
  DriverOptions driven_;
  TaskPlace place_;
  std::string run_; ///< its name, of the chief
  RunResult result_; ///< but its fetches
  std::vector<FetchedTensor> kept_;
  bool lost_ = false, isTakenApart_ = false, met_ = true;

  // In the order in which they go, the last first.
  std::unique_ptr<launch::ChildTasks> others_;
  std::unique_ptr<FetchCollector> fetches_;
  std::unique_ptr<service::TaskCoordinator> coordinator_;
  std::unique_ptr<MasterDriver> driver_;
  service::PlanOffer offer_;
  std::unique_ptr<service::MasterService> master_;
  std::unique_ptr<service::TaskServer> server_;
  std::shared_ptr<service::LocalLink> local_;
  std::shared_ptr<service::StreamLink> stream_;
  std::unique_ptr<OrderExecutor> session_;
  base::Mutex mutex_; ///< before all others
  bool live_ ABSL_GUARDED_BY(mutex_) = false; ///< coordinator_ and session_ are there
};

} // namespace graphc::session
#endif
