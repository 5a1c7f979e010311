#include "passes/analysis/LivenessProof.h"

#include <gtest/gtest.h>

using namespace graphc;
using Action = LivenessProof::Action;

namespace {

/// One program asks, the other one answers.
struct RequestAndReply : LivenessProof {
  uint32_t client = addProgram(), server = addProgram();
  uint32_t there = addChannel(1), back = addChannel(1);
  RequestAndReply() {
    append(client, Action::Send, there);
    append(client, Action::Receive, back);
    append(server, Action::Receive, there);
    append(server, Action::Send, back);
  }
};

TEST(LivenessProof, RequestAndReplyIsLive) { EXPECT_TRUE(RequestAndReply().check().live()); }

TEST(LivenessProof, RanksGrowAlongEveryEdge) {
  RequestAndReply model;
  EXPECT_EQ(model.check().ranks, (std::vector<uint32_t>{1, 4, 2, 3}));
  model.append(model.server, Action::Send, model.back); // one too many: no proof of what is wrong
  EXPECT_TRUE(model.check().ranks.empty());
}

TEST(LivenessProof, TwoThatReceiveFirstAreACycleOfFour) {
  LivenessProof model;
  uint32_t a = model.addProgram(), b = model.addProgram();
  uint32_t there = model.addChannel(1), back = model.addChannel(1);
  model.append(a, Action::Receive, back);
  model.append(a, Action::Send, there);
  model.append(b, Action::Receive, there);
  model.append(b, Action::Send, back);
  LivenessProof::Result result = model.check();
  ASSERT_EQ(result.cycle.size(), 4u);
  int messages = 0;
  for (LivenessProof::Step step : result.cycle)
    messages += step.reason == LivenessProof::Reason::Message;
  EXPECT_EQ(messages, 2);
}

TEST(LivenessProof, AnInitialMessageBreaksTheCycle) {
  LivenessProof model;
  uint32_t a = model.addProgram(), b = model.addProgram();
  uint32_t there = model.addChannel(1), back = model.addChannel(1, /*tokens=*/1);
  model.append(a, Action::Receive, back);
  model.append(a, Action::Send, there);
  model.append(b, Action::Receive, there);
  model.append(b, Action::Send, back);
  EXPECT_TRUE(model.check().live());
}

TEST(LivenessProof, LoopsThatRunTogetherAreOneNode) {
  // What stands in front of the one loop comes before what stands behind the other; an iteration
  // has numbers of its own.
  LivenessProof model;
  uint32_t a = model.addProgram(), b = model.addProgram(), inA = model.addProgram(),
           inB = model.addProgram();
  uint32_t before = model.addChannel(1), inside = model.addChannel(1), behind = model.addChannel(1);
  uint32_t loops = model.addLoops();
  model.append(a, Action::Send, before);
  model.appendLoops(a, loops);
  model.append(inA, Action::Send, inside);
  model.append(a, Action::Receive, behind);
  model.append(b, Action::Receive, before);
  model.appendLoops(b, loops);
  model.append(inB, Action::Receive, inside);
  model.append(b, Action::Send, behind);
  EXPECT_EQ(model.check().ranks, (std::vector<uint32_t>{3, 1, 1, 5, 2, 2, 4}));
}

TEST(LivenessProof, ALoopThatWaitsForTheOthersEndIsACycle) {
  LivenessProof model;
  uint32_t a = model.addProgram(), b = model.addProgram(), behind = model.addChannel(1),
           loops = model.addLoops();
  model.appendLoops(a, loops);
  model.append(a, Action::Send, behind);
  model.append(b, Action::Receive, behind);
  model.appendLoops(b, loops);
  EXPECT_EQ(model.check().cycle.size(), 3u);
  LivenessProof two;
  uint32_t program = two.addProgram(), same = two.addLoops();
  two.appendLoops(program, same);
  two.appendLoops(program, same);
  EXPECT_EQ(two.check().cycle.size(), 1u);
}

TEST(LivenessProof, AWriterThatWaitsForItsReaderBeforeItAnswersIsACycle) {
  // b asks a for something while it still reads what a sent zero-copy; a answers only after b has
  // released it.
  for (bool zeroCopy : {false, true}) {
    LivenessProof model;
    uint32_t a = model.addProgram(), b = model.addProgram();
    uint32_t value = model.addChannel(1, 0, zeroCopy), answer = model.addChannel(1);
    model.append(a, Action::Send, value);
    model.append(a, Action::SendDone, value);
    model.append(a, Action::Send, answer);
    model.append(b, Action::Receive, value);
    model.append(b, Action::Receive, answer);
    model.append(b, Action::Release, value);
    LivenessProof::Result result = model.check();
    EXPECT_EQ(result.live(), !zeroCopy);
    int borrows = 0;
    for (LivenessProof::Step step : result.cycle)
      borrows += step.reason == LivenessProof::Reason::Borrow;
    EXPECT_EQ(borrows, zeroCopy);
  }
}

TEST(LivenessProof, OneSlotForTwoMessagesTakenTogetherIsACycle) {
  // The receiver releases the first message only after it has the second, which needs the first
  // one's slot.
  for (uint32_t capacity : {1u, 2u}) {
    LivenessProof model;
    uint32_t a = model.addProgram(), b = model.addProgram(), channel = model.addChannel(capacity);
    model.append(a, Action::Send, channel);
    model.append(a, Action::Send, channel);
    model.append(b, Action::Receive, channel);
    model.append(b, Action::Receive, channel);
    model.append(b, Action::Release, channel);
    model.append(b, Action::Release, channel);
    EXPECT_EQ(model.check().live(), capacity == 2);
  }
}

TEST(LivenessProof, CapacityAcrossStepsIsNoCycle) {
  LivenessProof model;
  uint32_t a = model.addProgram(), channel = model.addChannel(1);
  model.append(a, Action::Send, channel);
  model.append(a, Action::Receive, channel);
  model.append(a, Action::Release, channel);
  EXPECT_TRUE(model.check().live());
}

TEST(LivenessProof, UnpairedMessagesAreNamed) {
  LivenessProof model;
  uint32_t a = model.addProgram(), b = model.addProgram(), channel = model.addChannel(1);
  model.append(a, Action::Send, channel);
  model.append(a, Action::Send, channel);
  model.append(b, Action::Receive, channel);
  LivenessProof::Result result = model.check();
  ASSERT_EQ(result.mismatches.size(), 1u);
  EXPECT_EQ(result.mismatches[0].sends, 2u);
  EXPECT_EQ(result.mismatches[0].receives, 1u);
  EXPECT_FALSE(result.live());
}

TEST(LivenessProof, ShortestCycleOfSeveral) {
  LivenessProof model;
  uint32_t a = model.addProgram(), b = model.addProgram(), c = model.addProgram();
  uint32_t ab = model.addChannel(1), bc = model.addChannel(1), ca = model.addChannel(1),
           ba = model.addChannel(1);
  model.append(a, Action::Receive, ca);
  model.append(a, Action::Receive, ba);
  model.append(a, Action::Send, ab);
  model.append(b, Action::Receive, ab);
  model.append(b, Action::Send, ba);
  model.append(b, Action::Send, bc);
  model.append(c, Action::Receive, bc);
  model.append(c, Action::Send, ca);
  EXPECT_EQ(model.check().cycle.size(), 4u);
}

} // namespace
