//===- LaneTest.cpp - whole phases on threads: values, ends, errors, bytes, arenas ------------===//

#include "runtime/common/base/Mutex.h"
#include "runtime/common/plan/LanePosition.h"
#include "runtime/executor/EventRing.h"
#include "test/runtime/common/plan/CompletePlan.h"
#include "test/runtime/common/plan/PlanBuilder.h"
#include "test/runtime/executor/TaskHarness.h"
#include "test/runtime/executor/TestHost.h"
#include "test/runtime/session/LonePlan.h"

#include "absl/time/clock.h"

#include <gmock/gmock.h>

#include <future>
#include <map>
#include <thread>

namespace graphc::executor {
namespace {

using plan::parameterServerPlan;
using plan::ParameterServerShape;
using testing::HasSubstr;

std::vector<std::vector<float>> initialValues(TaskHarness &tasks,
                                              const ParameterServerShape &shape) {
  std::vector<std::vector<float>> values;
  for (uint32_t p = 0; p < shape.servers; ++p)
    values.push_back(tasks.floats(p));
  return values;
}

TEST(Lane, SynchronousParameterServerIsBitExact) {
  for (ParameterServerShape shape : {ParameterServerShape{1, 1},
                                     {1, 2},
                                     {2, 3},
                                     {3, 5, 4096},
                                     {2, 4, 4096, false, 16},
                                     {2, 3, 16, false, 0, true},
                                     {2, 3, 16, false, 0, true, true},
                                     {2, 3, 16, false, 0, false, false, true},
                                     {2, 3, 4096, false, 16, true, true, true}}) {
    TaskHarness tasks(parameterServerPlan(shape));
    auto initial = initialValues(tasks, shape);
    TestHost host(50);
    auto lanes = tasks.lanes(host);
    EXPECT_EQ(lanes.size(), shape.servers + shape.workers);
    ASSERT_EQ(tasks.run(lanes), absl::OkStatus());
    EXPECT_EQ(tasks.globalStep(), 50);
    auto expected = plan::expectedSync(shape, 50, initial);
    for (uint32_t p = 0; p < shape.servers; ++p)
      EXPECT_EQ(tasks.floats(p), expected[p]) << p;
    for (auto &lane : lanes) {
      EXPECT_EQ(lane->step(), 50u);
      EXPECT_EQ(lane->endReason(), EndReason::Finished);
    }
  }
}

// What is not copied counts as if it were; what is sent ahead is sent once a step, and nothing is
// left at the end.
TEST(Lane, MeasuredBytesEqualThePlan) {
  for (uint64_t steps : {1, 20})
    for (ParameterServerShape shape : {ParameterServerShape{2, 3, 16, false, 0, true, true},
                                       {2, 3, 16, false, 0, false, false, true}}) {
      TaskHarness tasks(parameterServerPlan(shape));
      TestHost host(steps);
      auto lanes = tasks.lanes(host);
      ASSERT_EQ(tasks.run(lanes), absl::OkStatus());
      uint64_t sent = 0, received = 0;
      for (const plan::Program &program : tasks.plan.programs()) {
        sent += program.bytes_sent_per_step() * program.instances() * steps;
        received += program.bytes_received_per_step() * program.instances() * steps;
      }
      EXPECT_EQ(tasks.transport->counters().bytesSent, sent);
      EXPECT_EQ(tasks.transport->counters().bytesReceived, received);
    }
}

// Without a reset between them: a phase leaves no message behind, also none that was sent ahead.
TEST(Lane, PhasesFollowEachOtherOnTheSameChannels) {
  for (bool ahead : {false, true}) {
    ParameterServerShape shape{1, 2, 16, false, 0, false, false, ahead};
    TaskHarness tasks(parameterServerPlan(shape));
    for (int run = 0; run < 3; ++run) {
      TestHost host(10);
      auto lanes = tasks.lanes(host);
      ASSERT_EQ(tasks.run(lanes), absl::OkStatus());
    }
    EXPECT_EQ(tasks.globalStep(), 30);
  }
}

TEST(Lane, AsynchronousPhaseEndsByEndOfStream) {
  for (uint32_t servers : {1, 2, 3}) {
    ParameterServerShape shape{servers, 4, 4096, true};
    TaskHarness tasks(parameterServerPlan(shape));
    for (uint64_t run = 1; run < 4; ++run) {
      TestHost host(100);
      auto lanes = tasks.lanes(host);
      ASSERT_EQ(tasks.run(lanes), absl::OkStatus());
      EXPECT_EQ(tasks.globalStep(), int64_t(100 * run))
          << "each update ticket is one applied update";
      uint64_t workerSteps = 0;
      for (auto &lane : lanes) {
        EXPECT_EQ(lane->endReason(), EndReason::Closed);
        EXPECT_EQ(lane->place().doing, plan::LaneActivity::Between)
            << "others may take long, and it computes no more";
        workerSteps += lane->info().programIndex == 0 ? lane->step() : 0;
      }
      EXPECT_EQ(workerSteps, 100u);
      ASSERT_TRUE(tasks.transport->reset(run).ok());
    }
  }
}

// Every worker adds 0.1 * (0.5 w + shift): element by element the same, so a torn read or write
// shows as a difference.
TEST(Lane, AsynchronousUpdatesAreNeverTorn) {
  ParameterServerShape shape{1, 4, 4096, true};
  plan::Plan plan = parameterServerPlan(shape);
  plan.mutable_variables(0)->mutable_initializer()->set_zeros(true);
  TaskHarness tasks(plan);
  TestHost host(2000);
  std::atomic<int> torn{0};
  auto lanes = tasks.lanes(host);
  std::atomic<bool> stop{false};
  std::thread reader([&] {
    while (!stop) {
      {
        base::MutexLock lock(tasks.stores[0]->mutex(0));
        auto *w = reinterpret_cast<const float *>(tasks.stores[0]->data(0).data());
        for (int i = 1; i < 4096; ++i)
          torn += w[i] != w[0];
      }
      absl::SleepFor(absl::Microseconds(50)); // a mutex is not fair: the lanes would never have it
    }
  });
  ASSERT_EQ(tasks.run(lanes), absl::OkStatus());
  stop = true;
  reader.join();
  EXPECT_EQ(torn, 0);
  EXPECT_EQ(tasks.globalStep(), 2000);
}

TEST(Lane, FetchesAreThereAtTheEndOfTheStep) {
  ParameterServerShape shape{1, 2};
  TaskHarness tasks(parameterServerPlan(shape));
  std::vector<float> w = tasks.floats(0);
  float expected = 0;
  for (float x : w)
    expected += x;
  TestHost host(1);
  base::Mutex mutex;
  int seen = 0;
  host.onStep = [&](const LaneInfo &lane, const StepResults &results) {
    base::MutexLock lock(mutex);
    if (!results.fetches.empty()) {
      ++seen;
      EXPECT_EQ(lane.program->fetches(0).name(), "loss0");
      EXPECT_EQ(*static_cast<const float *>(results.fetches[0]), expected);
      EXPECT_GT(results.nanoseconds, 0u);
    }
    return absl::OkStatus();
  };
  auto lanes = tasks.lanes(host);
  ASSERT_EQ(tasks.run(lanes), absl::OkStatus());
  EXPECT_EQ(seen, 2);
}

// A fetched message stays in its slot until the host has read it.
TEST(Lane, FetchedMessageOutlivesItsRelease) {
  ParameterServerShape shape{1, 2};
  plan::Plan plan = parameterServerPlan(shape);
  plan.mutable_programs(0)->mutable_fetches(0)->set_buffer(0);
  plan::completePlan(plan);
  TaskHarness tasks(plan);
  std::vector<float> w = tasks.floats(0);
  TestHost host(3);
  std::atomic<int> seen{0};
  host.onStep = [&](const LaneInfo &, const StepResults &results) {
    if (!results.fetches.empty() && results.step == 0)
      seen += std::memcmp(results.fetches[0], w.data(), 64) == 0;
    return absl::OkStatus();
  };
  auto lanes = tasks.lanes(host);
  ASSERT_EQ(tasks.run(lanes), absl::OkStatus());
  EXPECT_EQ(seen, 2);
}

TEST(Lane, ArenaBytesTouchedAreMeasured) {
  ParameterServerShape shape{2, 2};
  TaskHarness tasks(parameterServerPlan(shape));
  TestHost host(2);
  auto lanes = tasks.lanes(host);
  for (auto &lane : lanes)
    EXPECT_EQ(lane->frame().bytesTouched(), 0u);
  ASSERT_EQ(tasks.run(lanes), absl::OkStatus());
  for (auto &lane : lanes) {
    uint64_t arena = lane->info().program->arena_bytes();
    EXPECT_LE(lane->frame().bytesTouched(), arena);
    EXPECT_GT(lane->frame().bytesTouched(), arena - 64) << lane->info().name;
  }
}

TEST(Lane, KernelFailureEndsTheRunByName) {
  plan::PlanBuilder b;
  b.job("worker", 1);
  uint32_t phase = b.phase("predict", plan::PREDICT, false),
           program = b.program(phase, "predict.all", 1, false, 0, 0);
  uint32_t x = b.arenaBuffer(program, b.vector());
  b.controlSend(program, {});
  b.call(program, plan::TestKernel::FailAtStep, {x});
  b.controlReceive(program, true, 0);
  plan::Plan plan = b.finish();
  plan.add_locations("model.mlir:4:5");
  plan.mutable_programs(0)->mutable_instructions(1)->set_location(uint32_t(plan.locations_size()) -
                                                                  1);
  TaskHarness tasks(plan);
  TestHost host(10);
  auto lanes = tasks.lanes(host);
  EXPECT_EQ(
      tasks.run(lanes).message(),
      "/job:worker/task:0 predict.all: kernel fail_at_step (model.mlir:4:5) failed with code 7 at step 4");
}

TEST(Lane, HostErrorEndsEveryLane) {
  TaskHarness tasks(parameterServerPlan({2, 3}));
  TestHost host(1000000);
  host.onStep = [](const LaneInfo &lane, const StepResults &results) {
    return lane.instance == 1 && results.step == 20 ? absl::DataLossError("the disk is gone")
                                                    : absl::OkStatus();
  };
  auto lanes = tasks.lanes(host);
  EXPECT_EQ(tasks.run(lanes), absl::DataLossError("the disk is gone"))
      << "not the Aborted that the others found";
}

// A worker that never starts: the wait is reported with who, what, from whom and where, and ends at
// its deadline.
TEST(Lane, LastingWaitIsExplainedThenEnds) {
  TaskHarness tasks(parameterServerPlan({1, 2}));
  TestHost host(10);
  auto lanes = tasks.lanes(host);
  std::erase_if(lanes, [](auto &lane) {
    return lane->info().programIndex == 0 && lane->info().instance == 1;
  });
  LaneRunOptions options;
  options.reportAfter = absl::Milliseconds(50);
  options.deadline = absl::Milliseconds(1500);
  base::Mutex mutex;
  std::vector<std::string> reports;
  options.onWait = [&](const WaitReport &report) {
    base::MutexLock lock(mutex);
    EXPECT_GE(report.since, absl::Milliseconds(50));
    reports.push_back(report.text);
  };
  absl::Status status = tasks.run(lanes, options);
  EXPECT_TRUE(absl::IsDeadlineExceeded(status)) << status;
  EXPECT_THAT(
      reports,
      testing::Contains("/job:ps/task:0 train_step.ps0 waits at step 1 to receive w0.gradient[1] "
                        "(by-hand.mlir:2:3) from /job:worker/task:1 train_step.worker[1]"));
  EXPECT_THAT(reports,
              testing::Contains(
                  "/job:worker/task:0 train_step.worker[0] waits at step 2 to send control.ps0 "
                  "(by-hand.mlir:3:3) to /job:ps/task:0 train_step.ps0"));
}

// Another thread sees at which instruction a lane is, while that takes its time.
TEST(Lane, WhereItIsIsSeenFromOutside) {
  struct SlowData final : TestHost {
    using TestHost::TestHost;
    absl::Status nextBatch(const LaneInfo &, uint64_t, const plan::Instruction::NextBatch &,
                           std::span<void *const>, uint8_t *) override {
      come.get_future().wait();
      return absl::DataLossError("the disk is gone");
    }
    std::promise<void> come;
  };
  TaskHarness tasks(plan::lonePlan());
  SlowData host(10);
  auto lanes = tasks.lanes(host);
  EXPECT_EQ(plan::placeText(tasks.plan, lanes[0]->place()), "computes at step 1");
  std::thread runs([&] { EXPECT_EQ(tasks.run(lanes), absl::DataLossError("the disk is gone")); });
  plan::LanePosition place;
  for (absl::Time end = absl::Now() + absl::Seconds(60);
       place.doing != plan::LaneActivity::Reads && absl::Now() < end;)
    place = lanes[0]->place();
  EXPECT_TRUE(plan::checkPlace(tasks.plan, 0, place));
  EXPECT_EQ(plan::placeText(tasks.plan, place), "waits at step 1 for a batch of data set made");
  const Lane::Progress before = lanes[0]->progress();
  absl::SleepFor(absl::Milliseconds(20));
  EXPECT_EQ(lanes[0]->progress(), before) << "it stands still";
  host.come.set_value();
  runs.join();
}

/// The events of all three tasks of a parameter server with two workers.
std::vector<LaneEvent> eventsOf(TaskHarness &tasks, LaneCallbacks &host, uint64_t stepsBefore = 0) {
  auto ring = std::make_unique<EventRing>();
  std::vector<std::unique_ptr<Lane>> lanes;
  for (size_t task = 0; task < 3; ++task) {
    auto made = makeLanes({tasks.plan,
                           plan::allTasks(tasks.plan)[task],
                           *tasks.stores[task],
                           *tasks.library,
                           *tasks.transport,
                           host,
                           {},
                           ring.get(),
                           stepsBefore},
                          0);
    EXPECT_TRUE(made.ok()) << made.status();
    for (auto &lane : *made)
      lanes.push_back(std::move(lane));
  }
  EXPECT_EQ(tasks.run(lanes), absl::OkStatus());
  return ring->last();
}

// People count steps from 1, over all phases and restarts of a training.
TEST(Lane, StepsAreNamedByTheirNumberInTheTraining) {
  TaskHarness tasks(parameterServerPlan({1, 2}));
  TestHost host(10);
  size_t ends = 0;
  for (const LaneEvent &event : eventsOf(tasks, host, /*stepsBefore=*/40)) {
    EXPECT_EQ(plan::stepNumber(event.place), 41 + event.place.step);
    const std::string text = plan::placeText(tasks.plan, event.place);
    const bool hasEnded = event.place.doing == plan::LaneActivity::Between;
    ends += hasEnded;
    EXPECT_THAT(text,
                HasSubstr(absl::StrCat(hasEnded ? "between two steps, after step " : "at step ",
                                       41 + event.place.step)));
  }
  EXPECT_GT(ends, 0u);
}

TEST(Lane, WhatItDoesIsNoted) {
  TaskHarness tasks(parameterServerPlan({1, 2}));
  TestHost host(10);
  host.onStep = [](auto &, auto &) {
    absl::SleepFor(absl::Microseconds(20)); // of ends within 10 µs the first is noted
    return absl::OkStatus();
  };
  std::map<plan::LaneName, uint64_t> steps;
  size_t waits = 0;
  for (const LaneEvent &event : eventsOf(tasks, host)) {
    const uint32_t task = plan::taskNumber(
        tasks.plan,
        plan::instanceTask(tasks.plan, tasks.plan.programs(int(event.place.lane.program)),
                           event.place.lane.instance));
    EXPECT_TRUE(plan::checkPlace(tasks.plan, task, event.place));
    if (event.place.doing == plan::LaneActivity::Between)
      EXPECT_EQ(event.place.step, steps[event.place.lane]++);
    else
      waits += event.place.doing == plan::LaneActivity::Receives ||
               event.place.doing == plan::LaneActivity::Sends;
  }
  EXPECT_EQ(steps.size(), 3u);
  for (auto &[lane, made] : steps)
    EXPECT_EQ(made, 10u);
  EXPECT_GT(waits, 0u);
}

TEST(Lane, EndsOfSmallStepsPushNoOtherEventsOut) {
  TaskHarness tasks(parameterServerPlan({1, 2}));
  TestHost host(2000);
  std::map<plan::LaneName, int64_t> last;
  for (const LaneEvent &event : eventsOf(tasks, host)) {
    if (event.place.doing != plan::LaneActivity::Between)
      continue;
    if (auto before = last.find(event.place.lane); before != last.end())
      EXPECT_GE(event.time - before->second, 10000);
    last[event.place.lane] = event.time;
  }
  EXPECT_EQ(last.size(), 3u);
}

TEST(Lane, AbortEndsWaitingLanesAtOnce) {
  TaskHarness tasks(parameterServerPlan({1, 2}));
  TestHost host(10);
  auto lanes = tasks.lanes(host);
  lanes.pop_back();
  std::thread aborter([&] {
    absl::SleepFor(absl::Milliseconds(50));
    tasks.transport->abort(absl::AbortedError("worker:1 was killed"));
  });
  absl::Time start = absl::Now();
  EXPECT_EQ(tasks.run(lanes).message(), "worker:1 was killed");
  EXPECT_LT(absl::Now() - start, absl::Seconds(10));
  aborter.join();
}

TEST(Lane, ControlMessageForAnotherStepIsRefused) {
  TaskHarness tasks(parameterServerPlan({1, 1}));
  TestHost host(10);
  auto lanes = tasks.lanes(host);
  std::erase_if(lanes, [](auto &lane) { return lane->info().programIndex == 0; });
  std::vector<float> zeros(16);
  ASSERT_EQ(tasks.transport->sender({1, 0})->start(zeros.data(), 0), transport::PollState::Ready);
  uint64_t payload = ControlMessage{ControlAction::Continue, EndReason::None, 5}.encode();
  ASSERT_EQ(tasks.transport->sender({2, 0})->start(&payload, 0), transport::PollState::Ready);
  LaneRunOptions options;
  options.deadline = absl::Seconds(5);
  EXPECT_THAT(std::string(tasks.run(lanes, options).message()),
              HasSubstr("at step 1 the control message is action 1 for step 6"));
}

} // namespace
} // namespace graphc::executor
