#include "runtime/common/plan/StandalonePlan.h"

#include "runtime/common/plan/PlanTypes.h"
#include "test/runtime/common/plan/PlanBuilder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace graphc::plan {
namespace {
using testing::HasSubstr;

/// Two replicas train variable 0; variable 1, which task 1 has, is sent to the chief, which
/// predicts by it.
Plan twoTasks() {
  PlanBuilder b;
  b.job("worker", 2);
  b.replicas(0, 2);
  const uint32_t slot = b.variable("w/Momentum", b.vector(), 0, 0),
                 w = b.variable("w", b.vector(), 0, 1);
  const uint32_t trains = b.phase("train", TRAIN, false),
                 predicts = b.phase("predict", PREDICT, false);
  const uint32_t replicas = b.program(trains, "train.worker", 2, true, 0, 0);
  const uint32_t ended =
      b.channel("train.control", PlanBuilder::scalar(I64), replicas, replicas, true);
  b.plan.mutable_variables(int(slot))->set_mirrored(true);
  b.controlSend(replicas, {ended});
  b.call(replicas, TestKernel::Apply,
         {b.variableBuffer(replicas, slot),
          b.constantBuffer(replicas, b.vector(), std::string(64, '\0'))});
  b.controlReceive(replicas, true, ended);

  const uint32_t owner = b.program(predicts, "predict.owner", 1, false, 0, 1),
                 chief = b.program(predicts, "predict.chief", 1, false, 0, 0);
  const uint32_t value = b.channel("w.value", b.vector(), owner, chief),
                 control = b.channel("control", PlanBuilder::scalar(I64), chief, owner, true);
  b.plan.mutable_channels(int(value))->set_zero_copy(true);
  b.send(owner, value, b.variableBuffer(owner, w));
  b.controlReceive(owner, false, control);
  b.controlSend(chief, {control});
  const uint32_t message = b.slotBuffer(chief, b.vector()),
                 sum = b.arenaBuffer(chief, PlanBuilder::scalar(F32));
  b.receive(chief, value, message);
  b.call(chief, TestKernel::Sum, {message, sum});
  b.release(chief, value);
  b.controlReceive(chief, true, 0);
  b.fetch(chief, "sum", sum);
  return b.finish();
}

TEST(StandalonePlan, KeepsThePhaseAndWhatItUses) {
  const Plan plan = twoTasks();
  const auto alone = standalonePlan(plan, PREDICT, "worker");
  ASSERT_TRUE(alone.ok()) << alone.status(); // a verified plan
  EXPECT_EQ(allTasks(*alone).size(), 1u);
  EXPECT_EQ(taskText(*alone, alone->chief()), "/job:worker/task:0");
  ASSERT_EQ(alone->programs_size(), 2);
  EXPECT_EQ(alone->programs(0).name(), "predict.owner");
  EXPECT_EQ(alone->programs(0).device(), "CPU:1");
  EXPECT_EQ(alone->programs(1).device(), "CPU:0") << "the chief's device keeps its name";
  ASSERT_EQ(alone->variables_size(), 1) << "no slot";
  EXPECT_EQ(alone->variables(0).name(), "w");
  EXPECT_EQ(alone->variables(0).device(), "CPU:1");
  ASSERT_EQ(alone->channels_size(), 2);
  for (const Channel &channel : alone->channels())
    EXPECT_FALSE(channel.zero_copy()) << channel.name();
  ASSERT_EQ(alone->kernels_size(), 1);
  EXPECT_EQ(alone->code_size(), 1);
  EXPECT_EQ(alone->constants_size(), 0);
  // Instruction for instruction, but for the numbers of other tables.
  ASSERT_EQ(alone->programs(1).instructions_size(), plan.programs(2).instructions_size());
  for (int i = 0; i < alone->programs(1).instructions_size(); ++i)
    EXPECT_EQ(alone->programs(1).instructions(i).kind_case(),
              plan.programs(2).instructions(i).kind_case())
        << i;
}

TEST(StandalonePlan, SaysWhatCannotBe) {
  const Plan plan = twoTasks();
  const auto evaluation = standalonePlan(plan, EVAL, "worker"),
             training = standalonePlan(plan, TRAIN, "worker");
  EXPECT_TRUE(absl::IsNotFound(evaluation.status())) << evaluation.status();
  EXPECT_TRUE(absl::IsUnimplemented(training.status())) << training.status();
  EXPECT_THAT(std::string(training.status().message()), HasSubstr("2 replicas of train.worker"));
}

} // namespace
} // namespace graphc::plan
