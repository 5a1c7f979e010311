#include "runtime/data/BatchSource.h"
#include "runtime/data/PhaseBatches.h"
#include "test/runtime/data/TestFiles.h"

#include <array>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

using namespace graphc;
using namespace graphc::data;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

TEST(Permutation, IsABijectionForEverySize) {
  for (uint64_t n : {1, 2, 3, 4, 5, 7, 8, 9, 100, 1000, 1024, 60000}) {
    SeededPermutation permutation(n, 7, 3);
    std::vector<bool> seen(n);
    for (uint64_t i = 0; i < n; ++i) {
      uint64_t p = permutation(i);
      ASSERT_LT(p, n);
      ASSERT_FALSE(seen[p]) << n << ": " << p << " twice";
      seen[p] = true;
    }
  }
}

TEST(Permutation, DiffersByEpochAndSeed) {
  constexpr uint64_t n = 60000;
  SeededPermutation a(n, 7, 0), b(n, 7, 1), c(n, 8, 0);
  uint64_t sameEpoch = 0, sameSeed = 0, fixed = 0, ascending = 0;
  for (uint64_t i = 0; i < n; ++i) {
    sameEpoch += a(i) == b(i);
    sameSeed += a(i) == c(i);
    fixed += a(i) == i;
    ascending += i > 0 && a(i) > a(i - 1);
  }
  // Each is 1 on average for independent permutations.
  EXPECT_LT(sameEpoch, 10u);
  EXPECT_LT(sameSeed, 10u);
  EXPECT_LT(fixed, 10u);
  EXPECT_NEAR(double(ascending), n / 2.0, 6 * 71); // deviation sqrt(n / 12) = 71
}

TEST(Permutation, PositionsAreSpreadEvenly) {
  // Chi square over 64 x 64 cells of (position, value): 4095 degrees of freedom, deviation 90.
  constexpr uint64_t n = 60000;
  SeededPermutation permutation(n, 1, 2);
  std::vector<double> cells(64 * 64);
  for (uint64_t i = 0; i < n; ++i)
    ++cells[i * 64 / n * 64 + permutation(i) * 64 / n];
  double chi = 0, expected = double(n) / cells.size();
  for (double count : cells)
    chi += (count - expected) * (count - expected) / expected;
  EXPECT_LT(chi, 4095 + 6 * 90);
}

/// A data set of `samples` labels 0, 1, 2, … as i32, so that a batch shows which samples it holds.
class BatchSourceTest : public testing::TestWithParam<bool> {
protected:
  std::shared_ptr<const LoadedDataset> numbers(uint32_t samples, bool shuffle, uint64_t seed = 1) {
    std::string content = idxHeader(0x0C, {samples});
    for (uint32_t i = 0; i < samples; ++i)
      for (int shift = 24; shift >= 0; shift -= 8)
        content += char(i >> shift);
    folder.write("n", content);
    plan::Dataset set;
    set.set_name("numbers");
    set.mutable_idx()->add_files("n");
    set.add_components()->mutable_sample()->set_dtype(plan::I32);
    set.set_shuffle(shuffle);
    set.set_seed(seed);
    DatasetSearchPath search;
    search.planDir = folder.str();
    search.useCache = false;
    auto opened = LoadedDataset::open(set, search);
    EXPECT_TRUE(opened.ok()) << opened.status();
    return *opened;
  }
  std::unique_ptr<BatchSource> source(std::shared_ptr<const LoadedDataset> set,
                                      BatchOptions options, uint64_t position = 0) {
    options.prefetch = GetParam();
    auto made = BatchSource::create(std::move(set), options);
    EXPECT_TRUE(made.ok()) << made.status();
    EXPECT_TRUE((*made)->start(position).ok());
    return std::move(*made);
  }
  static std::vector<int32_t> take(BatchSource &source, std::vector<uint8_t> *valid = nullptr) {
    std::vector<int32_t> batch(source.options().batch, -1);
    void *buffer = batch.data();
    if (valid)
      valid->assign(source.options().batch, 9);
    EXPECT_TRUE(source.take(&buffer, valid ? valid->data() : nullptr).ok());
    return batch;
  }
  TemporaryFolder folder;
};
INSTANTIATE_TEST_SUITE_P(Prefetch, BatchSourceTest, testing::Bool());

TEST_P(BatchSourceTest, EpochsFollowEachOtherWithoutAGap) {
  auto s = source(numbers(5, false), {.batch = 3});
  EXPECT_THAT(take(*s), ElementsAre(0, 1, 2));
  EXPECT_THAT(take(*s), ElementsAre(3, 4, 0));
  EXPECT_THAT(take(*s), ElementsAre(1, 2, 3));
}

TEST_P(BatchSourceTest, ReplicasShareOneStream) {
  auto set = numbers(100, false);
  auto r0 = source(set, {.batch = 2, .replica = 0, .replicas = 2}),
       r1 = source(set, {.batch = 2, .replica = 1, .replicas = 2});
  EXPECT_THAT(take(*r0), ElementsAre(0, 1));
  EXPECT_THAT(take(*r1), ElementsAre(2, 3));
  EXPECT_THAT(take(*r0), ElementsAre(4, 5));
  EXPECT_THAT(take(*r1), ElementsAre(6, 7));
}

TEST_P(BatchSourceTest, MicroBatchesOfOneDeviceAreTheReplicasBatches) {
  auto set = numbers(1000, true);
  for (uint32_t m = 0; m < 3; ++m) {
    auto replica = source(set, {.batch = 7, .replica = m, .replicas = 3});
    auto tower = source(set, {.batch = 7, .microBatch = m, .microBatches = 3});
    for (int step = 0; step < 100; ++step)
      ASSERT_EQ(take(*replica), take(*tower)) << step;
  }
}

// What a loop takes, and then the one that is written out behind it.
TEST_P(BatchSourceTest, SeveralMicroBatchesInARowAreThoseOfTowers) {
  auto set = numbers(1000, true);
  for (uint32_t replica : {0, 1}) {
    auto loop = source(
        set, {.batch = 7, .replica = replica, .replicas = 2, .microBatches = 4, .perStep = 3});
    auto last = source(
        set, {.batch = 7, .replica = replica, .replicas = 2, .microBatch = 3, .microBatches = 4});
    std::vector<std::unique_ptr<BatchSource>> towers;
    for (uint32_t m = 0; m < 4; ++m)
      towers.push_back(source(
          set,
          {.batch = 7, .replica = replica, .replicas = 2, .microBatch = m, .microBatches = 4}));
    for (int step = 0; step < 100; ++step)
      for (uint32_t m = 0; m < 4; ++m)
        ASSERT_EQ(take(m < 3 ? *loop : *last), take(*towers[m])) << step;
  }
}

// Two ops of 2 and 1 samples, on two replicas of two micro-batches each: the batches in the order
// of micro-batches, and in each of the ops, are the stream.
TEST_P(BatchSourceTest, OpsOfADataSetShareEachMicroBatch) {
  auto set = numbers(7, false);
  int32_t next = 0;
  std::vector<std::unique_ptr<BatchSource>> sources;
  for (uint32_t replica : {0u, 1u})
    for (uint32_t m : {0u, 1u})
      for (auto [offset, batch] : {std::pair(0u, 2u), {2u, 1u}})
        sources.push_back(source(set, {.batch = batch,
                                       .offset = offset,
                                       .stride = 3,
                                       .replica = replica,
                                       .replicas = 2,
                                       .microBatch = m,
                                       .microBatches = 2}));
  for (int step = 0; step < 5; ++step)
    for (auto &one : sources)
      for (int32_t sample : take(*one))
        EXPECT_EQ(sample, next++ % 7) << "step " << step;
}

TEST_P(BatchSourceTest, OpsOfADataSetShareTheMicroBatchesOfALoop) {
  auto set = numbers(50, true);
  for (auto [offset, batch] : {std::pair(0u, 3u), {3u, 2u}}) {
    auto loop = source(
        set, {.batch = batch, .offset = offset, .stride = 5, .microBatches = 3, .perStep = 3});
    std::vector<std::unique_ptr<BatchSource>> each;
    for (uint32_t m = 0; m < 3; ++m)
      each.push_back(source(
          set,
          {.batch = batch, .offset = offset, .stride = 5, .microBatch = m, .microBatches = 3}));
    for (int i = 0; i < 12; ++i)
      EXPECT_EQ(take(*loop), take(*each[size_t(i % 3)])) << i;
  }
}

TEST_P(BatchSourceTest, APaddedEpochEndsForAllOpsOfTheDataSet) {
  auto set = numbers(7, false);
  std::vector<uint8_t> valid;
  auto masked = source(set, {.batch = 2, .offset = 0, .stride = 5, .padLast = true});
  auto second = source(set, {.batch = 2, .offset = 2, .stride = 5, .padLast = true});
  auto plain = source(set, {.batch = 1, .offset = 4, .stride = 5, .padded = true});
  for (int epoch = 0; epoch < 2; ++epoch) {
    EXPECT_THAT(take(*masked, &valid), ElementsAre(0, 1));
    EXPECT_THAT(valid, ElementsAre(1, 1));
    EXPECT_THAT(take(*second), ElementsAre(2, 3));
    EXPECT_THAT(take(*plain), ElementsAre(4));
    EXPECT_THAT(take(*masked), ElementsAre(5, 6));
    EXPECT_THAT(take(*second, &valid), ElementsAre(0, 0));
    EXPECT_THAT(valid, ElementsAre(0, 0)) << "the epoch has no samples for this op any more";
    EXPECT_THAT(take(*plain), ElementsAre(2)) << "without a mask: of the next epoch";
  }
}

TEST_P(BatchSourceTest, EachShuffledEpochCoversEverySampleOnce) {
  auto s = source(numbers(60, true), {.batch = 4});
  std::vector<int32_t> first;
  for (int epoch = 0; epoch < 3; ++epoch) {
    std::vector<int32_t> order;
    for (int i = 0; i < 15; ++i)
      for (int32_t v : take(*s))
        order.push_back(v);
    EXPECT_EQ(std::set<int32_t>(order.begin(), order.end()).size(), 60u);
    EXPECT_NE(order, first);
    first = order;
  }
}

TEST_P(BatchSourceTest, WhatWasTakenAheadIsPassedOver) {
  for (bool shuffle : {false, true}) {
    std::multiset<int> seen;
    auto source = this->source(numbers(10, shuffle), {.batch = 2});
    const std::vector<uint64_t> ahead = {4, 6, 8, 10}; // and 0 and 1
    ASSERT_TRUE(source->start(ConsumedRanges(6, ahead)).ok());
    for (int step = 0; step < 7; ++step)
      for (int value : take(*source))
        seen.insert(value);
    if (!shuffle)
      EXPECT_EQ(std::vector<int>(seen.begin(), seen.end()),
                (std::vector<int>{0, 1, 2, 2, 3, 3, 4, 5, 6, 6, 7, 7, 8, 9}));
    ASSERT_TRUE(source->start(0).ok());
    for (uint64_t place = 0; place < 10; place += 2)
      for (int value : take(*source))
        if (place == 0 || place == 4 || place == 8)
          seen.insert(value); // what was taken before
    for (int value = 0; value < 10; ++value)
      EXPECT_EQ(seen.count(value), 2u) << value;
  }
}

TEST_P(BatchSourceTest, APositionIsResumedWithAnotherNumberOfReplicas) {
  auto set = numbers(1000, true);
  std::vector<int32_t> whole, parts;
  auto one = source(set, {.batch = 600});
  for (int i = 0; i < 4; ++i)
    for (int32_t v : take(*one))
      whole.push_back(v);
  // 10 steps of 2 x 60, then 10 of 3 x 40 from position 1200.
  for (auto [replicas, batch, position] :
       {std::tuple(2u, 60u, 0ull), std::tuple(3u, 40u, 1200ull)}) {
    std::vector<std::unique_ptr<BatchSource>> sources;
    for (uint32_t r = 0; r < replicas; ++r)
      sources.push_back(
          source(set, {.batch = batch, .replica = r, .replicas = replicas}, position));
    for (int step = 0; step < 10; ++step)
      for (auto &s : sources)
        for (int32_t v : take(*s))
          parts.push_back(v);
  }
  EXPECT_EQ(whole, parts);
}

TEST_P(BatchSourceTest, PadLastCoversEverySampleOnceWithAMask) {
  auto set = numbers(7, false);
  std::vector<uint8_t> valid;
  auto r0 = source(set, {.batch = 3, .replica = 0, .replicas = 2, .padLast = true});
  auto r1 = source(set, {.batch = 3, .replica = 1, .replicas = 2, .padLast = true});
  EXPECT_THAT(take(*r0, &valid), ElementsAre(0, 1, 2));
  EXPECT_THAT(valid, ElementsAre(1, 1, 1));
  EXPECT_THAT(take(*r1, &valid), ElementsAre(3, 4, 5));
  EXPECT_THAT(take(*r0, &valid), ElementsAre(6, 0, 0));
  EXPECT_THAT(valid, ElementsAre(1, 0, 0));
  EXPECT_THAT(take(*r1, &valid), ElementsAre(0, 0, 0));
  EXPECT_THAT(valid, ElementsAre(0, 0, 0));
  EXPECT_THAT(take(*r0, &valid), ElementsAre(0, 1, 2)) << "the next epoch";
  EXPECT_THAT(valid, ElementsAre(1, 1, 1));
}

TEST_P(BatchSourceTest, PadLastGoesOnWhereItWas) {
  auto set = numbers(7, true);
  auto straight = source(set, {.batch = 2, .padLast = true});
  uint64_t position = 0;
  for (int step = 0; step < 13; ++step) {
    auto resumed = source(set, {.batch = 2, .padLast = true}, position);
    std::vector<uint8_t> valid, again;
    EXPECT_EQ(take(*straight, &valid), take(*resumed, &again)) << step;
    EXPECT_EQ(valid, again) << step;
    position = StreamWalk{7, 2, true}.after(position, 1);
  }
}

TEST_P(BatchSourceTest, StartsAgainAnywhere) {
  auto s = source(numbers(100, true), {.batch = 10});
  auto first = take(*s), second = take(*s);
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(s->start(10).ok());
    ASSERT_EQ(take(*s), second);
    ASSERT_TRUE(s->start(0).ok());
    ASSERT_EQ(take(*s), first);
  }
  s->stop();
  s->stop();
}

// A worker that comes back to a phase begins with one of its later steps, whose samples are the
// same.
TEST_P(BatchSourceTest, BeginsWithALaterStep) {
  for (const bool padLast : {false, true})
    for (const uint32_t perStep : {1u, 3u}) {
      const BatchOptions options{.batch = 3,
                                 .replica = 1,
                                 .replicas = 2,
                                 .microBatches = 4,
                                 .perStep = perStep,
                                 .padLast = padLast};
      auto straight = source(numbers(50, true), options, 7),
           back = source(numbers(50, true), options, 7);
      for (uint64_t step = 0; step < 12; ++step) {
        ASSERT_TRUE(back->start(7, step).ok());
        std::vector<uint8_t> valid, again;
        for (uint32_t i = 0; i < perStep; ++i) {
          ASSERT_EQ(take(*straight, padLast ? &valid : nullptr),
                    take(*back, padLast ? &again : nullptr))
              << step;
          EXPECT_EQ(valid, again);
        }
      }
    }
}

TEST_P(BatchSourceTest, ALabelThatIsNoClassEndsTheBatchThatHasIt) {
  auto set = numbers(10, false); // labels 0 … 9
  auto s = source(set, {.batch = 4, .padLast = true, .classes = {9}});
  std::vector<int32_t> batch(4);
  void *buffer = batch.data();
  EXPECT_TRUE(s->take(&buffer, nullptr).ok());
  EXPECT_TRUE(s->take(&buffer, nullptr).ok())
      << "a batch that is made ahead is no error before it is taken";
  absl::Status status = s->take(&buffer, nullptr); // 8, 9 and two that are not real
  EXPECT_EQ(status.code(), absl::StatusCode::kOutOfRange);
  EXPECT_THAT(
      std::string(status.message()),
      testing::MatchesRegex(
          "data set numbers: 1 of the 4 numbers in one batch of .*/n is none of 0 to 8, the "
          "classes of a loss .* that takes them: it is 9, of sample 9; correct .*"));
  auto fits = source(set, {.batch = 4, .padLast = true, .classes = {10}});
  for (int i = 0; i < 6; ++i)
    EXPECT_TRUE(fits->take(&buffer, nullptr).ok());
}

TEST_P(BatchSourceTest, TheSampleIsNamedByItsPlaceInTheFileAndOnlyWhoHasItSaysSo) {
  auto set = numbers(100, true);
  int ended = 0;
  for (uint32_t replica : {0u, 1u}) {
    auto s = source(set, {.batch = 5, .replica = replica, .replicas = 2, .classes = {99}});
    std::vector<int32_t> batch(5);
    void *buffer = batch.data();
    for (int step = 0; step < 10; ++step)
      if (absl::Status status = s->take(&buffer, nullptr); !status.ok()) {
        ++ended;
        EXPECT_THAT(std::string(status.message()), HasSubstr("it is 99, of sample 99;"));
      }
  }
  EXPECT_EQ(ended, 1) << "one epoch has it once";
}

TEST(BatchSource, PrefetchNeverChangesWhatIsTaken) {
  plan::Dataset set;
  set.set_name("synthetic");
  set.mutable_synthetic()->set_samples(1000);
  set.mutable_synthetic()->add_limits(0);
  set.mutable_synthetic()->add_limits(10);
  auto *x = set.add_components()->mutable_sample();
  x->set_dtype(plan::F32);
  x->add_shape(17);
  set.add_components()->mutable_sample()->set_dtype(plan::I32);
  set.set_shuffle(true);
  auto opened = LoadedDataset::open(set, {});
  ASSERT_TRUE(opened.ok()) << opened.status();
  auto ahead = BatchSource::create(*opened, {.batch = 32, .prefetch = true});
  auto inlined = BatchSource::create(*opened, {.batch = 32, .prefetch = false});
  ASSERT_TRUE((*ahead)->start(5).ok());
  ASSERT_TRUE((*inlined)->start(5).ok());
  for (int i = 0; i < 2000; ++i) {
    std::vector<float> xa(32 * 17), xb(32 * 17);
    std::vector<int32_t> ya(32), yb(32);
    void *a[] = {xa.data(), ya.data()}, *b[] = {xb.data(), yb.data()};
    ASSERT_TRUE((*ahead)->take(a, nullptr).ok());
    ASSERT_TRUE((*inlined)->take(b, nullptr).ok());
    ASSERT_EQ(xa, xb) << i;
    ASSERT_EQ(ya, yb) << i;
  }
}

plan::Dataset synthetic(uint64_t samples, int64_t width) {
  plan::Dataset set;
  set.set_name("synthetic");
  set.mutable_synthetic()->set_samples(samples);
  set.mutable_synthetic()->add_limits(0);
  set.mutable_synthetic()->add_limits(10);
  auto *x = set.add_components()->mutable_sample();
  x->set_dtype(plan::F32);
  x->add_shape(width);
  set.add_components()->mutable_sample()->set_dtype(plan::I32);
  return set;
}

TEST(Dataset, SamplesThatAreDrawnOnceAreThoseThatAreDrawnEachTime) {
  auto each = LoadedDataset::open(synthetic(300, 17), {}),
       once = LoadedDataset::open(synthetic(300, 17), {});
  ASSERT_TRUE(each.ok() && once.ok());
  constexpr uint64_t bytes = 300 * (17 * 4 + 4);
  EXPECT_EQ((*once)->keepDrawn(bytes - 1), 0u);
  EXPECT_FALSE((*once)->isDrawn());
  EXPECT_EQ((*once)->keepDrawn(bytes), bytes);
  EXPECT_TRUE((*once)->isDrawn());
  EXPECT_EQ((*once)->keepDrawn(bytes), 0u) << "they are there";
  for (uint64_t index = 0; index < 300; ++index) {
    std::array<float, 17> a{}, b{};
    (*each)->copySample(0, index, a.data());
    (*once)->copySample(0, index, b.data(), 3);
    ASSERT_EQ(a, b) << index;
    int32_t c = -1, d = -2;
    (*each)->copySample(1, index, &c);
    (*once)->copySample(1, index, &d);
    ASSERT_EQ(c, d) << index;
  }
}

TEST(Dataset, SmallSamplesInAnyOrderAreStillMadeAhead) {
  for (int64_t width : {17, 170})
    for (bool shuffle : {false, true}) {
      plan::Dataset set = synthetic(300, width);
      set.set_shuffle(shuffle);
      auto opened = LoadedDataset::open(set, {});
      ASSERT_TRUE(opened.ok()) << opened.status();
      EXPECT_FALSE((*opened)->isReady());
      EXPECT_GT((*opened)->keepDrawn(1 << 20), 0u);
      EXPECT_EQ((*opened)->isReady(), !shuffle || width > 64);
    }
}

TEST(Dataset, OfAPlanAsManyAreKeptAsMemoryIsFor) {
  plan::Plan plan;
  *plan.add_datasets() = synthetic(3000, 1000); // 12 MB
  *plan.add_datasets() = synthetic(3000, 1000);
  *plan.add_datasets() = synthetic(300, 1000);
  *plan.add_datasets() = synthetic(uint64_t(1) << 47, int64_t(1) << 20);
  DatasetCache cache(plan, {});
  for (auto [index, isDrawn] : {std::pair{0, true}, {1, false}, {2, true}, {3, false}}) {
    auto set = cache.openToTake(uint32_t(index));
    ASSERT_TRUE(set.ok()) << set.status();
    EXPECT_EQ((*set)->isDrawn(), isDrawn) << index;
  }
  DatasetCache looking(plan, {});
  EXPECT_FALSE((*looking.open(2))->isDrawn());
}

TEST(BatchSource, RefusesImpossibleOptions) {
  plan::Dataset set;
  set.set_name("s");
  set.mutable_synthetic()->set_samples(10);
  set.add_components()->mutable_sample()->set_dtype(plan::F32);
  auto opened = LoadedDataset::open(set, {});
  ASSERT_TRUE(opened.ok()) << opened.status();
  EXPECT_FALSE(BatchSource::create(*opened, {.batch = 0}).ok());
  EXPECT_FALSE(BatchSource::create(*opened, {.replica = 2, .replicas = 2}).ok());
  EXPECT_FALSE(BatchSource::create(*opened, {.microBatch = 1}).ok());
  EXPECT_FALSE(
      BatchSource::create(*opened, {.microBatch = 1, .microBatches = 3, .perStep = 3}).ok());
  EXPECT_FALSE(BatchSource::create(*opened, {.perStep = 0}).ok());
  EXPECT_FALSE(BatchSource::create(*opened, {.batch = 2, .stride = 1}).ok());
  EXPECT_FALSE(BatchSource::create(*opened, {.batch = 2, .offset = 2, .stride = 3}).ok());
  EXPECT_FALSE(BatchSource::create(*opened, {.batch = 2, .offset = 1}).ok());
  EXPECT_FALSE(BatchSource::create(*opened, {.classes = {0, 0}}).ok());
}

} // namespace
