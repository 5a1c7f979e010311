// What a link writes, message by message, and what it makes of what it reads: without gRPC's streams, so that both are exact.
#include "runtime/transport/GrpcLink.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <deque>

namespace graphc::transport {
namespace {

using testing::HasSubstr;

/// Keeps what is written; a write is under way until deliver() or drop().
struct FakeWire final : Wire {
  void write(grpc::ByteBuffer message) override { written.push_back(std::move(message)); }
  void finish() override { finished = true; }
  std::deque<grpc::ByteBuffer> written;
  bool finished = false;
};

/// Two links joined by hand. Task 0 sends on `down`, task 1 on `up`.
struct Pair {
  Pair(const std::vector<ChannelSpec> &down, const std::vector<ChannelSpec> &up) {
    for (auto &spec : down)
      link[0].addSend(spec), link[1].addRecv(spec);
    for (auto &spec : up)
      link[1].addSend(spec), link[0].addRecv(spec);
    for (int i : {0, 1})
      EXPECT_TRUE(link[i].attach(&wire[i], i == 0 ? 22 : 11).ok());
  }
  /// Gives the other end all that `from` has written and writes; how many messages that was.
  int deliver(int from) {
    int count = 0;
    while (deliverOne(from))
      ++count;
    return count;
  }
  bool deliverOne(int from) {
    if (wire[from].written.empty())
      return false;
    EXPECT_EQ(link[1 - from].received(wire[from].written.front()), absl::OkStatus());
    wire[from].written.pop_front();
    link[from].written();
    return true;
  }
  GrpcLink link[2] = {{"/job:test/task:1", 11}, {"/job:test/task:0", 22}};
  FakeWire wire[2];
};

ChannelSpec spec(uint32_t channel, bool creditWaits, uint64_t bytes = 8, uint32_t capacity = 1) {
  ChannelSpec made{{channel, 0}, bytes, capacity, false};
  made.creditWaits = creditWaits;
  return made;
}

bool take(RecvPort &port) {
  const void *data = nullptr;
  if (port.poll(&data) != PollState::Ready)
    return false;
  port.release();
  return true;
}

TEST(GrpcLink, ACreditIsAMessageOfItsOwn) {
  Pair pair({spec(0, false)}, {});
  uint64_t value = 1;
  for (int k = 0; k < 3; ++k) {
    ASSERT_EQ(pair.link[0].sender({0, 0})->start(&value, 0, SendMode::Copy), PollState::Ready);
    EXPECT_EQ(pair.deliver(0), 1);
    ASSERT_TRUE(take(*pair.link[1].receiver({0, 0})));
    EXPECT_EQ(pair.deliver(1), 1);
  }
  EXPECT_EQ(pair.link[0].counters().controlBytes,
            3 * (2 * sizeof(MessageHeader) + sizeof(FrameHeader) + sizeof(Credit)));
}

TEST(GrpcLink, ACreditThatWaitsIsPartOfTheNextMessage) {
  Pair pair({spec(0, true)}, {spec(1, true)});
  uint64_t value = 1;
  constexpr int kSteps = 5;
  for (int k = 0; k < kSteps; ++k) {
    ASSERT_EQ(pair.link[0].sender({0, 0})->start(&value, 0, SendMode::Copy), PollState::Ready) << "step " << k;
    EXPECT_EQ(pair.deliver(0), 1);
    ASSERT_TRUE(take(*pair.link[1].receiver({0, 0})));
    EXPECT_EQ(pair.deliver(1), 0) << "the credit waits";
    ASSERT_EQ(pair.link[1].sender({1, 0})->start(&value, 0, SendMode::Copy), PollState::Ready) << "step " << k;
    EXPECT_EQ(pair.deliver(1), 1);
    ASSERT_TRUE(take(*pair.link[0].receiver({1, 0})));
    EXPECT_EQ(pair.deliver(0), 0);
  }
  // The first message has no credit to take along, and the last one's never comes.
  EXPECT_EQ(pair.link[0].counters().controlBytes,
            2 * kSteps * (sizeof(MessageHeader) + sizeof(FrameHeader)) + (2 * kSteps - 1) * sizeof(Credit));
}

TEST(GrpcLink, CreditsThatWaitGoWithOneThatDoesNotAndWithAClose) {
  Pair pair({spec(0, true), spec(1, false), spec(2, true)}, {spec(3, false)});
  uint64_t value = 1;
  for (uint32_t channel : {0, 1, 2})
    ASSERT_EQ(pair.link[0].sender({channel, 0})->start(&value, 0, SendMode::Copy), PollState::Ready);
  pair.deliver(0);
  ASSERT_TRUE(take(*pair.link[1].receiver({0, 0})));
  EXPECT_EQ(pair.deliver(1), 0);
  ASSERT_TRUE(take(*pair.link[1].receiver({1, 0})));
  EXPECT_EQ(pair.deliver(1), 1);
  for (uint32_t channel : {0, 1})
    EXPECT_EQ(pair.link[0].sender({channel, 0})->start(&value, 1, SendMode::Copy), PollState::Ready);
  ASSERT_TRUE(take(*pair.link[1].receiver({2, 0})));
  EXPECT_EQ(pair.link[0].sender({2, 0})->start(&value, 1, SendMode::Copy), PollState::Pending);
  pair.link[1].sender({3, 0})->close();
  EXPECT_EQ(pair.deliver(1), 1);
  EXPECT_EQ(pair.link[0].sender({2, 0})->start(&value, 1, SendMode::Copy), PollState::Ready);
}

TEST(GrpcLink, ResetForgetsCreditsThatWait) {
  Pair pair({spec(0, true)}, {spec(1, true)});
  uint64_t value = 1;
  ASSERT_EQ(pair.link[0].sender({0, 0})->start(&value, 0, SendMode::Copy), PollState::Ready);
  pair.deliver(0);
  ASSERT_TRUE(take(*pair.link[1].receiver({0, 0})));
  for (int i : {0, 1})
    ASSERT_TRUE(pair.link[i].reset(1).ok());
  ASSERT_EQ(pair.link[1].sender({1, 0})->start(&value, 0, SendMode::Copy), PollState::Ready);
  EXPECT_EQ(pair.deliver(1), 1) << "a credit too many would be refused";
  EXPECT_EQ(pair.link[0].sender({0, 0})->start(&value, 0, SendMode::Copy), PollState::Ready);
  EXPECT_EQ(pair.link[0].sender({0, 0})->start(&value, 0, SendMode::Copy), PollState::Pending);
}

TEST(GrpcLink, AMessageCanBeTakenFromItsStart) {
  constexpr uint64_t bytes = 3 * kMaxBatchBytes + 5;
  Pair pair({spec(0, false, bytes)}, {});
  std::vector<char> sent(bytes, 'x');
  ASSERT_EQ(pair.link[0].sender({0, 0})->start(sent.data(), 0, SendMode::Borrow), PollState::Ready);
  RecvPort &port = *pair.link[1].receiver({0, 0});
  const void *data = nullptr;
  uint64_t known = 0, there = 0;
  for (uint64_t part : {kMaxBatchBytes, 2 * kMaxBatchBytes, 3 * kMaxBatchBytes, bytes}) {
    EXPECT_EQ(port.pollStart(&data, known, &there), PollState::Pending);
    ASSERT_TRUE(pair.deliverOne(0));
    ASSERT_EQ(port.pollStart(&data, known, &there), PollState::Ready);
    EXPECT_EQ(there, part);
    EXPECT_EQ(port.poll(&data), part < bytes ? PollState::Pending : PollState::Ready);
    known = there;
  }
  EXPECT_EQ(memcmp(data, sent.data(), bytes), 0);
  port.release();
  EXPECT_EQ(port.pollStart(&data, 0, &there), PollState::Pending);
}

TEST(GrpcLink, ResetForgetsTheStartOfAMessage) {
  constexpr uint64_t bytes = 2 * kMaxBatchBytes;
  Pair pair({spec(0, false, bytes)}, {});
  std::vector<char> sent(bytes, 'x');
  ASSERT_EQ(pair.link[0].sender({0, 0})->start(sent.data(), 0, SendMode::Borrow), PollState::Ready);
  ASSERT_TRUE(pair.deliverOne(0));
  RecvPort &port = *pair.link[1].receiver({0, 0});
  const void *data = nullptr;
  uint64_t there = 0;
  pair.link[1].abort(absl::AbortedError("ps:0 died"));
  EXPECT_EQ(port.pollStart(&data, 0, &there), PollState::Ready) << "what is there may still be taken";
  EXPECT_EQ(port.pollStart(&data, there, &there), PollState::Aborted);
  ASSERT_TRUE(pair.link[1].reset(1).ok());
  EXPECT_EQ(port.pollStart(&data, 0, &there), PollState::Pending);
}

/// A peer that says what it likes.
class HostilePeer : public testing::Test {
public:
  HostilePeer() {
    link.addSend(spec(0, false, 8, 2));
    link.addRecv(spec(1, false, 4096, 1));
    EXPECT_TRUE(link.attach(&wire, 7).ok());
  }
  template <typename T> HostilePeer &add(const T &part) {
    bytes.append(reinterpret_cast<const char *>(&part), sizeof part);
    return *this;
  }
  HostilePeer &head(uint32_t credits = 0, uint64_t epoch = 0, uint64_t incarnation = 7) {
    return add(MessageHeader{MessageHeader::kMagic, credits, epoch, incarnation});
  }
  static FrameHeader data(uint64_t offset, uint64_t length, uint64_t seq = 0) {
    return {FrameKind::Data, 1, 0, 0, offset, 0, seq, length};
  }
  HostilePeer &payload(size_t count) {
    bytes.append(count, 'x');
    return *this;
  }
  /// What the link says to the message; the next one begins empty.
  std::string said() {
    grpc::Slice slice(std::exchange(bytes, {}));
    return std::string(link.received(grpc::ByteBuffer(&slice, 1)).message());
  }
  GrpcLink link{"/job:test/task:9", 1};
  FakeWire wire;
  std::string bytes;
};

TEST_F(HostilePeer, MessagesAreCutOff) {
  EXPECT_THAT(said(), HasSubstr("/job:test/task:9 is cut off: 0 bytes are left where 24 should be"));
  EXPECT_THAT(payload(23).said(), HasSubstr("23 bytes are left where 24 should be"));
  EXPECT_THAT(head(1).payload(15).said(), HasSubstr("15 bytes are left where 16 should be"));
  EXPECT_THAT(head(UINT32_MAX).said(), HasSubstr("0 bytes are left where 16 should be"));
  EXPECT_THAT(head().payload(1).said(), HasSubstr("1 bytes are left where 48 should be"));
  EXPECT_THAT(head().add(data(0, 4096)).payload(4095).said(), HasSubstr("4095 bytes are left where 4096 should be"));
}

TEST_F(HostilePeer, HeadersAreOfAnotherKind) {
  EXPECT_THAT(payload(24).said(), HasSubstr("has no graphc header"));
  EXPECT_THAT(head().add(FrameHeader{FrameKind(77), 1}).said(), HasSubstr("is of unknown kind 77"));
  EXPECT_THAT(head(0, 3).said(), HasSubstr("is at epoch 3, this task at 0"));
}

TEST_F(HostilePeer, ChannelsAreNotBetweenTheTwo) {
  EXPECT_THAT(head().add(FrameHeader{FrameKind::Close, 0}).said(),
              HasSubstr("channel 0[0], which the plan does not have"));
  EXPECT_THAT(head().add(FrameHeader{FrameKind::Data, 1, 5}).said(), HasSubstr("channel 1[5]"));
  EXPECT_THAT(head(1).add(Credit{1, 0, 1}).said(), HasSubstr("channel 1[0], which the plan does not have"));
}

TEST_F(HostilePeer, CreditsAreMoreThanMessages) {
  EXPECT_THAT(head(1).add(Credit{0, 0, 1}).said(), HasSubstr("gave back 1 slots, more than messages took of its 2"));
  uint64_t value = 1;
  ASSERT_EQ(link.sender({0, 0})->start(&value, 0, SendMode::Copy), PollState::Ready);
  EXPECT_THAT(head(1).add(Credit{0, 0, 2}).said(), HasSubstr("gave back 2 slots"));
  EXPECT_THAT(head(1).add(Credit{0, 0, UINT64_MAX}).said(), HasSubstr("gave back"));
  EXPECT_EQ(head(1).add(Credit{0, 0, 1}).said(), "");
}

TEST_F(HostilePeer, BytesAreOutOfPlace) {
  EXPECT_THAT(head().add(data(1, 1)).payload(1).said(), HasSubstr("sent bytes 1+1 of message 0, expected byte 0"));
  EXPECT_THAT(head().add(data(0, 4097)).payload(4097).said(), HasSubstr("sent bytes 0+4097"));
  EXPECT_THAT(head().add(data(0, 1, 1)).payload(1).said(), HasSubstr("of message 1, expected byte 0 of message 0"));
  EXPECT_EQ(head().add(data(0, 4096)).payload(4096).said(), "");
  EXPECT_THAT(head().add(data(0, 1, 1)).payload(1).said(), HasSubstr("capacity 1")) << "the slot is not free";
}

TEST_F(HostilePeer, AnotherProcessAndAnEarlierEpochAreNotHeard) {
  EXPECT_EQ(head(0, 0, 8).payload(5).said(), "");
  ASSERT_TRUE(link.reset(4).ok());
  EXPECT_EQ(head(0, 3).payload(5).said(), "");
  EXPECT_THAT(head(0, 4).payload(5).said(), HasSubstr("cut off"));
}

} // namespace
} // namespace graphc::transport
