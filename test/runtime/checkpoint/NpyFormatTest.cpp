#include "runtime/checkpoint/NpyFormat.h"
#include "test/runtime/checkpoint/Tensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace graphc;
using namespace graphc::checkpoint;
using testing::HasSubstr;

namespace {

std::string file(const std::string &header, const std::string &data, char major = 1) {
  std::string length = {char(header.size() & 0xFF), char(header.size() >> 8)};
  if (major > 1)
    length += std::string(2, '\0');
  return std::string("\x93NUMPY") + major + '\0' + length + header + data;
}

std::string npyError(const std::string &content) {
  auto array = decodeNpy(content, "a.npy");
  return array.ok() ? "" : std::string(array.status().message());
}

TEST(NpyFormat, WritesWhatNumPyWrites) {
  float values[6] = {1, 2, 3, 4, 5, 6};
  auto encoded = encodeNpy(tensorType(plan::F32, {2, 3}), values, sizeof(values));
  ASSERT_TRUE(encoded.ok()) << encoded.status();
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
  header.append(128 - 10 - header.size() - 1, ' ');
  EXPECT_EQ(*encoded,
            file(header + "\n", std::string(reinterpret_cast<char *>(values), sizeof(values))));
}

TEST(NpyFormat, RoundTripsEveryTypeAndRank) {
  for (plan::DataType dtype :
       {plan::I1, plan::I8, plan::U8, plan::I32, plan::I64, plan::F32, plan::F64})
    for (const std::vector<int64_t> &shape :
         std::vector<std::vector<int64_t>>{{}, {1}, {3}, {2, 0}, {2, 3, 4}}) {
      plan::TensorType type = tensorType(dtype, shape);
      std::string data(24 * 8, '\1');
      uint64_t bytes = 1;
      for (int64_t size : shape)
        bytes *= uint64_t(size);
      bytes *= dtype == plan::F64 || dtype == plan::I64   ? 8
               : dtype == plan::F32 || dtype == plan::I32 ? 4
                                                          : 1;
      auto encoded = encodeNpy(type, data.data(), bytes);
      ASSERT_TRUE(encoded.ok()) << encoded.status();
      EXPECT_EQ((encoded->size() - bytes) % 64, 0u);
      auto decoded = decodeNpy(*encoded, "a.npy");
      ASSERT_TRUE(decoded.ok()) << decoded.status();
      EXPECT_EQ(decoded->type.SerializeAsString(), type.SerializeAsString());
      EXPECT_EQ(decoded->data, data.substr(0, bytes));
    }
}

TEST(NpyFormat, PartsWriteOneFileInAnyOrder) {
  TemporaryFolder folder;
  plan::TensorType type = tensorType(plan::F32, {5, 2});
  float values[10] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  std::string path = folder / "w.npy";
  std::ofstream(path) << std::string(5000, 'x'); // what an earlier run left there
  ASSERT_TRUE(writeNpyPart(path, type, 24, values + 6, 16).ok());
  ASSERT_TRUE(writeNpyPart(path, type, 0, values, 24).ok());
  EXPECT_EQ(readAll(path), std::string(5000, 'x')) << "until all are there";
  ASSERT_TRUE(finishNpyParts(path).ok());
  EXPECT_THAT(std::string(finishNpyParts(path).message()), HasSubstr("w.npy"));
  auto encoded = encodeNpy(type, values, sizeof(values));
  ASSERT_TRUE(encoded.ok());
  EXPECT_EQ(readAll(path), *encoded);
  EXPECT_FALSE(writeNpyPart(path, type, 32, values, 16).ok()) << "beyond its end";
  EXPECT_THAT(std::string(writeNpyPart(folder / "no/w.npy", type, 0, values, 16).message()),
              HasSubstr("no/w.npy"));
}

TEST(NpyFormat, ReadsOtherWritersSpellings) {
  auto array = decodeNpy(file("{\"shape\":(2,),\"fortran_order\":True,\"descr\":\"|u1\"}", "ab", 2),
                         "a.npy");
  ASSERT_TRUE(array.ok()) << array.status();
  EXPECT_EQ(array->data, "ab");
}

TEST(NpyFormat, RefusesHostileFiles) {
  EXPECT_THAT(npyError(""), HasSubstr("magic"));
  EXPECT_THAT(npyError(file("{}", "", 4)), HasSubstr("format version 4"));
  EXPECT_THAT(npyError(std::string("\x93NUMPY\1\0\xff\xff{}", 12)),
              HasSubstr("longer than the file"));
  EXPECT_THAT(npyError(std::string("\x93NUMPY\2\0\xff\xff\xff\xff{}", 14)),
              HasSubstr("longer than the file"));
  EXPECT_THAT(npyError(file("{}", "")), HasSubstr("malformed header"));
  EXPECT_THAT(npyError(file("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }", "")),
              HasSubstr("malformed"));
  EXPECT_THAT(
      npyError(
          file("{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (), }", "1234")),
      HasSubstr("malformed"));
  EXPECT_THAT(npyError(file("{'descr': '>f4', 'fortran_order': False, 'shape': (), }", "1234")),
              HasSubstr("element type '>f4'; known are"));
  EXPECT_THAT(npyError(file("{'descr': 'O', 'fortran_order': False, 'shape': (), }", "")),
              HasSubstr("element type 'O'"));
  EXPECT_THAT(npyError(file("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 2), }",
                            std::string(16, 0))),
              HasSubstr("column-major"));
  EXPECT_THAT(npyError(file("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", "1234")),
              HasSubstr("its shape needs 8 bytes, found 4"));
  EXPECT_THAT(
      npyError(file(
          "{'descr': '<f4', 'fortran_order': False, 'shape': (9223372036854775807, 9223372036854775807), }",
          "")),
      HasSubstr("more bytes than there can be"));
  EXPECT_THAT(
      npyError(
          file("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,), }", "")),
      HasSubstr("malformed"));
  EXPECT_THAT(npyError(file("{'descr': '|b1', 'fortran_order': False, 'shape': (1,), }", "\2")),
              HasSubstr("neither 0 nor 1"));
}

TEST(NpyFormat, FilesNameThemselvesInErrors) {
  TemporaryFolder folder;
  int32_t value = 7;
  ASSERT_TRUE(writeNpy(folder / "x.npy", tensorType(plan::I32), &value, 4).ok());
  auto read = readNpy(folder / "x.npy");
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->data, std::string("\7\0\0\0", 4));
  EXPECT_THAT(std::string(readNpy(folder / "y.npy").status().message()), HasSubstr("y.npy"));
  EXPECT_THAT(
      std::string(
          writeNpy(folder / "z.npy", tensorType(plan::DATA_TYPE_INVALID), &value, 0).message()),
      HasSubstr("z.npy: "));
}

// NumPy has no bf16: its values are written as f32, whole or in parts.
TEST(NpyFormat, Bfloat) {
  TemporaryFolder folder;
  const uint16_t values[] = {0x3f80, 0xc000};
  for (bool parts : {false, true}) {
    const std::string path = folder / "x.npy";
    if (parts) {
      ASSERT_TRUE(writeNpyPart(path, tensorType(plan::BF16, {2}), 0, &values[0], 2).ok());
      ASSERT_TRUE(writeNpyPart(path, tensorType(plan::BF16, {2}), 2, &values[1], 2).ok());
      ASSERT_TRUE(finishNpyParts(path).ok());
    } else {
      ASSERT_TRUE(writeNpy(path, tensorType(plan::BF16, {2}), values, 4).ok());
    }
    auto read = readNpy(path);
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_EQ(read->type.dtype(), plan::F32);
    float wide[2];
    ASSERT_EQ(read->data.size(), sizeof wide);
    memcpy(wide, read->data.data(), sizeof wide);
    EXPECT_EQ(wide[0], 1.0f);
    EXPECT_EQ(wide[1], -2.0f);
  }
}

} // namespace
