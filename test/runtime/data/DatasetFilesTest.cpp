// Data sets of every format but IDX, from files to samples.
#include "runtime/data/LoadedDataset.h"
#include "test/runtime/data/TestFiles.h"

#include "google/protobuf/text_format.h"
#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace graphc;
using namespace graphc::data;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

class SourcesTest : public testing::Test {
protected:
  SourcesTest() {
    search.planDir = folder.str();
    search.systemDirs = {};
    search.cacheDir = folder / "cache";
  }
  absl::StatusOr<std::shared_ptr<const LoadedDataset>> open(const std::string &text) {
    plan::Dataset set;
    EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString("name: 's' " + text, &set));
    return LoadedDataset::open(set, search);
  }
  std::string error(const std::string &text) {
    auto opened = open(text);
    return opened.ok() ? "" : std::string(opened.status().message());
  }
  template <typename T>
  static std::vector<T> sample(const LoadedDataset &set, size_t component, uint64_t index) {
    std::vector<T> values(set.sampleElements(component));
    EXPECT_EQ(set.sampleBytes(component), values.size() * sizeof(T));
    set.copySample(component, index, values.data());
    return values;
  }
  TemporaryFolder folder;
  DatasetSearchPath search;
};

TEST_F(SourcesTest, NpyOfEveryType) {
  const std::string two =
      "components { sample { dtype: F32 shape: 2 } scale: 0.5 } components { sample { dtype: I64 } }";
  folder.write("x.npz",
               zipFile({{"images.npy", npyFile("<u2", "(2, 2)",
                                               littleEndian(7, 2) + littleEndian(65535, 2) +
                                                   littleEndian(9, 2) + littleEndian(11, 2))}},
                       true));
  folder.write("y.npy", npyFile("<i8", "(2,)", littleEndian(uint64_t(-5), 8) + littleEndian(3, 8)));
  auto opened = open("npy { files: 'x.npz:images' files: 'y.npy' } " + two);
  ASSERT_TRUE(opened.ok()) << opened.status();
  EXPECT_THAT(sample<float>(**opened, 0, 0), ElementsAre(3.5f, 32767.5f));
  EXPECT_THAT(sample<float>(**opened, 0, 1), ElementsAre(4.5f, 5.5f));
  EXPECT_THAT(sample<int64_t>(**opened, 1, 0), ElementsAre(-5));
  EXPECT_NE((*opened)->crc(), 0u);
  EXPECT_THAT((*opened)->description(), HasSubstr("x.npz:images (decoded into the cache)"));
  folder.write("h.npy",
               npyFile("<f2", "(5,)",
                       littleEndian(0x3C00, 2) + littleEndian(0xC100, 2) + littleEndian(1, 2) +
                           littleEndian(0x7BFF, 2) + littleEndian(0x7C00, 2)));
  auto half = open("npy { files: 'h.npy' } components { sample { dtype: F32 } }");
  ASSERT_TRUE(half.ok()) << half.status();
  std::vector<float> halves;
  for (uint64_t i = 0; i < 5; ++i)
    halves.push_back(sample<float>(**half, 0, i)[0]);
  EXPECT_THAT(halves, ElementsAre(1.0f, -2.5f, 0x1p-24f, 65504.0f, HUGE_VALF));
  folder.write("b.npy", npyFile("|b1", "(2,)", std::string("\2\0", 2)));
  auto flags = open("npy { files: 'b.npy' } components { sample { dtype: I1 } }");
  ASSERT_TRUE(flags.ok()) << flags.status();
  EXPECT_THAT(sample<uint8_t>(**flags, 0, 0), ElementsAre(1));
  EXPECT_THAT(error("npy { files: 'y.npy' } components { sample { dtype: I32 } }"),
              HasSubstr("y.npy stores i64, which does not become i32 without loss"));
  EXPECT_THAT(error("npy { files: 'x.npz:y' } components { sample { dtype: I32 } }"),
              HasSubstr("x.npz:y: no such array; the archive has images"));
  search.cacheLimit = 0;
  search.cacheDir = folder / "other";
  EXPECT_THAT(error("npy { files: 'x.npz:images' files: 'y.npy' } " + two),
              HasSubstr("decodes to more than the 0 MiB that --data_cache_mb allows"));
}

TEST_F(SourcesTest, CsvOfSeveralComponents) {
  folder.write("t.csv", "a,b,label\n0.1,2,7\n,4,8\n");
  auto opened = open(
      "csv { file: 't.csv' header: true separator: 44 missing: 0.25 columns { name: 'b' } columns { "
      "number: 0 } columns { name: 'label' } } "
      "components { sample { dtype: F32 shape: 2 } normalize { mean: 1 stddev: 0.5 } } components { "
      "sample { dtype: I32 } }");
  ASSERT_TRUE(opened.ok()) << opened.status();
  EXPECT_EQ((*opened)->samples(), 2u);
  EXPECT_THAT(sample<float>(**opened, 0, 0), ElementsAre(2.0f, (0.1f - 1) / 0.5f));
  EXPECT_THAT(sample<float>(**opened, 0, 1), ElementsAre(6.0f, -1.5f));
  EXPECT_THAT(sample<int32_t>(**opened, 1, 1), ElementsAre(8));
  EXPECT_THAT(std::string((*opened)->checkClasses(1, 8).message()),
              HasSubstr("1 of the 2 numbers in "));
  EXPECT_THAT(
      std::string((*opened)->checkClasses(1, 8).message()),
      HasSubstr(
          "t.csv is none of 0 to 7, the classes of a loss or the rows of a table that takes them: it is "
          "8, of sample 1;"));
  folder.write("t.csv", "a,b,label\n0.1,2,7\n1,x4,8\n");
  EXPECT_THAT(
      error(
          "csv { file: 't.csv' header: true separator: 44 columns { name: 'b' } } components { sample { "
          "dtype: F32 } }"),
      testing::MatchesRegex(
          "data set s: .*/t.csv:3:3: \"x4\" is no number, expected a value of f32"));
}

TEST_F(SourcesTest, TextIsWindowsAndWhatFollows) {
  folder.write("t.txt", "abcdefghij");
  const std::string two =
      "components { sample { dtype: I32 shape: 3 } } components { sample { dtype: I32 shape: 3 } }";
  auto opened = open("text { file: 't.txt' } " + two);
  ASSERT_TRUE(opened.ok()) << opened.status();
  EXPECT_EQ((*opened)->samples(), 3u);
  EXPECT_THAT(sample<int32_t>(**opened, 0, 2), ElementsAre('g', 'h', 'i'));
  EXPECT_THAT(sample<int32_t>(**opened, 1, 2), ElementsAre('h', 'i', 'j'));
  EXPECT_EQ((*open("text { file: 't.txt' stride: 1 begin: 2 } " + two))->samples(), 5u);
  EXPECT_EQ((*open("text { file: 't.txt' stride: 2 begin: 2 end: 7 } " + two))->samples(), 1u);
  EXPECT_EQ(
      (*open("text { file: 't.txt' stride: 9 } components { sample { dtype: U8 shape: 10 } }"))
          ->samples(),
      1u);
  EXPECT_THAT(error("text { file: 't.txt' begin: 7 } " + two),
              HasSubstr("t.txt: 3 bytes from begin = 7 on, expected at least the 4 of one sample"));
  EXPECT_THAT(error("text { file: 't.txt' begin: 70 } " + two),
              HasSubstr("0 bytes from begin = 70 on"));
  EXPECT_THAT(error("text { file: 't.txt' end: 11 } " + two),
              HasSubstr("t.txt: it has 10 bytes, but end = 11"));
  folder.write("v.txt", "ab\nc\nd\nef\ngh\ni\nj\n");
  opened = open("text { file: 't.txt' vocabulary: 'v.txt' } " + two);
  ASSERT_TRUE(opened.ok()) << opened.status();
  EXPECT_THAT(sample<int32_t>(**opened, 0, 1), ElementsAre(3, 4, 5));
  EXPECT_THAT(sample<int32_t>(**opened, 1, 1), ElementsAre(4, 5, 6));
  // another vocabulary, other tokens: not those of the cache
  folder.write("v.txt", "ab\nc\nd\ne\nf\ngh\ni\nj\n");
  EXPECT_EQ((*open("text { file: 't.txt' vocabulary: 'v.txt' stride: 1 } " + two))->samples(), 5u);
  folder.write("t.txt.gz", gzip("0123456789"));
  std::filesystem::remove(folder / "t.txt");
  EXPECT_THAT(sample<int32_t>(**open("text { file: 't.txt' } " + two), 0, 0),
              ElementsAre('0', '1', '2'));
}

TEST_F(SourcesTest, Cifar10InSeveralFiles) {
  auto records = [](int first, int count) {
    std::string file;
    for (int i = first; i < first + count; ++i)
      file += char(i) + std::string(3072, char(10 * i + 1));
    return file;
  };
  folder.write("a.bin", records(0, 2));
  folder.write("b.bin", records(2, 3));
  const std::string two =
      "components { sample { dtype: F32 shape: 3 shape: 32 shape: 32 } scale: 0.5 } components { "
      "sample { dtype: I32 } }";
  auto opened = open("cifar10 { files: 'a.bin' files: 'b.bin' } " + two);
  ASSERT_TRUE(opened.ok()) << opened.status();
  EXPECT_EQ((*opened)->samples(), 5u);
  for (uint64_t i = 0; i < 5; ++i) {
    EXPECT_THAT(sample<float>(**opened, 0, i), testing::Each(float(10 * i + 1) / 2)) << i;
    EXPECT_THAT(sample<int32_t>(**opened, 1, i), ElementsAre(i));
  }
  EXPECT_TRUE((*opened)->checkClasses(1, 5).ok());
  EXPECT_THAT(
      std::string((*opened)->checkClasses(1, 4).message()),
      HasSubstr(
          "a.bin and 1 more is none of 0 to 3, the classes of a loss or the rows of a table that takes "
          "them: it is 4, of sample 4;"));
  folder.write("a.bin", records(0, 2).substr(1));
  EXPECT_THAT(error("cifar10 { files: 'a.bin' } " + two),
              HasSubstr("a.bin: 6145 bytes, which are no whole records of 3073"));
}

} // namespace
