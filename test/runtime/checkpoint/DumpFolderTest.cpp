// Whose files of --dump_variables get their names.
#include "runtime/checkpoint/DumpFolder.h"

#include "runtime/checkpoint/NpyFormat.h"

#include "absl/time/clock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <thread>
#include <unistd.h>

namespace graphc::checkpoint {
namespace {
using testing::HasSubstr;
namespace fs = std::filesystem;

struct Dump : testing::Test {
  ~Dump() override { fs::remove_all(dir); }
  /// As its one owner does.
  absl::Status write(const std::string &word, float value) {
    plan::TensorType type;
    type.set_dtype(plan::F32);
    const std::string file = dumpPath(dir, word) + "/w.npy";
    if (absl::Status status = writeNpyPart(file, type, 0, &value, sizeof value); !status.ok())
      return status;
    return finishNpyParts(file);
  }
  size_t entries() const {
    return static_cast<size_t>(std::distance(fs::directory_iterator(dir), {}));
  }
  const std::string dir = testing::TempDir() + "dump-" + std::to_string(getpid());
};

TEST_F(Dump, WhatIsWholeGetsItsName) {
  fs::create_directories(dir);
  {
    auto folder = DumpFolder::create(dir);
    ASSERT_TRUE(folder.ok()) << folder.status();
    ASSERT_TRUE(write(folder->word(), 1).ok());
    EXPECT_FALSE(fs::exists(dir + "/w.npy"));
    ASSERT_TRUE(publish(dir, folder->word(), "w.npy").ok());
    EXPECT_TRUE(readNpy(dir + "/w.npy").ok());
  }
  EXPECT_EQ(entries(), 1u) << "the folder goes";
}

TEST_F(Dump, BehindTheEndOfItsRunATaskWritesNothing) {
  std::string old;
  {
    auto folder = DumpFolder::create(dir);
    ASSERT_TRUE(folder.ok());
    old = folder->word();
    ASSERT_TRUE(write(old, 1).ok());
  }
  EXPECT_EQ(entries(), 0u);
  auto folder = DumpFolder::create(dir);
  ASSERT_TRUE(folder.ok());
  ASSERT_TRUE(write(folder->word(), 2).ok());
  ASSERT_TRUE(publish(dir, folder->word(), "w.npy").ok());
  EXPECT_FALSE(write(old, 1).ok());
  EXPECT_THAT(std::string(publish(dir, old, "w.npy").message()),
              HasSubstr("the run that this is of is over"));
  EXPECT_EQ(*reinterpret_cast<const float *>(readNpy(dir + "/w.npy")->data.data()), 2);
}

TEST_F(Dump, WhileAChiefLivesNoOtherRunBegins) {
  auto lives = std::make_optional(DumpFolder::create(dir));
  ASSERT_TRUE(lives->ok());
  const absl::Status refused = DumpFolder::create(dir, absl::Milliseconds(50)).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(refused));
  EXPECT_THAT(std::string(refused.message()),
              HasSubstr("is in use by another run; end it or name another folder"));
  EXPECT_EQ(entries(), 1u) << "who is refused leaves nothing";
  std::thread ends([&] {
    absl::SleepFor(absl::Milliseconds(100));
    lives.reset();
  });
  EXPECT_TRUE(DumpFolder::create(dir).ok()) << "one that is just ending is waited for";
  ends.join();
}

TEST_F(Dump, WhoseChiefWasKilledGoesAndNoOther) {
  auto lives = DumpFolder::create(dir);
  ASSERT_TRUE(lives.ok());
  const std::string left = dumpPath(dir, std::string(32, 'a')),
                    others = dir + "/.graphrun-dump-mine";
  fs::create_directories(left + "/deep");
  fs::create_directories(others);
  clearDumps(dir);
  EXPECT_FALSE(fs::exists(left));
  EXPECT_TRUE(fs::exists(others)) << "nobody's word";
  EXPECT_TRUE(fs::exists(dumpPath(dir, lives->word())));
  EXPECT_EQ(dumpPath(dir, "../x"), "");
}

} // namespace
} // namespace graphc::checkpoint
