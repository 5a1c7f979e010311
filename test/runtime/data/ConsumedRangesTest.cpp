// What some replicas have taken ahead of others: whatever they do, each sample is taken once, and
// none is left out.
#include "runtime/data/ConsumedRanges.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

namespace graphc::data {
namespace {
using Ahead = std::vector<uint64_t>;

TEST(ConsumedRanges, NothingAheadIsAPositionAlone) {
  ConsumedRanges taken(7);
  EXPECT_TRUE(taken.isEven());
  EXPECT_EQ(taken.place(7), 7u);
  EXPECT_EQ(taken.place(1000), 1000u);
  taken.advance(StreamWalk{0, 4, false}, 3);
  EXPECT_EQ(taken.position(), 19u);
}

TEST(ConsumedRanges, WhatLiesBetweenIsTakenFirst) {
  ConsumedRanges taken(8, Ahead{6, 8, 10, 11}); // and 0 to 5
  const uint64_t places[] = {5, 8, 9, 11, 12};
  for (uint64_t i = 0; i < 5; ++i)
    EXPECT_EQ(taken.place(8 + i), places[i]);
  taken.advance(StreamWalk{0, 1, false}, 2); // 5 and 8
  EXPECT_EQ(taken.position(), 10u);
  EXPECT_EQ(taken.ahead(), Ahead({10, 11}));
  taken.advance(StreamWalk{0, 1, false}, 1);
  EXPECT_TRUE(taken.isEven());
  EXPECT_EQ(taken.position(), 11u);
}

TEST(ConsumedRanges, WhatCannotBeIsRefused) {
  EXPECT_TRUE(ConsumedRanges::check(8, Ahead{6, 8, 10, 11}).ok());
  EXPECT_TRUE(ConsumedRanges::check(0, {}).ok());
  for (const Ahead &ahead :
       {Ahead{6}, {8, 6}, {6, 6}, {6, 8, 8, 9}, {5, 8}, {0, 9}, {6, uint64_t{1} << 63}})
    EXPECT_FALSE(ConsumedRanges::check(8, ahead).ok()) << ahead.size() << " " << ahead.front();
}

/// Workers at random speeds, pauses, other numbers of workers and other batches, with and without
/// padding.
TEST(ConsumedRanges, EachSampleIsTakenOnceWhateverTheSpeeds) {
  for (uint32_t seed = 0; seed < 400; ++seed) {
    std::mt19937 random(seed);
    const uint64_t samples = 20 + random() % 50;
    const bool padded = random() % 2;
    ConsumedRanges taken;
    std::set<uint64_t> places;
    for (int phase = 0; phase < 6; ++phase) {
      const uint64_t share = 1 + random() % 7, workers = 1 + random() % 4;
      std::vector<uint64_t> steps(workers);
      for (uint64_t &one : steps)
        one = random() % 9;
      const StreamWalk rows{samples, share * workers, padded};
      for (uint64_t worker = 0; worker < workers; ++worker) // as BatchSource takes them
        for (uint64_t step = 0; step < steps[worker]; ++step) {
          const uint64_t at = rows.after(taken.position(), step);
          const uint64_t end = padded ? (at / samples + 1) * samples : UINT64_MAX;
          for (uint64_t i = at + worker * share; i < std::min(end, at + (worker + 1) * share); ++i)
            EXPECT_TRUE(places.insert(taken.place(i)).second) << "seed " << seed << ": twice";
        }
      const ConsumedRanges before = taken;
      if (std::equal(steps.begin() + 1, steps.end(), steps.begin()) && random() % 2)
        taken.advance(rows, steps[0]);
      else
        EXPECT_TRUE(taken.advance(rows, share, steps));
      EXPECT_EQ(taken.position(), places.size())
          << "seed " << seed << " from " << before.position();
      EXPECT_TRUE(ConsumedRanges::check(taken.position(), taken.ahead()).ok());
      std::set<uint64_t> kept;
      for (uint64_t i = 0, ahead = taken.ahead().empty() ? taken.position()
                                                         : taken.place(taken.position());
           i < ahead; ++i)
        kept.insert(i);
      const Ahead ahead = taken.ahead();
      for (size_t i = 0; i < ahead.size(); i += 2)
        for (uint64_t place = ahead[i]; place < ahead[i + 1]; ++place)
          kept.insert(place);
      EXPECT_EQ(kept, places) << "seed " << seed;
      const ConsumedRanges again(taken.position(), ahead);
      EXPECT_EQ(again.place(taken.position() + 3), taken.place(taken.position() + 3));
    }
  }
}

TEST(ConsumedRanges, TooManyRangesAreForgotten) {
  ConsumedRanges taken;
  EXPECT_FALSE(taken.advance(StreamWalk{0, 2, false}, 1, Ahead{uint64_t{1} << 40, 0}));
  EXPECT_TRUE(taken.isEven());
  EXPECT_EQ(taken.position(), uint64_t{1} << 40) << "as many as were taken";
}

} // namespace
} // namespace graphc::data
