//===- TaskThreads.h - the threads of a task while it runs: session, driver, heartbeat --------===//
//
// The caller's thread runs the session, a second one the driver (on the chief alone), a third the
// heartbeat, which carries progress, stop requests and the watch over who is silent. Used by
// graphrun for each of its processes and by run() (Run.h) for the one it is in.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_API_TASKTHREADS_H
#define GRAPHC_RUNTIME_API_TASKTHREADS_H

#include "runtime/common/base/Mutex.h"
#include "runtime/session/master/MasterDriver.h"
#include "runtime/session/task/OrderExecutor.h"

#include "absl/base/thread_annotations.h"

#include <functional>
#include <future>
#include <optional>
#include <thread>

namespace graphc::session {

/// How a task introduces itself to the chief. `address`: where its server listens; empty: nowhere.
/// `version`: of the program.
service::Hello introduce(const plan::LoadedPlan &plan, uint32_t task, const std::string &address,
                         uint64_t incarnation, const std::string &version);

class TaskThreads {
public:
  /// How often the heartbeat's thread looks around; how often it sends a sign of life; how long a
  /// silence is a loss.
  static constexpr absl::Duration kLook = absl::Milliseconds(250), kHeartbeat = absl::Seconds(1),
                                  kLostAfter = absl::Seconds(5);
  /// A session that has failed and has not come back by then never does: a lane is in a kernel, or
  /// waits for data that does not come.
  static constexpr absl::Duration kStuckAfter = absl::Seconds(10);

  struct Parts {
    std::string task, chief; ///< names: "/job:worker/task:1"
    OrderExecutor &session;
    service::ControlLink &link;
    MasterDriver *driver = nullptr; ///< the chief's, and its coordinator
    service::TaskCoordinator *coordinator = nullptr;
    std::function<bool()> stopAsked; ///< is asked at each heartbeat
    std::function<void(const TaskFailure &)>
        stuck; ///< ends the process, which nothing else does any more; may be empty
    /// is asked at each heartbeat: which task was lost, by what who has started them says; may be
    /// empty
    std::function<std::optional<service::RootCause>()> lost = {};
    /// a stop is nothing to end by before the first order: an earlier session has left what is to
    /// be saved
    bool stopsInOrder = false;
    absl::Duration every = kLook, beat = kHeartbeat, lostAfter = kLostAfter,
                   stuckAfter = kStuckAfter; ///< shorter in tests
  };
  explicit TaskThreads(Parts parts) : parts_(std::move(parts)) {}
  /// Waits for driver and heartbeat.
  ~TaskThreads();

  struct End {
    std::optional<TaskFailure> failure; ///< what ended the run early
    absl::Status driven; ///< without a failure: of the driver, as a stop that was asked for
    bool isLeftBehind = false; ///< a thread of the driver that hangs on a file is
  };
  /// `join`: says hello to the chief. With `clearUp`, a driver that has not ended so long after a
  /// failure is left behind: it hangs on a file, and only the end of the process ends it.
  End run(const std::function<absl::Status()> &join,
          std::optional<std::chrono::seconds> clearUp = std::nullopt);

private:
  void heartbeat();
  void heedLoss();
  /// The heartbeat ends, at once or before `pause` is over.
  bool endsWithin(absl::Duration pause);
  void stopHeartbeat();
  absl::Status chiefSilent(absl::Duration since) const;
  TaskFailure verdict(TaskFailure failure) const;

  const Parts parts_;
  std::thread driving_, heartbeat_;
  absl::Status driven_; ///< of driving_, once `drove_` is set
  std::promise<void> drove_;
  base::Mutex mutex_;
  base::CondVar heartbeatEnd_;
  bool heartbeatEnds_ ABSL_GUARDED_BY(mutex_) = false;
};

} // namespace graphc::session
#endif
