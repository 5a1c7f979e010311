#include "runtime/session/progress/TrainingSteps.h"

#include <gtest/gtest.h>

namespace graphc::session {
namespace {

TEST(TrainingSteps, EpochsBecomeStepsRoundedUp) {
  TrainingSteps trainingSteps{.samples = 60000, .samplesPerStep = 256};
  EXPECT_EQ(trainingSteps.stepsOf(5), 1172u); // 1171.875
  EXPECT_EQ(trainingSteps.stepsOf(1), 235u);
  EXPECT_EQ(trainingSteps.stepsOf(0), 0u);
  EXPECT_EQ((TrainingSteps{.samples = 100, .samplesPerStep = 10}).stepsOf(0.3), 3u)
      << "0.3 * 10 is 3 and not a little more";
  EXPECT_EQ((TrainingSteps{}).stepsOf(5), 0u);
}

TEST(TrainingSteps, NoNumberOfEpochsIsTooManyOrTooFew) {
  TrainingSteps trainingSteps{
      .samples = 203, .samplesPerStep = 16, .evalEvery = 1e-300, .total = 100};
  EXPECT_EQ(trainingSteps.stepsOf(1e30), executor::kMostSteps);
  EXPECT_EQ(trainingSteps.next(7).step, 8u) << "no more often than every step";
  trainingSteps.evalEvery = 1e300;
  EXPECT_EQ(trainingSteps.next(7).step, 100u);
  EXPECT_EQ(
      (TrainingSteps{.samples = 1 << 10, .samplesPerStep = 1 << 10}).epochOf(executor::kMostSteps),
      executor::kMostSteps);
}

TEST(TrainingSteps, BehindMoreSamplesThanCanBeCountedThereIsNoPause) {
  TrainingSteps trainingSteps{.samples = 57,
                              .samplesPerStep = 19,
                              .position = uint64_t{1} << 62,
                              .evalEvery = 1,
                              .total = 100};
  EXPECT_EQ(trainingSteps.next(0).step, 100u);
  EXPECT_FALSE(trainingSteps.next(0).evaluate);
}

TEST(TrainingSteps, EpochOfAStepStraddles) {
  TrainingSteps trainingSteps{.samples = 10, .samplesPerStep = 4};
  EXPECT_EQ(trainingSteps.epochOf(0), 0u);
  EXPECT_EQ(trainingSteps.epochOf(2), 0u); // samples 8..11: begins in epoch 0
  EXPECT_EQ(trainingSteps.epochOf(3), 1u);
}

TEST(TrainingSteps, EpochsCountSamplesSeenUnderAnyStrategy) {
  // 469 steps of 128 were made; 256 are taken in a step from here on.
  TrainingSteps trainingSteps{
      .samples = 60000, .samplesPerStep = 256, .firstStep = 469, .position = 60032};
  EXPECT_EQ(trainingSteps.stepsOf(1), 469u) << "seen once already";
  EXPECT_EQ(trainingSteps.stepsOf(2), 469u + 235u); // ceil(59968 / 256)
  EXPECT_EQ(trainingSteps.epochOf(469), 1u);
  EXPECT_EQ(trainingSteps.epochOf(468), 1u) << "what was before is not counted back";
  trainingSteps.saveEveryEpoch = true;
  trainingSteps.total = trainingSteps.stepsOf(3);
  EXPECT_EQ(trainingSteps.next(469).step, 704u);
}

TEST(TrainingSteps, PaddedEpochsEndWithTheirLastSample) {
  TrainingSteps trainingSteps{
      .samples = 10, .samplesPerStep = 4, .padded = true, .saveEveryEpoch = true};
  EXPECT_EQ(trainingSteps.stepsOf(1), 3u);
  EXPECT_EQ(trainingSteps.stepsOf(3), 9u);
  EXPECT_EQ(trainingSteps.epochOf(2), 0u);
  EXPECT_EQ(trainingSteps.epochOf(3), 1u);
  trainingSteps.total = 9;
  EXPECT_EQ(trainingSteps.next(0).step, 3u);
  EXPECT_EQ(trainingSteps.next(4).step, 6u);
}

TEST(TrainingSteps, PausesAtTheNearestReason) {
  TrainingSteps trainingSteps{
      .samples = 100, .samplesPerStep = 10, .evalEvery = 1, .saveEvery = 7, .total = 25};
  TrainingSteps::Pause pause = trainingSteps.next(0);
  EXPECT_EQ(pause.step, 7u);
  EXPECT_TRUE(pause.save);
  EXPECT_FALSE(pause.evaluate);
  pause = trainingSteps.next(7);
  EXPECT_EQ(pause.step, 10u);
  EXPECT_TRUE(pause.evaluate);
  EXPECT_FALSE(pause.save);
  pause = trainingSteps.next(21);
  EXPECT_EQ(pause.step, 25u);
  EXPECT_TRUE(pause.save) << "the end always saves";
  EXPECT_FALSE(pause.evaluate);
}

TEST(TrainingSteps, ACheckpointIsDueWhereTrainingBegins) {
  const auto due = [](uint64_t step, uint64_t position, bool padded = false) {
    TrainingSteps steps{.samples = 10,
                        .samplesPerStep = 4,
                        .padded = padded,
                        .firstStep = step,
                        .position = position};
    steps.saveEveryEpoch = true;
    return steps.savesAtBegin();
  };
  EXPECT_FALSE(due(0, 0));
  EXPECT_FALSE(due(2, 8));
  EXPECT_TRUE(due(3, 12)) << "the first step behind the epoch's last sample";
  EXPECT_FALSE(due(4, 16));
  EXPECT_TRUE(due(5, 20));
  EXPECT_TRUE(due(3, 10, true));
  EXPECT_FALSE(due(4, 14, true));
  TrainingSteps counted{.samples = 10, .samplesPerStep = 4, .firstStep = 40, .position = 160};
  EXPECT_FALSE(counted.savesAtBegin()) << "none is wanted";
  counted.saveEvery = 20;
  EXPECT_TRUE(counted.savesAtBegin());
  counted.firstStep = 41;
  EXPECT_FALSE(counted.savesAtBegin());
  counted.firstStep = 0;
  EXPECT_FALSE(counted.savesAtBegin());
}

TEST(TrainingSteps, AnEvaluationIsDueWhereTheStepBeforeWouldHaveMadeIt) {
  for (double every : {0.1, 0.35, 1.0, 2.5}) {
    const TrainingSteps whole{
        .samples = 203, .samplesPerStep = 16, .evalEvery = every, .total = 200};
    for (uint64_t step = 1; step < 200; ++step) {
      const TrainingSteps::Pause pause = whole.next(step - 1);
      const TrainingSteps on{.samples = 203,
                             .samplesPerStep = 16,
                             .firstStep = step,
                             .position = 16 * step,
                             .evalEvery = every,
                             .total = 200};
      EXPECT_EQ(on.evaluatesAtBegin(), pause.step == step && pause.evaluate)
          << every << " at " << step;
    }
  }
  EXPECT_FALSE(
      (TrainingSteps{.samples = 203, .samplesPerStep = 16, .evalEvery = 1.0}.evaluatesAtBegin()));
  EXPECT_FALSE(
      (TrainingSteps{.samples = 203, .samplesPerStep = 16, .firstStep = 13, .position = 208}
           .evaluatesAtBegin()));
}

TEST(TrainingSteps, EveryStepIsReachedWhateverTheFraction) {
  for (double every : {0.1, 0.35, 1.0, 2.5}) {
    TrainingSteps trainingSteps{.samples = 61,
                                .samplesPerStep = 8,
                                .evalEvery = every,
                                .saveEveryEpoch = true,
                                .total = 100};
    uint64_t step = 0, rounds = 0;
    while (step < trainingSteps.total && rounds++ < 1000) {
      TrainingSteps::Pause pause = trainingSteps.next(step);
      ASSERT_GT(pause.step, step) << every;
      step = pause.step;
    }
    EXPECT_EQ(step, 100u);
  }
}

TEST(TrainingSteps, GoingOnFromTheMiddleFindsTheSamePauses) {
  TrainingSteps trainingSteps{
      .samples = 60000, .samplesPerStep = 256, .saveEveryEpoch = true, .total = 1172};
  EXPECT_EQ(trainingSteps.next(0).step, 235u);
  EXPECT_EQ(trainingSteps.next(235).step, 469u);
  EXPECT_EQ(trainingSteps.next(300).step, 469u);
  EXPECT_EQ(trainingSteps.next(938).step, 1172u);
}

} // namespace
} // namespace graphc::session
