// The part of the suite that is about messages without copies: zero-copy, or made in their slots.
#include "test/runtime/transport/Conformance.h"

#include "absl/time/clock.h"

#include <algorithm>
#include <cstring>
#include <thread>

namespace graphc::transport {

// Of a zero-copy channel done() may come only when nobody can still read the buffer: in place, or
// from a copy.
TEST_P(Conformance, ZeroCopyBufferIsFreeWhenDone) {
  constexpr uint64_t bytes = 100000;
  open({{{0, 0}, bytes, 1, false, true}});
  uint8_t *buffer = link->zeroCopy() + 4096;
  for (uint32_t k = 0; k < 20; ++k) {
    std::vector<uint8_t> data = content(bytes, k);
    memcpy(buffer, data.data(), bytes);
    PollState state = PollState::Pending;
    for (absl::Time end = absl::Now() + patience; state == PollState::Pending && absl::Now() < end;)
      if (state = sender->start(buffer, k); state == PollState::Pending)
        sender->wait(absl::Milliseconds(100));
    ASSERT_EQ(state, PollState::Ready);
    std::thread reader([&] {
      const void *got = receive(receiver);
      ASSERT_NE(got, nullptr);
      EXPECT_EQ(reinterpret_cast<uintptr_t>(got) % 64, 0u);
      absl::SleepFor(absl::Milliseconds(k % 4));
      EXPECT_EQ(memcmp(got, data.data(), bytes), 0) << "message " << k;
      receiver->release();
    });
    state = PollState::Pending;
    for (absl::Time end = absl::Now() + patience; state == PollState::Pending && absl::Now() < end;)
      if (state = sender->done(); state == PollState::Pending)
        sender->wait(patience);
    ASSERT_EQ(state, PollState::Ready);
    memset(buffer, 0xee, bytes);
    reader.join();
  }
  EXPECT_EQ(link->sending().counters().bytesSent, 20 * bytes) << "counted as if it were copied";
  EXPECT_EQ(link->receiving().counters().bytesReceived, 20 * bytes);
}

// Messages of several places in one buffer; done() is for all that were started.
TEST_P(Conformance, ZeroCopyMessagesInFlightAreAllFreeWhenDone) {
  constexpr uint64_t bytes = 8192;
  open({{{0, 0}, bytes, 4, false, true}});
  std::vector<std::vector<uint8_t>> sent;
  for (uint32_t k = 0; k < 4; ++k) {
    sent.push_back(content(bytes, k));
    memcpy(link->zeroCopy() + k * bytes, sent[k].data(), bytes);
    PollState state = PollState::Pending;
    for (absl::Time end = absl::Now() + patience; state == PollState::Pending && absl::Now() < end;)
      if (state = sender->start(link->zeroCopy() + k * bytes, k); state == PollState::Pending)
        sender->wait(absl::Milliseconds(100));
    ASSERT_EQ(state, PollState::Ready);
  }
  for (uint32_t k = 0; k < 4; ++k) {
    const void *got = receive(receiver);
    ASSERT_NE(got, nullptr);
    // a transport that copied: what is written now is not read
    if (sender->done() == PollState::Ready)
      memset(link->zeroCopy(), 0xee, 4 * bytes);
    EXPECT_EQ(memcmp(got, sent[k].data(), bytes), 0) << "message " << k;
    receiver->release();
  }
  PollState done = PollState::Pending;
  for (absl::Time end = absl::Now() + patience; done == PollState::Pending && absl::Now() < end;)
    if (done = sender->done(); done == PollState::Pending)
      sender->wait(absl::Milliseconds(100));
  EXPECT_EQ(done, PollState::Ready);
}

TEST_P(Conformance, AbortWakesASenderThatWaitsForItsReaders) {
  open({{{0, 0}, 8192, 1, false, true}});
  ASSERT_EQ(sender->start(link->zeroCopy(), 0), PollState::Ready);
  ASSERT_NE(receive(receiver), nullptr);
  absl::Duration took = timeToWake(
      [&] {
        absl::Time end = absl::Now() + patience;
        while (sender->done() == PollState::Pending && absl::Now() < end)
          sender->wait(patience);
        // A transport that copied was done before.
        EXPECT_TRUE(sender->done() == PollState::Aborted || GetParam().name.starts_with("Grpc"));
      },
      [&] { link->sending().abort(absl::AbortedError("worker:1 died")); });
  EXPECT_LT(took, absl::Seconds(5));
}

TEST_P(Conformance, ZeroCopyChannelsReopen) {
  open({{{0, 0}, 8192, 1, false, true}});
  ASSERT_EQ(sender->start(link->zeroCopy(), 0), PollState::Ready);
  ASSERT_NE(receive(receiver), nullptr); // and never released
  for (uint64_t generation = 1; generation < 3; ++generation) {
    ASSERT_TRUE(link->sending().reset(generation).ok());
    if (&link->sending() != &link->receiving())
      ASSERT_TRUE(link->receiving().reset(generation).ok());
    // Once the reset is over nobody reads the buffer. gRPC says so when it lets go of the last
    // message, on a thread of its own.
    PollState done = sender->done();
    for (absl::Time end = absl::Now() + absl::Seconds(10);
         done == PollState::Pending && absl::Now() < end; done = sender->done())
      std::this_thread::yield();
    ASSERT_EQ(done, PollState::Ready);
    memset(link->zeroCopy(), int(generation), 8192);
    ASSERT_EQ(sender->start(link->zeroCopy(), 0), PollState::Ready);
    const void *got = receive(receiver);
    ASSERT_NE(got, nullptr);
    EXPECT_EQ(*static_cast<const uint8_t *>(got), generation);
  }
}

// What a device pins.
TEST_P(Conformance, MessagesLieInTheMemoryThatIsTold) {
  constexpr uint64_t bytes = 10000;
  open({{{0, 0}, bytes, 3}, {{1, 0}, bytes, 1, false, true}});
  auto liesIn = [](const std::vector<MessageMemory> &all, const void *message, bool write) {
    const auto *at = static_cast<const uint8_t *>(message);
    return std::any_of(all.begin(), all.end(), [&](const MessageMemory &each) {
      return (each.writable || !write) && at >= each.bytes.data() &&
             at + bytes <= each.bytes.data() + each.bytes.size();
    });
  };
  const std::vector<MessageMemory> sent = link->sending().memory(),
                                   received = link->receiving().memory();
  for (const std::vector<MessageMemory> *side : {&sent, &received})
    for (const MessageMemory &each : *side)
      EXPECT_EQ(reinterpret_cast<uintptr_t>(each.bytes.data()) % 4096, 0u)
          << "no page is shared with anything else";
  for (uint32_t k = 0; k < 7; ++k) {
    const std::vector<uint8_t> data = content(bytes, k);
    void *slot = nullptr;
    PollState state = PollState::Pending;
    for (absl::Time end = absl::Now() + patience; state == PollState::Pending && absl::Now() < end;)
      if (state = sender->acquire(&slot); state == PollState::Pending)
        sender->wait(absl::Milliseconds(100));
    ASSERT_EQ(state, PollState::Ready);
    EXPECT_TRUE(liesIn(sent, slot, /*write=*/true));
    memcpy(slot, data.data(), bytes);
    ASSERT_TRUE(send(sender, slot));
    const void *got = receive(receiver);
    ASSERT_NE(got, nullptr);
    EXPECT_TRUE(liesIn(received, got, /*write=*/false));
    EXPECT_EQ(memcmp(got, data.data(), bytes), 0);
    receiver->release();
  }
  memcpy(link->zeroCopy(), content(bytes, 9).data(), bytes);
  ASSERT_EQ(link->sending().sender({1, 0})->start(link->zeroCopy(), 0), PollState::Ready);
  const void *got = receive(link->receiving().receiver({1, 0}));
  ASSERT_NE(got, nullptr);
  EXPECT_TRUE(got == link->zeroCopy() || liesIn(received, got, /*write=*/false));
  link->receiving().receiver({1, 0})->release();
}

TEST_P(Conformance, AcquiredMemoryIsSentAsItIs) {
  constexpr uint64_t bytes = 100000;
  for (uint32_t capacity : {1, 3}) {
    open(bytes, capacity);
    for (uint32_t k = 0; k < 20; ++k) {
      void *slot = nullptr, *again = nullptr;
      PollState state = PollState::Pending;
      for (absl::Time end = absl::Now() + patience;
           state == PollState::Pending && absl::Now() < end;)
        if (state = sender->acquire(&slot); state == PollState::Pending)
          sender->wait(absl::Milliseconds(100));
      ASSERT_EQ(state, PollState::Ready);
      ASSERT_EQ(sender->acquire(&again), PollState::Ready);
      EXPECT_EQ(slot, again);
      EXPECT_EQ(reinterpret_cast<uintptr_t>(slot) % 64, 0u);
      std::vector<uint8_t> data = content(bytes, k);
      memcpy(slot, data.data(), bytes);
      ASSERT_TRUE(send(sender, slot, k));
      const void *got = receive(receiver);
      ASSERT_NE(got, nullptr);
      EXPECT_EQ(memcmp(got, data.data(), bytes), 0) << "message " << k;
      receiver->release();
    }
    EXPECT_EQ(link->sending().counters().bytesSent, 20 * bytes);
  }
}

// While the receiver uses a message, the memory for the next one is another, or there is none yet.
TEST_P(Conformance, AcquiredMemoryIsNotInUse) {
  open(4096, 1);
  void *slot = nullptr;
  ASSERT_EQ(sender->acquire(&slot), PollState::Ready);
  memset(slot, 1, 4096);
  ASSERT_TRUE(send(sender, slot));
  const void *held = receive(receiver);
  ASSERT_NE(held, nullptr);
  if (sender->acquire(&slot) == PollState::Ready)
    memset(slot, 2, 4096);
  EXPECT_EQ(*static_cast<const uint8_t *>(held), 1);
  receiver->release();
}

TEST_P(Conformance, AbortEndsAnAcquire) {
  open(4096, 1);
  void *slot = nullptr;
  link->sending().abort(absl::AbortedError("ps:0 died"));
  EXPECT_EQ(sender->acquire(&slot), PollState::Aborted);
}

} // namespace graphc::transport
