//===- LoopsTest.cpp --------------------------------------------------------------------------===//
//
// The sums of a loop are those of the tree, whatever their number, and made under their variables'
// locks.
//
//===------------------------------------------------------------------------------------------===//

#include "runtime/common/plan/SumTree.h"
#include "test/runtime/common/plan/PlanBuilder.h"
#include "test/runtime/executor/TaskHarness.h"
#include "test/runtime/executor/TestHost.h"

#include "absl/synchronization/notification.h"

#include <functional>
#include <thread>

namespace graphc::executor {
namespace {

using plan::TestKernel;

constexpr uint32_t kElements = 4096;

/// w += what `values` values sum to, value i being w as it is after i times w = w / 2 + 1/4 (+
/// 1/1000 a step): all but the last of them in a loop.
plan::Plan loopPlan(uint32_t values, uint32_t perLeaf, uint32_t chunk) {
  plan::PlanBuilder b(kElements);
  uint32_t job = b.job("worker", 1), phase = b.phase("train_step", plan::TRAIN, false);
  uint32_t worker = b.program(phase, "train_step.worker", 1, false, job, 0);
  uint32_t w = b.variableBuffer(worker, b.variable("w", b.vector(), job, 0));
  uint32_t x = b.arenaBuffer(worker, b.vector()), next = b.arenaBuffer(worker, b.vector());
  std::vector<uint32_t> partials;
  for (uint32_t i = 0; i < plan::keptSums(values, perLeaf); ++i)
    partials.push_back(b.arenaBuffer(worker, b.vector()));
  b.controlSend(worker, {});
  b.call(worker, TestKernel::Gradient, {w, x});
  b.repeat(worker, values - 1, 3);
  b.accumulate(worker, x, partials, perLeaf, chunk);
  b.call(worker, TestKernel::Gradient,
         {x, next}); // two kernels to carry a value from time to time, which no plan of graphc does
  b.call(worker, TestKernel::Gradient, {next, x});
  const uint64_t done = values / perLeaf - 1;
  for (uint32_t i = 0; i < partials.size(); ++i)
    if (const bool isLeaf = perLeaf > 1 && i == 0; isLeaf || (done >> (i - (perLeaf > 1)) & 1))
      b.call(worker, TestKernel::Add, {x, partials[i]});
  b.call(worker, TestKernel::Add, {w, x});
  b.controlReceive(worker, true, 0);
  return b.finish();
}

TEST(Loops, SumAsTheTreeDoes) {
  for (auto [values, perLeaf] : std::vector<std::pair<uint32_t, uint32_t>>{{2, 1},
                                                                           {2, 2},
                                                                           {3, 1},
                                                                           {3, 3},
                                                                           {4, 1},
                                                                           {5, 1},
                                                                           {6, 2},
                                                                           {7, 1},
                                                                           {8, 1},
                                                                           {8, 4},
                                                                           {12, 3},
                                                                           {22, 2},
                                                                           {256, 16}})
    for (uint32_t chunk : {0, 16}) {
      TaskHarness tasks(loopPlan(values, perLeaf, chunk));
      const std::vector<float> initial = tasks.floats(0);
      TestHost host(3); // each step begins with the first time again
      auto lanes = tasks.lanes(host);
      ASSERT_EQ(tasks.run(lanes), absl::OkStatus());
      const std::vector<float> found = tasks.floats(0);
      for (uint32_t i = 0; i < kElements; ++i) {
        float w = initial[i];
        for (int step = 0; step < 3; ++step) {
          const float shift = 0.25f + 0.001f * float(step);
          auto halve = [&](float v) { return v * 0.5f + shift; };
          plan::GrowingSum<float> sum(perLeaf);
          float x = halve(w);
          for (uint32_t v = 0; v < values; ++v, x = halve(halve(x)))
            sum.push(x, std::plus<>());
          w += sum.take(std::plus<>());
        }
        ASSERT_EQ(found[i], w) << values << " values, leaves of " << perLeaf;
      }
    }
}

/// w after three steps of plan::talkingLoopsPlan, computed in one place.
float afterTalk(float w, uint32_t times) {
  for (int step = 0; step < 3; ++step)
    for (uint32_t i = 0; i < times; ++i) {
      const float shift = 0.25f + 0.001f * float(step);
      w += (w * 0.5f + shift) * 0.5f + shift;
    }
  return w;
}

TEST(Loops, TalkOverTransports) {
  for (uint32_t times : {1, 2, 7}) {
    TaskHarness tasks(plan::talkingLoopsPlan(times));
    const std::vector<float> initial = tasks.floats(0);
    TestHost host(3);
    auto lanes = tasks.lanes(host);
    ASSERT_EQ(tasks.run(lanes), absl::OkStatus());
    EXPECT_EQ(tasks.floats(0)[5], afterTalk(initial[5], times)) << times;
  }
}

/// A host whose phase ran before.
struct LaterHost : TestHost {
  using TestHost::TestHost;
  uint64_t stepsBefore() const override { return 10; }
};

// Counted over steps, those of earlier runs too, replicas and iterations.
TEST(Loops, NumberMicroBatches) {
  plan::PlanBuilder b(16);
  uint32_t job = b.job("worker", 3), phase = b.phase("train_step", plan::TRAIN, false);
  b.replicas(job, 3);
  uint32_t worker = b.program(phase, "train_step.worker", 3, true, job, 0);
  uint32_t control =
      b.channel("control.worker", plan::PlanBuilder::scalar(plan::I64), worker, worker, true);
  uint32_t inside = b.arenaBuffer(worker, plan::PlanBuilder::scalar(plan::I64)),
           behind = b.arenaBuffer(worker, plan::PlanBuilder::scalar(plan::I64));
  b.controlSend(worker, {control});
  b.repeat(worker, 4, 1);
  b.microBatchIndex(worker, inside, 0, 5);
  b.microBatchIndex(worker, behind, 4, 5);
  b.fetch(worker, "inside", inside, plan::FIRST_REPLICA);
  b.fetch(worker, "behind", behind, plan::FIRST_REPLICA);
  b.controlReceive(worker, true, control);
  TaskHarness tasks(b.finish());
  LaterHost host(2);
  std::atomic<int> steps = 0;
  host.onStep = [&](const LaneInfo &lane, const StepResults &results) {
    const int64_t first = int64_t((10 + results.step) * 15 + lane.instance * 5);
    EXPECT_EQ(*static_cast<const int64_t *>(results.fetches[0]), first + 3)
        << "the last iteration's";
    EXPECT_EQ(*static_cast<const int64_t *>(results.fetches[1]), first + 4);
    ++steps;
    return absl::OkStatus();
  };
  auto lanes = tasks.lanes(host);
  ASSERT_EQ(tasks.run(lanes), absl::OkStatus());
  EXPECT_EQ(steps, 6);
}

// A sum may begin with a variable that other lanes write. Its lock is what keeps them from it
// meanwhile.
TEST(Loops, WaitForTheLocksOfTheirVariables) {
  plan::PlanBuilder b(kElements);
  uint32_t job = b.job("worker", 1), phase = b.phase("train_step", plan::TRAIN, false);
  uint32_t worker = b.program(phase, "train_step.worker", 1, false, job, 0);
  const uint32_t variable = b.variable("w", b.vector(), job, 0);
  uint32_t w = b.variableBuffer(worker, variable), sum = b.arenaBuffer(worker, b.vector()),
           x = b.arenaBuffer(worker, b.vector());
  b.controlSend(worker, {});
  b.repeat(worker, 1, 1);
  b.accumulate(worker, w, {sum}, 1);
  b.call(worker, TestKernel::Gradient, {sum, x});
  b.controlReceive(worker, true, 0);
  b.plan.mutable_programs(int(worker))->set_locks_variables(true);
  TaskHarness tasks(b.finish());
  TestHost host(1);
  auto lanes = tasks.lanes(host);
  absl::Notification ended;
  absl::Status status;
  tasks.stores[0]->mutex(variable).lock();
  std::thread runs([&] {
    status = tasks.run(lanes);
    ended.Notify();
  });
  EXPECT_FALSE(ended.WaitForNotificationWithTimeout(absl::Milliseconds(100)))
      << "it went on while another had the lock";
  tasks.stores[0]->mutex(variable).unlock();
  runs.join();
  EXPECT_EQ(status, absl::OkStatus());
}

} // namespace
} // namespace graphc::executor
