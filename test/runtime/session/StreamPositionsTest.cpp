#include "runtime/session/progress/StreamPositions.h"

#include "test/runtime/common/plan/PlanBuilder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace graphc::session {
namespace {
using Positions = std::vector<uint64_t>;
using Named = std::map<std::string, uint64_t>;

/// One replica takes 4 samples a step of @made by one op, 2 of @other padded, 1 of @made by another
/// op.
struct StreamPositionsTest : testing::Test {
  StreamPositionsTest() {
    uint32_t job = builder.job("local", 1);
    uint32_t phase = builder.phase("train_step", plan::TRAIN, false);
    uint32_t program = builder.program(phase, "train_step.local", 1, false, job, 0);
    plan::Plan &plan = builder.plan;
    plan.add_datasets()->set_name("made");
    plan.add_datasets()->set_name("other");
    plan.mutable_phases(0)->set_dataset(0);
    plan.mutable_phases(0)->set_samples_per_step(5);
    for (auto [dataset, batch] : {std::pair(0u, 4u), {1u, 2u}, {0u, 1u}}) {
      auto *next = plan.mutable_programs(static_cast<int>(program))
                       ->add_instructions()
                       ->mutable_next_batch();
      next->set_dataset(dataset);
      next->set_batch(batch);
      next->set_pad_last(dataset == 1);
      next->set_offset(batch == 1 ? 4 : 0);
      next->set_stride(dataset == 0 ? 5 : 0);
    }
  }
  StreamPositions from(const std::optional<checkpoint::CheckpointManifest> &restored) const {
    StreamPositions positions(builder.plan, 0, {{0, 10}, {1, 5}});
    if (restored)
      EXPECT_TRUE(positions.restore(*restored).ok());
    return positions;
  }
  static Positions positionsOf(const StreamPositions &all) {
    Positions positions;
    for (const data::ConsumedRanges &stream : all.streams())
      positions.push_back(stream.position());
    return positions;
  }
  plan::PlanBuilder builder{4};
};

/// Three workers, each at its own speed, take as much for each update.
struct WorkersOfTheirOwn : StreamPositionsTest {
  WorkersOfTheirOwn() {
    builder.plan.mutable_phases(0)->set_ends_by_end_of_stream(true);
    builder.plan.mutable_programs(0)->set_instances(3);
  }
};

TEST_F(WorkersOfTheirOwn, WhatIsAheadIsKeptAndPassed) {
  StreamPositions positions = from({});
  // of @made rows of 15: worker 2 alone has 10-15, 25-30, 40-45, 55-60 of some
  positions.advance(7, {2, 1, 4});
  EXPECT_EQ(positionsOf(positions), Positions({35, 10}));
  EXPECT_EQ(positions.streams()[0].ahead(), Positions({25, 30, 40, 45, 55, 60}))
      << "0 to 20 were all taken";
  EXPECT_EQ(positions.aheadByName().at("train_step @made"), Positions({25, 30, 40, 45, 55, 60}));
  service::Order::Begin begin;
  positions.tell(begin);
  const std::vector<data::ConsumedRanges> told = takenOf(begin);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(told[i].position(), positions.streams()[i].position());
    EXPECT_EQ(told[i].ahead(), positions.streams()[i].ahead());
  }
  checkpoint::CheckpointManifest manifest;
  manifest.globalStep = 7;
  manifest.dataPositions = positions.byName();
  manifest.dataTaken = positions.aheadByName();
  StreamPositions again = from(manifest);
  EXPECT_EQ(again.streams()[0].ahead(), positions.streams()[0].ahead());
  again.advance(5); // of a strategy whose steps take 5
  EXPECT_EQ(positionsOf(again)[0], 60u);
  EXPECT_TRUE(again.streams()[0].isEven());
  manifest.dataTaken["train_step @made"] = {10, 50};
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
  EXPECT_EQ(positionsOf(positions), Positions({0, 0}));
  EXPECT_FALSE(positions.padded());
  positions.advance(3);
  EXPECT_EQ(positionsOf(positions), Positions({15, 5}))
      << "the second ends its epoch with one sample";
  EXPECT_EQ(positions.first(), 15u);
  EXPECT_EQ(positions.byName(), Named({{"train_step @made", 15}, {"train_step @other", 5}}));
}

TEST_F(StreamPositionsTest, GoOnWhereACheckpointLeftThem) {
  checkpoint::CheckpointManifest manifest;
  manifest.globalStep = 9;
  manifest.dataPositions = {{"train_step @made", 7}, {"train_step @other", 2}, {"gone", 3}};
  StreamPositions positions = from(manifest);
  EXPECT_EQ(positionsOf(positions), Positions({7, 2}));
  EXPECT_FALSE(positions.byName().contains("gone")) << "of a model that was";
}

TEST_F(StreamPositionsTest, PositionsOfAnEarlierVersionAreRefusedWhereOpsShareSamples) {
  checkpoint::CheckpointManifest manifest;
  manifest.dataPositions = {{"train_step", 7}, {"train_step @made #1", 7}};
  StreamPositions positions(builder.plan, 0, {});
  const absl::Status refused = positions.restore(manifest);
  EXPECT_TRUE(absl::IsFailedPrecondition(refused)) << refused;
  EXPECT_THAT(refused.message(), testing::HasSubstr("ops of @made in train_step share"));
  EXPECT_THAT(refused.message(), testing::HasSubstr("--init_from"));
}

TEST_F(StreamPositionsTest, AnEarlierVersionsPositionOfASingleOpCounts) {
  auto &program = *builder.plan.mutable_programs(0);
  program.mutable_instructions()->DeleteSubrange(2, 1);
  program.mutable_instructions(0)->mutable_next_batch()->set_stride(0);
  builder.plan.mutable_phases(0)->set_samples_per_step(4);
  checkpoint::CheckpointManifest manifest;
  manifest.globalStep = 9;
  manifest.dataPositions = {{"train_step", 8}, {"train_step @other #1", 2}};
  manifest.dataTaken = {{"train_step", {8, 10}}};
  StreamPositions positions = from(manifest);
  EXPECT_EQ(positionsOf(positions), Positions({8, 2}));
  EXPECT_EQ(positions.streams()[0].ahead(), Positions({8, 10}));
}

TEST_F(StreamPositionsTest, WhatACheckpointDoesNotTellFollows) {
  checkpoint::CheckpointManifest manifest;
  manifest.globalStep = 3;
  StreamPositions positions = from(manifest);
  EXPECT_EQ(positionsOf(positions), Positions({15, 5})) << "both from the steps";
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
