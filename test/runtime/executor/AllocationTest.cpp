//===- AllocationTest.cpp - the step path allocates nothing -----------------------------------------------------------===//
//
// Counts every allocation of the process while lanes run from their 10th step to their last but 10th. A binary of its own: it replaces
// operator new (our code calls no malloc by itself).
//
//===----------------------------------------------------------------------------------------------------------------===//

#include "test/runtime/executor/TaskHarness.h"
#include "test/runtime/executor/TestHost.h"
#include "test/runtime/plan/PlanBuilder.h"

#include <atomic>
#include <cstdlib>
#include <new>

static std::atomic<bool> counting{false};
static std::atomic<uint64_t> allocations{0};

static void *counted(size_t bytes, size_t alignment) {
  if (counting.load(std::memory_order_relaxed))
    allocations.fetch_add(1, std::memory_order_relaxed);
  bytes = bytes ? bytes : 1;
  return alignment <= alignof(std::max_align_t)
             ? std::malloc(bytes)
             : std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}
void *operator new(size_t bytes) { return counted(bytes, 1); }
void *operator new[](size_t bytes) { return counted(bytes, 1); }
void *operator new(size_t bytes, std::align_val_t a) { return counted(bytes, size_t(a)); }
void *operator new[](size_t bytes, std::align_val_t a) { return counted(bytes, size_t(a)); }
void operator delete(void *p) noexcept { std::free(p); }
void operator delete[](void *p) noexcept { std::free(p); }
void operator delete(void *p, size_t) noexcept { std::free(p); }
void operator delete[](void *p, size_t) noexcept { std::free(p); }
void operator delete(void *p, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void *p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void *p, size_t, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void *p, size_t, std::align_val_t) noexcept { std::free(p); }

namespace graphc::executor {

std::unique_ptr<int> escaped; // external, so that the compiler keeps the allocation

namespace {

uint64_t allocationsOf(const plan::ParameterServerShape &shape, bool control) {
  TaskHarness tasks(plan::parameterServerPlan(shape));
  TestHost host(400);
  std::atomic<uint64_t> steps{0};
  host.onStep = [&](const LaneInfo &, const StepResults &) {
    uint64_t n = ++steps;
    if (n == 50)
      counting = true;
    if (n == 350)
      counting = false;
    if (control && n == 100)
      escaped.reset(new int(5)); // the counter's own check
    return absl::OkStatus();
  };
  auto lanes = tasks.lanes(host);
  allocations = 0;
  EXPECT_EQ(tasks.run(lanes), absl::OkStatus());
  counting = false;
  return allocations;
}

TEST(Allocation, TheCounterCounts) { EXPECT_GE(allocationsOf({1, 2}, true), 1u); }
TEST(Allocation, SynchronousStepAllocatesNothing) { EXPECT_EQ(allocationsOf({2, 2}, false), 0u); }
TEST(Allocation, AsynchronousStepAllocatesNothing) { EXPECT_EQ(allocationsOf({2, 2, 16, true}, false), 0u); }

} // namespace
} // namespace graphc::executor
