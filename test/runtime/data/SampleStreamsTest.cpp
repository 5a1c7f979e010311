#include "runtime/data/SampleStreams.h"

#include <gtest/gtest.h>

using namespace graphc;
using namespace graphc::data;

namespace {

TEST(Walk, AfterAndStepsToAgreeHoweverItIsCut) {
  for (bool padded : {false, true})
    for (uint64_t samples : {1u, 3u, 7u, 10u})
      for (uint64_t perStep : {1u, 2u, 4u, 13u}) {
        StreamWalk walk{samples, perStep, padded};
        uint64_t position = 0;
        for (uint64_t step = 0; step < 40; ++step) {
          ASSERT_EQ(walk.after(0, step), position)
              << samples << " " << perStep << " " << padded << " " << step;
          ASSERT_EQ(walk.stepsTo(0, position), step);
          ASSERT_EQ(walk.stepsTo(walk.after(0, step / 3), position), step - step / 3);
          uint64_t next = walk.after(position, 1);
          if (padded)
            ASSERT_EQ(next, std::min(position + perStep, (position / samples + 1) * samples));
          else
            ASSERT_EQ(next, position + perStep);
          position = next;
        }
      }
}

TEST(Walk, NeverOverflows) {
  EXPECT_EQ((StreamWalk{10, UINT64_MAX / 2}).after(UINT64_MAX, UINT64_MAX), uint64_t(1) << 62);
  EXPECT_EQ((StreamWalk{10, 4, true}).after(UINT64_MAX, UINT64_MAX), uint64_t(1) << 62);
  EXPECT_EQ((StreamWalk{}).after(5, 3), 5u);
  EXPECT_EQ((StreamWalk{}).stepsTo(0, 5), 0u);
}

/// An op of a data set, as in the plan.
struct Op {
  uint32_t dataset, batch;
  bool padded = false;
  uint32_t offset = 0, stride = 0;
};

plan::Plan makePlan(uint32_t instances, uint64_t samplesPerStep, const std::vector<Op> &ops) {
  plan::Plan plan;
  for (const char *name : {"train", "other"})
    plan.add_datasets()->set_name(name);
  plan::Program *program = plan.add_programs();
  program->set_instances(instances);
  for (const Op &op : ops) {
    plan::Instruction::NextBatch *next = program->add_instructions()->mutable_next_batch();
    next->set_dataset(op.dataset);
    next->set_batch(op.batch);
    next->set_pad_last(op.padded);
    next->set_offset(op.offset);
    next->set_stride(op.stride);
    next->set_micro_batches(1);
  }
  plan::Phase *phase = plan.add_phases();
  phase->set_name("step");
  phase->add_programs(0);
  phase->set_samples_per_step(samplesPerStep);
  return plan;
}

TEST(SampleStreams, TheOneThatMakesEpochsComesFirst) {
  plan::Plan plan =
      makePlan(2, 16, {{1, 3}, {0, 2, false, 0, 8}, {0, 2, false, 2, 8}, {0, 4, true, 4, 8}});
  std::vector<SampleStream> streams = streamsOf(plan, 0);
  ASSERT_EQ(streams.size(), 2u) << "ops of one data set share a stream";
  EXPECT_EQ(streams[0].dataset, 0u);
  EXPECT_EQ(streams[0].microBatch, 8u);
  EXPECT_EQ(streams[0].perStep, 16u);
  EXPECT_TRUE(streams[0].padded) << "one of its ops pads";
  EXPECT_TRUE(streams[0].shared);
  EXPECT_EQ(streams[1].perStep, 6u);
  EXPECT_FALSE(streams[1].padded || streams[1].shared);
}

TEST(SampleStreams, NamesHaveNeitherBatchNorStrategy) {
  auto names = [](uint32_t batch, uint32_t instances) {
    plan::Plan plan = makePlan(instances, uint64_t(2) * instances, {{0, 2}, {1, batch}});
    std::vector<std::string> names;
    for (const SampleStream &stream : streamsOf(plan, 0))
      names.push_back(streamName(plan, 0, stream));
    return names;
  };
  EXPECT_EQ(names(3, 1), (std::vector<std::string>{"step @train", "step @other"}));
  EXPECT_EQ(names(6, 4), names(3, 1));
}

TEST(SampleStreams, PositionsOfEarlierVersionsAreUnderstood) {
  auto position = [](const NamedPositions &checkpoint, size_t stream) -> std::optional<uint64_t> {
    plan::Plan plan = makePlan(1, 2, {{0, 2}, {1, 3}});
    auto found = findPosition(checkpoint, plan, 0, streamsOf(plan, 0), stream);
    EXPECT_TRUE(found.ok()) << found.status();
    return found.ok() && *found ? std::optional((*found)->second) : std::nullopt;
  };
  const NamedPositions old = {{"step", 28}, {"step @other 3", 42}, {"step @other 6 padded", 84},
                              {"other", 1}, {"step @other x", 99}, {"step @others 3", 98}};
  EXPECT_EQ(position(old, 0), 28u);
  EXPECT_EQ(position(old, 1), 84u) << "several names of one stream: the highest position";
  EXPECT_EQ(position({{"step", 28}}, 1), std::nullopt);
  EXPECT_EQ(position({}, 0), std::nullopt);
  NamedPositions both = old;
  both["step @other #1"] = 90;
  EXPECT_EQ(position(both, 1), 90u);
  both["step @other"] = 50;
  both["step @train"] = 7;
  EXPECT_EQ(position(both, 1), 50u) << "today's name before all others";
  EXPECT_EQ(position(both, 0), 7u);
}

TEST(SampleStreams, PositionsOfEarlierVersionsAreRefusedWhereOpsShareSamples) {
  auto find = [](const NamedPositions &checkpoint, size_t stream) {
    plan::Plan plan = makePlan(
        1, 3, {{0, 2, false, 0, 3}, {0, 1, false, 2, 3}, {1, 3, false, 0, 6}, {1, 3, false, 3, 6}});
    return findPosition(checkpoint, plan, 0, streamsOf(plan, 0), stream);
  };
  EXPECT_TRUE(absl::IsFailedPrecondition(find({{"step", 28}}, 0).status()));
  EXPECT_TRUE(absl::IsFailedPrecondition(find({{"step @other #1", 28}}, 1).status()));
  EXPECT_TRUE(absl::IsFailedPrecondition(find({{"step @other 3 padded", 28}}, 1).status()));
  const NamedPositions today = {{"step", 28}, {"step @train", 30}, {"step @other", 12}};
  ASSERT_TRUE(find(today, 0).ok());
  EXPECT_EQ((*find(today, 0))->second, 30u);
  EXPECT_EQ((*find(today, 1))->second, 12u);
  ASSERT_TRUE(find({}, 0).ok()) << "a checkpoint without positions is no obstacle";
  EXPECT_EQ(*find({}, 0), nullptr);
}

TEST(SampleStreams, AnAsynchronousUpdateTakesOneBatch) {
  plan::Plan plan = makePlan(3, 2, {{0, 2}, {1, 5}});
  plan.mutable_phases(0)->set_ends_by_end_of_stream(true);
  std::vector<SampleStream> streams = streamsOf(plan, 0);
  ASSERT_EQ(streams.size(), 2u);
  EXPECT_EQ(streams[0].perStep, 2u);
  EXPECT_EQ(streams[1].perStep, 5u);
}

TEST(SampleStreams, AnUpdateWithBackupWorkersTakesTheBatchesOfThoseThatCount) {
  plan::Plan plan = makePlan(2, 6, {{0, 2, false, 0, 6}, {0, 4, false, 2, 6}, {1, 5}});
  plan.mutable_phases(0)->set_ends_by_end_of_stream(true);
  std::vector<SampleStream> streams = streamsOf(plan, 0);
  ASSERT_EQ(streams.size(), 2u);
  EXPECT_EQ(streams[0].perStep, 6u);
  EXPECT_EQ(streams[1].perStep, 5u);
  plan.mutable_programs(0)->add_instructions()->mutable_choose()->set_take(2);
  plan.mutable_phases(0)->set_samples_per_step(12); // two replicas count
  streams = streamsOf(plan, 0);
  EXPECT_EQ(streams[0].perStep, 12u);
  EXPECT_EQ(streams[1].perStep, 10u);
}

} // namespace
