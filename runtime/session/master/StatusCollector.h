//===- StatusCollector.h - what the chief can say of its run to whoever asks --------*- C++ -*-===//
//
// Nothing is counted for it: it is told of orders, of the lines of progress and of warnings, which
// come a few times a second at most, and when somebody asks it looks at what the tasks' heartbeats
// have brought. So a run that nobody watches pays nothing, and no lane ever.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_SESSION_MASTER_STATUSCOLLECTOR_H
#define GRAPHC_RUNTIME_SESSION_MASTER_STATUSCOLLECTOR_H

#include "runtime/common/base/Mutex.h"
#include "runtime/common/plan/PlanFile.h"
#include "runtime/observe/RunStatus.h"
#include "runtime/service/TaskCoordinator.h"
#include "runtime/session/master/ChiefCheckpoints.h"

#include <deque>

namespace graphc::session {

/// Any thread.
class StatusCollector {
public:
  struct About {
    std::string entry, version, checkpointDirectory; ///< the folder's absolute name
    uint32_t restarts = 0;
    std::optional<int64_t> launcher; ///< its process
  };
  static constexpr size_t kWarnings = 16; ///< that are kept
  /// From here on a task is shown as silent: two heartbeats have not come.
  static constexpr absl::Duration kSilentAfter = absl::Milliseconds(2500);

  /// The plan is verified and outlives this.
  StatusCollector(const plan::LoadedPlan &plan, About about);

  /// Under the coordinator's lock.
  void ordered(const service::Order &order);
  void shown(const observe::ProgressSnapshot &snapshot);
  void warned(const std::string &line, absl::Time now);
  /// All tasks were there once.
  bool begun() const {
    base::MutexLock lock(mutex_);
    return doing_.begun;
  }

  observe::RunStatus look(const service::TaskCoordinator &coordinator,
                          const ChiefCheckpoints::Known &checkpoints, absl::Time now);

private:
  /// Of a task, from one question to the next.
  struct Pace {
    uint64_t before = 0; ///< steps of earlier phases, where tasks share none
    uint64_t steps = 0; ///< of the running phase, the most that was heard
    absl::Time since; ///< where the rate begins, and the steps there
    uint64_t sinceSteps = 0;
    double rate = 0;
  };
  /// Of the last order.
  struct Doing {
    const char *state = observe::kRunStates[0];
    bool begun = false; ///< there was an order
    std::optional<uint32_t> phase, next; ///< that runs; that ran last or runs next
    uint64_t firstStep = 0;
    bool trains = false, apart = false; ///< where `apart`, its tasks share no step
  };
  void follow(Pace &pace, const service::TaskSnapshot &heard, absl::Time now)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  observe::TaskStatus describe(uint32_t task, const service::TaskSnapshot &heard, absl::Time now)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void compare(const std::vector<service::TaskSnapshot> &heard,
               std::vector<observe::TaskStatus> &tasks) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const plan::Plan &plan_;
  const std::string fingerprint_;
  const About about_;
  const absl::Time started_;
  const std::vector<plan::Task> tasks_;
  /// by task: it computes gradients, and the others are compared with it
  std::vector<bool> replica_;
  std::optional<uint64_t> maxStaleness_;
  mutable base::Mutex mutex_; ///< a leaf
  Doing doing_ ABSL_GUARDED_BY(mutex_);
  std::vector<Pace> paces_ ABSL_GUARDED_BY(mutex_);
  std::optional<observe::ProgressSnapshot> shown_ ABSL_GUARDED_BY(mutex_);
  std::deque<observe::RunStatus::Warning> warnings_ ABSL_GUARDED_BY(mutex_);
  uint64_t warned_ ABSL_GUARDED_BY(mutex_) = 0;
};

} // namespace graphc::session
#endif
