#include "runtime/data/IdxFile.h"
#include "test/runtime/data/TestFiles.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace graphc::data;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

const std::string small = idxHeader(8, {3, 2, 2}) + "abcdefghijkl";

std::string errorOf(const std::string &content) {
  auto file = IdxFile::decode(content, "f.idx");
  return file.ok() ? "" : std::string(file.status().message());
}

std::string payload(const IdxFile &file) {
  return {reinterpret_cast<const char *>(file.payload()), file.header().payloadBytes};
}

TEST(IdxFormat, DecodesPlainAndGzip) {
  for (const std::string &content : {small, gzip(small)}) {
    auto file = IdxFile::decode(content, "f.idx");
    ASSERT_TRUE(file.ok()) << file.status();
    EXPECT_THAT(file->header().shape, ElementsAre(3, 2, 2));
    EXPECT_EQ(file->header().samples(), 3u);
    EXPECT_EQ(file->header().elementsPerSample(), 4u);
    EXPECT_EQ(payload(*file), "abcdefghijkl");
  }
}

TEST(IdxFormat, SwapsBigEndianElements) {
  auto file =
      IdxFile::decode(idxHeader(0x0C, {2}) + std::string("\0\0\1\2\xff\xff\xff\xfe", 8), "f");
  ASSERT_TRUE(file.ok()) << file.status();
  int32_t values[2];
  memcpy(values, file->payload(), 8);
  EXPECT_EQ(values[0], 258);
  EXPECT_EQ(values[1], -2);
}

TEST(IdxFormat, GzipMembersFollowEachOther) {
  auto file = IdxFile::decode(gzip(small.substr(0, 7)) + gzip(small.substr(7)), "f");
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(payload(*file), "abcdefghijkl");
}

TEST(IdxFormat, RefusesHostileHeaders) {
  EXPECT_EQ(errorOf(""), "f.idx: not an IDX file: it has only 0 bytes");
  EXPECT_EQ(errorOf("PK\3\4"),
            "f.idx: not an IDX file: it starts with bytes 50 4b, expected 00 00");
  EXPECT_THAT(errorOf(idxHeader(0x0A, {1})), HasSubstr("unknown element type 0x0a, expected 08"));
  EXPECT_THAT(errorOf(std::string("\0\0\x08\0", 4)),
              HasSubstr("it has 0 dimensions, expected 1 to 8"));
  EXPECT_THAT(errorOf(idxHeader(8, std::vector<uint32_t>(9, 1))), HasSubstr("it has 9 dimensions"));
  EXPECT_THAT(errorOf(idxHeader(8, {1, 2}).substr(0, 9)), HasSubstr("it ends within its header"));
  EXPECT_THAT(errorOf(idxHeader(8, {1, 0})), HasSubstr("dimension 1 is 0"));
  EXPECT_THAT(errorOf(idxHeader(8, std::vector<uint32_t>(8, 0xFFFFFFFF))),
              HasSubstr("more than 1 TiB"));
  // 2^40 bytes promised, none there: must not be allocated.
  EXPECT_THAT(errorOf(idxHeader(8, {1u << 20, 1u << 20})),
              HasSubstr("promises 1099511627776 bytes of elements, found 0"));
}

TEST(IdxFormat, RefusesWrongLengths) {
  EXPECT_THAT(errorOf(small.substr(0, small.size() - 1)),
              HasSubstr("promises 12 bytes of elements, found 11"));
  EXPECT_THAT(errorOf(small + "x"), HasSubstr("more bytes follow than the 12"));
}

TEST(IdxFormat, RefusesDamagedGzip) {
  std::string good = gzip(small);
  EXPECT_THAT(errorOf(good.substr(0, good.size() - 5)), HasSubstr("f.idx: damaged gzip file"));
  EXPECT_THAT(errorOf(good.substr(0, 12)), HasSubstr("truncated"));
  EXPECT_THAT(errorOf(good + "tail"), HasSubstr("4 bytes of something else follow"));
  std::string wrongSum = good;
  wrongSum[good.size() - 8] ^= 1;
  EXPECT_THAT(errorOf(wrongSum), HasSubstr("incorrect data check"));
}

TEST(IdxFormat, EveryFlippedByteIsAnErrorOrTheSame) {
  std::string good = gzip(small);
  int refused = 0;
  for (size_t i = 0; i < good.size(); ++i)
    for (int bit = 0; bit < 8; ++bit) {
      std::string bad = good;
      bad[i] ^= char(1 << bit);
      auto file = IdxFile::decode(bad, "f");
      if (!file.ok())
        ++refused;
      else if (graphc::base::isGzip(bad))
        EXPECT_EQ(payload(*file), "abcdefghijkl") << "byte " << i << " bit " << bit;
    }
  EXPECT_GT(refused, 100);
}

class IdxCache : public testing::Test {
protected:
  IdxCache() { search.cacheDir = folder / "cache"; }
  TemporaryFolder folder;
  DatasetSearchPath search;

  std::vector<std::string> cached() const {
    std::vector<std::string> files;
    for (auto &entry : std::filesystem::directory_iterator(search.cacheDir))
      files.push_back(entry.path());
    return files;
  }
};

TEST_F(IdxCache, GzipIsDecodedOnce) {
  std::string path = folder.write("a.gz", gzip(small));
  auto first = IdxFile::open(path, search);
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_STREQ(first->source(), "decoded into the cache");
  auto second = IdxFile::open(path, search);
  ASSERT_TRUE(second.ok()) << second.status();
  EXPECT_STREQ(second->source(), "cache");
  EXPECT_EQ(payload(*first), payload(*second));
  EXPECT_THAT(second->header().shape, ElementsAre(3, 2, 2));
  EXPECT_EQ(cached().size(), 1u);
  struct stat info;
  ASSERT_EQ(stat(cached()[0].c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0077, 0u) << "other users may touch the cache";
}

TEST_F(IdxCache, AChangedSourceIsDecodedAgain) {
  std::string path = folder.write("a.gz", gzip(small));
  ASSERT_TRUE(IdxFile::open(path, search).ok());
  std::string other = idxHeader(8, {3, 2, 2}) + "ABCDEFGHIJKL";
  folder.write("a.gz", gzip(other));
  std::filesystem::last_write_time(path, std::filesystem::last_write_time(path) +
                                             std::chrono::seconds(5));
  auto file = IdxFile::open(path, search);
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(payload(*file), "ABCDEFGHIJKL");
}

TEST_F(IdxCache, ALinkInItsPlaceIsReplaced) {
  std::string path = folder.write("a.gz", gzip(small));
  ASSERT_TRUE(IdxFile::open(path, search).ok());
  std::string victim = cached().at(0), elsewhere = folder / "elsewhere";
  std::filesystem::rename(victim, elsewhere);
  std::filesystem::create_symlink(elsewhere, victim);
  EXPECT_STREQ(IdxFile::open(path, search)->source(), "decoded into the cache");
  EXPECT_FALSE(std::filesystem::is_symlink(victim));
}

TEST_F(IdxCache, ADamagedCacheFileIsReplaced) {
  std::string path = folder.write("a.gz", gzip(small));
  ASSERT_TRUE(IdxFile::open(path, search).ok());
  std::string victim = cached().at(0);
  std::ifstream in(victim, std::ios::binary);
  std::string good(std::istreambuf_iterator<char>(in), {});
  for (size_t cut : {size_t(0), size_t(5), size_t(127), size_t(128), good.size() - 1}) {
    std::ofstream(victim, std::ios::binary | std::ios::trunc) << good.substr(0, cut);
    auto file = IdxFile::open(path, search);
    ASSERT_TRUE(file.ok()) << file.status();
    EXPECT_EQ(payload(*file), "abcdefghijkl") << cut;
    EXPECT_STREQ(file->source(), "decoded into the cache") << cut;
  }
  for (size_t i = 0; i < good.size(); ++i) {
    // every byte of the header but its padding, and of what it stands before
    if (i >= 108 && i < 128)
      continue;
    std::string bad = good;
    bad[i] ^= 0x40;
    std::ofstream(victim, std::ios::binary | std::ios::trunc) << bad;
    auto file = IdxFile::open(path, search);
    ASSERT_TRUE(file.ok()) << file.status();
    EXPECT_EQ(payload(*file), "abcdefghijkl") << i;
  }
}

TEST_F(IdxCache, TasksThatDecodeAtOnceAllGetTheWholeFile) {
  std::string big = idxHeader(8, {1 << 20}), expected;
  for (int i = 0; i < 1 << 20; ++i)
    expected += char(i * 31 >> 3);
  std::string path = folder.write("a.gz", gzip(big + expected));
  for (int round = 0; round < 3; ++round) {
    std::filesystem::remove_all(search.cacheDir);
    std::vector<pid_t> tasks;
    for (int i = 0; i < 6; ++i)
      if (pid_t pid = fork(); pid == 0) {
        auto file = IdxFile::open(path, search);
        _exit(file.ok() && payload(*file) == expected ? 0 : 1);
      } else {
        tasks.push_back(pid);
      }
    for (pid_t pid : tasks) {
      int status = -1;
      waitpid(pid, &status, 0);
      EXPECT_EQ(status, 0);
    }
    EXPECT_EQ(cached().size(), 1u);
  }
}

TEST_F(IdxCache, TheLeastRecentlyUsedGoWhenItIsFull) {
  uint64_t one = 128 + 12; // header and elements of a cache file
  search.cacheLimit = 2 * one;
  std::vector<std::string> paths;
  for (int i = 0; i < 3; ++i)
    paths.push_back(folder.write(std::to_string(i) + ".gz", gzip(small)));
  auto age = [&](int hours) { // all that are there are older than what comes next
    for (const std::string &file : cached())
      std::filesystem::last_write_time(file, std::filesystem::last_write_time(file) -
                                                 std::chrono::hours(hours));
  };
  auto kept = IdxFile::open(paths[0], search);
  age(1);
  ASSERT_TRUE(IdxFile::open(paths[1], search).ok());
  age(1);
  ASSERT_STREQ(IdxFile::open(paths[0], search)->source(), "cache"); // which makes 1 the oldest
  ASSERT_TRUE(IdxFile::open(paths[2], search).ok());
  EXPECT_EQ(cached().size(), 2u);
  EXPECT_STREQ(IdxFile::open(paths[0], search)->source(), "cache");
  EXPECT_STREQ(IdxFile::open(paths[2], search)->source(), "cache");
  search.cacheLimit = one;
  ASSERT_STREQ(IdxFile::open(paths[1], search)->source(), "decoded into the cache");
  EXPECT_EQ(cached().size(), 1u) << "the newest stays";
  EXPECT_EQ(payload(*kept), "abcdefghijkl") << "a file that is mapped outlives its name";
}

TEST_F(IdxCache, RefusesWhatDecodesToMoreThanTheLimit) {
  std::string path = folder.write(
      "bomb.gz", gzip(idxHeader(0x08, {1 << 16, 1 << 16}) + std::string(1 << 20, '\0')));
  for (bool cache : {true, false}) {
    search.useCache = cache;
    search.cacheLimit = 1 << 20;
    auto file = IdxFile::open(path, search);
    ASSERT_FALSE(file.ok());
    EXPECT_THAT(
        std::string(file.status().message()),
        HasSubstr(
            "bomb.gz: decodes to more than the 1 MiB that --data_cache_mb allows; raise that"));
  }
  EXPECT_TRUE(cached().empty());
}

TEST_F(IdxCache, FallsBackToMemory) {
  std::string path = folder.write("a.gz", gzip(small));
  folder.write("cache", "a file where the folder should be");
  auto file = IdxFile::open(path, search);
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_STREQ(file->source(), "memory");
  EXPECT_EQ(payload(*file), "abcdefghijkl");
}

TEST_F(IdxCache, AFolderThatOthersMayWriteIsNotTrusted) {
  std::filesystem::create_directory(search.cacheDir);
  chmod(search.cacheDir.c_str(), 0777);
  auto file = IdxFile::open(folder.write("a.gz", gzip(small)), search);
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_STREQ(file->source(), "memory");
  EXPECT_TRUE(cached().empty());
}

TEST_F(IdxCache, DamagedSourceLeavesNothing) {
  auto file = IdxFile::open(folder.write("a.gz", gzip(small).substr(0, 30)), search);
  ASSERT_FALSE(file.ok());
  EXPECT_THAT(std::string(file.status().message()), HasSubstr("a.gz: damaged gzip file"));
  EXPECT_TRUE(cached().empty());
}

TEST_F(IdxCache, PlainBytesAreMappedAsTheyAre) {
  auto file = IdxFile::open(folder.write("a", small), search);
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_STREQ(file->source(), "mapped");
  EXPECT_EQ(payload(*file), "abcdefghijkl");
  auto cut = IdxFile::open(folder.write("b", small.substr(0, 20)), search);
  EXPECT_THAT(std::string(cut.status().message()),
              HasSubstr("b: its header promises 12 bytes of elements, found 4"));
}

} // namespace
