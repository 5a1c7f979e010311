// Messages of an actual size from a peer that says what it likes of it.
#include "test/runtime/transport/HostilePeer.h"

#include <gmock/gmock.h>

namespace graphc::transport {
namespace {

using testing::HasSubstr;

/// A channel whose messages have as many units as their sender says.
ChannelSpec sized(uint32_t channel, uint64_t unit, uint64_t most) {
  ChannelSpec made = spec(channel, false, unit * most, 2);
  made.unit = unit;
  return made;
}

struct HostileSizes : HostilePeer {
  HostileSizes() {
    EXPECT_TRUE(link.addRecv(sized(3, 100, 40)).ok());
    EXPECT_TRUE(link.addRecv(sized(4, 1 << 20, 5)).ok());
  }
};

TEST_F(HostileSizes, SizesAreNoneThatAMessageHas) {
  auto small = [this](uint32_t units, uint64_t offset, uint64_t length, uint64_t seq = 0,
                      uint32_t channel = 3) {
    return head()
        .add(FrameHeader{FrameKind::Data, channel, 0, units, offset, 0, seq, length})
        .payload(length)
        .said();
  };
  EXPECT_THAT(
      small(41, 0, 4000),
      HasSubstr("channel 3[0]: /job:test/task:9 sent bytes 0+4000 of message 0 of 41 units, "
                "expected byte 0 of message 0 (at most 40 times 100 bytes each, capacity 2)"));
  EXPECT_THAT(small(UINT32_MAX, 0, 4000), HasSubstr("of 4294967295 units"));
  EXPECT_THAT(small(3, 0, 301), HasSubstr("sent bytes 0+301")) << "more than it says";
  EXPECT_THAT(small(3, 0, 0), HasSubstr("sent bytes 0+0")) << "empty, but not of an empty message";
  EXPECT_THAT(small(0, 0, 100), HasSubstr("sent bytes 0+100")) << "of an empty message";
  EXPECT_THAT(small(1, 0, 4096, 0, 1), HasSubstr("of 1 units"))
      << "a channel whose messages have one size";
  const void *data = nullptr;
  RecvPort &port = *link.receiver({3, 0});
  EXPECT_EQ(port.poll(&data), PollState::Pending);
  EXPECT_EQ(small(3, 0, 200), "");
  EXPECT_EQ(port.poll(&data), PollState::Pending) << "shorter than it says: there is more to come";
  EXPECT_THAT(small(2, 200, 100), HasSubstr("200+100 of message 0 of 2 units, expected byte 200"))
      << "another size than before";
  EXPECT_THAT(small(4, 200, 200), HasSubstr("of 4 units"));
  EXPECT_EQ(small(3, 200, 100), "");
  ASSERT_EQ(port.poll(&data), PollState::Ready);
  EXPECT_EQ(port.size(), 300u);
  EXPECT_EQ(small(0, 0, 0, 1), "");
  port.release();
  ASSERT_EQ(port.poll(&data), PollState::Ready);
  EXPECT_EQ(port.size(), 0u);
  port.release();
  EXPECT_EQ(link.counters().bytesReceived, 300u);
}

TEST_F(HostileSizes, ChunksSayAnotherSizeThanTheOnesBefore) {
  constexpr uint64_t unit = 1 << 20;
  auto chunk = [this](uint32_t units, uint64_t offset, uint64_t length, uint64_t seq = 0) {
    return head()
        .add(FrameHeader{FrameKind::Data, 4, 0, units, offset, 0, seq, length})
        .payload(length)
        .said(1);
  };
  EXPECT_THAT(chunk(6, 0, kMaxChunk),
              HasSubstr("of 6 units, expected byte 0 of message 0 or a later chunk"));
  EXPECT_THAT(chunk(3, kMaxChunk, 2 * unit), HasSubstr("2097152+2097152")) << "beyond what it says";
  EXPECT_THAT(chunk(2, kMaxChunk, 0), HasSubstr("2097152+0")) << "behind its end";
  EXPECT_THAT(chunk(3, 0, unit), HasSubstr("0+1048576")) << "chunks are whole";
  EXPECT_EQ(chunk(3, kMaxChunk, unit), "") << "the last one comes first";
  EXPECT_THAT(chunk(5, 0, kMaxChunk), HasSubstr("of 5 units"));
  EXPECT_THAT(chunk(2, 0, kMaxChunk), HasSubstr("of 2 units"));
  EXPECT_EQ(chunk(0, 0, 0, 1), "") << "an empty one behind it";
  EXPECT_EQ(chunk(3, 0, kMaxChunk), "");
  RecvPort &port = *link.receiver({4, 0});
  for (uint64_t bytes : {3 * unit, uint64_t(0)}) {
    const void *data = nullptr;
    ASSERT_EQ(port.poll(&data), PollState::Ready);
    EXPECT_EQ(port.size(), bytes);
    port.release();
  }
}

} // namespace
} // namespace graphc::transport
