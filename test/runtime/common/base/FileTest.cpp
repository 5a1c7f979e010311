#include "runtime/common/base/File.h"
#include "runtime/common/base/ProcessLog.h"
#include "runtime/common/base/TextUtils.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fcntl.h>
#include <filesystem>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <thread>
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

TEST_F(File, WhatAKilledWriterLeftIsUsedAgain) {
  std::string path = directory + "/x", left = path + ".graphc-tmp-0", other = directory + "/other";
  for (int round = 0; round < 2; ++round) {
    UniqueFd fd(open(left.c_str(), O_WRONLY | O_CREAT, 0600));
    ASSERT_TRUE(writeAll(fd.get(), std::string(1000, 'z').data(), 1000, left).ok());
    fd.reset();
    ASSERT_TRUE(writeFileAtomic(path, "short").ok());
    EXPECT_EQ(*readFile(path), "short");
    EXPECT_FALSE(std::filesystem::exists(left));
  }
  // What is not ours stays: a link, and what another writer holds.
  ASSERT_TRUE(writeFileAtomic(other, "other").ok());
  std::filesystem::create_symlink(other, left);
  UniqueFd held(open((path + ".graphc-tmp-1").c_str(), O_RDWR | O_CREAT, 0600));
  ASSERT_EQ(flock(held.get(), LOCK_EX), 0);
  ASSERT_TRUE(writeFileAtomic(path, "again").ok());
  EXPECT_EQ(*readFile(path), "again");
  EXPECT_EQ(*readFile(other), "other");
  EXPECT_TRUE(std::filesystem::is_symlink(left) && std::filesystem::exists(path + ".graphc-tmp-1"));
}

TEST_F(File, AFileThatIsReplacedKeepsItsMode) {
  const std::string path = directory + "/kept";
  auto modeOf = [&](const std::string &file) {
    struct stat info{};
    EXPECT_EQ(stat(file.c_str(), &info), 0);
    return info.st_mode & 0777;
  };
  ASSERT_TRUE(writeFileAtomic(path, "first").ok());
  // by this process's umask
  const int plain = open((directory + "/plain").c_str(), O_WRONLY | O_CREAT, 0644);
  ASSERT_GE(plain, 0);
  close(plain);
  EXPECT_EQ(modeOf(path), modeOf(directory + "/plain"));
  ASSERT_EQ(chmod(path.c_str(), 0640), 0);
  ASSERT_TRUE(writeFileAtomic(path, "second").ok());
  EXPECT_EQ(modeOf(path), mode_t(0640));
  ASSERT_EQ(chmod(path.c_str(), 0644), 0);
  ASSERT_TRUE(writeFileAtomic(path, "a key", 0600).ok());
  EXPECT_EQ(modeOf(path), mode_t(0600)) << "what is to be this user's alone is";
}

TEST_F(File, WritersOfOneFileAtOnceLeaveOneOfTheirs) {
  std::string path = directory + "/x";
  std::vector<std::thread> writers;
  for (char letter = 'a'; letter < 'e'; ++letter)
    writers.emplace_back([=] {
      for (int size = 1; size < 100; ++size)
        EXPECT_TRUE(writeFileAtomic(path, std::string(size_t(size) * 50, letter)).ok());
    });
  for (int reads = 0; reads < 500; ++reads)
    if (auto content = readFile(path); content.ok()) {
      ASSERT_FALSE(content->empty());
      ASSERT_EQ(content->find_first_not_of(content->front()), std::string::npos)
          << "of two writers";
    }
  for (std::thread &writer : writers)
    writer.join();
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(directory),
                          std::filesystem::directory_iterator()),
            2)
      << "the file and a/";
}

TEST_F(File, WhatKilledOnesLeftGoes) {
  std::string path = directory + "/.word-";
  UniqueFd held(open((path + "1").c_str(), O_WRONLY | O_CREAT, 0600)),
      free(open((path + "2").c_str(), O_WRONLY | O_CREAT, 0600));
  ASSERT_TRUE(holdFile(held.get()));
  free.reset();
  ASSERT_TRUE(writeFileAtomic(directory + "/word-3", "").ok());
  removeLeft(directory, ".word-");
  EXPECT_TRUE(std::filesystem::exists(path + "1"));
  EXPECT_FALSE(std::filesystem::exists(path + "2"));
  EXPECT_TRUE(std::filesystem::exists(directory + "/word-3"));
  held.reset();
  removeLeft(directory, ".word-");
  EXPECT_FALSE(std::filesystem::exists(path + "1"));
  UniqueFd gone(open((path + "4").c_str(), O_WRONLY | O_CREAT, 0600));
  std::filesystem::remove(path + "4");
  EXPECT_FALSE(holdFile(gone.get())) << "somebody was faster";
}

TEST_F(File, AFileCutShortWhileMappedReadsAsZerosAndSaysSo) {
  std::string path = directory + "/x";
  ASSERT_TRUE(writeFileAtomic(path, std::string(3 << 20, 'y')).ok());
  ASSERT_TRUE(writeFileAtomic(path + "2", std::string(3 << 20, 'z')).ok());
  auto file = MappedFile::open(path), other = MappedFile::open(path + "2");
  ASSERT_TRUE(file.ok() && other.ok());
  ASSERT_EQ(truncate(path.c_str(), 1 << 20), 0);
  auto sum = [](std::string_view view) {
    uint64_t result = 0;
    for (char c : view)
      result += static_cast<uint8_t>(c);
    return result;
  };
  EXPECT_FALSE(file->cut()) << "nobody has read behind the end yet";
  EXPECT_EQ(sum(file->view()), uint64_t('y') << 20);
  EXPECT_TRUE(file->cut());
  EXPECT_EQ(sum(other->view()), uint64_t('z') * (3 << 20));
  EXPECT_FALSE(other->cut());
  MappedFile moved = std::move(*file);
  EXPECT_TRUE(moved.cut());
}

TEST_F(File, ABusErrorElsewhereStillEndsTheProcess) {
  std::string path = directory + "/x";
  ASSERT_TRUE(writeFileAtomic(path, std::string(1 << 20, 'y')).ok());
  auto guarded = MappedFile::open(path); // the handler is there
  UniqueFd fd(open(path.c_str(), O_RDONLY));
  auto *own =
      static_cast<volatile char *>(mmap(nullptr, 1 << 20, PROT_READ, MAP_PRIVATE, fd.get(), 0));
  EXPECT_DEATH(
      {
        (void)truncate(path.c_str(), 0);
        (void)own[4096];
      },
      "");
}

TEST_F(File, WhatIsNoRegularFileIsRefusedAtOnce) {
  std::string fifo = directory + "/fifo";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  for (const std::string &path : {fifo, std::string("/dev/zero")}) {
    EXPECT_EQ(readFile(path).status().message(), path + ": not a regular file");
    EXPECT_EQ(MappedFile::open(path).status().message(), path + ": not a regular file");
  }
  EXPECT_EQ(writeFileAtomic(fifo, "x").message(), fifo + ": nobody reads this pipe");
  int ends[2]; // what the caller has opened is read, as the pipe of <(…) is
  ASSERT_EQ(pipe(ends), 0);
  ASSERT_EQ(write(ends[1], "text", 4), 4);
  close(ends[1]);
  auto text = readFile("/dev/fd/" + std::to_string(ends[0]));
  close(ends[0]);
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_EQ(*text, "text");
}

TEST_F(File, WhatIsNoRegularFileIsWrittenAndNotReplaced) {
  std::string fifo = directory + "/fifo";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  UniqueFd reader(open(fifo.c_str(), O_RDONLY | O_NONBLOCK));
  ASSERT_TRUE(writeFileAtomic(fifo, "content").ok());
  char text[16] = {};
  EXPECT_EQ(read(reader.get(), text, sizeof text), 7);
  EXPECT_TRUE(std::filesystem::is_fifo(fifo));
}

TEST_F(File, WritableIsTriedAndLeavesNothing) {
  EXPECT_TRUE(checkWritable(directory + "/a").ok());
  EXPECT_TRUE(checkWritable(directory + "/a/new").ok());
  EXPECT_TRUE(std::filesystem::is_empty(directory + "/a/b"));
  EXPECT_FALSE(std::filesystem::exists(directory + "/a/new"));
  EXPECT_THAT(std::string(checkWritable(directory + "/none/new").message()),
              HasSubstr("/none/new: No such file"));
  EXPECT_FALSE(checkWritable("/proc/new").ok());
}

TEST_F(File, AFailedWriteLeavesNothing) {
  ASSERT_TRUE(makeDirectories(directory + "/target").ok()); // rename onto a directory fails
  EXPECT_FALSE(writeFileAtomic(directory + "/target", "x").ok());
  int entries = 0;
  for (auto &entry : std::filesystem::directory_iterator(directory))
    entries += entry.path().filename() != "a" && entry.path().filename() != "target";
  EXPECT_EQ(entries, 0);
}

TEST_F(File, ADeviceIsWrittenToAndNotReplaced) {
  EXPECT_TRUE(writeFileAtomic("/dev/null", "x").ok());
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  EXPECT_THAT(std::string(writeFileAtomic("/dev/full", "x").message()),
              HasSubstr("/dev/full: No space left on device"));
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
}

TEST_F(File, ALinkStaysAndItsFileIsReplaced) {
  ASSERT_TRUE(writeFileAtomic(directory + "/real", "old").ok());
  std::filesystem::create_symlink("real", directory + "/link");
  ASSERT_TRUE(writeFileAtomic(directory + "/link", "new").ok());
  EXPECT_TRUE(std::filesystem::is_symlink(directory + "/link"));
  EXPECT_EQ(*readFile(directory + "/real"), "new");
}

TEST_F(File, ErrorsNameTheFile) {
  EXPECT_THAT(std::string(readFile(directory + "/none").status().message()),
              HasSubstr(directory + "/none: No such file"));
  EXPECT_TRUE(absl::IsNotFound(readFile(directory + "/none").status()));
  EXPECT_FALSE(readFile(directory).ok());
  ASSERT_TRUE(writeFileAtomic(directory + "/big", std::string(100, 'x')).ok());
  EXPECT_THAT(std::string(readFile(directory + "/big", 99).status().message()),
              HasSubstr("more than the limit of 99"));
  EXPECT_FALSE(makeDirectories(directory + "/big/below").ok());
}

TEST_F(File, SealedMemfdCannotChange) {
  auto fd = sealedMemfd("test", "content");
  ASSERT_TRUE(fd.ok());
  EXPECT_LT(write(fd->get(), "x", 1), 0);
  EXPECT_LT(ftruncate(fd->get(), 0), 0);
  EXPECT_TRUE(fcntl(fd->get(), F_GETFD) & FD_CLOEXEC);
}

TEST_F(File, JsonIsUtf8WhateverAFileIsCalled) {
  EXPECT_EQ(escapeJson("ä€\U0001f642"), "ä€\U0001f642");
  const std::string replaced = "\xef\xbf\xbd";
  EXPECT_EQ(escapeJson("a\xff"
                       "b"),
            "a" + replaced + "b");
  EXPECT_EQ(escapeJson("\xe2\x82"), replaced + replaced) << "cut off";
  EXPECT_EQ(escapeJson("\xc0\xaf"), replaced + replaced) << "overlong";
  EXPECT_EQ(escapeJson("\xed\xa0\x80"), replaced + replaced + replaced) << "a surrogate";
  EXPECT_EQ(escapeJson("\xc3\""), replaced + "\\\"");
}

TEST_F(File, HtmlHasNoTagsOfATexts) {
  EXPECT_EQ(escapeHtml(R"(<a b="1">&amp; 'x'</a>)"),
            "&lt;a b=&quot;1&quot;&gt;&amp;amp; 'x'&lt;/a&gt;");
}

TEST_F(File, LogWritesJsonLines) {
  LogOptions options;
  options.prefix = "[worker:1] ";
  options.file = directory + "/log";
  ASSERT_TRUE(initializeLog(options).ok());
  logger().info("a \"quoted\" line\nand {}", 7);
  auto text = readFile(directory + "/log");
  EXPECT_THAT(
      *text,
      HasSubstr(
          "\"level\":\"info\",\"task\":\"worker:1\",\"message\":\"a \\\"quoted\\\" line\\nand 7\"}"));
  options.file = directory + "/none/log";
  EXPECT_FALSE(initializeLog(options).ok());
  ASSERT_TRUE(initializeLog({}).ok());
}

} // namespace
} // namespace graphc::base
