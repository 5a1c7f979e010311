#include "runtime/api/Run.h"

#include "runtime/api/RunRestarts.h"
#include "runtime/api/TaskRun.h"
#include "runtime/common/base/StatusMacros.h"

#include <atomic>
#include <vector>

namespace graphc::session {

absl::StatusOr<RunResult> run(const plan::Plan &plan, const RunOptions &options) {
  GRAPHC_ASSIGN_OR_RETURN(std::string bytes, plan::encodePlan(plan));
  GRAPHC_ASSIGN_OR_RETURN(plan::LoadedPlan loaded, plan::decodePlan(bytes, plan.model()));
  return run(loaded, options);
}

absl::StatusOr<RunResult> run(const plan::LoadedPlan &loaded, const RunOptions &given) {
  RunOptions options = given;
  std::atomic<bool> stops{false}; // once it was asked for
  if (given.stop)
    options.stop = [&] { return stops || (stops = given.stop()); };
  RunRestarts restarts(options);
  std::vector<FetchedTensor> kept;
  for (;;) {
    GRAPHC_ASSIGN_OR_RETURN(std::unique_ptr<TaskRun> run,
                            TaskRun::create(loaded, options, nullptr));
    absl::StatusOr<RunResult> result = run->run();
    run->moveFetches(kept);
    if (result.ok())
      result->fetches = std::move(kept);
    const std::optional<LostRun> loss = run->loss(result.status());
    if (!loss || !restarts.await(*loss, [&] { return options.stop && options.stop(); }))
      return result;
  }
}

} // namespace graphc::session
