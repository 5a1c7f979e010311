// The step path as a task runs it, with the session's host (losses, step times, stop requests) and
// a lane's ports: no allocation between the 50th and the 350th step of the chief.
#include "runtime/session/task/PhaseCallbacks.h"
#include "test/runtime/CountAllocations.h"
#include "test/runtime/common/plan/PlanBuilder.h"
#include "test/runtime/executor/TaskHarness.h"

namespace graphc::session {

std::unique_ptr<int> escaped; // external, so that the compiler keeps the allocation

namespace {

/// `interrupt` is called once a step: by the chief's lane, asynchronous by every worker's.
uint64_t allocationsOf(const plan::ParameterServerShape &shape,
                       const std::function<void(uint64_t)> &interrupt = {}) {
  executor::TaskHarness harness(plan::parameterServerPlan(shape));
  std::vector<plan::Task> tasks = plan::allTasks(harness.plan);
  std::atomic<uint64_t> asked{0};
  PhaseCallbacks::Options options;
  options.stopRequested = [&] {
    uint64_t n = ++asked;
    if (n == 50 || n == 350)
      countAllocations = n == 50;
    if (interrupt)
      interrupt(n);
    return false;
  };
  std::vector<std::unique_ptr<PhaseCallbacks>> hosts;
  std::vector<std::unique_ptr<executor::Lane>> lanes;
  for (size_t i = 0; i < tasks.size(); ++i) {
    hosts.push_back(std::make_unique<PhaseCallbacks>(harness.plan, tasks[i], PhaseRun{.steps = 400},
                                                     nullptr, options));
    for (auto &lane : harness.lanesOf(i, *hosts.back()))
      lanes.push_back(std::move(lane));
  }
  allocations = 0;
  EXPECT_EQ(harness.run(lanes), absl::OkStatus());
  countAllocations = false;
  EXPECT_GE(asked, 350u);
  return allocations;
}

TEST(SessionAllocation, TheCounterCounts) {
  EXPECT_GE(
      allocationsOf({1, 2}, [](uint64_t n) { n == 100 ? escaped.reset(new int(5)) : void(); }), 1u);
}
TEST(SessionAllocation, SynchronousStepAllocatesNothing) { EXPECT_EQ(allocationsOf({2, 2}), 0u); }
TEST(SessionAllocation, AsynchronousStepAllocatesNothing) {
  EXPECT_EQ(allocationsOf({2, 2, 16, true}), 0u);
}

} // namespace
} // namespace graphc::session
