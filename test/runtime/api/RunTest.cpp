// run(): a plan of one task in this process, as embedding programs call it; its C interface too.
#include "runtime/api/Run.h"
#include "graphc.h"
#include "runtime/checkpoint/NpyFormat.h"
#include "runtime/service/RunSecret.h"
#include "test/runtime/session/LonePlan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <thread>

namespace graphc::session {
namespace {
using testing::HasSubstr;

struct Run : testing::Test {
  Run() : folder(testing::TempDir() + "/run-" + service::randomHex(6)) {}
  ~Run() override { std::filesystem::remove_all(folder); }
  /// The bytes of a variable that was dumped.
  std::string dumped(const std::string &where, const std::string &name) {
    auto array = checkpoint::readNpy(where + "/" + name + ".npy");
    EXPECT_TRUE(array.ok()) << array.status();
    return array.ok() ? array->data : "";
  }
  const std::string folder;
  const plan::Plan plan = plan::lonePlan();
};

TEST_F(Run, TrainsEvaluatesAndHandsOverResults) {
  RunOptions options;
  options.steps = 7;
  options.fetches = {"loss"};
  std::vector<std::string> lines;
  options.log = [&](const std::string &line) { lines.push_back(line); };
  auto result = run(plan, options);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->steps, 7u);
  EXPECT_THAT(result->metrics, testing::Contains(testing::Pair("accuracy", 1.0)));
  ASSERT_EQ(result->fetches.size(), 7u);
  for (size_t i = 0; i < 7; ++i) {
    EXPECT_EQ(result->fetches[i].name, "loss");
    EXPECT_EQ(result->fetches[i].step, i);
    EXPECT_EQ(result->fetches[i].data.size(), 4u);
  }
}

TEST_F(Run, GivesResultsAsTheyCome) {
  RunOptions options;
  options.steps = 3;
  options.fetches = {"loss"};
  size_t came = 0;
  options.fetched = [&](const FetchedTensor &value) { came += value.name == "loss"; };
  auto result = run(plan, options);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(came, 3u);
  EXPECT_TRUE(result->fetches.empty());
}

TEST_F(Run, GoesOnFromACheckpoint) {
  RunOptions options;
  options.steps = 9;
  options.dumpDirectory = folder + "/whole";
  options.checkpointDirectory = folder + "/saved-by-the-whole";
  options.saveEverySteps = 4; // the test kernel adds a little for each step since the last pause
  ASSERT_TRUE(run(plan, options).ok());
  options.checkpointDirectory = folder + "/saved";
  options.dumpDirectory = folder + "/parts";
  for (uint64_t steps : {4, 9}) {
    options.steps = steps;
    auto result = run(plan, options);
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_EQ(result->steps, steps);
  }
  EXPECT_EQ(dumped(folder + "/parts", "w"), dumped(folder + "/whole", "w"));
}

TEST_F(Run, StopsWhenAsked) {
  RunOptions options;
  options.steps = uint64_t{1} << 40;
  std::atomic<bool> asked{false};
  options.stop = [&] { return asked.load(); };
  options.fetches = {"loss"};
  options.fetched = [&](const FetchedTensor &value) { asked = value.step > 10; };
  EXPECT_TRUE(absl::IsCancelled(run(plan, options).status()));
}

TEST_F(Run, RunsSeveralAtOnce) {
  RunOptions options;
  options.steps = 20;
  options.dumpDirectory = folder + "/alone";
  ASSERT_TRUE(run(plan, options).ok());
  std::vector<std::thread> threads;
  std::vector<absl::Status> statuses(3);
  for (size_t t = 0; t < statuses.size(); ++t)
    threads.emplace_back([&, t, own = options]() mutable {
      own.dumpDirectory = folder + "/" + std::to_string(t);
      statuses[t] = run(plan, own).status();
    });
  for (std::thread &thread : threads)
    thread.join();
  for (size_t t = 0; t < statuses.size(); ++t) {
    EXPECT_TRUE(statuses[t].ok()) << statuses[t];
    EXPECT_EQ(dumped(folder + "/" + std::to_string(t), "w"), dumped(folder + "/alone", "w"));
  }
}

TEST_F(Run, RefusesWhatItCannotDo) {
  EXPECT_THAT(run(plan::parameterServerPlan({1, 2})).status().message(), HasSubstr("has 3 tasks"));
  plan::Plan broken = plan;
  broken.mutable_programs(0)->mutable_instructions(0)->clear_kind();
  EXPECT_FALSE(run(broken).ok());
  RunOptions options;
  options.entry = "predict";
  EXPECT_THAT(run(plan, options).status().message(), HasSubstr("no such function"));
  options = {};
  options.fetches = {"lost"};
  EXPECT_THAT(run(plan, options).status().message(), HasSubstr("did you mean"));
  options = {};
  options.feeds["x"] = "1234";
  EXPECT_THAT(run(plan, options).status().message(),
              HasSubstr("feed x: the plan has no argument of this name"));
}

TEST_F(Run, FailsWithoutEndingTheProcess) {
  std::filesystem::create_directories(folder);
  RunOptions options;
  options.checkpointDirectory = folder + "/file";
  std::fclose(std::fopen(options.checkpointDirectory.c_str(), "w"));
  auto result = run(plan, options);
  ASSERT_FALSE(result.ok());
  EXPECT_THAT(result.status().message(), HasSubstr("file"));
}

TEST_F(Run, IsCalledFromC) {
  auto bytes = plan::encodePlan(plan);
  ASSERT_TRUE(bytes.ok());
  const char *fetches[] = {"loss"};
  graphc_run_options options{};
  options.size = sizeof(options);
  options.steps = 5;
  options.fetches = fetches;
  options.fetch_count = 1;
  graphc_run_result *result = graphc_run(bytes->data(), bytes->size(), &options);
  EXPECT_STREQ(graphc_run_error(result), nullptr);
  EXPECT_EQ(graphc_run_steps(result), 5u);
  double accuracy = 0;
  EXPECT_EQ(graphc_run_metric(result, "accuracy", &accuracy), 1);
  EXPECT_EQ(accuracy, 1.0);
  EXPECT_EQ(graphc_run_metric(result, "precision", &accuracy), 0);
  ASSERT_EQ(graphc_fetched_count(result), 5u);
  graphc_fetched last = graphc_get_fetched(result, 4);
  EXPECT_STREQ(last.name, "loss");
  EXPECT_EQ(last.step, 4u);
  EXPECT_EQ(last.rank, 0u);
  EXPECT_EQ(last.bytes, 4u);
  graphc_free_run_result(result);

  result = graphc_run("no plan", 7, nullptr);
  ASSERT_NE(graphc_run_error(result), nullptr);
  graphc_free_run_result(result);

  // an older header's: what it did not have is not read
  options.size = offsetof(graphc_run_options, fetches);
  result = graphc_run(bytes->data(), bytes->size(), &options);
  EXPECT_STREQ(graphc_run_error(result), nullptr);
  EXPECT_EQ(graphc_fetched_count(result), 0u);
  graphc_free_run_result(result);
}

} // namespace
} // namespace graphc::session
