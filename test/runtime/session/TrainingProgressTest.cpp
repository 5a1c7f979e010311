// What a user sees of a training, from what tasks tell and what the master's thread knows; the
// thread sanitizer watches.
#include "runtime/session/progress/TrainingProgress.h"

#include "absl/time/clock.h"
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace graphc::session {
namespace {

struct TrainingProgressTest : testing::Test {
  static service::ClusterProgress told(std::vector<std::pair<uint64_t, uint64_t>> stepsAndTickets) {
    service::ClusterProgress progress;
    for (auto [steps, tickets] : stepsAndTickets) {
      service::Progress &task = progress.tasks.emplace_back();
      task.set_steps(steps);
      task.set_tickets(tickets);
    }
    return progress;
  }
  const observe::ProgressSnapshot &last() const { return shown.back(); }

  const absl::Time zero = absl::FromUnixSeconds(1000);
  std::vector<observe::ProgressSnapshot> shown;
  TrainingProgress progress{
      1, [this](const observe::ProgressSnapshot &snapshot) { shown.push_back(snapshot); }};
};

TEST_F(TrainingProgressTest, TheChiefsStepsAreEverybodys) {
  progress.begin({.samples = 100, .samplesPerStep = 10, .total = 40}, 0, zero);
  progress.beginPhase(1, 0, /*asynchronous=*/false);
  progress.showRunning(1, told({{9, 0}, {12, 0}, {30, 0}}), zero + absl::Seconds(1));
  ASSERT_EQ(shown.size(), 1u);
  EXPECT_EQ(last().step, 12u);
  EXPECT_EQ(last().steps, 40u);
  EXPECT_EQ(last().epoch, 2u);
  EXPECT_EQ(last().epochs, 4u);
  EXPECT_FALSE(last().last);
}

TEST_F(TrainingProgressTest, SaysWhenSoManyStepsMoreAreMade) {
  TrainingProgress counts{
      1, [this](const observe::ProgressSnapshot &snapshot) { shown.push_back(snapshot); }, 10};
  counts.begin({.total = 100}, 5, zero);
  counts.beginPhase(1, 5, /*asynchronous=*/false);
  std::vector<bool> logged;
  for (uint64_t steps : {2, 7, 12, 38}) {
    counts.showRunning(1, told({{0, 0}, {steps, 0}}),
                       zero + absl::Seconds(static_cast<double>(steps)));
    logged.push_back(last().logged.value_or(false));
  }
  EXPECT_EQ(logged, (std::vector<bool>{false, true, false, true})) << "at 7, 12, 17, 43";
  EXPECT_EQ(last().stepsPerSecond, 1) << "since the last one that was logged";
  progress.begin({.total = 100}, 0, zero);
  progress.beginPhase(1, 0, false);
  progress.showRunning(1, told({{0, 0}, {50, 0}}), zero + absl::Seconds(1));
  EXPECT_FALSE(last().logged.has_value()) << "nobody counts";
}

TEST_F(TrainingProgressTest, WithoutAChiefsStepsTheMostUpdatesCount) {
  progress.begin({.total = 40}, 5, zero);
  progress.beginPhase(1, 5, /*asynchronous=*/true);
  progress.showRunning(1, told({{9, 3}, {12, 0}, {30, 7}}), zero);
  ASSERT_EQ(shown.size(), 1u);
  EXPECT_EQ(last().step, 12u);
  EXPECT_EQ(last().epochs, 0u) << "it reads no data";
}

TEST_F(TrainingProgressTest, TheStepNeverGoesBackNorBeyondTheEnd) {
  progress.begin({.total = 40}, 0, zero);
  progress.beginPhase(1, 0, false);
  progress.showRunning(1, told({{0, 0}, {20, 0}}), zero);
  progress.showRunning(1, told({{0, 0}, {0, 0}}), zero); // the chief has ended the phase
  EXPECT_EQ(last().step, 20u);
  progress.showRunning(1, told({{0, 0}, {50, 0}}), zero);
  EXPECT_EQ(last().step, 40u);
  progress.begin({.total = 10}, 0, zero); // another training begins anew
  progress.beginPhase(2, 0, false);
  progress.showRunning(2, told({{0, 0}, {1, 0}}), zero);
  EXPECT_EQ(last().step, 1u);
}

TEST_F(TrainingProgressTest, TheRateFollowsSlowly) {
  progress.begin({.total = 1000}, 100, zero);
  progress.beginPhase(1, 100, false);
  progress.showRunning(1, told({{0, 0}, {10, 0}}), zero + absl::Milliseconds(10));
  EXPECT_EQ(last().stepsPerSecond, 0) << "too short a time to tell";
  progress.showRunning(1, told({{0, 0}, {10, 0}}), zero + absl::Milliseconds(500));
  EXPECT_DOUBLE_EQ(last().stepsPerSecond, 20);
  progress.showRunning(1, told({{0, 0}, {10, 0}}), zero + absl::Milliseconds(1000));
  EXPECT_DOUBLE_EQ(last().stepsPerSecond, 20) << "no new step";
  progress.showRunning(1, told({{0, 0}, {50, 0}}), zero + absl::Milliseconds(1500));
  EXPECT_DOUBLE_EQ(last().stepsPerSecond, 0.7 * 20 + 0.3 * 40);
}

/// What tasks tell of their losses: sum, number, epoch.
struct Told {
  double sum = 0;
  uint64_t count = 0, epoch = 0;
};
service::ClusterProgress losses(std::vector<Told> tasks) {
  service::ClusterProgress progress;
  for (const Told &one : tasks) {
    service::Progress &task = progress.tasks.emplace_back();
    task.set_loss_sum(one.sum);
    task.set_loss_count(one.count);
    task.set_loss_epoch(one.epoch);
  }
  return progress;
}

TEST_F(TrainingProgressTest, AShortTrainingHasARateToo) {
  progress.begin({.total = 40}, 0, zero);
  progress.beginPhase(1, 0, false);
  progress.endPhase();
  progress.trained(40, 1, {}, {});
  progress.showLast({}, zero + absl::Milliseconds(20));
  EXPECT_EQ(last().stepsPerSecond, 2000);
  progress.showLast({}, zero + absl::Seconds(1));
  EXPECT_EQ(last().stepsPerSecond, 40) << "one that is taken over long enough";
}

TEST_F(TrainingProgressTest, TheLossIsTheMeanOfTheEpochSoFar) {
  progress.begin({.total = 1000}, 0, zero);
  progress.beginPhase(1, 0, false);
  auto shownLoss = [&](const service::ClusterProgress &told) {
    progress.showRunning(1, told, zero);
    return last().loss;
  };
  EXPECT_FALSE(shownLoss(losses({{}, {}})));
  EXPECT_EQ(shownLoss(losses({{6, 2, 0}, {}})), 3.0);
  EXPECT_EQ(shownLoss(losses({{7, 3, 0}, {5, 1, 0}})), 3.0)
      << "of all steps and replicas, whenever a line was shown";
  EXPECT_EQ(shownLoss(losses({{7, 3, 0}, {2, 1, 1}})), 2.0)
      << "the other task is in the next epoch already";
  EXPECT_EQ(shownLoss(losses({{1, 1, 1}, {2, 1, 1}})), 1.5);
  progress.endPhase();
  progress.trained(3, 1, {6, 3}, {});
  progress.showLast(losses({{100, 1, 1}, {100, 1, 1}}), zero);
  EXPECT_EQ(last().loss, 2.0) << "what tasks told of the phase that has ended is in its sums";
  progress.beginPhase(2, 3, false); // behind a checkpoint in the middle of the epoch
  progress.showRunning(2, losses({{}, {}}), zero);
  EXPECT_EQ(last().loss, 2.0);
  progress.showRunning(2, losses({{2, 1, 1}, {}}), zero);
  EXPECT_EQ(last().loss, 2.0) << "(6 + 2) / 4";
  progress.showRunning(2, losses({{0.5, 1, 2}, {}}), zero);
  EXPECT_EQ(last().loss, 0.5) << "the next epoch";
}

TEST_F(TrainingProgressTest, WhereTasksShareNoStepEachTellsOfItsOwnEpoch) {
  progress.begin({.samples = 100, .samplesPerStep = 10, .total = 1000}, 0, zero);
  progress.beginPhase(1, 0, true);
  progress.showRunning(1, losses({{6, 2, 0}, {4, 2, 3}}), zero);
  EXPECT_EQ(last().loss, 2.5);
}

TEST_F(TrainingProgressTest, APhaseThatEndsBeforeItsFirstLineShowsItsMean) {
  progress.begin({.total = 10}, 0, zero);
  progress.beginPhase(1, 0, false);
  progress.endPhase();
  progress.trained(10, 0, {5, 2}, {{"train accuracy", 0.5}});
  progress.evaluated({{"accuracy", 0.25}});
  progress.showLast(told({{0, 0}, {0, 0}}), zero + absl::Seconds(1));
  ASSERT_EQ(shown.size(), 1u);
  EXPECT_TRUE(last().last);
  EXPECT_EQ(last().step, 10u);
  EXPECT_EQ(last().loss, 2.5);
  const TrainingProgress::Metrics both = {{"train accuracy", 0.5}, {"accuracy", 0.25}};
  EXPECT_EQ(last().metrics, both);
}

TEST_F(TrainingProgressTest, NothingIsShownWhereThePhaseHasEnded) {
  progress.begin({.total = 10}, 0, zero);
  progress.showRunning(0, told({{0, 0}, {1, 0}}), zero);
  progress.beginPhase(1, 0, false);
  progress.endPhase();
  progress.showRunning(1, told({{0, 0}, {1, 0}}), zero);
  progress.beginPhase(2, 5, false);
  progress.showRunning(1, told({{0, 0}, {5, 0}}), zero); // what was told is of the phase before
  EXPECT_TRUE(shown.empty());
}

/// A terminal that was stopped holds the master's thread; the heartbeat has to go on telling that
/// this task lives.
TEST(TrainingProgress, TheHeartbeatWaitsForNoLine) {
  TrainingProgress *inner = nullptr;
  std::atomic<int> shown{0};
  TrainingProgress progress(0, [&](const observe::ProgressSnapshot &snapshot) {
    ++shown;
    if (snapshot.last)
      std::thread([&] { inner->showRunning(1, {}, absl::UnixEpoch()); }).join();
  });
  inner = &progress;
  progress.begin({.total = 10}, 0, absl::UnixEpoch());
  progress.beginPhase(1, 0, false);
  progress.showLast({}, absl::UnixEpoch());
  EXPECT_EQ(shown, 1);
}

// A terminal that stands still (Ctrl-S) keeps no checkpoint from being written.
TEST(TrainingProgress, TheMasterWaitsForNoLineOfTheHeartbeats) {
  TrainingProgress *inner = nullptr;
  std::atomic<int> shown{0};
  TrainingProgress progress(0, [&](const observe::ProgressSnapshot &) {
    ++shown;
    std::thread([&] {
      inner->endPhase();
      inner->trained(5, 0, {1, 1}, {});
      inner->evaluated({});
      inner->beginPhase(2, 5, false);
    }).join();
  });
  inner = &progress;
  progress.begin({.total = 10}, 0, absl::UnixEpoch());
  progress.beginPhase(1, 0, false);
  progress.showRunning(1, {}, absl::UnixEpoch());
  EXPECT_EQ(shown, 1);
}

TEST(TrainingProgress, IsShownByOneThreadAtATimeAndNotBehindTheLastLine) {
  std::atomic<int> here{0};
  bool last = false; // guarded by what is tested
  TrainingProgress progress(0, [&](const observe::ProgressSnapshot &snapshot) {
    EXPECT_EQ(++here, 1);
    EXPECT_FALSE(last);
    last = snapshot.last;
    --here;
  });
  std::atomic<uint64_t> generation{0};
  std::atomic<bool> over{false};
  std::thread heartbeat([&] {
    service::ClusterProgress told;
    told.tasks.resize(1);
    for (uint64_t steps = 0; !over; ++steps) {
      told.tasks[0].set_steps(steps);
      progress.showRunning(generation, told, absl::Now());
    }
  });
  for (uint64_t stretch = 1; stretch <= 200; ++stretch) {
    last = false; // no phase runs, so the other thread does not show
    progress.begin({.total = 1000000}, 0, absl::Now());
    progress.beginPhase(stretch, 0, false);
    generation = stretch;
    std::this_thread::yield();
    progress.endPhase();
    progress.trained(stretch, 0, {1, 1}, {{"train accuracy", 1}});
    progress.showLast({}, absl::Now());
  }
  over = true;
  heartbeat.join();
}

} // namespace
} // namespace graphc::session
