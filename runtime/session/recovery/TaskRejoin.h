//===- TaskRejoin.h - lost workers come back to a phase that goes on: a task's part -*- C++ -*-===//
//
// The chief's part is ChiefRejoin.h. While such a phase runs its lanes have threads of their own,
// and the session's obeys orders that concern a worker which was lost: the lanes that serve it
// stop, its links are made anew, and they go on with its next process.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_SESSION_RECOVERY_TASKREJOIN_H
#define GRAPHC_RUNTIME_SESSION_RECOVERY_TASKREJOIN_H

#include "runtime/executor/Lane.h"
#include "runtime/executor/LanePause.h"
#include "runtime/service/ControlLink.h"
#include "runtime/service/service.pb.h"
#include "runtime/session/peers/TaskTransports.h"

#include <functional>
#include <memory>
#include <set>
#include <span>

namespace graphc::session {

class TaskRejoin {
public:
  using Lanes = std::span<const std::unique_ptr<executor::Lane>>;
  /// Of a phase whose workers may come back. The plan outlives it.
  TaskRejoin(const plan::Plan &plan, uint32_t phase, uint64_t generation);

  bool mayReturn(uint32_t task) const { return tasks_.contains(task); } ///< any thread
  executor::LanePause &parking() { return parking_; }
  /// After so long a lane ends its wait itself: a worker may be silent for `limit` before it is
  /// lost, its next process has to come, and may then take as long to make a step for which others
  /// wait. The chief, which knows of all that, ends a wait before.
  static absl::Duration waitLimit(absl::Duration limit) { return 3 * limit; }
  /// A Part, a Reconnect or a Rejoin. `looks`: of whoever looks at lanes meanwhile; `moved` is
  /// called under it for each lane that goes on from elsewhere.
  absl::Status obey(const service::Order &order, Lanes lanes, TaskTransports &transports,
                    base::Mutex &looks, const std::function<void(size_t)> &moved,
                    service::Done *done);
  /// `run` runs the lanes on a thread; messages of the chief go to `take` on this one until they
  /// have ended.
  static absl::Status runAside(service::ControlLink &link, const std::function<absl::Status()> &run,
                               const std::function<void(const service::ToTask &)> &take);

private:
  absl::Status part(uint32_t task, Lanes lanes, transport::Transport &transport,
                    service::Done *done);
  absl::Status rejoin(const service::Order::Rejoin &order, Lanes lanes, TaskTransports &transports,
                      base::Mutex &looks, const std::function<void(size_t)> &moved);

  const plan::Plan &plan_;
  const uint64_t generation_; ///< of the channels
  std::set<uint32_t> tasks_;
  executor::LanePause parking_;
};

/// Which task such an order is about.
uint32_t taskOf(const service::Order &order);
/// Whether `self` has a server's lanes of that task's replicas in the phase: where the phase has
/// ended there, it is too late to come back.
bool servesTask(const plan::Plan &plan, uint32_t phase, uint32_t self, uint32_t task);

} // namespace graphc::session
#endif
