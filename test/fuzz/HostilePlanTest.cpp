// Plans whose numbers are each within limits and together are not: sums that overflow, small files
// that ask for much.
#include "runtime/common/plan/VerifyPlan.h"
#include "test/fuzz/SamplePlan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace graphc;
using testing::HasSubstr;

namespace {

std::string errorOf(const plan::Plan &plan) {
  return std::string(plan::verifyPlan(plan).message());
}

TEST(HostilePlan, SlotsOfAllChannelsAreBoundedTogether) {
  plan::Plan plan = test::samplePlan();
  // 256 channels of 2^46 bytes and 2^10 slots would make exactly 2^64 bytes: nothing, to whoever
  // adds them up in 64 bits.
  for (int i = 0; i < 256; ++i) {
    plan::Channel *channel = plan.add_channels();
    *channel = plan.channels(0);
    channel->set_name("c" + std::to_string(i));
    channel->set_bytes(uint64_t(1) << 46);
    channel->set_capacity(1024);
    channel->mutable_type()->clear_shape();
    channel->mutable_type()->add_shape(int64_t(1) << 44);
  }
  EXPECT_THAT(errorOf(plan), HasSubstr("bytes of slots"));
}

TEST(HostilePlan, InstancesOfAllChannelsAreBoundedTogether) {
  plan::Plan plan = test::samplePlan();
  plan.mutable_jobs(1)->set_tasks(60000);
  plan.mutable_replicas()->mutable_ranges(0)->set_count(60000);
  plan.mutable_replicas()->set_size(60000);
  plan.mutable_programs(1)->set_instances(60000);
  for (plan::Channel &channel : *plan.mutable_channels())
    if (channel.instances() == 2)
      channel.set_instances(60000);
  for (int i = 0; i < 100; ++i) {
    plan::Channel *channel = plan.add_channels();
    *channel = plan.channels(0);
    channel->set_name("c" + std::to_string(i));
  }
  EXPECT_THAT(errorOf(plan), HasSubstr("instances or more than"));
}

TEST(HostilePlan, AVariableUsedByASpreadProgramIsRefused) {
  for (uint32_t task : {0u, 1u}) { // the owner is the first replica's task, then the second's
    plan::Plan plan = test::samplePlan();
    plan::Variable *variable = plan.add_variables();
    *variable = plan.variables(0);
    variable->set_name("v");
    variable->mutable_owner()->set_job(1);
    variable->mutable_owner()->set_index(task);
    plan::Buffer *buffer = plan.mutable_programs(1)->add_buffers();
    *buffer = plan.programs(0).buffers(0);
    buffer->set_variable(3);
    EXPECT_THAT(errorOf(plan),
                HasSubstr("variable v is owned by /job:worker/task:" + std::to_string(task)));
  }
}

TEST(HostilePlan, InstancesOfAllProgramsAreBoundedTogether) {
  plan::Plan plan = test::samplePlan();
  plan.mutable_jobs(1)->set_tasks(60000);
  plan.mutable_replicas()->mutable_ranges(0)->set_count(60000);
  plan.mutable_replicas()->set_size(60000);
  plan.mutable_programs(1)->set_instances(60000);
  for (int i = 0; i < 100; ++i) {
    plan.mutable_phases(0)->add_programs(uint32_t(plan.programs_size()));
    *plan.add_programs() = plan.programs(1);
  }
  EXPECT_THAT(errorOf(plan), HasSubstr("the programs have more than 4194304 instances together"));
}

} // namespace
