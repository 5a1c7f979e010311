//===- AsyncUpdateTicketsTest.cpp - who may start its next step -------------------------------===//

#include "runtime/executor/AsyncUpdateTickets.h"

#include "absl/time/clock.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>

namespace graphc::executor {
namespace {

TEST(AsyncUpdateTickets, GivesAsManyAsThereAre) {
  AsyncUpdateTickets tickets(3, 2, std::nullopt);
  EXPECT_EQ(tickets.take(0, 0), UpdateTicket::Taken);
  EXPECT_EQ(tickets.take(0, 1), UpdateTicket::Taken);
  EXPECT_EQ(tickets.take(0, 2), UpdateTicket::Taken);
  EXPECT_EQ(tickets.take(1, 0), UpdateTicket::None);
  EXPECT_EQ(tickets.take(0, 3), UpdateTicket::None);
  EXPECT_EQ(tickets.taken(), 3u);
  StalenessCounts counts = tickets.staleness();
  EXPECT_EQ(counts.worst, 2u)
      << "without a bound nobody waits, and the distance is counted all the same";
  EXPECT_EQ(counts.waits, 0u);
}

TEST(AsyncUpdateTickets, FastWaitsForSlowAndSlowNever) {
  for (uint64_t bound : {0u, 1u, 5u}) {
    AsyncUpdateTickets tickets(1000, 2, bound);
    for (uint64_t step = 0; step <= bound; ++step)
      EXPECT_EQ(tickets.take(0, step), UpdateTicket::Taken);
    EXPECT_EQ(tickets.take(0, bound + 1), UpdateTicket::Wait);
    EXPECT_EQ(tickets.take(1, 0), UpdateTicket::Taken);
    EXPECT_EQ(tickets.take(0, bound + 1), UpdateTicket::Wait) << "a step begun is not a step done";
    EXPECT_EQ(tickets.take(1, 1), UpdateTicket::Taken);
    EXPECT_EQ(tickets.take(0, bound + 1), UpdateTicket::Taken);
    StalenessCounts counts = tickets.staleness();
    EXPECT_EQ(counts.worst, bound);
    EXPECT_EQ(counts.waits, 1u) << "one wait, however often it asked";
  }
}

TEST(AsyncUpdateTickets, WhoHasEndedHoldsNobodyUp) {
  AsyncUpdateTickets tickets(1000, 3, 1);
  EXPECT_EQ(tickets.take(0, 0), UpdateTicket::Taken);
  EXPECT_EQ(tickets.take(0, 1), UpdateTicket::Taken);
  EXPECT_EQ(tickets.take(0, 2), UpdateTicket::Wait);
  tickets.leave(1);
  EXPECT_EQ(tickets.take(0, 2), UpdateTicket::Wait);
  ASSERT_TRUE(tickets.slowest(0));
  EXPECT_EQ(tickets.slowest(0)->instance, 2u);
  tickets.leave(2);
  tickets.leave(2);
  EXPECT_EQ(tickets.take(0, 2), UpdateTicket::Taken);
  EXPECT_FALSE(tickets.slowest(0));
}

TEST(AsyncUpdateTickets, TheLastTicketEndsEveryWait) {
  AsyncUpdateTickets tickets(2, 2, 0);
  EXPECT_EQ(tickets.take(0, 0), UpdateTicket::Taken);
  EXPECT_EQ(tickets.take(0, 1), UpdateTicket::Wait);
  EXPECT_EQ(tickets.take(1, 0), UpdateTicket::Taken);
  EXPECT_EQ(tickets.take(0, 1), UpdateTicket::None) << "nothing is left to wait for";
}

TEST(AsyncUpdateTickets, StopAndAbortEndWaits) {
  bool stop = false;
  AsyncUpdateTickets tickets(100, 2, 0, [&] { return stop; });
  EXPECT_EQ(tickets.take(0, 0), UpdateTicket::Taken);
  EXPECT_EQ(tickets.take(0, 1), UpdateTicket::Wait);
  stop = true;
  EXPECT_EQ(tickets.take(0, 1), UpdateTicket::None);
  EXPECT_TRUE(tickets.stopped());
  stop = false;
  tickets.abort(absl::AbortedError("worker:1 was killed"));
  tickets.abort(absl::AbortedError("a later word"));
  EXPECT_EQ(tickets.take(1, 0), UpdateTicket::Aborted);
  EXPECT_EQ(tickets.port(1).status().message(), "worker:1 was killed");
}

// Lanes on threads, one of them slow: all steps are made, none begins too early, no wake-up is lost
// (a lost one would cost its wait of a minute).
TEST(AsyncUpdateTickets, ThreadsKeepTheBound) {
  constexpr uint32_t kLanes = 4;
  constexpr uint64_t kBound = 2, kTotal = 4000;
  AsyncUpdateTickets tickets(kTotal, kLanes, kBound);
  std::array<std::atomic<uint64_t>, kLanes> done{};
  std::atomic<bool> tooFar{false};
  absl::Time start = absl::Now();
  std::vector<std::thread> lanes;
  for (uint32_t lane = 0; lane < kLanes; ++lane)
    lanes.emplace_back([&, lane] {
      for (uint64_t step = 0;;) {
        switch (tickets.take(lane, step)) {
        case UpdateTicket::Taken:
          for (auto &other : done) // kept by the test itself, apart from the clocks
            if (uint64_t least = other.load(); least != UINT64_MAX && least + kBound < step)
              tooFar = true;
          if (lane == 3 && step % 64 == 0)
            absl::SleepFor(absl::Microseconds(200));
          done[lane] = ++step;
          break;
        case UpdateTicket::Wait:
          tickets.port(lane).wait(absl::Minutes(1));
          break;
        default:
          done[lane] = UINT64_MAX;
          return;
        }
      }
    });
  for (std::thread &lane : lanes)
    lane.join();
  EXPECT_FALSE(tooFar);
  EXPECT_LT(absl::Now() - start, absl::Seconds(50));
  EXPECT_EQ(tickets.taken(), kTotal);
  StalenessCounts counts = tickets.staleness();
  EXPECT_LE(counts.worst, kBound);
  uint64_t steps = 0;
  for (uint64_t count : counts.steps)
    steps += count;
  EXPECT_EQ(steps, kTotal);
}

} // namespace
} // namespace graphc::executor
