#include "runtime/data/LoadedDataset.h"
#include "test/runtime/data/TestFiles.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

using namespace graphc;
using namespace graphc::data;
using testing::HasSubstr;

namespace {

class DatasetTest : public testing::Test {
protected:
  DatasetTest() {
    search.planDir = folder.str();
    search.systemDirs = {};
    search.useCache = false;
    set.set_name("train");
    set.mutable_idx()->add_files("images");
    set.mutable_idx()->add_files("labels");
    plan::Dataset::Component *image = set.add_components();
    image->mutable_sample()->set_dtype(plan::F32);
    image->mutable_sample()->add_shape(4);
    image->set_scale(0.5);
    set.add_components()->mutable_sample()->set_dtype(plan::I32);
    folder.write("images", idxHeader(8, {3, 2, 2}) + "abcdefghijkl");
    folder.write("labels", idxHeader(8, {3}) + std::string("\1\2\3"));
  }
  std::string errorOf() {
    auto opened = LoadedDataset::open(set, search);
    return opened.ok() ? "" : std::string(opened.status().message());
  }
  TemporaryFolder folder;
  DatasetSearchPath search;
  plan::Dataset set;
};

TEST_F(DatasetTest, ReadsImagesAndLabels) {
  auto opened = LoadedDataset::open(set, search);
  ASSERT_TRUE(opened.ok()) << opened.status();
  EXPECT_EQ((*opened)->samples(), 3u);
  EXPECT_EQ((*opened)->sampleBytes(0), 16u);
  float image[4];
  int32_t label;
  (*opened)->copySample(0, 2, image);
  (*opened)->copySample(1, 2, &label);
  EXPECT_EQ(image[0], 'i' * 0.5f);
  EXPECT_EQ(image[3], 'l' * 0.5f);
  EXPECT_EQ(label, 3);
  EXPECT_THAT((*opened)->description(), HasSubstr("data set train: 3 samples from"));
}

TEST_F(DatasetTest, LabelsThatAreNoClassesAreCountedInTheFile) {
  auto opened = LoadedDataset::open(set, search);
  ASSERT_TRUE(opened.ok()) << opened.status();
  EXPECT_TRUE((*opened)->checkClasses(1, 4).ok());
  absl::Status three = (*opened)->checkClasses(1, 3);
  EXPECT_EQ(three.code(), absl::StatusCode::kOutOfRange);
  EXPECT_THAT(
      std::string(three.message()),
      testing::MatchesRegex(
          "data set train: 1 of the 3 numbers in .*/labels is none of 0 to 2, the classes of a "
          "loss or the rows of a table that takes them: it is 3, of sample 2; correct the "
          "data, or give the loss as many classes, or the table as many rows"));
  EXPECT_THAT(std::string((*opened)->checkClasses(1, 2).message()),
              HasSubstr("2 of the 3 numbers in ")); // and two are no class
  EXPECT_THAT(std::string((*opened)->checkClasses(1, 2).message()),
              HasSubstr(": the first is 2, of sample 1;"));
}

TEST_F(DatasetTest, NegativeLabelsAreNoClassesAndSamplesMayHaveMany) {
  std::string values(30000, '\0'); // more than is looked through at once
  values[20003] = char(-1), values[29999] = 4;
  folder.write("labels", idxHeader(9, {3, 10000}) + values);
  set.mutable_components(1)->mutable_sample()->add_shape(10000);
  for (plan::DataType type : {plan::I32, plan::I64}) {
    set.mutable_components(1)->mutable_sample()->set_dtype(type);
    auto opened = LoadedDataset::open(set, search);
    ASSERT_TRUE(opened.ok()) << opened.status();
    EXPECT_THAT(std::string((*opened)->checkClasses(1, 4).message()),
                testing::MatchesRegex(
                    ".*: 2 of the 30000 numbers in .*: the first is -1, of sample 2; .*"));
    std::vector<uint8_t> sample((*opened)->sampleBytes(1));
    (*opened)->copySample(1, 1, sample.data());
    EXPECT_EQ((*opened)->findStrays(1, 4, sample.data(), 1).count, 0u);
    (*opened)->copySample(1, 2, sample.data());
    LabelStrays strays = (*opened)->findStrays(1, 4, sample.data(), 1);
    EXPECT_EQ(strays.count, 2u);
    EXPECT_EQ(strays.first, 3u);
    EXPECT_EQ(strays.value, -1);
  }
}

TEST_F(DatasetTest, RefusesWhatDoesNotFitTheModel) {
  set.mutable_components(0)->mutable_sample()->set_shape(0, 5);
  EXPECT_THAT(
      errorOf(),
      HasSubstr("images has samples of 4 elements (3x2x2), the model expects tensor<5xf32>"));
  set.mutable_components(0)->mutable_sample()->set_shape(0, 4);
  folder.write("labels", idxHeader(8, {2}) + std::string("\1\2"));
  EXPECT_THAT(errorOf(), HasSubstr("labels has 2 samples, images has 3"));
  folder.write("labels", idxHeader(0x0D, {3}) + std::string(12, '\0'));
  EXPECT_THAT(errorOf(), HasSubstr("stores f32, which does not become i32 without loss"));
  std::filesystem::remove(folder / "labels");
  EXPECT_THAT(errorOf(), HasSubstr("data set train: data file labels not found; looked in"));
}

TEST_F(DatasetTest, RefusesMalformedDescriptions) {
  set.mutable_components(1)->set_scale(2);
  EXPECT_THAT(errorOf(), HasSubstr("scale and offset need a float component"));
  set.mutable_components(1)->set_scale(1);
  set.mutable_components(0)->set_scale(NAN);
  EXPECT_THAT(errorOf(), HasSubstr("must be finite"));
  set.mutable_components(0)->set_scale(1);
  set.mutable_components(0)->mutable_sample()->set_shape(0, -4);
  EXPECT_THAT(errorOf(), HasSubstr("no usable size"));
  set.mutable_components(0)->mutable_sample()->set_shape(0, int64_t(1) << 40);
  EXPECT_THAT(errorOf(), HasSubstr("no usable size"));
  set.mutable_components(0)->mutable_sample()->set_shape(0, 4);
  set.mutable_idx()->mutable_files()->RemoveLast();
  EXPECT_THAT(errorOf(), HasSubstr("1 files for 2 components"));
  set.clear_source();
  EXPECT_THAT(errorOf(), HasSubstr("no source"));
  set.clear_components();
  EXPECT_THAT(errorOf(), HasSubstr("no component"));
}

TEST_F(DatasetTest, RefusesMalformedSyntheticSets) {
  set.mutable_synthetic()->set_samples(0);
  EXPECT_THAT(errorOf(), HasSubstr("0 synthetic samples"));
  set.mutable_synthetic()->set_samples(UINT64_MAX);
  EXPECT_THAT(errorOf(), HasSubstr("synthetic samples; expected 1 to"));
  set.mutable_synthetic()->set_samples(5);
  EXPECT_THAT(errorOf(), HasSubstr("component 1 has the limit 0; expected 1 to 2147483648"));
  set.mutable_synthetic()->add_limits(0);
  set.mutable_synthetic()->add_limits(-3);
  EXPECT_THAT(errorOf(), HasSubstr("component 1 has the limit -3"));
  set.mutable_synthetic()->set_limits(1, 3);
  EXPECT_EQ(errorOf(), "");
  set.mutable_components(1)->mutable_sample()->set_dtype(plan::BF16);
  EXPECT_THAT(errorOf(), HasSubstr("no synthetic samples of type"));
}

TEST_F(DatasetTest, ReadsFashionMnist) {
  if (!std::filesystem::exists("/usr/share/datasets/fashion-mnist"))
    GTEST_SKIP() << "the package dataset-fashion-mnist is not installed";
  set.mutable_idx()->set_files(0, "t10k-images-idx3-ubyte.gz");
  set.mutable_idx()->set_files(1, "t10k-labels-idx1-ubyte.gz");
  set.mutable_components(0)->mutable_sample()->set_shape(0, 784);
  search.systemDirs = DatasetSearchPath().systemDirs;
  auto opened = LoadedDataset::open(set, search);
  ASSERT_TRUE(opened.ok()) << opened.status();
  EXPECT_EQ((*opened)->samples(), 10000u);
  std::vector<int> counts(10);
  for (uint64_t i = 0; i < 10000; ++i) {
    int32_t label = -1;
    (*opened)->copySample(1, i, &label);
    ASSERT_GE(label, 0);
    ASSERT_LT(label, 10);
    ++counts[size_t(label)];
  }
  EXPECT_EQ(counts, std::vector<int>(10, 1000)) << "each of the ten classes has 1,000 test images";
}

} // namespace
