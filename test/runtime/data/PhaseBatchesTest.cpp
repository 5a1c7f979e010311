#include "runtime/data/PhaseBatches.h"

#include <gtest/gtest.h>

using namespace graphc;
using namespace graphc::data;

namespace {

/// Two workers, one replicated program with a batch of 4 scalars.
plan::Plan makePlan() {
  plan::Plan plan;
  plan::Job *job = plan.add_jobs();
  job->set_name("worker");
  job->set_tasks(2);
  plan::ReplicaDomain::Range *range = plan.mutable_replicas()->add_ranges();
  range->set_count(2);
  plan.mutable_replicas()->set_size(2);
  plan::Dataset *set = plan.add_datasets();
  set->set_name("s");
  set->mutable_synthetic()->set_samples(100);
  set->add_components()->mutable_sample()->set_dtype(plan::F32);
  plan::Program *program = plan.add_programs();
  program->set_instances(2);
  program->set_spread(true);
  plan::Instruction::NextBatch *next = program->add_instructions()->mutable_next_batch();
  next->set_batch(4);
  next->add_buffers(0);
  next->set_micro_batches(1);
  plan::Phase *phase = plan.add_phases();
  phase->add_programs(0);
  phase->set_samples_per_step(8);
  return plan;
}

TEST(PhaseBatches, EachTaskHasTheSourcesOfItsInstances) {
  plan::Plan plan = makePlan();
  DatasetCache datasets(plan, {});
  const plan::Instruction::NextBatch &next = plan.programs(0).instructions(0).next_batch();
  std::vector<float> all;
  for (uint32_t index : {0u, 1u}) {
    plan::Task task;
    task.set_index(index);
    auto batches = PhaseBatches::create(plan, 0, task, datasets);
    ASSERT_TRUE(batches.ok()) << batches.status();
    ASSERT_TRUE((*batches)->start({}).ok());
    float values[4];
    void *buffer = values;
    ASSERT_TRUE((*batches)->next(index, next, {&buffer, 1}, nullptr).ok());
    all.insert(all.end(), values, values + 4);
    EXPECT_FALSE((*batches)->next(1 - index, next, {&buffer, 1}, nullptr).ok())
        << "the other task's instance";
    EXPECT_FALSE(
        (*batches)->next(index, plan::Instruction::NextBatch(), {&buffer, 1}, nullptr).ok());
  }
  auto set = datasets.open(0);
  ASSERT_TRUE(set.ok());
  for (uint64_t i = 0; i < 8; ++i) {
    float value;
    (*set)->copySample(0, i, &value);
    EXPECT_EQ(all[i], value) << i;
  }
  EXPECT_EQ(*epochSamples(plan, 0, datasets), 100u);
}

} // namespace
