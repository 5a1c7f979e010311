#include "runtime/session/results/ResultSums.h"

#include <gtest/gtest.h>

namespace graphc::session {
namespace {

service::Done answerOf(uint64_t epoch, double loss, uint64_t losses, double hits, int64_t samples) {
  service::Done done;
  service::EpochSum &sum = *done.add_losses();
  sum.set_epoch(epoch);
  sum.set_loss(loss);
  sum.set_count(losses);
  service::MetricSum &metric = *done.add_metrics();
  metric.set_name("accuracy");
  metric.set_epoch(epoch);
  metric.set_sum(hits);
  metric.set_count(samples);
  return done;
}

TEST(ResultSums, OfAnEvaluationAreOverAllAnswers) {
  ResultSums sums;
  addMetrics(answerOf(0, 0, 0, 3, 4), sums);
  addMetrics(answerOf(0, 0, 0, 1, 12), sums);
  EXPECT_EQ(sums["accuracy"].mean(), 0.25);
  addMetrics(answerOf(0, 0, 0, 0, 0), sums);
  EXPECT_EQ(sums["accuracy"].count, 16);
  EXPECT_FALSE(ResultSum().mean()) << "nothing was counted";
}

TEST(ResultSums, ALossThatIsNoNumberIsThatOfTheEarliestStep) {
  auto answer = [](const char *text, uint64_t step) {
    service::Done done;
    done.set_not_finite(text);
    done.set_not_finite_step(step);
    return done;
  };
  const PhaseResult result = resultOf(
      {service::Done(), answer("late", 3), answer("first", 2), answer("also", 2)}, /*trains=*/true);
  EXPECT_EQ(result.notFinite, "first");
  EXPECT_EQ(result.notFiniteStep, 2u);
  EXPECT_EQ(resultOf({service::Done()}, /*trains=*/true).notFinite, "");
}

TEST(ResultSums, OfATrainingAreThoseOfTheLastEpoch) {
  TrainedSums sums;
  EXPECT_FALSE(sums.loss());
  EXPECT_TRUE(sums.metrics().empty());
  sums.add(answerOf(0, 8, 2, 1, 10), {});
  EXPECT_EQ(sums.loss(), 4.0);
  // one task of the phase is in the next epoch already, another is not
  sums.add(answerOf(1, 3, 2, 6, 10), {});
  sums.add(answerOf(0, 9, 1, 2, 10), {});
  sums.add(answerOf(1, 1, 2, 2, 10), {});
  EXPECT_EQ(sums.loss(), 1.0);
  EXPECT_EQ(sums.metrics()["accuracy"].mean(), 0.4);
}

TEST(ResultSums, OfTasksThatCountForThemselvesBelongToOneEpoch) {
  TrainedSums sums;
  sums.add(answerOf(7, 2, 1, 0, 0), 3);
  sums.add(answerOf(2, 4, 1, 0, 0), 3);
  EXPECT_EQ(sums.loss(), 3.0);
  EXPECT_TRUE(sums.metrics().empty()) << "a metric of which nothing was counted";
}

} // namespace
} // namespace graphc::session
