#include "runtime/checkpoint/NpyStream.h"
#include "runtime/checkpoint/NpyFormat.h"
#include "runtime/common/plan/PlanTypes.h"
#include "test/runtime/checkpoint/Tensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

using namespace graphc;
using namespace graphc::checkpoint;
using testing::HasSubstr;

namespace {

TEST(NpyStream, HasAllRowsOnceItHasItsName) {
  TemporaryFolder folder;
  const std::string path = folder / "p.npy";
  auto stream = NpyStream::create(path, tensorType(plan::F32, {2}));
  ASSERT_TRUE(stream.ok()) << stream.status();
  std::string expected;
  for (float i = 0; i < 20000; i += 2) { // more than is kept in memory
    const float rows[] = {i, -i, i + 1, -i - 1};
    ASSERT_TRUE((*stream)->append(rows, 2).ok());
    expected.append(reinterpret_cast<const char *>(rows), sizeof rows);
  }
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_GT(std::filesystem::file_size(path + ".partial"), 65536u)
      << "it is on its way to the disk";
  ASSERT_TRUE((*stream)->commit().ok());
  EXPECT_FALSE(std::filesystem::exists(path + ".partial"));
  auto array = readNpy(path);
  ASSERT_TRUE(array.ok()) << array.status();
  EXPECT_EQ(plan::typeText(array->type), "tensor<20000x2xf32>");
  EXPECT_EQ(array->data, expected);
}

TEST(NpyStream, StacksScalarsAndNoRows) {
  TemporaryFolder folder;
  auto scalars = NpyStream::create(folder / "s.npy", tensorType(plan::I64, {}));
  const int64_t three[] = {1, 2, 3};
  ASSERT_TRUE(scalars.ok() && (*scalars)->append(three, 3).ok() && (*scalars)->commit().ok());
  EXPECT_EQ(plan::typeText(readNpy(folder / "s.npy")->type), "tensor<3xi64>");
  auto none = NpyStream::create(folder / "n.npy", tensorType(plan::F64, {4}));
  ASSERT_TRUE(none.ok() && (*none)->commit().ok());
  EXPECT_EQ(plan::typeText(readNpy(folder / "n.npy")->type), "tensor<0x4xf64>");
}

TEST(NpyStream, WritesBf16AsF32) {
  TemporaryFolder folder;
  auto stream = NpyStream::create(folder / "b.npy", tensorType(plan::BF16, {}));
  const uint16_t values[] = {0x3f80, 0xc000}; // 1, -2
  ASSERT_TRUE(stream.ok() && (*stream)->append(values, 2).ok() && (*stream)->commit().ok());
  auto array = readNpy(folder / "b.npy");
  ASSERT_TRUE(array.ok()) << array.status();
  EXPECT_EQ(plan::typeText(array->type), "tensor<2xf32>");
  const float expected[] = {1, -2};
  EXPECT_EQ(array->data, std::string(reinterpret_cast<const char *>(expected), 8));
}

TEST(NpyStream, WhatIsPartialKeepsTheOldFile) {
  TemporaryFolder folder;
  const std::string path = folder / "p.npy";
  std::ofstream(path) << "old";
  std::ofstream(path + ".partial") << std::string(5000, 'x'); // of a run that was killed
  auto stream = NpyStream::create(path, tensorType(plan::U8, {}));
  ASSERT_TRUE(stream.ok() && (*stream)->append("\1\2", 2).ok() && (*stream)->keepPartial().ok());
  EXPECT_EQ((*stream)->rows(), 2u);
  EXPECT_EQ(std::filesystem::file_size(path), 3u);
  auto array = readNpy((*stream)->partialPath());
  ASSERT_TRUE(array.ok()) << array.status();
  EXPECT_EQ(array->data, "\1\2");
}

TEST(NpyStream, RefusesWhatHasNoBegin) {
  TemporaryFolder folder;
  EXPECT_THAT(
      std::string(NpyStream::create("/dev/null", tensorType(plan::F32, {})).status().message()),
      HasSubstr("/dev/null: no regular file"));
  EXPECT_THAT(
      std::string(
          NpyStream::create(folder / "no/p.npy", tensorType(plan::F32, {})).status().message()),
      HasSubstr("no/p.npy.partial"));
}

} // namespace
