// Whole runs of small plans: phases, results, checkpoints, stops and failures, over both
// transports.
#include "runtime/checkpoint/NpyFormat.h"
#include "runtime/checkpoint/SafetensorsFile.h"
#include "runtime/common/base/File.h"
#include "test/runtime/common/plan/PlanBuilder.h"
#include "test/runtime/session/TestCluster.h"

#include <gmock/gmock.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <numeric>

namespace graphc::session {
namespace {
using testing::HasSubstr;

struct SessionRun : testing::TestWithParam<std::string> {
  SessionRun() : folder(testing::TempDir() + "/session-" + service::randomHex(6)) {
    options.transport = GetParam();
  }
  ~SessionRun() override { std::filesystem::remove_all(folder); }
  std::vector<float> dumped(const std::string &name) {
    auto array = checkpoint::readNpy(folder + "/dump/" + name + ".npy");
    EXPECT_TRUE(array.ok()) << array.status();
    if (!array.ok())
      return {};
    std::vector<float> values(array->data.size() / 4);
    memcpy(values.data(), array->data.data(), array->data.size());
    return values;
  }
  int64_t dumpedStep() {
    auto array = checkpoint::readNpy(folder + "/dump/global_step.npy");
    EXPECT_TRUE(array.ok()) << array.status();
    int64_t step = -1;
    if (array.ok())
      memcpy(&step, array->data.data(), 8);
    return step;
  }
  static std::vector<std::vector<float>> initial(const plan::Plan &plan, uint32_t servers,
                                                 uint32_t elements) {
    std::vector<std::vector<float>> values(servers, std::vector<float>(elements));
    for (uint32_t p = 0; p < servers; ++p)
      executor::initializeVariable(
          plan.variables(static_cast<int>(p)),
          {reinterpret_cast<uint8_t *>(values[p].data()), elements * sizeof(float)});
    return values;
  }
  std::string folder;
  DriverOptions options;
};

TEST_P(SessionRun, SynchronousRunEqualsPlainLoops) {
  plan::ParameterServerShape shape{2, 3, 4096};
  plan::Plan plan = plan::parameterServerPlan(shape);
  auto expected = plan::expectedSync(shape, 25, initial(plan, 2, 4096));
  options.steps = 25;
  options.dumpDirectory = folder + "/dump";
  options.statsFile = folder + "/stats.json";
  std::filesystem::create_directories(folder);
  options.fetches = {"loss0"};
  TestCluster cluster(plan, options);
  ASSERT_TRUE(cluster.run().ok());
  for (auto &failure : cluster.failures)
    EXPECT_FALSE(failure) << failure->status;
  for (uint32_t p : {0u, 1u})
    EXPECT_EQ(dumped(plan.variables(static_cast<int>(p)).name()), expected[p]);
  EXPECT_EQ(dumpedStep(), 25);
  EXPECT_EQ(cluster.fetched.size(), 25u);
  EXPECT_TRUE(cluster.shown.back().last);
  EXPECT_EQ(cluster.shown.back().step, 25u);
  auto stats = base::readFile(folder + "/stats.json");
  ASSERT_TRUE(stats.ok());
  // promise 3: what was moved is what the plan says
  for (const plan::Program &program : plan.programs())
    EXPECT_THAT(*stats,
                HasSubstr("\"bytes_sent\": " + std::to_string(program.bytes_sent_per_step() * 25)));
}

TEST_P(SessionRun, WhatHasNoValueOfItsOwnTakesItFromAFileOrNobodyBegins) {
  plan::Plan plan = plan::parameterServerPlan({2, 3, 16});
  for (int p : {0, 1})
    plan.mutable_variables(p)->mutable_initializer()->set_uninitialized(true);
  options.steps = 5;
  options.dumpDirectory = folder + "/dump";
  {
    TestCluster cluster(plan, options);
    EXPECT_THAT(std::string(cluster.run().message()),
                HasSubstr("2 variables have no values to begin with (#graph.uninitialized): "));
    EXPECT_TRUE(cluster.shown.empty());
  }
  std::vector<float> first(16), second(16);
  std::iota(first.begin(), first.end(), 1.0f);
  std::iota(second.begin(), second.end(), 100.0f);
  std::filesystem::create_directories(folder);
  std::ofstream file(options.initFrom = folder + "/values.safetensors", std::ios::binary);
  ASSERT_TRUE(checkpoint::encodeSafetensors(
                  {{plan.variables(0).name(), plan.variables(0).type(), first.data(), 64},
                   {plan.variables(1).name(), plan.variables(1).type(), second.data(), 64}},
                  [&](const void *data, size_t size) {
                    file.write(static_cast<const char *>(data), std::streamsize(size));
                    return absl::OkStatus();
                  })
                  .ok());
  file.close();
  TestCluster cluster(plan, options);
  ASSERT_TRUE(cluster.run().ok());
  const auto expected = plan::expectedSync({2, 3, 16}, 5, {first, second});
  for (uint32_t p : {0u, 1u})
    EXPECT_EQ(dumped(plan.variables(static_cast<int>(p)).name()), expected[p]);
}

TEST_P(SessionRun, AsynchronousRunMakesExactlyTheUpdatesAskedFor) {
  options.steps = 40;
  options.dumpDirectory = folder + "/dump";
  TestCluster cluster(plan::parameterServerPlan({1, 3, 16, true}), options);
  ASSERT_TRUE(cluster.run().ok());
  EXPECT_EQ(dumpedStep(), 40);
}

TEST_P(SessionRun, ResumedRunEqualsAnUninterruptedOne) {
  plan::ParameterServerShape shape{1, 2};
  plan::Plan plan = plan::parameterServerPlan(shape);
  options.checkpointDirectory = folder + "/checkpoints";
  options.saveEverySteps = 7;
  options.steps = 20;
  TestCluster first(plan, options);
  ASSERT_TRUE(first.run().ok());
  options.steps = 33;
  options.dumpDirectory = folder + "/dump";
  TestCluster second(plan, options);
  absl::Status resumedRun = second.run();
  ASSERT_TRUE(resumedRun.ok()) << resumedRun;
  EXPECT_THAT(second.logged, testing::Contains(HasSubstr("going on from")));
  EXPECT_EQ(dumpedStep(), 33);
  // The test kernel adds a little for each step of a phase, so the reference pauses where this run
  // did: 7, 14, 20, 21, 28, 33.
  std::vector<float> resumed = dumped(plan.variables(0).name());
  std::vector<std::vector<float>> values = initial(plan, 1, 16);
  for (uint64_t steps : {7, 7, 6, 1, 7, 5})
    values = plan::expectedSync(shape, steps, values);
  EXPECT_EQ(resumed, values[0]);
  TestCluster third(plan, options);
  ASSERT_TRUE(third.run().ok());
  EXPECT_THAT(third.logged,
              testing::Contains(HasSubstr("nothing to train: the run is at step 33")));
}

TEST_P(SessionRun, StopEndsAtAStepBoundaryWithACheckpoint) {
  options.steps = 1'000'000'000;
  options.checkpointDirectory = folder + "/checkpoints";
  TestCluster cluster(plan::parameterServerPlan({1, 2}), options);
  int heartbeats = 0;
  cluster.onHeartbeat = [&] {
    // Once it trains: before that a stop ends the run at once.
    if (heartbeats < 15 && !cluster.shown.empty() && ++heartbeats == 15)
      cluster.stop = true;
  };
  absl::Status status = cluster.run();
  EXPECT_TRUE(absl::IsCancelled(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("start again with --checkpoint_dir"));
  for (auto &failure : cluster.failures)
    EXPECT_FALSE(failure) << failure->status;
  std::vector<std::string> warnings;
  auto found = checkpoint::findNewest(options.checkpointDirectory, warnings);
  ASSERT_TRUE(found.ok() && *found);
  EXPECT_EQ((*found)->manifest.globalStep, cluster.driver->globalStep());
}

TEST_P(SessionRun, FailureInOneTaskEndsAllAndNamesIt) {
  plan::Plan plan = plan::parameterServerPlan({1, 2});
  plan::PlanBuilder builder(16);
  builder.plan = plan;
  // The parameter server's kernel breaks at step 3.
  uint32_t ps =
      plan::sameTask(plan.programs(0).task(), plan.chief()) || plan.programs(0).spread() ? 1 : 0;
  uint32_t buffer = builder.arenaBuffer(ps, builder.vector());
  builder.call(ps, plan::TestKernel::FailAtStep, {buffer});
  auto &instructions = *builder.plan.mutable_programs(static_cast<int>(ps))->mutable_instructions();
  for (int i = instructions.size() - 1; i > 0; --i) // to the front: a control_receive stays last
    instructions.SwapElements(i, i - 1);
  options.steps = 10;
  TestCluster cluster(builder.finish(), options);
  absl::Status status = cluster.run();
  EXPECT_THAT(std::string(status.message()),
              testing::AllOf(HasSubstr("/job:ps/task:0"), HasSubstr("7")));
  ASSERT_TRUE(cluster.coordinator->rootCause());
  EXPECT_EQ(cluster.coordinator->rootCause()->task, "/job:ps/task:0");
  for (auto &failure : cluster.failures) {
    ASSERT_TRUE(failure);
    EXPECT_THAT(std::string(failure->status.message()), HasSubstr("/job:ps/task:0"));
  }
}

/// w1 is on the second server, its loss is made by all workers, the chief among them.
TEST_P(SessionRun, ALossThatIsNoNumberEndsTrainingWhereThatIsAsked) {
  for (bool asynchronous : {false, true}) {
    plan::Plan plan = plan::parameterServerPlan({2, 3, 16, asynchronous});
    const float nan = std::numeric_limits<float>::quiet_NaN();
    plan.mutable_variables(1)->mutable_initializer()->set_value(&nan, sizeof(nan));
    for (plan::Program &program : *plan.mutable_programs()) // the loss that is looked at
      for (plan::Port &fetch : *program.mutable_fetches())
        if (fetch.name() == "loss1")
          fetch.set_name("loss");
    options.steps = uint64_t{1} << 40;
    options.checkpointDirectory = folder + "/saved";
    options.saveEverySteps = 1;
    options.dumpDirectory = folder + "/dump";
    options.nanStops = false;
    TestCluster fails(plan, options);
    EXPECT_THAT(std::string(fails.run().message()),
                HasSubstr("loss is NaN at step 1 on /job:worker"));
    options.nanStops = true;
    TestCluster ends(plan, options);
    absl::Status status = ends.run();
    EXPECT_TRUE(status.ok()) << status;
    for (auto &failure : ends.failures)
      EXPECT_FALSE(failure) << failure->status;
    EXPECT_THAT(ends.driver->results().endedEarly,
                testing::AllOf(HasSubstr("loss is NaN at step 1 on /job:worker"),
                               HasSubstr("no checkpoint was saved")));
    EXPECT_EQ(checkpoint::committedSteps(options.checkpointDirectory)->size(), 0u);
    EXPECT_TRUE(std::filesystem::is_empty(options.dumpDirectory));
  }
}

TEST_P(SessionRun, MissingFeedIsNamed) {
  plan::Plan plan = plan::parameterServerPlan({1, 2});
  plan::PlanBuilder builder(16);
  builder.plan = plan;
  uint32_t buffer = builder.arenaBuffer(1, builder.vector());
  plan = builder.finish();
  plan::Port &feed = *plan.mutable_programs(1)->add_feeds();
  feed.set_name("x");
  feed.set_buffer(buffer);
  options.steps = 2;
  TestCluster cluster(plan, options);
  EXPECT_THAT(std::string(cluster.run().message()),
              HasSubstr("argument x : tensor<16xf32>; give its value with --feed x=FILE.npy"));
}

TEST_P(SessionRun, WaitPastItsDeadlineEndsTheRun) {
  options.steps = 5;
  TaskOptions task;
  task.deadline = absl::Milliseconds(600);
  task.reportAfter = absl::Milliseconds(100);
  task.transport.sendDelay = absl::Seconds(5);
  TestCluster cluster(plan::parameterServerPlan({1, 2}), options, task);
  absl::Status status = cluster.run();
  EXPECT_THAT(std::string(status.message()),
              testing::AllOf(HasSubstr("waits at step 1"), HasSubstr("deadline")));
}

INSTANTIATE_TEST_SUITE_P(Transports, SessionRun, testing::Values("shm", "grpc"),
                         [](const auto &info) { return info.param; });

TEST(DriverValidate, SaysWhatThePlanCannotDo) {
  plan::Plan plan = plan::parameterServerPlan({1, 2});
  DriverOptions options;
  options.fetches = {"loss0"};
  EXPECT_TRUE(MasterDriver::validate(plan, options).ok());
  options.fetches = {"los0"};
  EXPECT_THAT(std::string(MasterDriver::validate(plan, options).message()),
              HasSubstr("did you mean \"loss0\""));
  options.fetches.clear();
  options.epochs = 2;
  EXPECT_THAT(std::string(MasterDriver::validate(plan, options).message()),
              HasSubstr("reads no data set"));
  options.entry = "predict";
  EXPECT_THAT(std::string(MasterDriver::validate(plan, options).message()),
              HasSubstr("it has train"));
}

} // namespace
} // namespace graphc::session
