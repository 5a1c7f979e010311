#include "passes/analysis/StepTimeline.h"

#include <gtest/gtest.h>

using namespace graphc;
using TimedAction = StepTimeline::Action;

namespace {

TEST(StepTimeline, WorkAddsUp) {
  StepTimeline model;
  uint32_t sequence = model.addSequence();
  model.append(sequence, {TimedAction::Work, 2, 0});
  model.append(sequence, {TimedAction::Work, 3, 0});
  auto result = model.run();
  ASSERT_TRUE(result);
  EXPECT_DOUBLE_EQ(result->step, 5);
  EXPECT_DOUBLE_EQ(result->spans[0][1].start, 2);
  EXPECT_DOUBLE_EQ(result->spans[0][1].end, 5);
}

/// A sends to B, which works and answers: the step is the way there and back.
TEST(StepTimeline, AMessageArrivesAfterWireAndLatency) {
  StepTimeline model;
  uint32_t a = model.addSequence(), b = model.addSequence(), wire = model.addWire();
  uint32_t there = model.addChannel({1, 4, 1, wire}), back = model.addChannel({1, 0, 2, 0});
  model.append(a, {TimedAction::Send, 1, there});
  model.append(a, {TimedAction::Receive, 0, back});
  model.append(b, {TimedAction::Receive, 0, there});
  model.append(b, {TimedAction::Work, 10, 0});
  model.append(b, {TimedAction::Send, 1, back});
  auto result = model.run();
  ASSERT_TRUE(result);
  EXPECT_DOUBLE_EQ(result->step, 1 + 4 + 1 + 10 + 1 + 2);
  EXPECT_DOUBLE_EQ(result->spans[b][0].start, 6);
  EXPECT_DOUBLE_EQ(result->spans[a][1].start, 19);
}

TEST(StepTimeline, MessagesOnOneWireQueueUp) {
  for (bool shared : {true, false}) {
    StepTimeline model;
    uint32_t a = model.addSequence(), b = model.addSequence(), c = model.addSequence();
    uint32_t first = model.addWire(), second = shared ? first : model.addWire();
    uint32_t x = model.addChannel({1, 5, 0, first}), y = model.addChannel({1, 5, 0, second});
    model.append(a, {TimedAction::Send, 0, x});
    model.append(b, {TimedAction::Send, 0, y});
    model.append(c, {TimedAction::Receive, 0, x});
    model.append(c, {TimedAction::Receive, 0, y});
    auto result = model.run();
    ASSERT_TRUE(result);
    EXPECT_DOUBLE_EQ(result->step, shared ? 10 : 5);
  }
}

/// The sender works 1, the receiver 3; with one slot that is released late the sender follows the
/// receiver's rhythm, and a second slot changes nothing of it.
TEST(StepTimeline, CapacityHoldsTheSenderBack) {
  for (uint32_t capacity : {1u, 2u}) {
    StepTimeline model;
    uint32_t a = model.addSequence(), b = model.addSequence(),
             channel = model.addChannel({capacity, 0, 0, 0});
    model.append(a, {TimedAction::Work, 1, 0});
    model.append(a, {TimedAction::Send, 0, channel});
    model.append(b, {TimedAction::Receive, 0, channel});
    model.append(b, {TimedAction::Work, 3, 0});
    model.append(b, {TimedAction::Release, 0, channel});
    auto result = model.run();
    ASSERT_TRUE(result);
    EXPECT_DOUBLE_EQ(result->step, 3);
  }
}

/// A sends right behind its work what B needs for the next step: the way there is no part of B's
/// wait for A's answer.
TEST(StepTimeline, AMessageThatIsThereBeforeTheFirstStepIsOneAhead) {
  StepTimeline model;
  uint32_t a = model.addSequence(), b = model.addSequence();
  uint32_t there = model.addChannel({1, 0, 4, 0, 1}), back = model.addChannel({1, 0, 0, 0});
  model.append(a, {TimedAction::Receive, 0, back});
  model.append(a, {TimedAction::Work, 1, 0});
  model.append(a, {TimedAction::Send, 0, there});
  model.append(b, {TimedAction::Receive, 0, there});
  model.append(b, {TimedAction::Send, 0, back});
  model.append(b, {TimedAction::Work, 10, 0});
  auto result = model.run();
  ASSERT_TRUE(result) << "each waits for the other, but for the message that is there";
  EXPECT_DOUBLE_EQ(result->step, 10);
}

TEST(StepTimeline, SequencesThatWaitForEachOtherHaveNone) {
  StepTimeline model;
  uint32_t a = model.addSequence(), b = model.addSequence();
  uint32_t there = model.addChannel({}), back = model.addChannel({});
  model.append(a, {TimedAction::Receive, 0, back});
  model.append(a, {TimedAction::Send, 0, there});
  model.append(b, {TimedAction::Receive, 0, there});
  model.append(b, {TimedAction::Send, 0, back});
  EXPECT_FALSE(model.run());
}

} // namespace
