// What can be told of a plan alone; the files are tested with runs (test/run/test_fetch_files.py).
#include "runtime/session/results/FetchFiles.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace graphc::session {
namespace {
using testing::ElementsAre;
using testing::HasSubstr;

/// A prediction whose step takes two micro-batches of five samples, and one whose step takes one.
struct Predictions : testing::Test {
  Predictions() {
    plan.add_datasets()->set_name("test");
    for (uint32_t microBatches : {2u, 1u}) {
      plan::Phase &phase = *plan.add_phases();
      phase.set_name("predict_step");
      phase.set_role(plan::PREDICT);
      phase.set_samples_per_step(5 * microBatches);
      phase.add_programs(static_cast<uint32_t>(plan.programs_size()));
      plan::Program &program = *plan.add_programs();
      program.set_phase(static_cast<uint32_t>(plan.phases_size() - 1));
      program.set_instances(1);
      plan::Instruction::NextBatch &next = *program.add_instructions()->mutable_next_batch();
      next.set_batch(5);
      next.set_micro_batches(microBatches);
      for (int64_t rows : {5, 7}) {
        plan::Buffer &buffer = *program.add_buffers();
        buffer.mutable_type()->set_dtype(plan::F32);
        buffer.mutable_type()->add_shape(rows);
        plan::Port &port = *program.add_fetches();
        port.set_name(rows == 5 ? "y" : "other");
        port.set_buffer(static_cast<uint32_t>(program.buffers_size() - 1));
      }
    }
  }
  std::string check(uint32_t phase, const FetchFileNames &files) {
    return std::string(FetchFiles::check(plan, phase, files).message());
  }
  plan::Plan plan;
};

TEST_F(Predictions, RowsOfMicroBatchesAreNotAllThere) {
  EXPECT_THAT(
      check(0, {{"y", "y.npy"}}),
      HasSubstr(
          "--fetch y=y.npy: a step of predict_step takes 10 samples, and its results have rows of 5"));
  EXPECT_EQ(check(0, {{"other", "o.npy"}}), "") << "it has no row for each sample";
  EXPECT_EQ(check(1, {{"y", "y.npy"}, {"other", "o.npy"}}), "");
  plan.mutable_datasets(0)->set_shuffle(true);
  EXPECT_THAT(check(1, {{"y", "y.npy"}}), HasSubstr("@test is shuffled"));
  EXPECT_EQ(check(1, {{"other", "o.npy"}}), "");
}

TEST_F(Predictions, AFileIsOfOneResult) {
  EXPECT_THAT(check(1, {{"y", "y.npy"}, {"other", "y.npy"}}),
              HasSubstr("--fetch other=y.npy: y goes to this file already"));
}

TEST_F(Predictions, WhatHasTheBatchInFrontIsByRows) {
  EXPECT_THAT(FetchFiles(plan, 1, {{"y", "y.npy"}, {"other", "o.npy"}}, nullptr).byRows(),
              ElementsAre("y"));
  plan.mutable_phases(1)->set_role(plan::TRAIN);
  EXPECT_TRUE(FetchFiles(plan, 1, {{"y", "y.npy"}}, nullptr).byRows().empty())
      << "of training each step is one";
}

} // namespace
} // namespace graphc::session
