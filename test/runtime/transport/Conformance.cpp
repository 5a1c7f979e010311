#include "test/runtime/transport/Conformance.h"

#include "absl/time/clock.h"

#include <atomic>
#include <cstring>
#include <random>
#include <thread>

namespace graphc::transport {

std::vector<uint8_t> content(uint64_t bytes, uint32_t seed) {
  std::vector<uint8_t> data(bytes);
  for (uint64_t i = 0; i < bytes; ++i)
    data[i] = uint8_t((i * 2654435761u >> 7) + seed * 31 + i);
  return data;
}

absl::Duration timeToWake(const std::function<void()> &blocked, const std::function<void()> &wake) {
  std::thread thread(blocked);
  absl::SleepFor(absl::Milliseconds(50));
  absl::Time start = absl::Now();
  wake();
  thread.join();
  return absl::Now() - start;
}

void Conformance::open(const std::vector<ChannelSpec> &specs) {
  auto made = GetParam().make(specs);
  ASSERT_TRUE(made.ok()) << made.status();
  link = std::move(*made);
  sender = link->sending().sender(specs.front().key);
  receiver = link->receiving().receiver(specs.front().key);
  ASSERT_NE(sender, nullptr);
  ASSERT_NE(receiver, nullptr);
}

void Conformance::open(uint64_t bytes, uint32_t capacity) {
  open({{{0, 0}, bytes, capacity, false}});
}

bool Conformance::send(SendPort *port, const void *data, uint64_t step, SendMode mode,
                       uint64_t bytes) {
  absl::Time end = absl::Now() + patience;
  for (bool started = false; absl::Now() < end;) {
    PollState state = started ? port->done() : port->start(data, step, mode, bytes);
    if (state == PollState::Ready && started)
      return true;
    if (state == PollState::Ready)
      started = true;
    else if (state == PollState::Pending)
      port->wait(absl::Milliseconds(100));
    else
      return ADD_FAILURE() << "send: " << port->status(), false;
  }
  return ADD_FAILURE() << "send: no progress", false;
}

PollState Conformance::pollUntil(RecvPort *port, PollState wanted) {
  absl::Time end = absl::Now() + patience;
  for (;;) {
    const void *data = nullptr;
    PollState state = port->poll(&data);
    if (state == wanted || absl::Now() > end)
      return state;
    port->wait(absl::Milliseconds(20));
  }
}

const void *Conformance::receive(RecvPort *port) {
  if (PollState state = pollUntil(port, PollState::Ready); state != PollState::Ready)
    return ADD_FAILURE() << "receive: state " << int(state) << ", " << port->status(), nullptr;
  const void *data = nullptr;
  EXPECT_EQ(port->poll(&data), PollState::Ready);
  return data;
}

TEST_P(Conformance, KthSendPairsWithKthReceive) {
  open(40, 3);
  for (uint32_t k = 0; k < 100; ++k) {
    std::vector<uint8_t> data = content(40, k);
    ASSERT_TRUE(send(sender, data.data(), k));
    const void *got = receive(receiver);
    ASSERT_NE(got, nullptr);
    EXPECT_EQ(memcmp(got, data.data(), 40), 0) << "message " << k;
    receiver->release();
  }
}

TEST_P(Conformance, OrderHoldsWhileTheRingIsFull) {
  open(8, 4);
  uint64_t next = 0;
  for (uint64_t k = 0; k < 64; k += 4) {
    for (uint64_t i = k; i < k + 4; ++i)
      ASSERT_TRUE(send(sender, &i, i, SendMode::Copy));
    for (int i = 0; i < 4; ++i, ++next) {
      const void *got = receive(receiver);
      ASSERT_NE(got, nullptr);
      EXPECT_EQ(*static_cast<const uint64_t *>(got), next);
      receiver->release();
    }
  }
}

TEST_P(Conformance, PollIsRepeatableUntilRelease) {
  open(8, 2);
  for (uint64_t value : {7, 8})
    ASSERT_TRUE(send(sender, &value, 0, SendMode::Copy));
  const void *first = receive(receiver), *again = nullptr;
  EXPECT_EQ(receiver->poll(&again), PollState::Ready);
  EXPECT_EQ(first, again);
  receiver->release();
  EXPECT_EQ(*static_cast<const uint64_t *>(receive(receiver)), 8u);
}

TEST_P(Conformance, CapacityPushesBack) {
  open(8, 2);
  uint64_t value = 1;
  ASSERT_TRUE(send(sender, &value));
  ASSERT_TRUE(send(sender, &value));
  absl::SleepFor(absl::Milliseconds(20));
  EXPECT_EQ(sender->start(&value, 0), PollState::Pending);
  ASSERT_NE(receive(receiver), nullptr);
  EXPECT_EQ(sender->start(&value, 0), PollState::Pending)
      << "a message in use still holds its slot";
  receiver->release();
  EXPECT_TRUE(send(sender, &value));
}

TEST_P(Conformance, ReleaseWakesASenderThatWaits) {
  open(8, 1);
  uint64_t value = 1;
  ASSERT_TRUE(send(sender, &value));
  ASSERT_NE(receive(receiver), nullptr);
  absl::Duration took = timeToWake(
      [&] {
        absl::Time end = absl::Now() + patience;
        while (sender->start(&value, 0, SendMode::Copy) == PollState::Pending && absl::Now() < end)
          sender->wait(patience);
      },
      [&] { receiver->release(); });
  EXPECT_LT(took, absl::Seconds(5));
}

TEST_P(Conformance, MessageInUseIsNotOverwritten) {
  open(4096, 2);
  std::vector<uint8_t> first = content(4096, 1), second = content(4096, 2);
  ASSERT_TRUE(send(sender, first.data()));
  const void *held = receive(receiver);
  ASSERT_TRUE(send(sender, second.data()));
  EXPECT_EQ(sender->start(second.data(), 0), PollState::Pending);
  EXPECT_EQ(memcmp(held, first.data(), 4096), 0);
}

TEST_P(Conformance, MessagesAreAligned) {
  for (uint64_t bytes : {1, 8, 63, 64, 65, 1000}) {
    open(bytes, 3);
    std::vector<uint8_t> data = content(bytes, 5);
    for (int k = 0; k < 7; ++k) {
      ASSERT_TRUE(send(sender, data.data()));
      const void *got = receive(receiver);
      EXPECT_EQ(reinterpret_cast<uintptr_t>(got) % 64, 0u) << bytes << " bytes, message " << k;
      EXPECT_EQ(memcmp(got, data.data(), bytes), 0);
      receiver->release();
    }
  }
}

TEST_P(Conformance, EmptyMessages) {
  open(0, 1);
  for (int k = 0; k < 5; ++k) {
    ASSERT_TRUE(send(sender, nullptr));
    EXPECT_EQ(pollUntil(receiver, PollState::Ready), PollState::Ready);
    receiver->release();
  }
}

TEST_P(Conformance, BigMessages) {
  constexpr uint64_t bytes = (32 << 20) + 12345;
  open(bytes, 1);
  for (uint32_t k = 0; k < 3; ++k) {
    std::vector<uint8_t> data = content(bytes, k);
    std::thread other([&] { EXPECT_TRUE(send(sender, data.data())); });
    const void *got = receive(receiver);
    ASSERT_NE(got, nullptr);
    EXPECT_EQ(memcmp(got, data.data(), bytes), 0);
    receiver->release();
    other.join();
  }
}

// More than once, so that what is there of the next message is not taken for this one.
TEST_P(Conformance, TheStartOfAMessageIsRightBeforeItsEndIsThere) {
  constexpr uint64_t bytes = (24 << 20) + 4;
  open(bytes, 2);
  std::vector<uint8_t> data[2] = {content(bytes, 1), content(bytes, 2)};
  std::thread other([&] {
    for (uint32_t k = 0; k < 6; ++k)
      EXPECT_TRUE(send(sender, data[k % 2].data(), k));
  });
  for (uint32_t k = 0; k < 6; ++k) {
    uint64_t known = 0;
    for (absl::Time end = absl::Now() + patience; known < bytes && absl::Now() < end;) {
      const void *got = nullptr;
      uint64_t there = 0;
      if (receiver->pollStart(&got, known, &there) != PollState::Ready) {
        receiver->wait(absl::Milliseconds(100));
        continue;
      }
      EXPECT_GT(there, known);
      there = std::min(there, bytes);
      EXPECT_EQ(memcmp(static_cast<const uint8_t *>(got) + known, data[k % 2].data() + known,
                       there - known),
                0)
          << "message " << k << ", from byte " << known;
      known = there;
    }
    EXPECT_EQ(known, bytes);
    EXPECT_NE(receive(receiver), nullptr);
    receiver->release();
  }
  other.join();
}

TEST_P(Conformance, CopyModeTakesTheBufferAtOnce) {
  open(1 << 16, 2);
  std::vector<uint8_t> data = content(1 << 16, 1), original = data;
  ASSERT_EQ(sender->start(data.data(), 0, SendMode::Copy), PollState::Ready);
  memset(data.data(), 0, data.size());
  const void *got = receive(receiver);
  EXPECT_EQ(memcmp(got, original.data(), original.size()), 0);
}

TEST_P(Conformance, BorrowedBufferIsFreeWhenDone) {
  open(1 << 16, 2);
  for (uint32_t k = 0; k < 20; ++k) {
    std::vector<uint8_t> data = content(1 << 16, k), original = data;
    ASSERT_TRUE(send(sender, data.data()));
    memset(data.data(), 0xee, data.size());
    const void *got = receive(receiver);
    ASSERT_EQ(memcmp(got, original.data(), original.size()), 0);
    receiver->release();
  }
}

TEST_P(Conformance, ClosedComesAfterTheLastMessage) {
  open(8, 2);
  uint64_t value = 9;
  ASSERT_TRUE(send(sender, &value, 0, SendMode::Copy));
  sender->close();
  sender->close();
  ASSERT_NE(receive(receiver), nullptr);
  receiver->release();
  EXPECT_EQ(pollUntil(receiver, PollState::Closed), PollState::Closed);
  const void *data = nullptr;
  EXPECT_EQ(receiver->poll(&data), PollState::Closed) << "closed stays closed";
}

TEST_P(Conformance, CloseWakesAReceiverThatWaits) {
  open(8, 1);
  absl::Duration took = timeToWake(
      [&] {
        const void *data = nullptr;
        absl::Time end = absl::Now() + patience;
        while (receiver->poll(&data) == PollState::Pending && absl::Now() < end)
          receiver->wait(patience);
        EXPECT_EQ(receiver->poll(&data), PollState::Closed);
      },
      [&] { sender->close(); });
  EXPECT_LT(took, absl::Seconds(5));
}

TEST_P(Conformance, AMessageWakesAReceiverThatWaits) {
  open(8, 1);
  uint64_t value = 5;
  absl::Duration took = timeToWake(
      [&] {
        const void *data = nullptr;
        absl::Time end = absl::Now() + patience;
        while (receiver->poll(&data) == PollState::Pending && absl::Now() < end)
          receiver->wait(patience);
        EXPECT_EQ(receiver->poll(&data), PollState::Ready);
      },
      [&] { EXPECT_TRUE(send(sender, &value, 0, SendMode::Copy)); });
  EXPECT_LT(took, absl::Seconds(5));
}

// The receiver polls without pause while the sender sends and closes: Closed may never overtake the
// message.
TEST_P(Conformance, ClosedNeverOvertakesAMessage) {
  constexpr uint32_t count = 300;
  std::vector<ChannelSpec> specs;
  for (uint32_t i = 0; i < count; ++i)
    specs.push_back({{i, 0}, 8, 1, false});
  open(specs);
  std::thread other([&] {
    for (uint32_t i = 0; i < count; ++i) {
      SendPort *port = link->sending().sender({i, 0});
      uint64_t value = i;
      EXPECT_TRUE(send(port, &value, 0, SendMode::Copy));
      port->close();
    }
  });
  uint32_t early = 0;
  for (uint32_t i = 0; i < count; ++i) {
    RecvPort *port = link->receiving().receiver({i, 0});
    const void *data = nullptr;
    PollState state = PollState::Pending;
    for (absl::Time end = absl::Now() + patience; state == PollState::Pending && absl::Now() < end;)
      state = port->poll(&data);
    early += state != PollState::Ready;
  }
  EXPECT_EQ(early, 0u);
  other.join();
}

TEST_P(Conformance, AbortWakesAReceiverThatWaits) {
  open(8, 1);
  absl::Duration took = timeToWake(
      [&] {
        const void *data = nullptr;
        absl::Time end = absl::Now() + patience;
        while (receiver->poll(&data) == PollState::Pending && absl::Now() < end)
          receiver->wait(patience);
        EXPECT_EQ(receiver->poll(&data), PollState::Aborted);
      },
      [&] { link->receiving().abort(absl::AbortedError("worker:1 died")); });
  EXPECT_LT(took, absl::Seconds(5));
  EXPECT_EQ(receiver->status().message(), "worker:1 died");
}

TEST_P(Conformance, AbortWakesASenderThatWaits) {
  open(8, 1);
  uint64_t value = 1;
  ASSERT_TRUE(send(sender, &value));
  absl::Duration took = timeToWake(
      [&] {
        absl::Time end = absl::Now() + patience;
        while (sender->start(&value, 0) == PollState::Pending && absl::Now() < end)
          sender->wait(patience);
        EXPECT_EQ(sender->start(&value, 0), PollState::Aborted);
      },
      [&] { link->sending().abort(absl::AbortedError("ps:0 died")); });
  EXPECT_LT(took, absl::Seconds(5));
}

TEST_P(Conformance, FirstAbortWins) {
  open(8, 1);
  EXPECT_TRUE(link->receiving().status().ok());
  link->receiving().abort(absl::DataLossError("first"));
  link->receiving().abort(absl::AbortedError("second"));
  EXPECT_EQ(link->receiving().status(), absl::DataLossError("first"));
}

TEST_P(Conformance, AbortLeavesMessagesThatAreThere) {
  open(8, 2);
  uint64_t value = 3;
  ASSERT_TRUE(send(sender, &value, 0, SendMode::Copy));
  ASSERT_NE(receive(receiver), nullptr); // it has arrived
  link->receiving().abort(absl::AbortedError("x"));
  const void *data = nullptr;
  EXPECT_EQ(receiver->poll(&data), PollState::Ready);
  receiver->release();
  EXPECT_EQ(receiver->poll(&data), PollState::Aborted);
}

TEST_P(Conformance, CountersAreExact) {
  open({{{0, 0}, 1000, 2, false}, {{1, 3}, 24, 1, false}, {{2, 0}, 8, 1, true}});
  SendPort *senders[] = {sender, link->sending().sender({1, 3}), link->sending().sender({2, 0})};
  RecvPort *receivers[] = {receiver, link->receiving().receiver({1, 3}),
                           link->receiving().receiver({2, 0})};
  std::vector<uint8_t> data = content(1000, 0);
  for (int k = 0; k < 10; ++k)
    for (int i = 0; i < 3; ++i) {
      ASSERT_TRUE(send(senders[i], data.data()));
      ASSERT_NE(receive(receivers[i]), nullptr);
      receivers[i]->release();
    }
  EXPECT_EQ(link->sending().counters().bytesSent, 10240u);
  EXPECT_EQ(link->receiving().counters().bytesReceived, 10240u);
  EXPECT_GE(link->sending().counters().controlBytes, 80u);
  if (&link->sending() != &link->receiving()) {
    EXPECT_EQ(link->sending().counters().bytesReceived, 0u);
    EXPECT_EQ(link->receiving().counters().bytesSent, 0u);
  }
}

TEST_P(Conformance, UnknownChannelsHaveNoPort) {
  open(8, 1);
  EXPECT_EQ(link->sending().sender({0, 1}), nullptr);
  EXPECT_EQ(link->receiving().receiver({5, 0}), nullptr);
}

TEST_P(Conformance, OneFullChannelDoesNotHoldAnother) {
  open({{{0, 0}, 8, 1, false}, {{1, 0}, 8, 1, false}});
  SendPort *other = link->sending().sender({1, 0});
  RecvPort *otherReceiver = link->receiving().receiver({1, 0});
  uint64_t value = 1;
  ASSERT_TRUE(send(sender, &value, 0, SendMode::Copy)); // and nobody takes it
  for (int k = 0; k < 20; ++k) {
    ASSERT_TRUE(send(other, &value, 0, SendMode::Copy));
    ASSERT_NE(receive(otherReceiver), nullptr);
    otherReceiver->release();
  }
}

TEST_P(Conformance, WaitEndsAtItsTimeout) {
  open(8, 1);
  absl::Time start = absl::Now();
  receiver->wait(absl::Milliseconds(30));
  EXPECT_LT(absl::Now() - start, absl::Seconds(5));
}

TEST_P(Conformance, ResetEmptiesAndReopens) {
  open(8, 2);
  uint64_t value = 1;
  ASSERT_TRUE(send(sender, &value, 0, SendMode::Copy));
  ASSERT_TRUE(send(sender, &value, 0, SendMode::Copy));
  ASSERT_NE(receive(receiver), nullptr); // arrived, never released
  sender->close();
  link->sending().abort(absl::AbortedError("x"));
  link->receiving().abort(absl::AbortedError("x"));
  for (uint64_t generation = 1; generation < 4; ++generation) {
    ASSERT_TRUE(link->sending().reset(generation).ok());
    if (&link->sending() != &link->receiving())
      ASSERT_TRUE(link->receiving().reset(generation).ok());
    EXPECT_TRUE(link->receiving().status().ok());
    const void *data = nullptr;
    EXPECT_EQ(receiver->poll(&data), PollState::Pending);
    for (uint64_t k = 0; k < 5; ++k) {
      uint64_t sent = generation * 100 + k;
      ASSERT_TRUE(send(sender, &sent, 0, SendMode::Copy));
      const void *got = receive(receiver);
      ASSERT_NE(got, nullptr);
      EXPECT_EQ(*static_cast<const uint64_t *>(got), sent);
      receiver->release();
    }
  }
}

TEST_P(Conformance, TwoThreadsUnderStress) {
  constexpr uint32_t words = 32, messages = 20000;
  open(words * 8, 3);
  std::thread producer([&] {
    std::mt19937 random(1);
    uint64_t data[words];
    for (uint64_t k = 0; k < messages; ++k) {
      for (uint32_t i = 0; i < words; ++i)
        data[i] = k * words + i;
      if (!send(sender, data, k))
        return;
      if (random() % 512 == 0)
        absl::SleepFor(absl::Microseconds(random() % 300));
    }
    sender->close();
  });
  std::mt19937 random(2);
  uint64_t wrong = 0;
  for (uint64_t k = 0; k < messages; ++k) {
    const auto *data = static_cast<const uint64_t *>(receive(receiver));
    if (!data)
      break;
    for (uint32_t i = 0; i < words; ++i)
      wrong += data[i] != k * words + i;
    if (random() % 512 == 0)
      absl::SleepFor(absl::Microseconds(random() % 300));
    receiver->release();
  }
  EXPECT_EQ(wrong, 0u);
  EXPECT_EQ(pollUntil(receiver, PollState::Closed), PollState::Closed);
  producer.join();
}

} // namespace graphc::transport
