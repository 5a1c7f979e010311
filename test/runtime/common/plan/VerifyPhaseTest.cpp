//===- VerifyPhaseTest.cpp - what a phase says of itself is what its programs do --------------===//

#include "runtime/common/plan/VerifyPlan.h"
#include "test/runtime/common/plan/PlanBuilder.h"

#include <gtest/gtest.h>

namespace graphc::plan {
namespace {

TEST(VerifyPlan, APhaseTakesTheSamplesThatItReads) {
  auto refusal = [](bool endOfStream, uint64_t samples, uint32_t dataset, bool padded,
                    uint32_t instances = 2) {
    Plan plan = parameterServerPlan({1, instances, 16, endOfStream});
    for (const char *name : {"first", "second"}) {
      Dataset &set = *plan.add_datasets();
      set.set_name(name);
      set.mutable_synthetic()->set_samples(10);
      set.mutable_synthetic()->add_limits(0);
      set.add_components()->mutable_sample()->set_dtype(F32);
    }
    PlanBuilder b(16);
    b.plan = plan;
    uint32_t buffer = b.arenaBuffer(0, b.vector());
    Instruction batch;
    Instruction::NextBatch &next = *batch.mutable_next_batch();
    next.set_batch(16);
    next.set_micro_batches(1);
    next.add_buffers(buffer);
    next.set_pad_last(padded);
    auto &list = *b.plan.mutable_programs(0)->mutable_instructions();
    *list.Add() = batch;
    for (int i = list.size() - 1; i > 1; --i) // in front of the sends, behind a control_send
      list.SwapElements(i, i - 1);
    b.plan.mutable_phases(0)->set_samples_per_step(samples);
    b.plan.mutable_phases(0)->set_dataset(dataset);
    return std::string(verifyPlan(b.finish()).message());
  };
  EXPECT_EQ(refusal(false, 32, 0, true), "");
  EXPECT_EQ(refusal(true, 16, 0, false), "");
  EXPECT_EQ(refusal(true, 16, 0, true, 1), "") << "one alone has its epochs";
  EXPECT_EQ(refusal(false, 0, 0, false), "phase train_step reads data, but takes 0 samples a step");
  EXPECT_EQ(
      refusal(false, 32, 1, false),
      "phase train_step takes 32 samples a step of dataset second, which no program of it reads");
  EXPECT_EQ(refusal(true, 16, 0, true),
            "phase train_step: its replicas do not wait for each other, so they have no epoch in "
            "common whose last batch could be padded (pad_last)");
}

TEST(VerifyPlan, OpsOfADataSetAgreeOnTheSamplesOfAMicroBatch) {
  auto refusal = [](uint32_t stride, uint32_t microBatches) {
    PlanBuilder b(16);
    b.plan = parameterServerPlan({1, 1, 16, false});
    Dataset &set = *b.plan.add_datasets();
    set.set_name("made");
    set.mutable_synthetic()->set_samples(100);
    set.mutable_synthetic()->add_limits(0);
    set.add_components()->mutable_sample()->set_dtype(F32);
    for (uint32_t op : {0u, 1u}) {
      Instruction batch;
      Instruction::NextBatch &next = *batch.mutable_next_batch();
      next.set_batch(16);
      next.set_offset(op * 16);
      next.set_stride(op ? stride : 32);
      next.set_micro_batches(op ? microBatches : 1);
      next.add_buffers(b.arenaBuffer(0, b.vector()));
      auto &list = *b.plan.mutable_programs(0)->mutable_instructions();
      *list.Add() = batch;
      for (int i = list.size() - 1; i > 1; --i) // in front of the sends, behind a control_send
        list.SwapElements(i, i - 1);
    }
    b.plan.mutable_phases(0)->set_samples_per_step(32);
    return std::string(verifyPlan(b.finish()).message());
  };
  EXPECT_EQ(refusal(32, 1), "");
  EXPECT_EQ(refusal(48, 1), "phase train_step takes 48 x 1 and 32 x 1 samples (micro-batch x "
                            "micro-batches) of dataset made; expected the same");
  EXPECT_EQ(refusal(32, 2), "phase train_step takes 32 x 2 and 32 x 1 samples (micro-batch x "
                            "micro-batches) of dataset made; expected the same");
}

} // namespace
} // namespace graphc::plan
