// What a plan may say of data sets: numbers that readers and transforms compute with.
#include "runtime/common/plan/VerifyHelpers.h"

#include "google/protobuf/text_format.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace graphc::plan;
using testing::HasSubstr;

namespace {

const std::string label = " components { sample { dtype: I32 } }";
const std::string image =
    " components { sample { dtype: F32 shape: 3 shape: 8 shape: 6 } TRANSFORMS }";

std::string datasetError(std::string text, const std::string &transforms = "") {
  if (const size_t at = text.find("TRANSFORMS"); at != std::string::npos)
    text.replace(at, 10, transforms);
  Plan plan;
  EXPECT_TRUE(
      google::protobuf::TextFormat::ParseFromString("datasets { name: 'd' " + text + " }", &plan))
      << text;
  return std::string(detail::checkDatasets(plan).message());
}

TEST(VerifyDatasets, SourcesFitTheComponents) {
  EXPECT_EQ(datasetError("npy { files: 'x' files: 'y.npz:y' }" + image + label), "");
  EXPECT_EQ(datasetError("npy { files: 'x' }" + image + label),
            "dataset d: 1 files for 2 components");
  EXPECT_EQ(datasetError("npy { files: '' files: 'y' }" + image + label),
            "dataset d: an empty or impossible file name");
  EXPECT_EQ(datasetError(label), "dataset d has no source");
  for (const char *type : {"BF16", "U32"}) // no reader gives them
    EXPECT_THAT(datasetError(std::string("npy { files: 'x' } components { sample { dtype: ") +
                             type + " } }"),
                HasSubstr(", which no reader gives"));

  EXPECT_EQ(datasetError("csv { file: 't' separator: 44 columns { number: 3 } }" + label), "");
  EXPECT_EQ(
      datasetError("csv { file: 't' separator: 44 header: true columns { name: 'a' } }" + label),
      "");
  EXPECT_EQ(datasetError("csv { file: 't' separator: 44 columns { name: 'a' } }" + label),
            "dataset d: a column that no file has");
  EXPECT_EQ(datasetError("csv { file: 't' separator: 44 columns { number: 1048576 } }" + label),
            "dataset d: a column that no file has");
  EXPECT_EQ(datasetError("csv { file: 't' separator: 44 columns { } columns { } }" + label),
            "dataset d: 2 columns for 1 elements of a sample, at most 1048576");
  EXPECT_THAT(
      datasetError(
          "csv { file: 't' separator: 44 } components { sample { dtype: F32 shape: 1048577 } }"),
      HasSubstr("0 columns for 1048577 elements"));
  for (const char *separator : {"0", "10", "34", "256"})
    EXPECT_EQ(datasetError(std::string("csv { file: 't' separator: ") + separator + " }" + label),
              std::string("dataset d: the separator ") + separator);
  EXPECT_EQ(datasetError("csv { file: 't' separator: 44 missing: inf }" + label),
            "dataset d: what is missing is not finite");

  const std::string window = " components { sample { dtype: I32 shape: 8 } }";
  EXPECT_EQ(datasetError("text { file: 't' }" + window + window), "");
  EXPECT_EQ(datasetError("text { file: 't' }" + window + window + window),
            "dataset d: a text gives one or two windows of integers");
  EXPECT_EQ(datasetError("text { file: 't' }" + label),
            "dataset d: a text gives one or two windows of integers");
  EXPECT_EQ(datasetError("text { file: 't' }" + window + label), "dataset d: windows of two types");
  EXPECT_EQ(datasetError("text { file: 't' begin: 7 end: 7 }" + window),
            "dataset d: a stride, begin or end that no file has");
  EXPECT_EQ(datasetError("text { file: 't' stride: 18446744073709551615 }" + window),
            "dataset d: a stride, begin or end that no file has");

  const std::string pixels = " components { sample { dtype: F32 shape: 3072 } }";
  EXPECT_EQ(datasetError("cifar10 { files: 'a' files: 'b' }" + pixels + label), "");
  EXPECT_EQ(datasetError("cifar10 { }" + pixels), "dataset d: 0 files");
  EXPECT_EQ(datasetError("cifar10 { files: 'a' }" + image),
            "dataset d: components that are no image of 3x32x32 and no label");
}

TEST(VerifyDatasets, TransformsFitTheirComponent) {
  const std::string set = "idx { files: 'x' }" + image;
  EXPECT_EQ(
      datasetError(
          set,
          "crop { padding: 6 dimension: 1 } flip { dimension: 2 } normalize { mean: 1 stddev: 2 dimension: 9 }"),
      "");
  EXPECT_THAT(datasetError(set, "crop { padding: 7 dimension: 1 }"),
              HasSubstr("a crop that does not fit tensor<3x8x6xf32>"));
  EXPECT_THAT(datasetError(set, "crop { dimension: 1 }"), HasSubstr("a crop that does not fit"));
  for (const char *dimension : {"2", "3", "4294967295"})
    EXPECT_THAT(datasetError(set, std::string("crop { padding: 1 dimension: ") + dimension + " }"),
                HasSubstr("a crop that does not fit"))
        << dimension;
  EXPECT_THAT(datasetError(set, "flip { dimension: 3 }"), HasSubstr("a flip that does not fit"));
  EXPECT_EQ(datasetError("synthetic { samples: 1 limits: 0 }" + image, "flip { }"),
            "dataset d: crops or flips what is no image of a file");
  EXPECT_EQ(
      datasetError(set, "normalize { mean: 1 mean: 2 mean: 3 stddev: 1 stddev: 1 stddev: 1 }"), "");
  EXPECT_THAT(datasetError(set, "normalize { mean: 1 mean: 2 stddev: 1 stddev: 1 }"),
              HasSubstr("2 means and 2 deviations"));
  EXPECT_THAT(datasetError(set, "normalize { mean: 1 stddev: 1 stddev: 1 }"),
              HasSubstr("1 means and 2 deviations"));
  EXPECT_THAT(datasetError(set, "normalize { }"), HasSubstr("0 means and 0 deviations"));
  EXPECT_THAT(
      datasetError(
          set, "normalize { mean: 1 mean: 2 mean: 3 stddev: 1 stddev: 1 stddev: 1 dimension: 7 }"),
      HasSubstr("3 means and 3 deviations"));
  EXPECT_THAT(datasetError(set, "normalize { mean: 1 stddev: 0 }"),
              HasSubstr("a deviation that is not above 0"));
  EXPECT_THAT(datasetError(set, "normalize { mean: inf stddev: 1 }"), HasSubstr("not finite"));
  EXPECT_THAT(
      datasetError(
          "idx { files: 'x' } components { sample { dtype: I32 } normalize { mean: 1 stddev: 1 } }"),
      HasSubstr("normalizes tensor<i32>"));
}

} // namespace
