#include "passes/analysis/RematerializationChoice.h"
#include "passes/analysis/PeakMemoryTree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>

using namespace graphc;
using testing::ElementsAre;
using testing::IsEmpty;

namespace {

constexpr uint64_t kMiB = 1 << 20;

RematerializationChoice choose(const std::vector<BlockValue> &values, uint64_t target,
                               uint32_t positions = 10, std::vector<uint64_t> others = {}) {
  others.resize(positions);
  const TimeModel time{cluster::MachineCalibration()};
  EXPECT_EQ(peakOf(values, others),
            chooseRematerialization(values, others, 0, time, TimeModel::Engine::Host).peakBefore);
  return chooseRematerialization(values, others, target, time, TimeModel::Engine::Host);
}

std::vector<uint32_t> valuesOf(const RematerializationChoice &found) {
  std::vector<uint32_t> values;
  for (const RematerializedValue &one : found.chosen)
    values.push_back(one.value);
  return values;
}

/// What a library makes and the backward pass reads (0), and an activation of it that a product
/// reads in both passes (1).
std::vector<BlockValue> activation() {
  return {{.bytes = kMiB, .made = 0, .used = {1, 8}},
          {.bytes = kMiB, .made = 1, .used = {2, 8}, .repeatable = true, .flops = 8, .from = {0}}};
}

TEST(PeakTree, IsTheLargestOfEachRange) {
  std::mt19937 random(7);
  for (uint32_t size : {1u, 2u, 7u, 64u, 100u}) {
    std::vector<uint64_t> start(size);
    for (uint64_t &bytes : start)
      bytes = random() % 50;
    PeakTree tree(start);
    std::vector<int64_t> plain(start.begin(), start.end());
    for (unsigned i = 0; i < 200; ++i) {
      uint32_t a = random() % size, b = random() % size;
      const uint32_t first = std::min(a, b), last = std::max(a, b);
      const int64_t bytes =
          int64_t(random() % 100) -
          int64_t(std::min<int64_t>(40, *std::min_element(plain.begin(), plain.end())));
      tree.add(first, last, bytes);
      for (uint32_t at = first; at <= last; ++at)
        plain[at] += bytes;
      a = random() % size;
      b = a + random() % (size - a);
      ASSERT_EQ(tree.most(a, b), *std::max_element(plain.begin() + a, plain.begin() + b + 1));
      ASSERT_EQ(tree.most(), *std::max_element(plain.begin(), plain.end()));
    }
  }
  EXPECT_EQ(PeakTree({5, 6}).most(1, 0), 0);
}

TEST(RematerializationChoice, ActivationOfWhatIsThereAnyhow) {
  const RematerializationChoice found = choose(activation(), kMiB);
  ASSERT_THAT(valuesOf(found), ElementsAre(1));
  EXPECT_EQ(found.chosen[0].lastEarly, 2u);
  EXPECT_EQ(found.chosen[0].firstLate, 8u);
  EXPECT_THAT(found.chosen[0].again, ElementsAre(1));
  EXPECT_GT(found.chosen[0].seconds, 0);
}

TEST(RematerializationChoice, NothingWhereItFits) {
  EXPECT_THAT(choose(activation(), 2 * kMiB).chosen, IsEmpty());
  EXPECT_TRUE(choose(activation(), 2 * kMiB).isEnough);
}

TEST(RematerializationChoice, NothingThatReadsWhatWouldBeKeptForIt) {
  std::vector<BlockValue> values = activation();
  values[0].used = {1};
  EXPECT_THAT(choose(values, 0).chosen, IsEmpty());
  EXPECT_FALSE(choose(values, 0).isEnough);
  values[0].bytes = kMiB / 16; // a column of statistics
  values.push_back({.bytes = kMiB, .made = 3, .used = {5}}); // where it is full
  EXPECT_THAT(valuesOf(choose(values, 0)), ElementsAre(1));
}

TEST(RematerializationChoice, OneThatCannotBeRepeatedStays) {
  std::vector<BlockValue> values = activation();
  values[1].repeatable = false;
  EXPECT_THAT(choose(values, 0).chosen, IsEmpty());
}

TEST(RematerializationChoice, WhatIsInlinedIsComputedWithIt) {
  std::vector<BlockValue> values = activation();
  values[1].from = {2};
  values.push_back({.made = 1, .used = {1}, .repeatable = true, .from = {0}}); // no memory
  const RematerializationChoice found = choose(values, kMiB);
  ASSERT_THAT(valuesOf(found), ElementsAre(1));
  EXPECT_THAT(found.chosen[0].again, ElementsAre(2, 1));
}

TEST(RematerializationChoice, ReadsNoVariableThatWasWritten) {
  std::vector<BlockValue> values = activation();
  values[1].from.push_back(2);
  values.push_back({.until = 8});
  EXPECT_THAT(choose(values, kMiB).chosen, IsEmpty());
  values[2].until = 9;
  EXPECT_THAT(valuesOf(choose(values, kMiB)), ElementsAre(1));
}

TEST(RematerializationChoice, DrawsAreMadeOfNothing) {
  const std::vector<BlockValue> values{
      {.bytes = kMiB, .made = 0, .used = {1, 8}, .repeatable = true}};
  EXPECT_THAT(valuesOf(choose(values, 0)), ElementsAre(0));
}

TEST(RematerializationChoice, MostBytesAndTimeForTheCostFirst) {
  std::vector<BlockValue> values{{.bytes = 16 * kMiB, .made = 0, .used = {1, 9}}};
  for (uint64_t bytes : {kMiB, 4 * kMiB, 2 * kMiB})
    values.push_back({.bytes = bytes, .made = 1, .used = {2, 9}, .repeatable = true, .from = {0}});
  EXPECT_THAT(valuesOf(choose(values, 22 * kMiB)), ElementsAre(2));
  EXPECT_THAT(valuesOf(choose(values, 16 * kMiB)), ElementsAre(2, 3, 1));
  values[2].flops = 1'000'000'000'000; // dear
  EXPECT_THAT(valuesOf(choose(values, 22 * kMiB)), ElementsAre(3));
}

TEST(RematerializationChoice, OnlyWhatIsAliveWhereItIsFull) {
  std::vector<BlockValue> values = activation();
  // full here, where nothing of the others is
  values.push_back({.bytes = kMiB, .made = 9, .used = {14}});
  values.push_back({.bytes = 2 * kMiB, .made = 9, .used = {14}});
  EXPECT_THAT(choose(values, 2 * kMiB, 20).chosen, IsEmpty());
}

TEST(RematerializationChoice, WhatIsReadForAnotherStays) {
  // 1 is made of 0, and 2 of 1; each is wanted late.
  std::vector<BlockValue> values{
      {.bytes = kMiB, .made = 0, .used = {1, 9}},
      {.bytes = kMiB, .made = 1, .used = {2, 9}, .repeatable = true, .from = {0}},
      {.bytes = kMiB, .made = 2, .used = {3, 9}, .repeatable = true, .from = {1}}};
  EXPECT_EQ(choose(values, 2 * kMiB).chosen.size(), 1u);
  const RematerializationChoice all = choose(values, 0);
  EXPECT_FALSE(all.isEnough);
  if (all.chosen.front().value == 2)
    EXPECT_THAT(valuesOf(all), ElementsAre(2)); // 1 is read for it
  else
    EXPECT_THAT(all.chosen.back().again, ElementsAre(1, 2));
}

TEST(RematerializationChoice, BytesOfLoopsCount) {
  std::vector<uint64_t> others(10);
  others[5] = kMiB;
  EXPECT_EQ(choose(activation(), 0, 10, others).peakBefore, 3 * kMiB);
  EXPECT_EQ(choose(activation(), 2 * kMiB, 10, others).peak, 2 * kMiB);
}

/// Whatever is chosen, no position has more than before, and what was promised of the peak is what
/// comes of it.
TEST(RematerializationChoice, PeakIsWhatComesOfIt) {
  std::mt19937 random(3);
  unsigned chosen = 0;
  for (unsigned round = 0; round < 200; ++round) {
    const uint32_t count = 5 + random() % 60, positions = count + 10;
    std::vector<BlockValue> values;
    for (uint32_t i = 0; i < count; ++i) {
      BlockValue value{.bytes = random() % 4 ? 64 * (1 + random() % 40) : 0,
                       .made = i,
                       .repeatable = random() % 3 != 0};
      for (unsigned use = random() % 4; use-- > 0;)
        value.used.push_back(i + 1 + random() % (positions - i - 1));
      std::sort(value.used.begin(), value.used.end());
      for (unsigned from = i ? random() % 3 : 0; from-- > 0;)
        value.from.push_back(random() % i);
      values.push_back(value);
    }
    const RematerializationChoice found = choose(values, random() % 2000, positions);
    std::vector<uint64_t> alive(positions);
    std::vector<uint32_t> last(count);
    for (uint32_t i = 0; i < count; ++i)
      last[i] = values[i].used.empty() ? values[i].made : values[i].used.back();
    std::vector<bool> gone(count);
    for (const RematerializedValue &one : found.chosen)
      gone[one.value] = true;
    for (const RematerializedValue &one : found.chosen) {
      ++chosen;
      EXPECT_LE(one.again.size(), 16u);
      EXPECT_EQ(one.again.back(), one.value);
      for (uint32_t again : one.again)
        for (uint32_t from : values[again].from)
          if (!std::count(one.again.begin(), one.again.end(), from) &&
              (values[from].bytes || values[from].repeatable)) {
            EXPECT_FALSE(gone[from]); // it is in memory all the time
            EXPECT_GT(values[from].bytes, 0u);
            last[from] = std::max(last[from], one.firstLate);
          }
    }
    for (uint32_t i = 0; i < count; ++i)
      for (uint32_t at = values[i].made; at <= last[i]; ++at)
        alive[at] += values[i].bytes;
    for (const RematerializedValue &one : found.chosen)
      for (uint32_t at = one.lastEarly + 1; at < one.firstLate; ++at)
        alive[at] -= values[one.value].bytes;
    EXPECT_EQ(found.peak, *std::max_element(alive.begin(), alive.end()));
    EXPECT_LE(found.peak, found.peakBefore);
  }
  EXPECT_GT(chosen, 50u);
}

} // namespace
