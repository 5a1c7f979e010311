#include "passes/analysis/ArenaLayout.h"

#include <gtest/gtest.h>
#include <random>

using namespace graphc;

namespace {

/// Aligned, inside the arena, and disjoint wherever two lifetimes touch.
void expectValid(const std::vector<ArenaRequest> &requests, const ArenaPlan &plan) {
  ASSERT_EQ(plan.offsets.size(), requests.size());
  for (size_t i = 0; i < requests.size(); ++i) {
    EXPECT_EQ(plan.offsets[i] % requests[i].alignment, 0u);
    EXPECT_LE(plan.offsets[i] + requests[i].bytes, plan.bytes);
    for (size_t j = 0; j < i; ++j) {
      bool inTime = requests[i].first <= requests[j].last && requests[j].first <= requests[i].last;
      bool inSpace = plan.offsets[i] < plan.offsets[j] + requests[j].bytes &&
                     plan.offsets[j] < plan.offsets[i] + requests[i].bytes;
      EXPECT_FALSE(inTime && inSpace) << i << " and " << j;
    }
  }
}

TEST(ArenaLayout, DeadBufferIsReused) {
  std::vector<ArenaRequest> requests{{1000, 0, 1}, {1000, 2, 3}};
  ArenaPlan plan = planArena(requests);
  expectValid(requests, plan);
  EXPECT_EQ(plan.bytes, 1000u);
}

TEST(ArenaLayout, BufferReadAndBufferWrittenByOneOpDoNotShare) {
  std::vector<ArenaRequest> requests{{1000, 0, 2}, {1000, 2, 3}};
  ArenaPlan plan = planArena(requests);
  expectValid(requests, plan);
  EXPECT_EQ(plan.bytes, 1024u + 1000u);
}

TEST(ArenaLayout, SmallestGapIsTaken) {
  // Two holes, of 128 and of 64 bytes, when the 64 byte buffer comes.
  std::vector<ArenaRequest> requests{{1024, 0, 9}, {128, 0, 1}, {512, 0, 9}, {64, 0, 1},
                                     {256, 0, 9},  {64, 2, 3},  {128, 2, 3}};
  ArenaPlan plan = planArena(requests);
  expectValid(requests, plan);
  EXPECT_EQ(plan.bytes, arenaLowerBound(requests));
}

TEST(ArenaLayout, AlignmentIsKeptAndItsGapIsUsed) {
  std::vector<ArenaRequest> requests{
      {100, 0, 9}, {8192, 0, 9, 4096}, {3000, 0, 9}, {4096, 4, 9, 4096}};
  ArenaPlan plan = planArena(requests);
  expectValid(requests, plan);
  EXPECT_LE(plan.bytes, 16384u);
}

TEST(ArenaLayout, NothingNeedsNothing) { EXPECT_EQ(planArena({}).bytes, 0u); }

TEST(ArenaLayout, RandomLifetimesStayNearTheBound) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<ArenaRequest> requests;
    for (int i = 0; i < 30; ++i) {
      uint32_t first = random() % 40;
      requests.push_back({64 * (1 + random() % 50), first, first + uint32_t(random() % 10)});
    }
    ArenaPlan plan = planArena(requests);
    expectValid(requests, plan);
    EXPECT_LE(plan.bytes, arenaLowerBound(requests) * 3 / 2);
  }
}

} // namespace
