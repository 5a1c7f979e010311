//===- LanePause.h - lanes that stop while the task that they serve is started again ----------===//
//
// A lane stops where it has to wait, or between two steps, never within an instruction. While it
// stands here its thread touches nothing of it, and the session may, under this object's lock: a
// failure wakes who stands at any moment.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_EXECUTOR_LANEPAUSE_H
#define GRAPHC_RUNTIME_EXECUTOR_LANEPAUSE_H

#include "runtime/common/base/Mutex.h"

#include "absl/time/clock.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <set>

namespace graphc::executor {

class Lane;

class LanePause {
public:
  // The session's.
  /// Lanes of these instances are to stop, until they are let go.
  void ask(const std::set<uint32_t> &instances) {
    base::MutexLock lock(mutex_);
    asked_.insert(instances.begin(), instances.end());
    any_.store(true);
  }
  void letGo(const std::set<uint32_t> &instances) {
    base::MutexLock lock(mutex_);
    for (uint32_t instance : instances)
      asked_.erase(instance);
    any_.store(!asked_.empty());
    changed_.notifyAll();
  }
  enum class Where : uint8_t { Runs, Stands, Ended };
  /// Once it does not run any more, or at the deadline. `look` is called where it stands or has
  /// ended, before it can go on.
  Where await(const Lane *lane, absl::Time deadline, const std::function<void()> &look) {
    base::MutexLock lock(mutex_);
    while (!over_ && !ended_.contains(lane) && !standing_.contains(lane) && absl::Now() < deadline)
      changed_.waitUntil(mutex_, deadline);
    const Where where = ended_.contains(lane)      ? Where::Ended
                        : standing_.contains(lane) ? Where::Stands
                                                   : Where::Runs;
    if (where != Where::Runs)
      look();
    return where;
  }
  /// `change` is called while it stands and cannot go on. False: it does not stand.
  bool whileStanding(const Lane *lane, const std::function<void()> &change) {
    base::MutexLock lock(mutex_);
    if (!standing_.contains(lane))
      return false;
    change();
    return true;
  }
  /// The phase fails: nobody stands any more. Any thread.
  void abort() {
    base::MutexLock lock(mutex_);
    over_ = true;
    changed_.notifyAll();
  }

  // The lane's thread's.
  bool isAsked(uint32_t instance) const {
    if (!any_.load(std::memory_order_relaxed))
      return false;
    base::MutexLock lock(mutex_);
    return asked_.contains(instance) && !over_;
  }
  /// Returns when it is let go.
  void stand(const Lane *lane, uint32_t instance) {
    base::MutexLock lock(mutex_);
    standing_.insert(lane);
    changed_.notifyAll();
    while (asked_.contains(instance) && !over_)
      changed_.wait(mutex_);
    standing_.erase(lane);
  }
  void ended(const Lane *lane) {
    base::MutexLock lock(mutex_);
    ended_.insert(lane);
    changed_.notifyAll();
  }

private:
  mutable base::Mutex mutex_; ///< before those of transports, whose ports a lane is given under it
  base::CondVar changed_;
  std::atomic<bool> any_{false};
  std::set<uint32_t> asked_ ABSL_GUARDED_BY(mutex_); ///< instances
  std::set<const Lane *> standing_ ABSL_GUARDED_BY(mutex_), ended_ ABSL_GUARDED_BY(mutex_);
  bool over_ ABSL_GUARDED_BY(mutex_) = false;
};

} // namespace graphc::executor
#endif
