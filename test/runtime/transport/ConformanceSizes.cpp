// Messages that have an actual size: what every transport does with them.
#include "test/runtime/transport/Conformance.h"

#include "absl/time/clock.h"

#include <cstring>

namespace graphc::transport {

/// A channel whose messages have as many units as their sender says, beside one whose have all
/// their bytes.
static ChannelSpec sized(uint64_t unit, uint64_t most, uint32_t capacity) {
  ChannelSpec spec{{0, 0}, unit * most, capacity, false};
  spec.unit = unit;
  return spec;
}

TEST_P(Conformance, MessagesHaveTheirActualSize) {
  open({sized(24, 10, 2), {{1, 0}, 240, 2, false}});
  SendPort *whole = link->sending().sender({1, 0});
  RecvPort *wholeReceiver = link->receiving().receiver({1, 0});
  uint64_t total = 0;
  for (uint32_t k = 0; k < 60; ++k) {
    const std::vector<uint8_t> data = content(240, k);
    const uint64_t bytes = 24 * (k * 7 % 11); // none, some, all
    ASSERT_TRUE(send(sender, data.data(), k, k % 2 ? SendMode::Copy : SendMode::Borrow, bytes));
    ASSERT_TRUE(send(whole, data.data(), k));
    const void *got = receive(receiver);
    ASSERT_NE(got, nullptr);
    EXPECT_EQ(receiver->size(), bytes) << "message " << k;
    EXPECT_EQ(memcmp(got, data.data(), bytes), 0) << "message " << k;
    receiver->release();
    const void *gotWhole = receive(wholeReceiver);
    ASSERT_NE(gotWhole, nullptr);
    EXPECT_EQ(wholeReceiver->size(), kWhole);
    EXPECT_EQ(memcmp(gotWhole, data.data(), 240), 0) << "message " << k;
    wholeReceiver->release();
    total += bytes + 240;
  }
  EXPECT_EQ(link->sending().counters().bytesSent, total);
  EXPECT_EQ(link->receiving().counters().bytesReceived, total);
}

TEST_P(Conformance, SeveralActualSizesUnderWay) {
  open({sized(8, 100, 4)});
  const std::vector<uint8_t> data = content(800, 3);
  for (uint64_t round = 0; round < 5; ++round) {
    for (uint64_t units : {uint64_t(100), uint64_t(0), uint64_t(1), 50 + round})
      ASSERT_TRUE(send(sender, data.data(), 0, SendMode::Copy, units * 8));
    for (uint64_t units : {uint64_t(100), uint64_t(0), uint64_t(1), 50 + round}) {
      const void *got = receive(receiver);
      ASSERT_NE(got, nullptr);
      EXPECT_EQ(receiver->size(), units * 8);
      EXPECT_EQ(memcmp(got, data.data(), units * 8), 0);
      receiver->release();
    }
  }
  sender->close();
  EXPECT_EQ(pollUntil(receiver, PollState::Closed), PollState::Closed);
}

TEST_P(Conformance, LargeMessagesHaveTheirActualSize) {
  constexpr uint64_t unit = 1 << 20, most = 9;
  open({sized(unit, most, 2)});
  const std::vector<uint8_t> data = content(unit * most, 5);
  uint64_t total = 0;
  for (uint64_t units : {9, 0, 2, 1, 4, 5, 0, 0, 8, 9}) { // whole chunks, and not
    void *slot = nullptr;
    for (absl::Time end = absl::Now() + patience;
         sender->acquire(&slot) == PollState::Pending && absl::Now() < end;)
      sender->wait(absl::Milliseconds(100));
    ASSERT_NE(slot, nullptr);
    memcpy(slot, data.data(), units * unit);
    ASSERT_TRUE(send(sender, slot, 0, SendMode::Borrow, units * unit));
    const void *got = nullptr;
    uint64_t there = 0;
    while (there < units * unit) {
      PollState state = receiver->pollStart(&got, there, &there);
      ASSERT_TRUE(state == PollState::Ready || state == PollState::Pending);
      if (state == PollState::Pending)
        receiver->wait(absl::Milliseconds(100));
      else
        there =
            std::min(there, receiver->poll(&got) == PollState::Ready ? receiver->size() : there);
    }
    got = receive(receiver);
    ASSERT_NE(got, nullptr);
    EXPECT_EQ(receiver->size(), units * unit);
    EXPECT_EQ(memcmp(got, data.data(), units * unit), 0) << units;
    receiver->release();
    total += units * unit;
  }
  EXPECT_EQ(link->sending().counters().bytesSent, total);
  EXPECT_EQ(link->receiving().counters().bytesReceived, total);
}

} // namespace graphc::transport
