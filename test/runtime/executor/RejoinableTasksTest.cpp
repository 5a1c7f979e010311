// A lost asynchronous worker comes back: of which plans, what counts once, and where lanes stop.
// The whole of it is in ReturnProtocolTest.cpp.

#include "runtime/executor/RejoinableTasks.h"

#include "runtime/common/plan/PlanTypes.h"
#include "runtime/common/plan/VerifyPlan.h"
#include "runtime/executor/LanePause.h"
#include "test/runtime/executor/CountingPlan.h"
#include "test/runtime/executor/TaskHarness.h"
#include "test/runtime/executor/TestHost.h"

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"

#include <gmock/gmock.h>

#include <thread>

namespace graphc::executor {
namespace {

using plan::PlanBuilder;
using plan::TestKernel;
using testing::Each;

constexpr uint32_t kPhase = 0;

// --- which plans ---

std::vector<std::string> whyNot(const std::function<void(plan::Plan &)> &change) {
  plan::Plan plan = countingPlan({2, 3});
  change(plan);
  return whyNoRejoin(plan, kPhase);
}

TEST(RejoinableTasks, WorkersMayAndChiefAndServersMayNot) {
  EXPECT_THAT(
      whyNot([](plan::Plan &) {}),
      testing::ElementsAre("it has variables", "it has variables", "it is the chief", "", ""));
}

// Each refusal by name, for all tasks alike: the plan is what cannot.
TEST(RejoinableTasks, PlansThatCannotAreRefusedByName) {
  auto program = [](plan::Plan &plan, int index) { return plan.mutable_programs(index); };
  EXPECT_THAT(
      whyNot([](plan::Plan &plan) { plan.mutable_phases(0)->set_ends_by_end_of_stream(false); }),
      Each("its updates are not asynchronous"));
  EXPECT_THAT(whyNot([](plan::Plan &plan) { plan.mutable_phases(0)->set_role(plan::EVAL); }),
              Each("its updates are not asynchronous"));
  EXPECT_THAT(whyNot([&](plan::Plan &plan) { program(plan, 0)->set_spread(false); }),
              Each("it has no replicas"));
  EXPECT_THAT(whyNot([](plan::Plan &plan) { plan.mutable_channels(1)->set_control(true); }),
              Each("channel w0.0.gradient joins several workers"));
  EXPECT_THAT(whyNot([](plan::Plan &plan) { plan.mutable_channels(1)->set_conflating(true); }),
              Each("channel w0.0.gradient joins several workers"));
  EXPECT_THAT(whyNot([](plan::Plan &plan) { plan.mutable_channels(1)->set_instances(1); }),
              Each("channel w0.0.gradient joins several workers"));
  EXPECT_THAT(whyNot([&](plan::Plan &plan) { program(plan, 2)->set_instances(1); }),
              Each("program train_step.ps1 serves all workers together"));
  EXPECT_THAT(whyNot([&](plan::Plan &plan) { program(plan, 2)->set_queues(1); }),
              Each("program train_step.ps1 gives its work to a device's queue"));
  EXPECT_THAT(whyNot([&](plan::Plan &plan) {
                for (plan::Instruction &one : *program(plan, 1)->mutable_instructions())
                  if (one.has_send_start())
                    return one.mutable_send_start()->set_ahead(true);
              }),
              Each("program train_step.ps0 has a step that cannot be gone through again"));
  EXPECT_THAT(whyNot([&](plan::Plan &plan) {
                for (plan::Instruction &one : *program(plan, 1)->mutable_instructions())
                  if (one.has_receive())
                    one.mutable_aggregate();
              }),
              Each("program train_step.ps0 has a step that cannot be gone through again"));
}

// What an instruction that counts once makes besides would be lacking when the step is gone through
// again.
TEST(RejoinableTasks, AWriteThatMakesAValueForLaterIsRefused) {
  for (bool isReadLater : {false, true}) {
    PlanBuilder b(16);
    b.plan = countingPlan({1, 3, 1});
    const uint32_t server = 1, loss = b.arenaBuffer(server, PlanBuilder::scalar(plan::F32));
    const uint32_t sum = b.variableBuffer(server, 0);
    b.call(server, TestKernel::Sum, {sum, loss});
    for (plan::Kernel &kernel : *b.plan.mutable_kernels())
      if (kernel.name() == "sum")
        kernel.mutable_args(0)->set_access(plan::READ_WRITE);
    if (isReadLater)
      b.call(server, TestKernel::Divide, {b.arenaBuffer(server, b.vector()), loss});
    const std::vector<std::string> why = whyNoRejoin(b.plan, kPhase);
    if (isReadLater)
      EXPECT_THAT(
          why,
          Each(
              "an instruction of program train_step.ps0 writes a variable and makes a value that is used "
              "later"));
    else
      EXPECT_EQ(why.back(), "");
  }
}

// Two that may come back have no link with each other, since each would have to make it anew for
// the other.
TEST(RejoinableTasks, WorkersThatTalkToEachOtherAreRefused) {
  PlanBuilder b(16);
  b.plan = countingPlan({1, 3, 1});
  const uint32_t other = b.phase("evaluate", plan::EVAL, false);
  b.channel("between", b.vector(), b.program(other, "evaluate.1", 1, false, 1, 1),
            b.program(other, "evaluate.2", 1, false, 1, 2));
  EXPECT_THAT(whyNoRejoin(b.plan, kPhase),
              testing::ElementsAre("it has variables", "it is the chief",
                                   "it exchanges messages with /job:worker/task:2", ""));
}

TEST(RejoinableTasks, WhatCountsOnce) {
  const plan::Plan plan = countingPlan({1, 2, 1});
  std::string once;
  for (const plan::Instruction &one : plan.programs(1).instructions())
    once += isDoneOnce(plan, plan.programs(1), one) ? '1' : '0';
  EXPECT_EQ(once, "1"
                  "000"
                  "110"
                  "1")
      << "ticket; send, done, receive; two writes, release; global_step";
  EXPECT_EQ(replicasOf(plan, plan::allTasks(plan)[2]), std::set<uint32_t>{1});
  EXPECT_EQ(replicasOf(plan, plan::allTasks(plan)[0]), std::set<uint32_t>{})
      << "a server is no replica";
}

// --- where lanes stop ---

TEST(Parking, ALaneStandsUntilItIsLetGoAndTheOthersGoOn) {
  TaskHarness tasks(countingPlan({1, 3, 1}));
  TestHost host(3000, 3);
  // On a loaded machine all steps can be over before the session's thread looks once: nobody makes
  // more than a part of them until it has.
  std::atomic<uint64_t> others{0}, own{0};
  std::atomic<bool> isAsked{false}, isLookedAt{false};
  host.onStep = [&](const LaneInfo &lane, const StepResults &) {
    const bool isOther = lane.instance != 1;
    const uint64_t made = ++(isOther ? others : own);
    while (made > 500 && !(isOther ? isLookedAt : isAsked))
      absl::SleepFor(absl::Milliseconds(1));
    return absl::OkStatus();
  };
  auto lanes = tasks.lanes(host);
  const Lane *served = nullptr;
  for (auto &lane : lanes)
    if (lane->info().programIndex == 1 && lane->info().instance == 1)
      served = lane.get();
  LanePause parking;
  LaneRunOptions options;
  options.parking = &parking;
  std::thread session([&] {
    parking.ask({1});
    isAsked = true;
    bool looked = false;
    EXPECT_EQ(parking.await(served, absl::Now() + absl::Seconds(20), [&] { looked = true; }),
              LanePause::Where::Stands);
    EXPECT_TRUE(looked);
    const uint64_t step = served->step(), made = others;
    isLookedAt = true;
    const absl::Time until = absl::Now() + absl::Seconds(20);
    while (others < made + 100 && absl::Now() < until)
      absl::SleepFor(absl::Milliseconds(1));
    EXPECT_GE(others, made + 100) << "the others go on";
    EXPECT_TRUE(parking.whileStanding(served, [&] { EXPECT_EQ(served->step(), step); }));
    parking.letGo({1});
  });
  ASSERT_EQ(tasks.run(lanes, options), absl::OkStatus());
  session.join();
  EXPECT_EQ(tasks.globalStep(), 3000);
  EXPECT_EQ(parking.await(served, absl::Now(), [] {}), LanePause::Where::Ended);
  EXPECT_FALSE(parking.whileStanding(served, [] { ADD_FAILURE() << "it has ended"; }));
}

// A failure wakes who stands, and whoever was about to change such a lane hears that it does not
// stand any more.
TEST(Parking, AFailureWakesWhoStands) {
  TaskHarness tasks(countingPlan({1, 2, 1}));
  TestHost host(1000000, 2);
  auto lanes = tasks.lanes(host);
  LanePause parking;
  LaneRunOptions options;
  options.parking = &parking;
  parking.ask({0, 1});
  std::thread session([&] {
    for (auto &lane : lanes)
      EXPECT_EQ(parking.await(lane.get(), absl::Now() + absl::Seconds(20), [] {}),
                LanePause::Where::Stands);
    tasks.transport->abort(absl::AbortedError("a task failed"));
    host.tickets()->abort(absl::AbortedError("a task failed"));
    parking.abort();
  });
  EXPECT_EQ(tasks.run(lanes, options).code(), absl::StatusCode::kAborted);
  session.join();
  for (auto &lane : lanes)
    EXPECT_FALSE(parking.whileStanding(lane.get(), [] { ADD_FAILURE() << "it has ended"; }));
}

TEST(Parking, ALaneThatDoesNotStopIsNamedByTheDeadline) {
  LanePause parking;
  parking.ask({0});
  EXPECT_EQ(parking.await(nullptr, absl::Now() + absl::Milliseconds(5),
                          [] { ADD_FAILURE() << "it runs"; }),
            LanePause::Where::Runs);
}

} // namespace
} // namespace graphc::executor
