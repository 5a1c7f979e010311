#include "runtime/data/BatchSource.h"
#include "test/runtime/data/TestFiles.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

using namespace graphc;
using namespace graphc::data;
using testing::ElementsAre;

namespace {

plan::Dataset::Component imageOf(plan::DataType type, std::vector<int64_t> shape) {
  plan::Dataset::Component component;
  component.mutable_sample()->set_dtype(type);
  for (int64_t size : shape)
    component.mutable_sample()->add_shape(size);
  return component;
}

const ElementConversion halves{StoredType::U8, plan::F32, 0.5, 1};

TEST(SampleTransforms, CropsMoveAndPadWithWhatIsStoredAsZero) {
  plan::Dataset::Component component = imageOf(plan::F32, {2, 2, 3});
  component.mutable_crop()->set_padding(1);
  component.mutable_crop()->set_dimension(1);
  SampleTransforms transforms(component);
  const uint8_t image[] = {2, 4, 6, 8, 10, 12, 22, 24, 26, 28, 30, 32};
  std::vector<float> out(12);
  transforms.convertDrawn(halves, image, {0, 0, false}, out.data());
  EXPECT_THAT(out, ElementsAre(2, 3, 4, 5, 6, 7, 12, 13, 14, 15, 16, 17));
  transforms.convertDrawn(halves, image, {1, -1, false}, out.data());
  EXPECT_THAT(out, ElementsAre(1, 5, 6, 1, 1, 1, 1, 15, 16, 1, 1, 1));
  transforms.convertDrawn(halves, image, {-1, 1, false}, out.data());
  EXPECT_THAT(out, ElementsAre(1, 1, 1, 3, 4, 1, 1, 1, 1, 13, 14, 1));
}

TEST(SampleTransforms, FlipsTurnTheWidthAlone) {
  plan::Dataset::Component component = imageOf(plan::F32, {2, 3, 2}); // height, width, channels
  component.mutable_flip()->set_dimension(1);
  const uint8_t image[] = {2, 4, 6, 8, 10, 12, 22, 24, 26, 28, 30, 32};
  std::vector<float> out(12);
  SampleTransforms(component).convertDrawn(halves, image, {0, 0, true}, out.data());
  EXPECT_THAT(out, ElementsAre(6, 7, 4, 5, 2, 3, 16, 17, 14, 15, 12, 13));
  component.mutable_crop()->set_padding(1);
  component.mutable_crop()->set_dimension(0);
  // moved, then turned
  SampleTransforms(component).convertDrawn(halves, image, {0, 1, true}, out.data());
  EXPECT_THAT(out, ElementsAre(1, 1, 6, 7, 4, 5, 1, 1, 16, 17, 14, 15));
}

TEST(SampleTransforms, NormalizesByChannelOrAltogether) {
  plan::Dataset::Component component = imageOf(plan::F32, {2, 2});
  component.mutable_normalize()->add_mean(1);
  component.mutable_normalize()->add_mean(2);
  component.mutable_normalize()->add_stddev(2);
  component.mutable_normalize()->add_stddev(4);
  std::vector<float> values = {1, 3, 2, 10};
  SampleTransforms(component).normalize(plan::F32, values.data());
  EXPECT_THAT(values, ElementsAre(0, 1, 0, 2));
  component.mutable_normalize()->set_dimension(1);
  values = {1, 6, 5, 10};
  SampleTransforms(component).normalize(plan::F32, values.data());
  EXPECT_THAT(values, ElementsAre(0, 1, 2, 2));
  component.clear_normalize();
  component.mutable_normalize()->add_mean(1);
  component.mutable_normalize()->add_stddev(0.5);
  std::vector<double> doubles = {1, 2, 3, 4};
  SampleTransforms(component).normalize(plan::F64, doubles.data());
  EXPECT_THAT(doubles, ElementsAre(0, 2, 4, 6));
}

TEST(SampleTransforms, DrawsAreEvenAndDifferByEpochSampleAndComponent) {
  plan::Dataset::Component component = imageOf(plan::F32, {8, 8});
  component.mutable_crop()->set_padding(2);
  component.mutable_flip()->set_dimension(1);
  SampleTransforms transforms(component);
  int moves[5] = {}, flips = 0;
  for (uint64_t sample = 0; sample < 5000; ++sample) {
    TransformDraw draw = transforms.draw(7, 3, sample, 0);
    ASSERT_LE(std::abs(draw.down), 2);
    ASSERT_LE(std::abs(draw.right), 2);
    ++moves[draw.down + 2];
    flips += draw.flipped;
  }
  for (int count : moves)
    EXPECT_NEAR(count, 1000, 150);
  EXPECT_NEAR(flips, 2500, 200);
  auto same = [](TransformDraw a, TransformDraw b) {
    return a.down == b.down && a.right == b.right && a.flipped == b.flipped;
  };
  int differ[4] = {};
  for (uint64_t sample = 0; sample < 1000; ++sample) {
    TransformDraw draw = transforms.draw(7, 3, sample, 0);
    differ[0] += !same(draw, transforms.draw(8, 3, sample, 0));
    differ[1] += !same(draw, transforms.draw(7, 4, sample, 0));
    differ[2] += !same(draw, transforms.draw(7, 3, sample + 1, 0));
    differ[3] += !same(draw, transforms.draw(7, 3, sample, 1));
  }
  EXPECT_THAT(differ, testing::Each(testing::Gt(900)));
}

/// A data set of 8 images of 4x4 from a file, which training moves and turns.
class DrawnSamples : public testing::Test {
protected:
  DrawnSamples() {
    search.planDir = folder.str();
    search.systemDirs = {};
    std::string pixels;
    for (int i = 0; i < 128; ++i)
      pixels += char(i + 1);
    folder.write("x", idxHeader(8, {8, 4, 4}) + pixels);
    set.set_name("x");
    set.set_shuffle(true);
    set.set_seed(5);
    set.mutable_idx()->add_files("x");
    *set.add_components() = imageOf(plan::F32, {4, 4});
    set.mutable_components(0)->mutable_crop()->set_padding(1);
    set.mutable_components(0)->mutable_flip()->set_dimension(1);
  }
  std::vector<std::vector<float>> taken(uint32_t replicas, uint32_t microBatches, bool training,
                                        uint64_t from = 0) {
    std::vector<std::vector<float>> samples;
    auto opened = LoadedDataset::open(set, search);
    EXPECT_TRUE(opened.ok()) << opened.status();
    std::vector<std::unique_ptr<BatchSource>> sources;
    for (uint32_t r = 0; r < replicas; ++r)
      for (uint32_t m = 0; m < microBatches; ++m) {
        sources.push_back(std::move(*BatchSource::create(*opened, {.batch = 2,
                                                                   .replica = r,
                                                                   .replicas = replicas,
                                                                   .microBatch = m,
                                                                   .microBatches = microBatches,
                                                                   .training = training})));
        EXPECT_TRUE(sources.back()->start(from).ok());
      }
    while (samples.size() < 24)
      for (auto &source : sources) {
        std::vector<float> batch(32);
        void *buffers[] = {batch.data()};
        EXPECT_TRUE(source->take(buffers, nullptr).ok());
        samples.emplace_back(batch.begin(), batch.begin() + 16);
        samples.emplace_back(batch.begin() + 16, batch.end());
      }
    return samples;
  }
  TemporaryFolder folder;
  DatasetSearchPath search;
  plan::Dataset set;
};

TEST_F(DrawnSamples, AreTheSameHoweverTheWorkIsDivided) {
  const auto one = taken(1, 1, true);
  EXPECT_EQ(taken(1, 4, true), one);
  EXPECT_EQ(taken(2, 1, true), one);
  EXPECT_EQ(taken(2, 2, true), one);
  EXPECT_EQ(taken(4, 1, true), one);
  const auto later = taken(2, 1, true, 4); // goes on where another run stopped
  EXPECT_TRUE(std::equal(later.begin(), later.begin() + 12, one.begin() + 4));
  EXPECT_GT(std::set(one.begin(), one.end()).size(), 16u); // an epoch is not like the one before
}

TEST_F(DrawnSamples, AreForTrainingAlone) {
  const auto plain = taken(1, 1, false);
  EXPECT_EQ(std::set(plain.begin(), plain.end()).size(), 8u);
  EXPECT_NE(taken(1, 1, true), plain);
}

} // namespace
