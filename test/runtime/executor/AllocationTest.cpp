//===- AllocationTest.cpp - the step path allocates nothing -----------------------------------===//
//
// Counts every allocation of the process while lanes run from their 10th step to their last but
// 10th. A binary of its own: it replaces operator new (our code calls no malloc by itself).
//
//===------------------------------------------------------------------------------------------===//

#include "test/runtime/CountAllocations.h"
#include "test/runtime/common/plan/PlanBuilder.h"
#include "test/runtime/executor/TaskHarness.h"
#include "test/runtime/executor/TestHost.h"

namespace graphc::executor {

std::unique_ptr<int> escaped; // external, so that the compiler keeps the allocation

namespace {

uint64_t allocationsOf(const plan::ParameterServerShape &shape, bool control, bool traced = false) {
  TaskHarness tasks(plan::parameterServerPlan(shape));
  TestHost host(400);
  std::atomic<uint64_t> steps{0};
  host.onStep = [&](const LaneInfo &, const StepResults &) {
    uint64_t n = ++steps;
    if (n == 50)
      countAllocations = true;
    if (n == 350)
      countAllocations = false;
    if (control && n == 100)
      escaped.reset(new int(5)); // the counter's own check
    return absl::OkStatus();
  };
  auto lanes = tasks.lanes(host);
  std::vector<std::unique_ptr<LaneTrace>> traces;
  for (size_t i = 0; traced && i < lanes.size(); ++i) {
    traces.push_back(std::make_unique<LaneTrace>(lanes[i]->ofProgram(), 0, 400, 1 << 20));
    lanes[i]->traceTo(traces.back().get());
  }
  allocations = 0;
  EXPECT_EQ(tasks.run(lanes), absl::OkStatus());
  countAllocations = false;
  return allocations;
}

TEST(Allocation, TheCounterCounts) { EXPECT_GE(allocationsOf({1, 2}, true), 1u); }
TEST(Allocation, SynchronousStepAllocatesNothing) { EXPECT_EQ(allocationsOf({2, 2}, false), 0u); }
TEST(Allocation, TracedStepAllocatesNothing) {
  EXPECT_EQ(allocationsOf({2, 2}, false, /*traced=*/true), 0u);
}
TEST(Allocation, AsynchronousStepAllocatesNothing) {
  EXPECT_EQ(allocationsOf({2, 2, 16, true}, false), 0u);
}

} // namespace
} // namespace graphc::executor
