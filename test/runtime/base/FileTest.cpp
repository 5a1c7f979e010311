#include "runtime/base/File.h"
#include "runtime/base/Log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fcntl.h>
#include <filesystem>
#include <sys/mman.h>
#include <unistd.h>

namespace graphc::base {
namespace {

using testing::HasSubstr;

class File : public testing::Test {
protected:
  void SetUp() override {
    directory = testing::TempDir() + "graphc-file-" + std::to_string(getpid());
    ASSERT_TRUE(makeDirectories(directory + "/a/b").ok());
  }
  void TearDown() override { std::filesystem::remove_all(directory); }
  std::string directory;
};

TEST_F(File, WriteThenReadAndMap) {
  std::string path = directory + "/x", content(3 << 20, 'y');
  ASSERT_TRUE(writeFileAtomic(path, content).ok());
  EXPECT_EQ(*readFile(path), content);
  EXPECT_EQ(MappedFile::open(path)->view(), content);
  ASSERT_TRUE(writeFileAtomic(path, "").ok());
  EXPECT_EQ(*readFile(path), "");
  EXPECT_EQ(MappedFile::open(path)->size(), 0u);
}

TEST_F(File, AFailedWriteLeavesNothing) {
  ASSERT_TRUE(makeDirectories(directory + "/target").ok()); // rename onto a directory fails
  EXPECT_FALSE(writeFileAtomic(directory + "/target", "x").ok());
  int entries = 0;
  for (auto &entry : std::filesystem::directory_iterator(directory))
    entries += entry.path().filename() != "a" && entry.path().filename() != "target";
  EXPECT_EQ(entries, 0);
}

TEST_F(File, ErrorsNameTheFile) {
  EXPECT_THAT(std::string(readFile(directory + "/none").status().message()),
              HasSubstr(directory + "/none: No such file"));
  EXPECT_TRUE(absl::IsNotFound(readFile(directory + "/none").status()));
  EXPECT_FALSE(readFile(directory).ok());
  ASSERT_TRUE(writeFileAtomic(directory + "/big", std::string(100, 'x')).ok());
  EXPECT_THAT(std::string(readFile(directory + "/big", 99).status().message()), HasSubstr("more than the limit of 99"));
  EXPECT_FALSE(makeDirectories(directory + "/big/below").ok());
}

TEST_F(File, SealedMemfdCannotChange) {
  auto fd = sealedMemfd("test", "content");
  ASSERT_TRUE(fd.ok());
  EXPECT_LT(write(fd->get(), "x", 1), 0);
  EXPECT_LT(ftruncate(fd->get(), 0), 0);
  EXPECT_TRUE(fcntl(fd->get(), F_GETFD) & FD_CLOEXEC);
}

TEST_F(File, LogWritesJsonLines) {
  LogOptions options;
  options.prefix = "[worker:1] ";
  options.file = directory + "/log";
  ASSERT_TRUE(initializeLog(options).ok());
  logger().info("a \"quoted\" line\nand {}", 7);
  auto text = readFile(directory + "/log");
  EXPECT_THAT(*text,
              HasSubstr("\"level\":\"info\",\"task\":\"worker:1\",\"message\":\"a \\\"quoted\\\" line\\nand 7\"}"));
  options.file = directory + "/none/log";
  EXPECT_FALSE(initializeLog(options).ok());
  ASSERT_TRUE(initializeLog({}).ok());
}

} // namespace
} // namespace graphc::base
