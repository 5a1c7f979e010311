#include "runtime/common/plan/PiggybackedCredits.h"

#include "runtime/common/plan/VerifyPlan.h"
#include "test/runtime/common/plan/PlanBuilder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace graphc::plan {
namespace {

/// Names of the channels whose credits can wait.
std::set<std::string> waiting(Plan plan) {
  for (Channel &channel : *plan.mutable_channels())
    channel.clear_credits_wait();
  EXPECT_EQ(verifyPlan(plan), absl::OkStatus());
  std::set<std::string> names;
  fillCredits(plan);
  EXPECT_EQ(verifyPlan(plan), absl::OkStatus());
  for (const Channel &channel : plan.channels())
    if (channel.credits_wait())
      names.insert(channel.name());
  return names;
}

using Names = std::set<std::string>;

// What is compiled stands in the plan; one that says more than is true is refused, one that says
// less sends more messages.
TEST(PiggybackedCredits, ThatCannotWaitAreRefused) {
  const Plan plan = parameterServerPlan({2, 3});
  size_t waiting = 0;
  for (int i = 0; i < plan.channels_size(); ++i) {
    Plan other = plan;
    other.mutable_channels(i)->set_credits_wait(!plan.channels(i).credits_wait());
    waiting += plan.channels(i).credits_wait();
    if (plan.channels(i).credits_wait())
      EXPECT_EQ(verifyPlan(other), absl::OkStatus()) << plan.channels(i).name();
    else
      EXPECT_THAT(verifyPlan(other).message(),
                  testing::AllOf(testing::HasSubstr("channel " + plan.channels(i).name() +
                                                    ": the news of its free slots"),
                                 testing::HasSubstr("none comes in time")));
  }
  EXPECT_EQ(waiting, 4u);
}

// Values come back with the gradients of the same step, gradients with the values of the next one.
// The control message is sent before the values of its step are taken, so with one slot its credit
// cannot wait for them.
TEST(PiggybackedCredits, OfAParameterServer) {
  EXPECT_EQ(waiting(parameterServerPlan({2, 3})),
            (Names{"w0.to_worker", "w0.gradient", "w1.to_worker", "w1.gradient"}));
  EXPECT_EQ(waiting(parameterServerPlan({1, 2, 16, true})), (Names{"w0.to_worker", "w0.gradient"}));
}

// With one slot the values of the next step need the slot of this one before the server has taken
// all that the worker sends in it.
TEST(PiggybackedCredits, OfParametersAhead) {
  ParameterServerShape shape{1, 2};
  shape.ahead = true;
  Plan plan = parameterServerPlan(shape);
  EXPECT_EQ(waiting(plan), (Names{"w0.to_worker", "w0.gradient"}));
  for (Channel &channel : *plan.mutable_channels())
    channel.set_capacity(1);
  EXPECT_EQ(waiting(plan), (Names{"w0.to_worker", "w0.gradient"}))
      << "the gradient is taken before the values are sent";
}

// What is taken for the next step has left before the release that it would tell of.
TEST(PiggybackedCredits, OfAReleaseBehindTheSendAhead) {
  auto plan = [](bool ahead) {
    PlanBuilder b;
    b.job("worker", 2);
    uint32_t phase = b.phase("p", PREDICT, false);
    uint32_t x = b.program(phase, "p.x", 1, false, 0, 1),
             y = b.program(phase, "p.y", 1, false, 0, 0);
    uint32_t w = b.variable("w", b.vector(), 0, 1);
    uint32_t value = b.channel("value", b.vector(), x, y),
             early = b.channel("early", b.vector(), y, x),
             late = b.channel("late", b.vector(), y, x);
    b.plan.mutable_channels(int(value))->set_capacity(2);
    uint32_t control = b.channel("control", PlanBuilder::scalar(I64), y, x, true);
    uint32_t variable = b.variableBuffer(x, w);
    auto takes = [&](uint32_t program, uint32_t channel) {
      b.receive(program, channel, b.slotBuffer(program, b.vector()));
      b.release(program, channel);
    };
    auto gives = [&](uint32_t channel) {
      uint32_t buffer = b.arenaBuffer(y, b.vector());
      b.call(y, TestKernel::FailAtStep, {buffer});
      b.send(y, channel, buffer);
    };
    if (ahead)
      b.sendDone(x, value);
    else
      b.send(x, value, variable);
    takes(x, early);
    if (ahead) {
      b.controlReceive(x, false, control);
      b.sendStart(x, value, variable, true);
    }
    takes(x, late);
    if (!ahead)
      b.controlReceive(x, false, control);
    b.controlSend(y, {control});
    takes(y, value);
    gives(late);
    gives(early);
    b.controlReceive(y, true, 0);
    return b.finish();
  };
  EXPECT_EQ(waiting(plan(true)), (Names{"value", "early"}));
  EXPECT_EQ(waiting(plan(false)), (Names{"value", "early", "late"}));
}

TEST(PiggybackedCredits, OfTheControlMessageWithTwoSlots) {
  Plan plan = parameterServerPlan({1, 2});
  for (Channel &channel : *plan.mutable_channels())
    if (channel.control())
      channel.set_capacity(2);
  EXPECT_EQ(waiting(plan), (Names{"w0.to_worker", "w0.gradient", "control.ps0"}))
      << "no worker sends another anything";
}

/// x sends `there` and takes `back`, in this order or the other; y as the other end must.
Plan exchange(bool xSendsFirst, uint32_t capacity, bool fetched = false) {
  PlanBuilder b;
  b.job("worker", 2);
  uint32_t phase = b.phase("p", PREDICT, false);
  uint32_t x = b.program(phase, "p.x", 1, false, 0, 0), y = b.program(phase, "p.y", 1, false, 0, 1);
  uint32_t there = b.channel("there", b.vector(), x, y), back = b.channel("back", b.vector(), y, x);
  for (uint32_t channel : {there, back})
    b.plan.mutable_channels(int(channel))->set_capacity(capacity);
  uint32_t control = b.channel("control", PlanBuilder::scalar(I64), x, y, true);
  b.controlSend(x, {control});
  auto sends = [&](uint32_t program, uint32_t channel) {
    uint32_t buffer = b.arenaBuffer(program, b.vector());
    b.call(program, TestKernel::FailAtStep, {buffer});
    b.send(program, channel, buffer);
  };
  auto takes = [&](uint32_t program, uint32_t channel) {
    uint32_t slot = b.slotBuffer(program, b.vector());
    b.receive(program, channel, slot);
    b.release(program, channel);
    if (fetched)
      b.fetch(program, "of " + std::to_string(program), slot);
  };
  for (uint32_t program : {x, y}) {
    bool first = xSendsFirst == (program == x);
    uint32_t out = program == x ? there : back, in = program == x ? back : there;
    first ? sends(program, out) : takes(program, in);
    first ? takes(program, in) : sends(program, out);
  }
  b.controlReceive(x, true, 0);
  b.controlReceive(y, false, control);
  return b.finish();
}

// Whoever answers takes the credit along; whoever asks does with its next question, which the other
// needs no slot for before.
TEST(PiggybackedCredits, OfQuestionAndAnswer) {
  EXPECT_EQ(waiting(exchange(true, 1)), (Names{"there", "back"}));
  EXPECT_EQ(waiting(exchange(false, 1)), (Names{"there", "back"}));
  EXPECT_EQ(waiting(exchange(true, 2)), (Names{"there", "back"}));
}

TEST(PiggybackedCredits, OfMessagesThatAreReleasedAfterTheStep) {
  // y fetches what it got, so the answer is away before the release; the next answer comes after
  // the next question.
  EXPECT_EQ(waiting(exchange(true, 1, true)), (Names{"back"}));
  EXPECT_EQ(waiting(exchange(true, 2, true)), (Names{"there", "back"}));
}

TEST(PiggybackedCredits, OfOneWay) {
  PlanBuilder b;
  b.job("worker", 2);
  uint32_t phase = b.phase("p", PREDICT, false);
  uint32_t x = b.program(phase, "p.x", 1, false, 0, 0), y = b.program(phase, "p.y", 1, false, 0, 1);
  uint32_t there = b.channel("there", b.vector(), x, y);
  b.plan.mutable_channels(int(there))->set_capacity(2);
  uint32_t control = b.channel("control", PlanBuilder::scalar(I64), x, y, true);
  b.controlSend(x, {control});
  uint32_t buffer = b.arenaBuffer(x, b.vector());
  b.call(x, TestKernel::FailAtStep, {buffer});
  b.send(x, there, buffer);
  b.receive(y, there, b.slotBuffer(y, b.vector()));
  b.release(y, there);
  b.controlReceive(x, true, 0);
  b.controlReceive(y, false, control);
  EXPECT_EQ(waiting(b.finish()), Names{});
}

// Each sends before it takes: a credit that waited for the other's next message would wait for its
// own.
TEST(PiggybackedCredits, OfAllToAll) {
  auto plan = [](uint32_t capacity) {
    PlanBuilder b;
    b.replicas(b.job("worker", 2), 2);
    uint32_t phase = b.phase("p", PREDICT, false);
    uint32_t w = b.program(phase, "p.worker", 2, true, 0, 0);
    uint32_t sum = b.channel("sum", b.vector(), w, w);
    Channel &channel = *b.plan.mutable_channels(int(sum));
    channel.set_all_to_all(true);
    channel.set_capacity(capacity);
    uint32_t control = b.channel("control", PlanBuilder::scalar(I64), w, w, true);
    b.controlSend(w, {control});
    uint32_t own = b.arenaBuffer(w, b.vector()), total = b.arenaBuffer(w, b.vector());
    b.call(w, TestKernel::FailAtStep, {own});
    b.sendStart(w, sum, own);
    b.aggregate(w, sum, total);
    Instruction::Aggregate *aggregate =
        b.plan.mutable_programs(int(w))
            ->mutable_instructions(b.plan.programs(int(w)).instructions_size() - 1)
            ->mutable_aggregate();
    aggregate->set_has_own(true);
    aggregate->set_own(own);
    b.sendDone(w, sum);
    b.controlReceive(w, true, control);
    return b.finish();
  };
  EXPECT_EQ(waiting(plan(1)), Names{});
  EXPECT_EQ(waiting(plan(2)), Names{"sum"});
}

} // namespace
} // namespace graphc::plan
