// What a link writes, message by message, and what it makes of what it reads: without gRPC's
// streams, so that both are exact.
#include "test/runtime/transport/HostilePeer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <deque>

namespace graphc::transport {
namespace {

using testing::HasSubstr;

/// Two links joined by hand. Task 0 sends on `down`, task 1 on `up`.
struct Pair {
  Pair(const std::vector<ChannelSpec> &down, const std::vector<ChannelSpec> &up) {
    add(0, down);
    add(1, up);
    for (int i : {0, 1})
      for (uint32_t stream = 0; stream < link[i].streams(); ++stream)
        EXPECT_TRUE(link[i].attach(stream, &wire[i][stream], i == 0 ? 22 : 11).ok());
  }
  void add(int from, const std::vector<ChannelSpec> &specs) {
    for (const ChannelSpec &spec : specs) {
      link[from].addSend(spec);
      EXPECT_TRUE(link[1 - from].addRecv(spec).ok());
    }
  }
  /// Gives the other end all that `from` has written and writes, stream by stream; how many
  /// messages that was.
  int deliver(int from) {
    int count = 0;
    for (uint32_t stream = 0; stream < link[from].streams(); ++stream)
      while (deliverOne(from, stream))
        ++count;
    return count;
  }
  bool deliverOne(int from, uint32_t stream = 0) {
    std::deque<grpc::ByteBuffer> &written = wire[from][stream].written;
    if (written.empty())
      return false;
    EXPECT_EQ(link[1 - from].received(stream, written.front()), absl::OkStatus());
    written.pop_front();
    link[from].written(stream);
    return true;
  }
  GrpcLink link[2] = {{"/job:test/task:1", 11}, {"/job:test/task:0", 22}};
  FakeWire wire[2][kMaxStreams];
};

bool take(RecvPort &port) {
  const void *data = nullptr;
  if (port.poll(&data) != PollState::Ready)
    return false;
  port.release();
  return true;
}

// No address space has so much.
TEST(GrpcLink, MemoryThatIsNotToBeHadIsAnError) {
  GrpcLink link("peer", 7);
  const absl::Status refused = link.addRecv({{3, 0}, uint64_t(1) << 46, 4, false});
  EXPECT_EQ(refused.code(), absl::StatusCode::kResourceExhausted) << refused;
  EXPECT_THAT(std::string(refused.message()), HasSubstr("channel 3"));
  link.addSend({{5, 0}, uint64_t(1) << 47, 1, false});
  SendPort *port = link.sender({5, 0});
  void *data = nullptr;
  EXPECT_EQ(port->acquire(&data), PollState::Aborted);
  EXPECT_EQ(port->status().code(), absl::StatusCode::kResourceExhausted) << port->status();
  EXPECT_THAT(std::string(port->status().message()), HasSubstr("channel 5"));
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
            3 * (2 * sizeof(MessageHeader) + sizeof(FrameHeader) + sizeof(CreditGrant)));
}

TEST(GrpcLink, ACreditThatWaitsIsPartOfTheNextMessage) {
  Pair pair({spec(0, true)}, {spec(1, true)});
  uint64_t value = 1;
  constexpr int kSteps = 5;
  for (int k = 0; k < kSteps; ++k) {
    ASSERT_EQ(pair.link[0].sender({0, 0})->start(&value, 0, SendMode::Copy), PollState::Ready)
        << "step " << k;
    EXPECT_EQ(pair.deliver(0), 1);
    ASSERT_TRUE(take(*pair.link[1].receiver({0, 0})));
    EXPECT_EQ(pair.deliver(1), 0) << "the credit waits";
    ASSERT_EQ(pair.link[1].sender({1, 0})->start(&value, 0, SendMode::Copy), PollState::Ready)
        << "step " << k;
    EXPECT_EQ(pair.deliver(1), 1);
    ASSERT_TRUE(take(*pair.link[0].receiver({1, 0})));
    EXPECT_EQ(pair.deliver(0), 0);
  }
  // The first message has no credit to take along, and the last one's never comes.
  EXPECT_EQ(pair.link[0].counters().controlBytes,
            2 * kSteps * (sizeof(MessageHeader) + sizeof(FrameHeader)) +
                (2 * kSteps - 1) * sizeof(CreditGrant));
}

TEST(GrpcLink, CreditsThatWaitGoWithOneThatDoesNotAndWithAClose) {
  Pair pair({spec(0, true), spec(1, false), spec(2, true)}, {spec(3, false)});
  uint64_t value = 1;
  for (uint32_t channel : {0, 1, 2})
    ASSERT_EQ(pair.link[0].sender({channel, 0})->start(&value, 0, SendMode::Copy),
              PollState::Ready);
  pair.deliver(0);
  ASSERT_TRUE(take(*pair.link[1].receiver({0, 0})));
  EXPECT_EQ(pair.deliver(1), 0);
  ASSERT_TRUE(take(*pair.link[1].receiver({1, 0})));
  EXPECT_EQ(pair.deliver(1), 1);
  for (uint32_t channel : {0, 1})
    EXPECT_EQ(pair.link[0].sender({channel, 0})->start(&value, 1, SendMode::Copy),
              PollState::Ready);
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

/// A large message's chunks, as a stream of bytes that differ by chunk, and what of it a receiver
/// can see.
struct Large {
  static constexpr uint64_t kChunks = 5, kBytes = (kChunks - 1) * kMaxChunk + 5;
  explicit Large(Pair &pair, uint64_t step = 0, uint32_t channel = 0)
      : port(*pair.link[1].receiver({channel, 0})) {
    for (uint64_t i = 0; i < kBytes; ++i)
      sent[i] = char(i / kMaxChunk + step * kChunks);
    EXPECT_EQ(pair.link[0].sender({channel, 0})->start(sent.data(), step, SendMode::Borrow),
              PollState::Ready);
  }
  /// Bytes from the start that are there; checks them.
  uint64_t there() {
    const void *data = nullptr;
    uint64_t known = 0;
    if (port.pollStart(&data, 0, &known) != PollState::Ready)
      return 0;
    EXPECT_EQ(memcmp(data, sent.data(), known), 0);
    EXPECT_EQ(port.poll(&data), known < kBytes ? PollState::Pending : PollState::Ready);
    return known;
  }
  RecvPort &port;
  std::vector<char> sent = std::vector<char>(kBytes);
};
const ChannelSpec kLarge = spec(0, false, Large::kBytes);

TEST(GrpcLink, SmallMessagesHaveOneStreamAndLargeOnesSeveral) {
  EXPECT_EQ(Pair({spec(0, false, kLargeBytes - 1)}, {}).link[0].streams(), 1u);
  Pair pair({spec(0, false)}, {spec(1, false, kLargeBytes)});
  for (const GrpcLink &link : pair.link)
    EXPECT_EQ(link.streams(), kMaxStreams) << "both ends find the same";
  uint64_t value = 1;
  ASSERT_EQ(pair.link[0].sender({0, 0})->start(&value, 0, SendMode::Copy), PollState::Ready);
  EXPECT_EQ(pair.wire[0][0].written.size(), 1u);
  for (uint32_t stream = 1; stream < kMaxStreams; ++stream)
    EXPECT_TRUE(pair.wire[0][stream].written.empty()) << "a small message goes on the first";
}

TEST(GrpcLink, EachStreamThatIsFreeTakesAChunk) {
  Pair pair({kLarge}, {});
  Large message(pair);
  for (const FakeWire &wire : pair.wire[0])
    EXPECT_EQ(wire.written.size(), 1u);
  // One is slow: the others carry what is left.
  for (uint64_t chunk = kMaxStreams; chunk < Large::kChunks; ++chunk) {
    ASSERT_TRUE(pair.deliverOne(0, 1));
    EXPECT_EQ(message.there(), 0u) << "the first chunk is on the slow one";
  }
  EXPECT_EQ(pair.deliver(0), int(kMaxStreams));
  EXPECT_EQ(message.there(), Large::kBytes);
}

TEST(GrpcLink, ASmallMessageGoesBeforeTheChunksThatWait) {
  Pair pair({kLarge, spec(1, false)}, {});
  Large message(pair);
  uint64_t value = 1;
  ASSERT_EQ(pair.link[0].sender({1, 0})->start(&value, 0, SendMode::Copy), PollState::Ready);
  for (int chunk = 0; chunk < 2; ++chunk)
    ASSERT_TRUE(pair.deliverOne(0, 1));
  // the chunk that was under way on the first stream, which the small one waits for
  ASSERT_TRUE(pair.deliverOne(0));
  EXPECT_FALSE(take(*pair.link[1].receiver({1, 0})));
  EXPECT_LT(pair.wire[0][0].written.front().Length(), kMaxChunk)
      << "with a chunk that it would have to wait for";
  ASSERT_TRUE(pair.deliverOne(0));
  EXPECT_TRUE(take(*pair.link[1].receiver({1, 0})));
  pair.deliver(0);
  EXPECT_EQ(message.there(), Large::kBytes);
}

TEST(GrpcLink, AMessageCanBeTakenFromItsStart) {
  Pair pair({kLarge}, {});
  Large message(pair);
  uint64_t part = 0;
  EXPECT_EQ(message.there(), 0u);
  for (uint32_t stream = 0; part < Large::kBytes; stream = (stream + 1) % kMaxStreams) {
    ASSERT_TRUE(pair.deliverOne(0, stream));
    part = std::min(part + kMaxChunk, Large::kBytes);
    EXPECT_EQ(message.there(), part);
  }
  message.port.release();
  EXPECT_EQ(message.there(), 0u);
}

TEST(GrpcLink, AMessageMayOvertakeTheStartOfTheOneBefore) {
  Pair pair({spec(0, false, Large::kBytes, 2)}, {});
  for (uint64_t step = 0; step < 4; step += 2) { // the slots again
    Large first(pair, step);
    // What stream 0 has of it is still on the network, and has left the sender's buffer.
    std::vector<grpc::Slice> slices;
    ASSERT_TRUE(pair.wire[0][0].written.front().Dump(&slices).ok());
    for (grpc::Slice &slice : slices)
      slice = grpc::Slice(slice.begin(), slice.size());
    grpc::ByteBuffer late(slices.data(), slices.size());
    slices.clear();
    pair.wire[0][0].written.clear();
    while (pair.deliverOne(0, 1))
      ;
    Large second(pair, step + 1);
    while (pair.deliverOne(0, 1))
      ;
    EXPECT_EQ(first.there(), 0u);
    ASSERT_EQ(pair.link[1].received(0, late), absl::OkStatus());
    EXPECT_EQ(first.there(), Large::kBytes);
    pair.link[0].written(0);
    first.port.release();
    EXPECT_EQ(second.there(), Large::kBytes);
    second.port.release();
    pair.deliver(1);
  }
}

TEST(GrpcLink, ACloseMayOvertakeTheLastChunk) {
  Pair pair({kLarge}, {});
  Large message(pair);
  pair.link[0].sender({0, 0})->close();
  while (pair.deliverOne(0, 1)) // the close too
    ;
  const void *data = nullptr;
  EXPECT_EQ(message.port.poll(&data), PollState::Pending);
  EXPECT_EQ(pair.deliver(0), int(kMaxStreams) - 1);
  EXPECT_EQ(message.there(), Large::kBytes);
  message.port.release();
  EXPECT_EQ(message.port.poll(&data), PollState::Closed);
}

TEST(GrpcLink, CreditsGoOnWhicheverStreamWritesNext) {
  Pair pair({spec(0, true)}, {spec(1, false, Large::kBytes), spec(2, false)});
  uint64_t value = 1;
  std::vector<char> large(Large::kBytes);
  // Stream 0 is writing; what waits goes with a chunk on stream 1.
  ASSERT_EQ(pair.link[0].sender({0, 0})->start(&value, 0, SendMode::Copy), PollState::Ready);
  pair.deliver(0);
  ASSERT_EQ(pair.link[1].sender({2, 0})->start(&value, 0, SendMode::Copy), PollState::Ready);
  ASSERT_TRUE(take(*pair.link[1].receiver({0, 0})));
  ASSERT_EQ(pair.link[1].sender({1, 0})->start(large.data(), 0, SendMode::Borrow),
            PollState::Ready);
  EXPECT_EQ(pair.link[0].sender({0, 0})->start(&value, 1, SendMode::Copy), PollState::Pending);
  ASSERT_TRUE(pair.deliverOne(1, 1));
  EXPECT_EQ(pair.link[0].sender({0, 0})->start(&value, 1, SendMode::Copy), PollState::Ready);
  // And one that does not wait goes alone, on a stream that is free.
  pair.deliver(1);
  Pair other({spec(0, false)}, {spec(1, false, kLargeBytes), spec(2, false)});
  ASSERT_EQ(other.link[0].sender({0, 0})->start(&value, 0, SendMode::Copy), PollState::Ready);
  other.deliver(0);
  ASSERT_EQ(other.link[1].sender({2, 0})->start(&value, 0, SendMode::Copy), PollState::Ready);
  ASSERT_TRUE(take(*other.link[1].receiver({0, 0})));
  ASSERT_TRUE(other.deliverOne(1, 1));
  EXPECT_EQ(other.link[0].sender({0, 0})->start(&value, 1, SendMode::Copy), PollState::Ready);
}

TEST(GrpcLink, AStreamThatBreaksEndsAll) {
  Pair pair({kLarge}, {});
  EXPECT_TRUE(pair.link[0].attached());
  Large message(pair);
  pair.link[0].written(0);
  EXPECT_EQ(pair.wire[0][0].written.size(), 2u);
  EXPECT_TRUE(pair.link[0].detach(1, &pair.wire[0][1]));
  EXPECT_FALSE(pair.link[0].attached());
  EXPECT_FALSE(pair.link[0].detach(0, &pair.wire[0][0])) << "what broke is said once";
  for (uint32_t stream = 0; stream < kMaxStreams; ++stream) {
    EXPECT_FALSE(pair.wire[0][stream].finished) << "a write is under way";
    pair.link[0].written(stream);
    EXPECT_TRUE(pair.wire[0][stream].finished);
  }
  EXPECT_EQ(pair.wire[0][0].written.size(), 2u) << "nothing is written any more";
  EXPECT_EQ(pair.link[0].attach(1, &pair.wire[0][1], 22).code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(pair.link[0].reset(1).code(), absl::StatusCode::kUnavailable);
}

TEST(GrpcLink, WhatIsQueuedBehindAWriteHoldsNoBufferOnceAllIsOver) {
  for (const bool breaksFirst : {false, true}) {
    Pair pair({kLarge, spec(1, false), spec(2, false)}, {});
    uint64_t value = 1;
    ASSERT_EQ(pair.link[0].sender({1, 0})->start(&value, 0, SendMode::Copy), PollState::Ready);
    ASSERT_EQ(pair.link[0].sender({2, 0})->start(&value, 0, SendMode::Copy), PollState::Ready)
        << "behind the first";
    Large message(pair);
    if (breaksFirst)
      EXPECT_TRUE(pair.link[0].detach(0, &pair.wire[0][0]));
    pair.link[0].end();
    for (uint32_t stream = 0; stream < pair.link[0].streams(); ++stream) {
      EXPECT_FALSE(pair.wire[0][stream].finished) << "a write is under way";
      pair.link[0].written(stream);
      EXPECT_TRUE(pair.wire[0][stream].finished);
      EXPECT_EQ(pair.wire[0][stream].written.size(), 1u);
      EXPECT_FALSE(pair.link[0].drained()) << "a chunk is still held";
      pair.wire[0][stream].written.clear();
    }
    EXPECT_TRUE(pair.link[0].drained());
  }
}

TEST(GrpcLink, ChunksOfAnEarlierGenerationAreFencedOnEveryStream) {
  Pair pair({kLarge}, {});
  Large message(pair);
  std::deque<grpc::ByteBuffer> late;
  for (FakeWire &wire : pair.wire[0])
    late.push_back(std::exchange(wire.written, {}).front());
  ASSERT_EQ(pair.link[1].received(1, late[1]), absl::OkStatus());
  for (GrpcLink &link : pair.link)
    ASSERT_TRUE(link.reset(1).ok());
  for (uint32_t stream = 0; stream < kMaxStreams; ++stream)
    ASSERT_EQ(pair.link[1].received(stream, late[stream]), absl::OkStatus());
  late.clear();
  EXPECT_EQ(message.there(), 0u);
  for (uint32_t stream = 0; stream < kMaxStreams; ++stream)
    pair.link[0].written(stream);
  Large next(pair, 1);
  pair.deliver(0);
  EXPECT_EQ(next.there(), Large::kBytes);
}

TEST(GrpcLink, ResetForgetsTheStartOfAMessage) {
  Pair pair({kLarge}, {});
  Large message(pair);
  ASSERT_TRUE(pair.deliverOne(0));
  const void *data = nullptr;
  uint64_t there = 0;
  pair.link[1].abort(absl::AbortedError("ps:0 died"));
  EXPECT_EQ(message.port.pollStart(&data, 0, &there), PollState::Ready)
      << "what is there may still be taken";
  EXPECT_EQ(message.port.pollStart(&data, there, &there), PollState::Aborted);
  ASSERT_TRUE(pair.link[1].reset(1).ok());
  EXPECT_EQ(message.port.pollStart(&data, 0, &there), PollState::Pending);
}

TEST_F(HostilePeer, MessagesAreCutOff) {
  EXPECT_THAT(said(),
              HasSubstr("/job:test/task:9 is cut off: 0 bytes are left where 24 should be"));
  EXPECT_THAT(payload(23).said(), HasSubstr("23 bytes are left where 24 should be"));
  EXPECT_THAT(head(1).payload(15).said(), HasSubstr("15 bytes are left where 16 should be"));
  EXPECT_THAT(head(UINT32_MAX).said(), HasSubstr("0 bytes are left where 16 should be"));
  EXPECT_THAT(head().payload(1).said(), HasSubstr("1 bytes are left where 48 should be"));
  EXPECT_THAT(head().add(data(0, 4096)).payload(4095).said(),
              HasSubstr("4095 bytes are left where 4096 should be"));
}

TEST_F(HostilePeer, HeadersAreOfAnotherKind) {
  EXPECT_THAT(payload(24).said(), HasSubstr("has no graphc header"));
  EXPECT_THAT(head().add(FrameHeader{FrameKind(77), 1}).said(), HasSubstr("is of unknown kind 77"));
  EXPECT_THAT(head(0, 3).said(), HasSubstr("is at generation 3, this task at 0"));
}

TEST_F(HostilePeer, ChannelsAreNotBetweenTheTwo) {
  EXPECT_THAT(head().add(FrameHeader{FrameKind::Close, 0}).said(),
              HasSubstr("channel 0[0], which the plan does not have"));
  EXPECT_THAT(head().add(FrameHeader{FrameKind::Data, 1, 5}).said(), HasSubstr("channel 1[5]"));
  EXPECT_THAT(head(1).add(CreditGrant{1, 0, 1}).said(),
              HasSubstr("channel 1[0], which the plan does not have"));
}

TEST_F(HostilePeer, CreditsAreMoreThanMessages) {
  EXPECT_THAT(head(1).add(CreditGrant{0, 0, 1}).said(),
              HasSubstr("gave back 1 slots, more than messages took of its 2"));
  uint64_t value = 1;
  ASSERT_EQ(link.sender({0, 0})->start(&value, 0, SendMode::Copy), PollState::Ready);
  EXPECT_THAT(head(1).add(CreditGrant{0, 0, 2}).said(), HasSubstr("gave back 2 slots"));
  EXPECT_THAT(head(1).add(CreditGrant{0, 0, UINT64_MAX}).said(), HasSubstr("gave back"));
  EXPECT_EQ(head(1).add(CreditGrant{0, 0, 1}).said(), "");
}

TEST_F(HostilePeer, BytesAreOutOfPlace) {
  EXPECT_THAT(head().add(data(1, 1)).payload(1).said(),
              HasSubstr("sent bytes 1+1 of message 0, expected byte 0"));
  EXPECT_THAT(head().add(data(0, 4097)).payload(4097).said(), HasSubstr("sent bytes 0+4097"));
  EXPECT_THAT(head().add(data(0, 1, 1)).payload(1).said(),
              HasSubstr("of message 1, expected byte 0 of message 0"));
  EXPECT_EQ(head().add(data(0, 4096)).payload(4096).said(), "");
  EXPECT_THAT(head().add(data(0, 1, 1)).payload(1).said(), HasSubstr("capacity 1"))
      << "the slot is not free";
}

TEST_F(HostilePeer, FramesAreEmpty) {
  EXPECT_THAT(head().add(data(0, 0)).said(), HasSubstr("sent bytes 0+0 of message 0"));
}

TEST_F(HostilePeer, ChunksAreOutOfPlace) {
  auto chunk = [this](uint64_t offset, uint64_t length, uint64_t seq, uint32_t stream = 1) {
    head().add(FrameHeader{FrameKind::Data, 2, 0, 0, offset, 0, seq, length}).payload(length);
    return said(stream);
  };
  constexpr uint64_t last = kLargeBytes;
  EXPECT_THAT(chunk(1, kMaxChunk, 0),
              HasSubstr("channel 2[0]: /job:test/task:9 sent bytes 1+2097152 of message 0, "
                        "expected byte 0 of message 0 or a later chunk of 2097152 that has not "
                        "come yet (4194305 bytes each, capacity 2)"));
  EXPECT_THAT(chunk(0, kMaxChunk - 1, 0), HasSubstr("0+2097151")) << "chunks are whole";
  EXPECT_THAT(chunk(last, kMaxChunk, 0), HasSubstr("4194304+2097152")) << "but for the last one";
  EXPECT_THAT(chunk(last + kMaxChunk, 1, 0), HasSubstr("6291456+1")) << "behind the end";
  EXPECT_THAT(chunk(0, kMaxChunk, 2), HasSubstr("of message 2")) << "the slot is not free";
  EXPECT_EQ(chunk(last, 1, 0), "");
  EXPECT_THAT(chunk(last, 1, 0, 0), HasSubstr("sent bytes 4194304+1"))
      << "a second time, on another stream";
  EXPECT_EQ(chunk(0, kMaxChunk, 0), "");
  EXPECT_THAT(chunk(0, kMaxChunk, 0, 0), HasSubstr("expected byte 2097152 of message 0"));
  EXPECT_EQ(chunk(kMaxChunk, kMaxChunk, 0), "");
  EXPECT_THAT(chunk(last, 1, 0), HasSubstr("expected byte 0 of message 1"))
      << "the message is complete";
}

TEST_F(HostilePeer, SmallMessagesAreOnAnotherStreamThanTheFirst) {
  EXPECT_THAT(
      head().add(data(0, 4096)).payload(4096).said(1),
      HasSubstr(
          "channel 1[0]: /job:test/task:9 sent a frame on data stream 1, which is for large messages alone, "
          "expected byte 0 of message 0"));
  EXPECT_THAT(head().add(FrameHeader{FrameKind::Close, 1}).said(1), HasSubstr("on data stream 1"));
}

TEST_F(HostilePeer, ClosesAreOutOfPlace) {
  auto close = [this](uint32_t channel, uint64_t seq) {
    return head().add(FrameHeader{FrameKind::Close, channel, 0, 0, 0, 0, seq, 0}).said();
  };
  EXPECT_THAT(
      close(1, 1),
      HasSubstr("channel 1[0]: /job:test/task:9 closed it before message 1, expected byte 0 of "
                "message 0"));
  EXPECT_THAT(close(2, 3), HasSubstr("closed it before message 3"))
      << "more than there is room for";
  EXPECT_EQ(close(1, 0), "");
  EXPECT_THAT(close(1, 0), HasSubstr("closed it before message 0")) << "a second time";
  EXPECT_THAT(head().add(data(0, 4096)).payload(4096).said(),
              HasSubstr("sent bytes 0+4096 of message 0"));
  EXPECT_EQ(close(2, 1), "");
  EXPECT_THAT(head()
                  .add(FrameHeader{FrameKind::Data, 2, 0, 0, 0, 0, 1, kMaxChunk})
                  .payload(kMaxChunk)
                  .said(),
              HasSubstr("of message 1"))
      << "behind the close";
  EXPECT_EQ(head()
                .add(FrameHeader{FrameKind::Data, 2, 0, 0, 0, 0, 0, kMaxChunk})
                .payload(kMaxChunk)
                .said(),
            "");
}

TEST_F(HostilePeer, ClosesAreInFrontOfWhatHasCome) {
  auto close = [this](uint32_t channel, uint64_t seq) {
    return head().add(FrameHeader{FrameKind::Close, channel, 0, 0, 0, 0, seq, 0}).said();
  };
  EXPECT_EQ(head().add(data(0, 2048)).payload(2048).said(), "");
  EXPECT_THAT(close(1, 0), HasSubstr("closed it before message 0, expected byte 2048 of message 0"))
      << "half of it is here";
  FrameHeader chunk{FrameKind::Data, 2, 0, 0, kMaxChunk, 0, 1, kMaxChunk};
  EXPECT_EQ(head().add(chunk).payload(kMaxChunk).said(1), "");
  EXPECT_THAT(close(2, 1), HasSubstr("closed it before message 1")) << "a chunk of it is here";
  EXPECT_EQ(close(2, 2), "");
}

TEST_F(HostilePeer, AnotherProcessAndAnEarlierGenerationAreNotHeard) {
  EXPECT_EQ(head(0, 0, 8).payload(5).said(), "");
  ASSERT_TRUE(link.reset(4).ok());
  EXPECT_EQ(head(0, 3).payload(5).said(), "");
  EXPECT_THAT(head(0, 4).payload(5).said(), HasSubstr("cut off"));
}

} // namespace
} // namespace graphc::transport
