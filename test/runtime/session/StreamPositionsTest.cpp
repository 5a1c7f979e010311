#include "runtime/session/progress/StreamPositions.h"

#include "test/runtime/common/plan/PlanBuilder.h"

#include <gtest/gtest.h>

namespace graphc::session {
namespace {
using Positions = std::vector<uint64_t>;
using Named = std::map<std::string, uint64_t>;

/// One replica takes 4 samples a step of @made, 2 of @other padded, 1 of @made.
struct StreamPositionsTest : testing::Test {
  StreamPositionsTest() {
    uint32_t job = builder.job("local", 1);
    uint32_t phase = builder.phase("train_step", plan::TRAIN, false);
    uint32_t program = builder.program(phase, "train_step.local", 1, false, job, 0);
    plan::Plan &plan = builder.plan;
    plan.add_datasets()->set_name("made");
    plan.add_datasets()->set_name("other");
    plan.mutable_phases(0)->set_dataset(0);
    plan.mutable_phases(0)->set_samples_per_step(4);
    for (auto [dataset, batch] : {std::pair(0u, 4u), {1u, 2u}, {0u, 1u}}) {
      auto *next = plan.mutable_programs(static_cast<int>(program))
                       ->add_instructions()
                       ->mutable_next_batch();
      next->set_dataset(dataset);
      next->set_batch(batch);
      next->set_pad_last(dataset == 1);
    }
  }
  StreamPositions from(const std::optional<checkpoint::CheckpointManifest> &restored) const {
    return {builder.plan, 0, {{0, 10}, {1, 5}}, restored};
  }
  static Positions positionsOf(const StreamPositions &all) {
    Positions positions;
    for (const data::ConsumedRanges &stream : all.streams())
      positions.push_back(stream.position());
    return positions;
  }
  plan::PlanBuilder builder{4};
};

/// Three workers take 4 samples an update each of @made, 2 of @other padded, 1 of @made, at speeds
/// of their own.
struct WorkersOfTheirOwn : StreamPositionsTest {
  WorkersOfTheirOwn() {
    builder.plan.mutable_phases(0)->set_ends_by_end_of_stream(true);
    builder.plan.mutable_programs(0)->set_instances(3);
  }
};

TEST_F(WorkersOfTheirOwn, WhatIsAheadIsKeptAndPassed) {
  StreamPositions positions = from({});
  // of @made rows of 12: worker 2 has 8-12, 20-24, 32-36, 44-48 alone of some
  positions.advance(7, {2, 1, 4});
  EXPECT_EQ(positionsOf(positions), Positions({28, 10, 7}));
  EXPECT_EQ(positions.streams()[0].ahead(), Positions({20, 24, 32, 36, 44, 48}))
      << "0 to 16 were all taken";
  EXPECT_EQ(positions.aheadByName().at("train_step"), Positions({20, 24, 32, 36, 44, 48}));
  service::Order::Begin begin;
  positions.tell(begin);
  const std::vector<data::ConsumedRanges> told = takenOf(begin);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(told[i].position(), positions.streams()[i].position());
    EXPECT_EQ(told[i].ahead(), positions.streams()[i].ahead());
  }
  checkpoint::CheckpointManifest manifest;
  manifest.globalStep = 7;
  manifest.dataPositions = positions.byName();
  manifest.dataTaken = positions.aheadByName();
  StreamPositions again = from(manifest);
  EXPECT_EQ(again.streams()[0].ahead(), positions.streams()[0].ahead());
  again.advance(5); // of a strategy whose steps take 4
  EXPECT_EQ(positionsOf(again)[0], 48u);
  EXPECT_TRUE(again.streams()[0].isEven());
  manifest.dataTaken["train_step"] = {10, 40};
  StreamPositions wrong = from(manifest);
  EXPECT_TRUE(wrong.streams()[0].isEven()) << "what cannot be is not believed";
  EXPECT_TRUE(wrong.takeForgotten());
  EXPECT_FALSE(wrong.takeForgotten() || again.takeForgotten());
}

TEST_F(WorkersOfTheirOwn, OfBackupWorkersTheUpdatesCount) {
  builder.plan.mutable_programs(0)->add_instructions()->mutable_choose()->set_take(2);
  StreamPositions positions = from({});
  positions.advance(7, {7, 0, 0});
  EXPECT_TRUE(positions.streams()[0].isEven());
}

TEST_F(StreamPositionsTest, BeginAtTheFirstSampleAndAdvanceAsEachStreamDoes) {
  StreamPositions positions = from({});
  EXPECT_EQ(positionsOf(positions), Positions({0, 0, 0}));
  EXPECT_FALSE(positions.padded());
  positions.advance(3);
  EXPECT_EQ(positionsOf(positions), Positions({12, 5, 3}))
      << "the second ends its epoch with one sample";
  EXPECT_EQ(positions.first(), 12u);
  EXPECT_EQ(positions.byName(),
            Named({{"train_step", 12}, {"train_step @other #1", 5}, {"train_step @made #1", 3}}));
}

TEST_F(StreamPositionsTest, GoOnWhereACheckpointLeftThem) {
  checkpoint::CheckpointManifest manifest;
  manifest.globalStep = 9;
  manifest.dataPositions = {
      {"train_step", 7}, {"train_step @other #1", 2}, {"train_step @made #1", 1}, {"gone", 3}};
  StreamPositions positions = from(manifest);
  EXPECT_EQ(positionsOf(positions), Positions({7, 2, 1}));
  EXPECT_FALSE(positions.byName().contains("gone")) << "of a model that was";
}

TEST_F(StreamPositionsTest, WhatACheckpointDoesNotTellFollows) {
  checkpoint::CheckpointManifest manifest;
  manifest.globalStep = 3;
  StreamPositions positions = from(manifest);
  EXPECT_EQ(positionsOf(positions), Positions({12, 5, 12}))
      << "from the steps, from the steps, as the stream of the same data set";
}

TEST_F(StreamPositionsTest, OfAPhaseWithoutDataAreNone) {
  builder.plan.mutable_programs(0)->clear_instructions();
  StreamPositions positions = from({});
  positions.advance(3);
  EXPECT_EQ(positions.first(), 0u);
  EXPECT_FALSE(positions.padded());
  EXPECT_TRUE(positions.byName().empty());
}

} // namespace
} // namespace graphc::session
