//===- StepwiseRun.h - a run whose steps somebody else takes one by one -------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_SESSION_TASK_STEPWISERUN_H
#define GRAPHC_RUNTIME_SESSION_TASK_STEPWISERUN_H

#include "runtime/common/plan/plan.pb.h"
#include "runtime/executor/StepwiseGate.h"
#include "runtime/session/results/FetchCollector.h"
#include "runtime/session/task/TaskResults.h"

#include <functional>
#include <string>

namespace graphc::session {

/// What a session gives the task of its process. A phase of another role, as an evaluation in
/// between, runs by itself.
struct StepwiseRun {
  plan::Role role = plan::TRAIN;
  executor::StepwiseGate gate;
  /// The session is not the chief's, or its replica shares no step with others: it sees what its
  /// own task makes, and takes only the steps of that. Else it takes everybody's.
  bool own = false;
  TaskResults results; ///< of the step that runs, where `own`
  /// Whether the step that runs sends this result; asked on lanes' threads.
  std::function<bool(const std::string &fetch)> wants;
  std::function<void(const FetchedTensor &)>
      fetched; ///< takes one of all tasks, where not `own`; on any thread, one call at a time
  /// Once the variables have their values, on a thread of the run: the global step, and the
  /// checkpoint that they come from, or nothing.
  std::function<void(uint64_t step, const std::string &restoredFrom)> initialized;
  /// Whether training shall end before its steps are made, in good order. Of the chief.
  std::function<bool()> endAsked;
};

} // namespace graphc::session
#endif
