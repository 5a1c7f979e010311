//===- TaskResults.h - what one step of one task's lanes has made -------------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_SESSION_TASK_TASKRESULTS_H
#define GRAPHC_RUNTIME_SESSION_TASK_TASKRESULTS_H

#include "runtime/common/base/Mutex.h"
#include "runtime/session/results/FetchCollector.h"

#include <map>
#include <string>
#include <vector>

namespace graphc::session {

/// For a session that sees its own task: the results that its replicas make, reduced over those of
/// this task as FetchCollector reduces them over all.
class TaskResults {
public:
  /// On a lane's thread.
  void add(const executor::LaneInfo &lane, uint32_t fetch, uint64_t step, const void *data);
  /// By name; and nothing is left.
  std::map<std::string, FetchedTensor> take();

private:
  struct Value {
    const plan::Plan *plan = nullptr;
    const plan::Program *program = nullptr;
    plan::Task task;
    const plan::Port *port = nullptr;
    uint64_t step = 0;
    std::map<uint32_t, std::string> byInstance;
  };
  base::Mutex mutex_; ///< a leaf
  std::map<std::string, Value> values_ ABSL_GUARDED_BY(mutex_);
};

} // namespace graphc::session
#endif
