#include "runtime/session/StreamPositions.h"

#include "test/runtime/plan/PlanBuilder.h"

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
      auto *next = plan.mutable_programs(static_cast<int>(program))->add_instructions()->mutable_next_batch();
      next->set_dataset(dataset);
      next->set_batch(batch);
      next->set_pad_last(dataset == 1);
    }
  }
  StreamPositions from(const std::optional<checkpoint::Manifest> &restored) const {
    return {builder.plan, 0, {{0, 10}, {1, 5}}, restored};
  }
  plan::PlanBuilder builder{4};
};

TEST_F(StreamPositionsTest, BeginAtTheFirstSampleAndAdvanceAsEachStreamDoes) {
  StreamPositions positions = from({});
  EXPECT_EQ(positions.positions(), Positions({0, 0, 0}));
  EXPECT_FALSE(positions.padded());
  positions.advance(3);
  EXPECT_EQ(positions.positions(), Positions({12, 5, 3})) << "the second ends its epoch with one sample";
  EXPECT_EQ(positions.first(), 12u);
  EXPECT_EQ(positions.byName(), Named({{"train_step", 12}, {"train_step @other #1", 5}, {"train_step @made #1", 3}}));
}

TEST_F(StreamPositionsTest, GoOnWhereACheckpointLeftThem) {
  checkpoint::Manifest manifest;
  manifest.globalStep = 9;
  manifest.dataPositions = {{"train_step", 7}, {"train_step @other #1", 2}, {"train_step @made #1", 1}, {"gone", 3}};
  StreamPositions positions = from(manifest);
  EXPECT_EQ(positions.positions(), Positions({7, 2, 1}));
  EXPECT_FALSE(positions.byName().contains("gone")) << "of a model that was";
}

TEST_F(StreamPositionsTest, WhatACheckpointDoesNotTellFollows) {
  checkpoint::Manifest manifest;
  manifest.globalStep = 3;
  StreamPositions positions = from(manifest);
  EXPECT_EQ(positions.positions(), Positions({12, 5, 12}))
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
