//===- PhaseSetupTest.cpp - the ends of channels that a task holds ----------------------------===//

#include "runtime/executor/PhaseSetup.h"
#include "runtime/common/plan/PlanTypes.h"
#include "test/runtime/common/plan/PlanBuilder.h"

#include <gtest/gtest.h>

#include <set>

namespace graphc::executor {
namespace {

/// Names of the channels that some task has a gathered end of.
std::set<std::string> gatheredIn(const plan::Plan &plan) {
  std::set<std::string> names;
  for (const plan::Task &task : plan::allTasks(plan))
    for (const ChannelEndpoint &endpoint : taskEndpoints(plan, task))
      if (endpoint.spec.gathered)
        names.insert(plan.channels(int(endpoint.spec.key.channel)).name());
  return names;
}

TEST(PhaseSetup, WhatALaneTakesOfAllInstancesIsGathered) {
  using Names = std::set<std::string>;
  EXPECT_EQ(gatheredIn(plan::parameterServerPlan({2, 3})), (Names{"w0.gradient", "w1.gradient"}));
  EXPECT_EQ(gatheredIn(plan::parameterServerPlan({1, 1})), Names{}) << "there is one message";
  EXPECT_EQ(gatheredIn(plan::parameterServerPlan({1, 3, 16, /*async=*/true})), Names{})
      << "a lane takes one of them";
  EXPECT_EQ(gatheredIn(plan::parameterServerPlan({1, 3, 16777216})), Names{})
      << "it begins with what is there";
}

} // namespace
} // namespace graphc::executor
