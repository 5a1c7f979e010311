// Runs that are stopped, by what their driver says and leaves.
#include "runtime/common/base/File.h"
#include "test/runtime/session/AnsweredRun.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace graphc::session {
namespace {
using service::Done;
using service::Order;
using testing::HasSubstr;

/// Stops the run at a step of the first phase of `role`, as SIGTERM does.
struct Stopped : AnsweredRun {
  Stopped() {
    loaded.plan = plan::lonePlan();
    options.evalEveryEpochs = 0.4; // one step of 4 of the 10 samples
    options.statsFile = folder + ".json";
  }
  ~Stopped() override { std::filesystem::remove(options.statsFile); }
  std::string runStopped(plan::Role role, size_t nth = 1) {
    size_t seen = 0;
    twist = [=, this](uint32_t task, const Order &order, Done &done) mutable {
      if (!order.has_run() || loaded.plan.phases(static_cast<int>(begun.phase())).role() != role)
        return;
      if (role == plan::EVAL)
        addMetric(done, "accuracy", 4, 8);
      if (++seen != nth)
        return;
      service::Progress asked;
      asked.set_stop_requested(true);
      coordinator->progress({task, 100 + task}, asked);
      heartbeat();
      done.set_steps(1);
      done.set_stopped(true);
      if (role == plan::EVAL)
        done.mutable_metrics(0)->set_sum(1);
    };
    return run();
  }
  std::string stats() {
    auto text = base::readFile(options.statsFile);
    return text.ok() ? *text : std::string(text.status().message());
  }
};

TEST_F(Stopped, AnEvaluationThatWasCutHasNoResult) {
  EXPECT_THAT(runStopped(plan::EVAL),
              HasSubstr("stopped at step 1 of 3 as asked; nothing was saved"));
  EXPECT_EQ(begins.size(), 2u) << "no training behind the evaluation that was cut";
  ASSERT_FALSE(shown.empty());
  EXPECT_TRUE(shown.back().metrics.empty()) << shown.back().metrics[0].first;
  EXPECT_THAT(stats(), testing::Not(HasSubstr("accuracy")));
  EXPECT_TRUE(printed.empty()) << printed[0];
}

TEST_F(Stopped, TheEvaluationBeforeStays) {
  EXPECT_THAT(runStopped(plan::EVAL, 2), HasSubstr("stopped at step 2 of 3 as asked"));
  ASSERT_FALSE(shown.empty());
  ASSERT_EQ(shown.back().metrics.size(), 1u);
  EXPECT_EQ(shown.back().metrics[0].second, 0.5);
  EXPECT_THAT(stats(), HasSubstr("\"accuracy\": 0.5"));
}

TEST_F(Stopped, TheLastEvaluationToo) {
  options.evalEveryEpochs.reset();
  EXPECT_EQ(runStopped(plan::EVAL),
            "stopped in the evaluation, at step 1 of 3, as asked; it has no result");
  EXPECT_TRUE(printed.empty()) << printed[0];
  EXPECT_THAT(stats(), testing::Not(HasSubstr("accuracy")));
  options.entry = "eval";
  EXPECT_EQ(runStopped(plan::EVAL),
            "stopped in the evaluation, at step 1 of 3, as asked; it has no result");
  EXPECT_TRUE(printed.empty()) << printed[0];
}

TEST_F(Stopped, APredictionThatWasCutSaysSo) {
  loaded.plan.mutable_phases(1)->set_role(plan::PREDICT);
  options.entry = "predict";
  EXPECT_EQ(runStopped(plan::PREDICT), "stopped at step 1 of 3, as asked");
}

// A stop that some lane saw too late to keep the last update back.
TEST_F(Stopped, AnEvaluationThatIsDueIsMadeWhereThePhaseCameToIt) {
  twist = [this](uint32_t, const Order &order, Done &done) {
    if (order.has_run() && begun.phase() == 0)
      done.set_stopped(true);
  };
  EXPECT_EQ(run(), "");
  EXPECT_EQ(begins.size(), 6u) << "three steps, an evaluation behind each";
}

TEST_F(Stopped, PhasesBeginWithTheSamplesOfAnEpoch) {
  EXPECT_EQ(runStopped(plan::TRAIN, 9), "");
  ASSERT_EQ(begins.size(), 6u);
  for (const Order::Begin &begin : begins)
    EXPECT_EQ(begin.epoch_samples(), 10u);
}

} // namespace
} // namespace graphc::session
