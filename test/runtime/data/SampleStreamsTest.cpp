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

plan::Plan makePlan(uint32_t instances, std::vector<std::tuple<uint32_t, uint32_t, bool>> batches) {
  plan::Plan plan;
  for (const char *name : {"train", "other"})
    plan.add_datasets()->set_name(name);
  plan::Program *program = plan.add_programs();
  program->set_instances(instances);
  for (auto [dataset, batch, padded] : batches) {
    plan::Instruction::NextBatch *next = program->add_instructions()->mutable_next_batch();
    next->set_dataset(dataset);
    next->set_batch(batch);
    next->set_pad_last(padded);
    next->set_micro_batches(1);
  }
  plan::Phase *phase = plan.add_phases();
  phase->set_name("step");
  phase->add_programs(0);
  return plan;
}

TEST(SampleStreams, TheOneThatMakesEpochsComesFirst) {
  plan::Plan plan = makePlan(2, {{1, 3, false}, {0, 2, false}, {0, 2, false}, {0, 4, true}});
  plan.mutable_phases(0)->set_dataset(0);
  plan.mutable_phases(0)->set_samples_per_step(4);
  std::vector<SampleStream> streams = streamsOf(plan, 0);
  ASSERT_EQ(streams.size(), 3u) << "equal ones are one";
  EXPECT_EQ(streams[0].batch, 2u);
  EXPECT_EQ(streams[0].perStep, 4u);
  EXPECT_EQ(streams[1].perStep, 6u);
  EXPECT_EQ(streams[2].perStep, 8u);
  EXPECT_EQ(streamName(plan, 0, streams, 0), "step");
  EXPECT_EQ(streamName(plan, 0, streams, 1), "step @other #1");
  EXPECT_EQ(streamName(plan, 0, streams, 2), "step @train #1");
}

TEST(SampleStreams, NamesHaveNoBatch) {
  auto names = [](uint32_t batch, uint32_t instances) {
    plan::Plan plan = makePlan(instances, {{0, 2, false}, {1, batch, false}, {1, 7, true}});
    plan.mutable_phases(0)->set_samples_per_step(uint64_t(2) * instances);
    std::vector<SampleStream> streams = streamsOf(plan, 0);
    std::vector<std::string> names;
    for (size_t i = 0; i < streams.size(); ++i)
      names.push_back(streamName(plan, 0, streams, i));
    return names;
  };
  EXPECT_EQ(names(3, 1), (std::vector<std::string>{"step", "step @other #1", "step @other #2"}));
  EXPECT_EQ(names(6, 4), names(3, 1));
}

TEST(SampleStreams, PositionsOfEarlierVersionsAreUnderstood) {
  auto position = [](const std::map<std::string, uint64_t> &checkpoint, size_t stream,
                     std::vector<std::tuple<uint32_t, uint32_t, bool>> batches) {
    plan::Plan plan = makePlan(1, std::move(batches));
    plan.mutable_phases(0)->set_samples_per_step(2);
    return positionIn(checkpoint, plan, 0, streamsOf(plan, 0), stream);
  };
  const std::map<std::string, uint64_t> old = {
      {"step", 28}, {"step @other 3", 42}, {"step @other 6 padded", 84},
      {"other", 1}, {"step @other x", 99}, {"step @others 3", 98}};
  EXPECT_EQ(position(old, 0, {{0, 2, false}}), 28u);
  EXPECT_EQ(position(old, 1, {{0, 2, false}, {1, 3, false}}), 84u)
      << "one stream under two batches: what was taken last";
  EXPECT_EQ(position(old, 1, {{0, 2, false}, {1, 5, false}}), 84u);
  EXPECT_EQ(position(old, 1, {{0, 2, false}, {1, 3, false}, {1, 6, true}}), 42u)
      << "two streams, each by its batch";
  EXPECT_EQ(position(old, 2, {{0, 2, false}, {1, 3, false}, {1, 6, true}}), 84u);
  EXPECT_EQ(position(old, 2, {{0, 2, false}, {1, 3, false}, {1, 6, false}}), std::nullopt);
  EXPECT_EQ(position({{"step", 28}}, 1, {{0, 2, false}, {1, 3, false}}), std::nullopt);
  EXPECT_EQ(position({}, 0, {{0, 2, false}}), std::nullopt);
  std::map<std::string, uint64_t> both = old;
  both["step @other #1"] = 50;
  EXPECT_EQ(position(both, 1, {{0, 2, false}, {1, 3, false}}), 50u);
}

TEST(SampleStreams, AnAsynchronousUpdateTakesOneBatch) {
  plan::Plan plan = makePlan(3, {{0, 2, false}, {1, 5, false}});
  plan.mutable_phases(0)->set_ends_by_end_of_stream(true);
  plan.mutable_phases(0)->set_samples_per_step(2);
  std::vector<SampleStream> streams = streamsOf(plan, 0);
  ASSERT_EQ(streams.size(), 2u);
  EXPECT_EQ(streams[0].perStep, 2u);
  EXPECT_EQ(streams[1].perStep, 5u);
}

TEST(SampleStreams, TheFirstTakesAsManySamplesAsThePhaseSays) {
  plan::Plan plan = makePlan(2, {{0, 2, false}, {0, 4, false}});
  plan.mutable_phases(0)->set_ends_by_end_of_stream(true);
  plan.mutable_phases(0)->set_samples_per_step(4);
  std::vector<SampleStream> streams = streamsOf(plan, 0);
  ASSERT_EQ(streams.size(), 2u);
  EXPECT_EQ(streams[0].batch, 4u) << "and not two of 2";
  EXPECT_EQ(streams[0].perStep, 4u);
  EXPECT_EQ(streams[1].perStep, 2u);
  plan.mutable_programs(0)->add_instructions()->mutable_choose()->set_take(2);
  plan.mutable_phases(0)->set_samples_per_step(8); // backup workers, of which two count
  streams = streamsOf(plan, 0);
  EXPECT_EQ(streams[0].batch, 4u);
  EXPECT_EQ(streams[0].perStep, 8u);
  EXPECT_EQ(streams[1].perStep, 4u);
}

} // namespace
