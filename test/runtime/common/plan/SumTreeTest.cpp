//===- SumTreeTest.cpp - the shape of sums, as text, and who may share one --------------------===//

#include "runtime/common/plan/SumTree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>

namespace graphc::plan {
namespace {

using testing::HasSubstr;

std::string join(const std::string &left, const std::string &right) {
  return "(" + left + " " + right + ")";
}

/// The sum of M micro-batches in W leaves as one who has them all makes it.
std::string grown(uint64_t m, uint64_t w, uint64_t first, uint64_t count) {
  GrowingSum<std::string> sum(m / w);
  for (uint64_t i = first; i < first + count; ++i)
    sum.push(std::to_string(i), join);
  return sum.take(join);
}

/// Written from the definition: neighbours, then pairs, and a rest at the right stays until there
/// is one to join.
std::string defined(uint64_t m, uint64_t w) {
  std::vector<std::string> row;
  for (uint64_t leaf = 0; leaf < w; ++leaf) {
    std::string fold = std::to_string(leaf * (m / w));
    for (uint64_t i = 1; i < m / w; ++i)
      fold = join(fold, std::to_string(leaf * (m / w) + i));
    row.push_back(fold);
  }
  while (row.size() > 1) {
    std::vector<std::string> next;
    for (size_t i = 0; i + 1 < row.size(); i += 2)
      next.push_back(join(row[i], row[i + 1]));
    if (row.size() % 2)
      next.push_back(row.back());
    row = next;
  }
  return row.front();
}

std::string halves(const std::vector<std::string> &leaves, uint64_t first, uint64_t count) {
  if (count == 1)
    return leaves[first];
  const uint64_t left = leftLeaves(count);
  return join(halves(leaves, first, left), halves(leaves, first + left, count - left));
}

TEST(SumTree, ShapesThatOneCanRead) {
  EXPECT_EQ(grown(1, 1, 0, 1), "0");
  EXPECT_EQ(grown(2, 2, 0, 2), "(0 1)");
  EXPECT_EQ(grown(3, 3, 0, 3), "((0 1) 2)");
  EXPECT_EQ(grown(4, 4, 0, 4), "((0 1) (2 3))");
  EXPECT_EQ(grown(5, 5, 0, 5), "(((0 1) (2 3)) 4)");
  EXPECT_EQ(grown(6, 6, 0, 6), "(((0 1) (2 3)) (4 5))");
  EXPECT_EQ(grown(7, 7, 0, 7), "(((0 1) (2 3)) ((4 5) 6))");
  EXPECT_EQ(grown(8, 4, 0, 8), "(((0 1) (2 3)) ((4 5) (6 7)))");
  EXPECT_EQ(grown(6, 2, 0, 6), "(((0 1) 2) ((3 4) 5))");
  EXPECT_EQ(grown(12, 4, 0, 12), "((((0 1) 2) ((3 4) 5)) (((6 7) 8) ((9 10) 11)))");
}

/// The most that one who makes a sum value by value holds, and how often he goes through memory: a
/// pass for each that a stop reads and for each that it writes.
std::pair<uint64_t, uint64_t> heldAndPasses(uint64_t values, uint64_t perLeaf) {
  const std::vector<uint64_t> stops = sumStops(values, perLeaf);
  GrowingSum<std::string> sum(perLeaf);
  std::vector<std::string> there;
  uint64_t most = 0, passes = 0;
  for (uint64_t i = 0; i < values; ++i) {
    there.push_back(std::to_string(i));
    most = std::max<uint64_t>(most, there.size());
    sum.push(std::to_string(i), join);
    const bool last = i + 1 == values;
    if (!last && std::ranges::find(stops, i + 1) == stops.end())
      continue;
    const std::vector<std::string> now = last ? std::vector{sum.take(join)} : sum.getPartials();
    auto addPasses = [&](const std::vector<std::string> &side,
                         const std::vector<std::string> &other) {
      for (const std::string &each : side) // what stays as it is is not touched
        passes += std::ranges::find(other, each) == other.end();
    };
    addPasses(there, now);
    addPasses(now, there);
    there = now;
  }
  return {most, passes};
}

TEST(SumTree, StopsKeepWhatIsHeldInBounds) {
  EXPECT_EQ(mostHeld(1), 2u);
  EXPECT_EQ(mostHeld(8), 5u);
  EXPECT_EQ(mostHeld(15), 5u);
  EXPECT_EQ(mostHeld(16), 6u);
  for (uint64_t leaves = 1; leaves <= 130; ++leaves)
    for (uint64_t perLeaf : {1, 2, 3, 4, 8})
      ASSERT_LE(heldAndPasses(leaves * perLeaf, perLeaf).first, mostHeld(leaves))
          << leaves << " leaves of " << perLeaf;
}

TEST(SumTree, StopsAreFew) {
  for (uint64_t leaves = 1; leaves <= 4; ++leaves)
    EXPECT_EQ(sumStops(leaves, 1), std::vector<uint64_t>()) << leaves;
  for (uint64_t leaves = 5; leaves <= 8; ++leaves)
    EXPECT_EQ(sumStops(leaves, 1), std::vector<uint64_t>{4}) << leaves;
  EXPECT_EQ(heldAndPasses(8, 1).second, 4 + 1 + 5 + 1u);
  EXPECT_EQ(sumStops(16, 1), (std::vector<uint64_t>{4, 8, 12}));
  EXPECT_EQ(sumStops(2, 2), std::vector<uint64_t>());
  EXPECT_EQ(sumStops(4, 4), (std::vector<uint64_t>{2, 3}));
  EXPECT_EQ(sumStops(8, 2), (std::vector<uint64_t>{4, 6}));
}

TEST(SumTree, EveryWayToMakeItIsTheDefinition) {
  for (uint64_t w = 1; w <= 70; ++w)
    for (uint64_t perLeaf : {1, 2, 3, 5}) {
      const uint64_t m = w * perLeaf;
      const std::string whole = defined(m, w);
      ASSERT_EQ(grown(m, w, 0, m), whole) << m << " in " << w;
      std::vector<std::string> leaves;
      for (uint64_t leaf = 0; leaf < w; ++leaf)
        leaves.push_back(grown(m, w, leaf * perLeaf, perLeaf));
      ASSERT_EQ(halves(leaves, 0, w), whole);
      std::string prefix; // as a sum of arriving messages grows
      for (uint64_t done = 0; done < w;) {
        const uint64_t next = nextSubtree(done, w);
        prefix = done ? join(prefix, halves(leaves, done, next - done)) : halves(leaves, 0, next);
        done = next;
      }
      ASSERT_EQ(prefix, whole);
    }
}

TEST(SumTree, ALoopKeepsWhatTheLastValueIsJoinedWith) {
  for (uint64_t w = 1; w <= 70; ++w)
    for (uint64_t perLeaf : {1, 2, 3, 5}) {
      const uint64_t m = w * perLeaf;
      if (m == 1)
        continue;
      std::vector<std::string> kept(keptSums(m, perLeaf));
      const size_t leaf = perLeaf > 1; // of 1, 2, 4, … leaves from there on
      for (uint64_t i = 0; i + 1 < m; ++i) {
        std::string value = std::to_string(i);
        if (i % perLeaf)
          value = join(kept[0], value);
        if (i % perLeaf + 1 < perLeaf) {
          kept[0] = value;
          continue;
        }
        const auto joined = size_t(std::countr_one(i / perLeaf));
        for (size_t k = 0; k < joined; ++k)
          value = join(kept[leaf + k], value);
        ASSERT_LT(leaf + joined, kept.size());
        kept[leaf + joined] = value;
      }
      std::string sum = std::to_string(m - 1);
      uint32_t waiting = 0;
      for (size_t k = 0; k < kept.size(); ++k)
        if (k < leaf || ((w - 1) >> (k - leaf) & 1)) {
          sum = join(kept[k], sum);
          ++waiting;
        }
      ASSERT_EQ(sum, defined(m, w));
      ASSERT_EQ(waiting, waitingSums(m, perLeaf));
    }
}

TEST(SumTree, EveryAdmittedNumberOfReplicasHasTheSameSum) {
  uint64_t shared = 0;
  for (uint64_t m = 1; m <= 96; ++m)
    for (uint64_t w = 1; w <= m; ++w)
      for (uint64_t n = 1; n <= m; ++n) {
        const bool admitted =
            m % n == 0 && m % w == 0 && w % n == 0 && (n == 1 || std::has_single_bit(w / n));
        ASSERT_EQ(whyNoSumTree(m, w, n).empty(), admitted) << m << " in " << w << " over " << n;
        if (!admitted)
          continue;
        std::vector<std::string> replicas;
        for (uint64_t r = 0; r < n; ++r)
          replicas.push_back(grown(m, w, r * (m / n), m / n));
        ASSERT_EQ(halves(replicas, 0, n), defined(m, w)) << m << " in " << w << " over " << n;
        shared += n > 1;
      }
  EXPECT_GT(shared, 300u);
}

TEST(SumTree, LeavesWhereNothingIsSaid) {
  EXPECT_EQ(defaultSumLeaves(1, 1), 1u);
  EXPECT_EQ(defaultSumLeaves(8, 1), 8u);
  EXPECT_EQ(defaultSumLeaves(8, 4), 8u);
  EXPECT_EQ(defaultSumLeaves(64, 4), 16u);
  EXPECT_EQ(defaultSumLeaves(48, 3), 16u);
  EXPECT_EQ(defaultSumLeaves(17, 1), 1u);
  EXPECT_EQ(defaultSumLeaves(17, 17), 17u);
  EXPECT_EQ(defaultSumLeaves(1000, 1000), 1000u);
  for (uint64_t n = 1; n <= 300; ++n) // a micro-batch each, as without the setting
    EXPECT_EQ(whyNoSumTree(n, 0, n), "");
}

TEST(SumTree, WhatDoesNotFitNamesWhatDoes) {
  EXPECT_EQ(whyNoSumTree(6, 0, 2),
            "the sum of 6 micro-batches has 6 leaves, 3 for each of 2 replicas; expected 1, 2, "
            "4, 8, … for each; what fits next "
            "to that is replicas: 1 or 3, \"micro_batches\": 4 or 8, \"sum_leaves\": 2");
  EXPECT_THAT(whyNoSumTree(8, 0, 3),
              HasSubstr("\"micro_batches\": 8 cannot be shared by 3 replicas"));
  EXPECT_THAT(whyNoSumTree(8, 0, 3), HasSubstr("replicas: 2 or 4, \"micro_batches\": 6 or 12"));
  EXPECT_THAT(whyNoSumTree(8, 3, 2), HasSubstr("cannot be summed in 3 leaves of equal size"));
  EXPECT_THAT(
      whyNoSumTree(12, 2, 4),
      HasSubstr("the 2 leaves of the sum of 12 micro-batches cannot be shared by 4 replicas"));
  EXPECT_THAT(whyNoSumTree(12, 2, 4), HasSubstr("\"sum_leaves\": 4"));
  EXPECT_EQ(whyNoSumTree(7, 5, 3), "\"micro_batches\": 7 cannot be shared by 3 replicas");
  EXPECT_THAT(
      whyNoSumTree(67108859, 33554432, 1), // a prime number
      HasSubstr(
          "next to that is \"micro_batches\": 33554432 or 67108864, \"sum_leaves\": 1 or 67108859"));
  // the next one is refused
  EXPECT_THAT(whyNoSumTree(67108864, 0, 3), HasSubstr("\"micro_batches\": 67108863"));
  EXPECT_THAT(whyNoSumTree(67108864, 0, 3), Not(HasSubstr("67108866")));
}

TEST(SumTree, PartialSumsAreAsManyAsTheTreeHasAtOnce) {
  // As TreeSum makes it: a right half of several needs a partial sum of its own, and what that
  // needs besides.
  std::function<uint32_t(uint64_t)> besides = [&](uint64_t count) -> uint32_t {
    if (count == 1)
      return 0;
    const uint64_t left = leftLeaves(count), right = count - left;
    return std::max(besides(left), right == 1 ? 0 : 1 + besides(right));
  };
  std::function<uint32_t(uint64_t, uint64_t)> around = [&](uint64_t self,
                                                           uint64_t count) -> uint32_t {
    if (count == 1)
      return 0;
    const uint64_t left = leftLeaves(count), other = self < left ? count - left : left;
    return std::max(self < left ? around(self, left) : around(self - left, count - left),
                    other == 1 ? 0 : 1 + besides(other));
  };
  for (uint64_t count = 1; count <= 300; ++count) {
    EXPECT_EQ(partialSums(count), besides(count)) << count;
    uint32_t most = 0;
    for (uint64_t self = 0; self < count; ++self)
      most = std::max(most, around(self, count));
    EXPECT_EQ(partialSumsOfAny(count), most) << count;
  }
}

} // namespace
} // namespace graphc::plan
