//===- FaultsTest.cpp -------------------------------------------------------------------------===//
//
// Checkpoints on a file system that fails, and under kill -9 at every single operation.
//
// test/faults/faults.h takes the place of write, fsync, rename and all others that change a file. A
// small training that saves, prunes, goes on and dumps runs in a process of its own, which is
// killed or whose operation number n fails, for every n. Then it is started again.
//
//===------------------------------------------------------------------------------------------===//
#include "test/faults/faults.h"
#include "runtime/checkpoint/Checkpoint.h"
#include "runtime/checkpoint/CheckpointLayout.h"
#include "runtime/checkpoint/DumpFolder.h"
#include "runtime/checkpoint/NpyFormat.h"
#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/plan/PlanTypes.h"
#include "test/runtime/checkpoint/Tensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <sstream>
#include <sys/mman.h>
#include <sys/wait.h>

using namespace graphc;
using namespace graphc::checkpoint;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

/// Thousands of folders, which need no disk.
const bool inMemory = access("/dev/shm", W_OK) == 0 && setenv("TMPDIR", "/dev/shm", 1) == 0;

/// What a run says to who waits for it; in memory that both see.
struct Told {
  uint64_t committed; ///< the last step whose save() has returned
  uint64_t began; ///< the step that it went on from
  long operations;
  bool failed; ///< with this message
  char message[1024];
};

class FaultsTest : public testing::Test {
protected:
  static constexpr uint64_t kSteps = 4;
  FaultsTest()
      : told(static_cast<Told *>(mmap(nullptr, sizeof(Told), PROT_READ | PROT_WRITE,
                                      MAP_SHARED | MAP_ANONYMOUS, -1, 0))) {}
  ~FaultsTest() override { munmap(told, sizeof(Told)); }

  /// ps:0 has w (f32[4]), ps:1 global_step. From the newest checkpoint on to step `until`, each
  /// step saved and two of them kept; then the dump, w in two parts and once whole. A step depends
  /// on what the one before has left.
  absl::Status train(const std::string &root, uint64_t until) {
    const std::string dir = root + "/ckpt", dump = root + "/dump";
    GRAPHC_ASSIGN_OR_RETURN(CheckpointDirectory directory,
                            CheckpointDirectory::open(dir, /*keep=*/2));
    GRAPHC_RETURN_IF_ERROR(checkNonce(dir, directory.nonce()));
    directory.forgetNonce();
    std::vector<std::string> warnings;
    GRAPHC_ASSIGN_OR_RETURN(std::optional<CommittedCheckpoint> found, findNewest(dir, warnings));
    if (!warnings.empty())
      return absl::DataLossError(warnings[0]);
    std::vector<float> w(4, 1);
    int64_t step = 0;
    const plan::TensorType matrix = tensorType(plan::F32, {4}), number = tensorType(plan::I64);
    if (found)
      GRAPHC_RETURN_IF_ERROR(restoreVariables(
          *found, {{"w", matrix, w.data(), 16}, {"global_step", number, &step, 8}}));
    told->began = uint64_t(step);
    while (uint64_t(step) < until) {
      ++step;
      for (float &value : w)
        value = value * 1.5f + float(step);
      absl::Status saved = save(directory, dir, w, step);
      if (!saved.ok()) {
        directory.abandon(uint64_t(step)); // as ChiefCheckpoints::save does
        return saved;
      }
      told->committed = uint64_t(step);
    }
    // As the chief, and owners of parts and of a whole variable, do it.
    GRAPHC_ASSIGN_OR_RETURN(DumpFolder unnamed, DumpFolder::create(dump));
    const std::string there = dumpPath(dump, unnamed.word());
    for (int part : {1, 0})
      GRAPHC_RETURN_IF_ERROR(
          writeNpyPart(there + "/parts.npy", matrix, 8 * part, w.data() + 2 * part, 8));
    GRAPHC_RETURN_IF_ERROR(writeNpyPart(there + "/w.npy", matrix, 0, w.data(), 16));
    for (const char *name : {"parts.npy", "w.npy"}) {
      GRAPHC_RETURN_IF_ERROR(finishNpyParts(there + "/" + name));
      GRAPHC_RETURN_IF_ERROR(publish(dump, unnamed.word(), name));
    }
    return absl::OkStatus();
  }
  absl::Status save(CheckpointDirectory &directory, const std::string &dir,
                    const std::vector<float> &w, int64_t step) {
    GRAPHC_RETURN_IF_ERROR(directory.prepare(uint64_t(step)));
    CheckpointManifest manifest;
    manifest.globalStep = uint64_t(step);
    manifest.dataPositions["train"] = uint64_t(step) * 256;
    GRAPHC_ASSIGN_OR_RETURN(ShardInfo a,
                            writeShard(dir, directory.nonce(), uint64_t(step), shardFile("ps", 0),
                                       {{"w", tensorType(plan::F32, {4}), w.data(), 16}}));
    GRAPHC_ASSIGN_OR_RETURN(ShardInfo b,
                            writeShard(dir, directory.nonce(), uint64_t(step), shardFile("ps", 1),
                                       {{"global_step", tensorType(plan::I64), &step, 8}}));
    manifest.shards = {a, b};
    return directory.commit(manifest);
  }

  /// The training in a process of its own, with a fault; its status as waitpid gives it.
  int run(const std::string &root, long at = 0, FaultAction action = kNoFault,
          uint64_t until = kSteps) {
    *told = Told();
    pid_t child = fork();
    if (child == 0) {
      faultsArm(root.c_str(), at, action, /*fast=*/1);
      absl::Status status = train(root, until);
      told->operations = faultsDisarm();
      told->failed = !status.ok();
      snprintf(told->message, sizeof told->message, "%s", std::string(status.message()).c_str());
      _exit(status.ok() ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    return status;
  }
  /// Everything below a folder: name and content.
  static std::map<std::string, std::string> tree(const std::string &root) {
    std::map<std::string, std::string> all;
    for (auto &entry : std::filesystem::recursive_directory_iterator(root))
      all[entry.path().native().substr(root.size())] =
          entry.is_directory() ? "" : readAll(entry.path());
    return all;
  }
  std::string fresh() {
    std::string root = folder / ("run-" + std::to_string(++runs));
    std::filesystem::create_directory(root);
    return root;
  }
  /// What a run without faults leaves; how many operations it takes.
  void undisturbed(uint64_t until = kSteps) {
    std::string root = fresh();
    ASSERT_EQ(run(root, 0, kNoFault, until), 0) << told->message;
    wanted = tree(root);
    operations = told->operations;
    ASSERT_THAT(wanted, testing::Contains(testing::Key("/ckpt/step-" + std::to_string(until) +
                                                       "/manifest.json")));
  }
  /// A run that was killed left what the next one goes on from: the newest that it had committed or
  /// the one that it was committing, whole. The next one ends as if nothing had been.
  void goesOn(const std::string &root, uint64_t committed, uint64_t until = kSteps) {
    std::vector<std::string> warnings;
    auto found = findNewest(root + "/ckpt", warnings);
    ASSERT_TRUE(found.ok()) << found.status();
    EXPECT_THAT(warnings, IsEmpty()) << "what kill -9 leaves is never a damaged checkpoint";
    const uint64_t newest = *found ? (*found)->manifest.globalStep : 0;
    EXPECT_GE(newest, committed);
    EXPECT_LE(newest, committed + 1);
    if (std::filesystem::exists(root + "/dump/parts.npy"))
      EXPECT_EQ(readAll(root + "/dump/parts.npy"), wanted["/dump/parts.npy"])
          << "whole or not there";
    if (std::filesystem::exists(root + "/dump/w.npy"))
      EXPECT_EQ(readAll(root + "/dump/w.npy"), wanted["/dump/w.npy"]) << "whole or not there";
    ASSERT_EQ(run(root, 0, kNoFault, until), 0) << told->message;
    EXPECT_EQ(told->began, newest);
    EXPECT_EQ(settled(root, until), wanted)
        << "equal to an undisturbed run, and nothing else is left";
  }
  /// What is below a folder, without the one older checkpoint of which a run that has died was
  /// about to let go: the next save does.
  static std::map<std::string, std::string> settled(const std::string &root, uint64_t until) {
    if (until > 2)
      std::filesystem::remove_all(stepPath(root + "/ckpt", until - 2));
    return tree(root);
  }

  TemporaryFolder folder;
  Told *told;
  int runs = 0;
  std::map<std::string, std::string> wanted;
  long operations = 0;
};

TEST_F(FaultsTest, KilledAtEveryOperation) {
  undisturbed();
  EXPECT_GT(operations, 100);
  for (FaultAction action : {kKill, kHalf})
    for (long at = 1; at <= operations; ++at) {
      SCOPED_TRACE(testing::Message()
                   << (action == kKill ? "before" : "half way through") << " operation " << at);
      std::string root = fresh();
      int status = run(root, at, action);
      ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
      goesOn(root, told->committed);
      if (HasFailure())
        return;
      std::filesystem::remove_all(root);
    }
}

// The run that goes on is killed as well, at each of its operations; without --long at every fifth.
TEST_F(FaultsTest, KilledTwice) {
  const uint64_t until = 2;
  undisturbed(until);
  const long stride = getenv("GRAPHC_LONG") ? 1 : 5;
  long cases = 0;
  for (long first = 1; first <= operations; ++first) {
    std::string once = fresh();
    ASSERT_TRUE(WIFSIGNALED(run(once, first, kHalf, until)));
    const uint64_t committed = told->committed;
    for (long second = 1 + first % stride; second <= operations + 20; second += stride) {
      SCOPED_TRACE(testing::Message() << "operation " << first << ", then " << second);
      std::string twice = fresh();
      std::filesystem::copy(once, twice, std::filesystem::copy_options::recursive);
      int status = run(twice, second, kKill, until);
      if (!WIFSIGNALED(status)) { // it had fewer
        EXPECT_EQ(tree(twice), wanted);
        second = operations + 20;
      } else {
        goesOn(twice, std::max({committed, told->began, told->committed}), until);
      }
      ++cases;
      if (HasFailure())
        return;
      std::filesystem::remove_all(twice);
    }
    std::filesystem::remove_all(once);
  }
  EXPECT_GT(cases, 2000 / stride);
  RecordProperty("pairs", std::to_string(cases));
}

// Killed again and again: what is left does not grow.
TEST_F(FaultsTest, NothingGrows) {
  undisturbed();
  std::string root = fresh();
  size_t most = 0, few = 0;
  for (int round = 0; round < 3; ++round)
    for (long at = operations; at >= 1; --at) {
      ASSERT_NE(run(root, at, kHalf), -1);
      (round == 0 ? few : most) = std::max(round == 0 ? few : most, tree(root).size());
    }
  EXPECT_EQ(most, few);
  EXPECT_LE(most, wanted.size() + 8);
  goesOn(root, told->committed ? told->committed : kSteps);
}

TEST_F(FaultsTest, AWriteThatTakesHalfIsGoneOnWith) {
  undisturbed();
  for (long at = 1; at <= operations; ++at) {
    SCOPED_TRACE(testing::Message() << "operation " << at);
    std::string root = fresh();
    ASSERT_EQ(run(root, at, kShort), 0) << told->message;
    ASSERT_EQ(tree(root), wanted);
    std::filesystem::remove_all(root);
  }
}

// Either the run does not need it, or it ends with an error that names folder and cause; what was
// committed is there in each case.
TEST_F(FaultsTest, AnErrorAtEveryOperation) {
  undisturbed();
  for (FaultAction action : {kIoError, kNoSpace}) {
    long failures = 0;
    for (long at = 1; at <= operations; ++at) {
      SCOPED_TRACE(testing::Message()
                   << (action == kIoError ? "EIO" : "ENOSPC") << " at operation " << at);
      std::string root = fresh();
      int status = run(root, at, action);
      ASSERT_TRUE(WIFEXITED(status));
      const uint64_t committed = told->committed;
      if (told->failed) {
        ++failures;
        EXPECT_THAT(
            told->message,
            AllOf(HasSubstr(root), HasSubstr(action == kIoError ? "Input/output error"
                                                                : "No space left on device")));
      }
      if (told->failed && action == kNoSpace) {
        for (const auto &[name, content] : tree(root))
          EXPECT_THAT(name, testing::Not(HasSubstr(partialSuffix)))
              << "the disk stays full by what nobody needs";
      }
      goesOn(root, committed);
      if (HasFailure())
        return;
      std::filesystem::remove_all(root);
    }
    EXPECT_GT(failures, action == kIoError ? 80 : 60);
  }
}

// What a power failure needs: a file is synced behind its last write and before the rename that
// commits it, its folder behind the last name that comes into it, and the folder of a rename behind
// that.
TEST_F(FaultsTest, EveryRenameFindsItsFilesSynced) {
  std::string root = fresh();
  faultsArm(root.c_str(), 0, kNoFault, /*fast=*/1);
  absl::Status status = train(root, kSteps);
  faultsDisarm();
  ASSERT_TRUE(status.ok()) << status;
  std::set<std::string> unsynced, checked; // files written, folders with new names
  bool made = false; // the folder of checkpoints: later it is there already
  std::string line, commit;
  std::istringstream trace(faultsTrace());
  auto parent = [](const std::string &path) { return path.substr(0, path.rfind('/')); };
  while (std::getline(trace, line)) {
    const std::string kind = line.substr(0, line.find('\t')),
                      path = line.substr(line.find('\t') + 1);
    if (kind == "write" || kind == "truncate")
      unsynced.insert(path);
    else if (kind == "fsync")
      unsynced.erase(path);
    if (kind == "open" || (kind == "mkdir" && path == root + "/ckpt" && !std::exchange(made, true)))
      unsynced.insert(parent(path));
    if (!commit.empty()) {
      EXPECT_TRUE(kind == "fsync" && path == parent(commit))
          << commit << " has its name, which is not synced at once";
      commit.clear();
    }
    const bool isLetGo =
        parent(path) == root + "/dump" && path.find("/.graphrun-dump-") != std::string::npos;
    if (kind != "rename" || isLetGo) // what is to be removed by its new name
      continue;
    if (path.ends_with(partialSuffix))
      commit = path;
    checked.insert(path);
    for (const std::string &file : unsynced) {
      bool within = file == path || file.rfind(path + "/", 0) == 0;
      EXPECT_FALSE(within) << path << " is renamed, and " << file << " is not synced";
    }
    unsynced.insert(parent(path));
  }
  // Removals alone need no sync: what comes back is cleared again.
  EXPECT_EQ(checked.size(), 2 * kSteps + 2 + 2 * 2)
      << "each manifest, each commit, two that were pruned, two files of the dump, whole and with their names";
  for (const std::string &file : unsynced)
    EXPECT_THAT(file, testing::AnyOf(testing::StrEq(root + "/ckpt"), testing::StrEq(root + "/dump"),
                                     testing::StartsWith(root + "/dump/.graphrun-dump-")));
}

class DamageTest : public FaultsTest {
protected:
  void SetUp() override {
    root = fresh();
    ASSERT_EQ(run(root), 0) << told->message;
  }
  /// The checkpoint before the damaged one is found, and what was damaged is said.
  void found(const std::string &file) {
    std::vector<std::string> warnings;
    auto newest = findNewest(root + "/ckpt", warnings);
    ASSERT_TRUE(newest.ok() && *newest) << newest.status();
    ASSERT_EQ((*newest)->manifest.globalStep, kSteps - 1);
    ASSERT_THAT(warnings, ElementsAre(AllOf(HasSubstr("step-4 is skipped: "), HasSubstr(file))));
  }
  std::string root;
};

TEST_F(DamageTest, EveryByteFlipped) {
  for (const char *file : {"ps-0.safetensors", "ps-1.safetensors", "manifest.json"}) {
    const std::string path = root + "/ckpt/step-4/" + file, good = readAll(path);
    ASSERT_GT(good.size(), 50u);
    for (size_t i = 0; i < good.size(); ++i)
      for (int bit : {0x01, 0x20, 0xff}) {
        SCOPED_TRACE(testing::Message() << file << " byte " << i << " ^ " << bit);
        std::string bad = good;
        bad[i] = char(bad[i] ^ bit);
        writeAll(path, bad);
        found(file);
        if (HasFailure())
          return;
      }
    writeAll(path, good);
  }
}

TEST_F(DamageTest, EveryLength) {
  for (const char *file : {"ps-0.safetensors", "ps-1.safetensors", "manifest.json"}) {
    const std::string path = root + "/ckpt/step-4/" + file, good = readAll(path);
    for (size_t length = 0; length <= good.size() + 1; ++length) {
      if (length == good.size())
        continue;
      SCOPED_TRACE(testing::Message() << file << " cut to " << length);
      writeAll(path, (good + "\n").substr(0, length));
      found(file);
      if (HasFailure())
        return;
    }
    writeAll(path, good);
  }
}

} // namespace
