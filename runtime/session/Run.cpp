#include "runtime/session/Run.h"

#include "runtime/base/Status.h"
#include "runtime/session/TaskRun.h"

namespace graphc::session {

absl::StatusOr<RunResult> run(const plan::Plan &plan, const RunOptions &options) {
  GRAPHC_ASSIGN_OR_RETURN(std::string bytes, plan::encodePlan(plan));
  GRAPHC_ASSIGN_OR_RETURN(plan::LoadedPlan loaded, plan::decodePlan(bytes, plan.model()));
  return run(loaded, options);
}

absl::StatusOr<RunResult> run(const plan::LoadedPlan &loaded, const RunOptions &options) {
  GRAPHC_ASSIGN_OR_RETURN(std::unique_ptr<TaskRun> run, TaskRun::create(loaded, options, nullptr));
  return run->run();
}

} // namespace graphc::session
