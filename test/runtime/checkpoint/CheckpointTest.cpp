#include "runtime/checkpoint/CheckpointLayout.h"
#include "runtime/checkpoint/WarmStart.h"
#include "runtime/common/plan/PlanTypes.h"
#include "test/runtime/checkpoint/Tensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

using namespace graphc;
using namespace graphc::checkpoint;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

/// Two owners: ps:0 has w (f32[4]), ps:1 has global_step.
class CheckpointTest : public testing::Test {
protected:
  CheckpointTest() : dir(folder / "ckpt") {
    for (auto [name, type] : {std::pair("w", tensorType(plan::F32, {4})),
                              std::pair("global_step", tensorType(plan::I64))}) {
      plan::Variable *variable = plan.add_variables();
      variable->set_name(name);
      *variable->mutable_type() = type;
    }
  }
  std::map<std::string, std::string> algorithms;
  CheckpointManifest write(const CheckpointDirectory &directory, uint64_t step, float value) {
    std::vector<float> w(4, value);
    int64_t count = int64_t(step);
    CheckpointManifest manifest;
    manifest.globalStep = step;
    manifest.dataPositions["train"] = step * 256;
    manifest.algorithms = algorithms;
    auto a = writeShard(dir, directory.nonce(), step, shardFile("ps", 0),
                        {{"w", plan.variables(0).type(), w.data(), 16}});
    auto b = writeShard(dir, directory.nonce(), step, shardFile("ps", 1),
                        {{"global_step", plan.variables(1).type(), &count, 8}});
    EXPECT_TRUE(a.ok() && b.ok()) << a.status() << b.status();
    manifest.shards = {*a, *b};
    return manifest;
  }
  void save(CheckpointDirectory &directory, uint64_t step, float value) {
    ASSERT_TRUE(directory.prepare(step).ok());
    absl::Status status = directory.commit(write(directory, step, value));
    ASSERT_TRUE(status.ok()) << status;
  }
  CheckpointDirectory open(uint32_t keep = 5) {
    auto directory = CheckpointDirectory::open(dir, keep);
    EXPECT_TRUE(directory.ok()) << directory.status();
    return std::move(*directory);
  }
  std::optional<CommittedCheckpoint> newest() {
    warnings.clear();
    auto found = findNewest(dir, warnings);
    EXPECT_TRUE(found.ok()) << found.status();
    return *found;
  }
  float restored(const CommittedCheckpoint &found) {
    std::vector<float> w(4);
    int64_t count = -1;
    absl::Status status =
        restoreVariables(found, {{"w", plan.variables(0).type(), w.data(), 16},
                                 {"global_step", plan.variables(1).type(), &count, 8}});
    EXPECT_TRUE(status.ok()) << status;
    EXPECT_EQ(uint64_t(count), found.manifest.globalStep);
    EXPECT_EQ(w, std::vector<float>(4, w[0]));
    return w[0];
  }
  std::vector<std::string> names() {
    std::vector<std::string> out;
    for (auto &entry : std::filesystem::directory_iterator(dir))
      out.push_back(entry.path().filename());
    std::sort(out.begin(), out.end());
    return out;
  }
  TemporaryFolder folder;
  std::string dir;
  plan::Plan plan;
  std::vector<std::string> warnings;
};

TEST_F(CheckpointTest, SavesAndRestores) {
  EXPECT_FALSE(newest().has_value()) << "no folder is no checkpoint, not an error";
  CheckpointDirectory directory = open();
  EXPECT_FALSE(newest().has_value());
  save(directory, 10, 1.5);
  auto found = newest();
  ASSERT_TRUE(found.has_value());
  EXPECT_THAT(warnings, IsEmpty());
  EXPECT_EQ(found->manifest.dataPositions.at("train"), 2560u);
  EXPECT_TRUE(checkVariables(*found, plan, warnings).ok());
  EXPECT_EQ(restored(*found), 1.5f);
}

TEST_F(CheckpointTest, HowProductsAreMadeIsKept) {
  CheckpointDirectory directory = open();
  algorithms = {{"gpu_matmul_64x64x64", "cuBLASLt 130100 on a \"GPU\" 01ff"},
                {"gpu_matmul_64x64x65", "another"}};
  save(directory, 10, 1.5);
  auto found = newest();
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->manifest.algorithms, algorithms);
}

TEST_F(CheckpointTest, EqualContentGivesEqualBytes) {
  CheckpointDirectory directory = open();
  save(directory, 10, 1.5);
  std::string other = folder / "other";
  std::filesystem::copy(dir, other, std::filesystem::copy_options::recursive);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  save(directory, 10, 1.5);
  for (const char *file : {"ps-0.safetensors", "ps-1.safetensors", "manifest.json"})
    EXPECT_EQ(readAll(dir + "/step-10/" + file), readAll(other + "/step-10/" + file)) << file;
}

TEST_F(CheckpointTest, TheNewestIsByNumberNotByText) {
  CheckpointDirectory directory = open();
  save(directory, 9, 1);
  save(directory, 10, 2);
  EXPECT_EQ(restored(*newest()), 2.f);
}

TEST_F(CheckpointTest, DamagedOnesAreSkippedWithAWarning) {
  CheckpointDirectory directory = open();
  save(directory, 1, 1);
  save(directory, 2, 2);
  save(directory, 3, 3);
  std::string shard = readAll(dir + "/step-3/ps-0.safetensors"), bad = shard;
  bad.back() ^= 1;
  writeAll(dir + "/step-3/ps-0.safetensors", bad);
  EXPECT_EQ(restored(*newest()), 2.f);
  EXPECT_THAT(warnings,
              ElementsAre(testing::AllOf(HasSubstr("step-3 is skipped"), HasSubstr("crc32c"))));
  writeAll(dir + "/step-3/ps-0.safetensors", shard.substr(1));
  EXPECT_EQ(restored(*newest()), 2.f);
  EXPECT_THAT(warnings.at(0), HasSubstr("the manifest promises"));
  std::filesystem::remove(dir + "/step-3/ps-0.safetensors");
  EXPECT_EQ(restored(*newest()), 2.f);
  std::filesystem::remove(dir + "/step-2/manifest.json");
  EXPECT_EQ(restored(*newest()), 1.f);
  EXPECT_EQ(warnings.size(), 2u);
  std::filesystem::rename(dir + "/step-1", dir + "/step-7");
  EXPECT_FALSE(newest().has_value());
  EXPECT_THAT(warnings.at(0), HasSubstr("its manifest is that of step 1"));
}

TEST_F(CheckpointTest, AShardThatIsALinkIsNotFollowed) {
  CheckpointDirectory directory = open();
  save(directory, 1, 1);
  save(directory, 2, 2);
  std::string shard = dir + "/step-2/ps-0.safetensors", elsewhere = dir + "/../elsewhere";
  std::filesystem::rename(shard, elsewhere);
  std::filesystem::create_symlink(elsewhere, shard);
  EXPECT_EQ(restored(*newest()), 1.f);
  EXPECT_THAT(warnings, ElementsAre(testing::AllOf(HasSubstr("step-2 is skipped"),
                                                   HasSubstr("it is a symbolic link"))));
}

TEST_F(CheckpointTest, EveryFlippedByteOfAShardIsNoticed) {
  CheckpointDirectory directory = open();
  save(directory, 1, 1);
  std::string path = dir + "/step-1/ps-0.safetensors", good = readAll(path);
  for (size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] ^= 0x10;
    writeAll(path, bad);
    EXPECT_FALSE(openCheckpoint(dir + "/step-1").ok()) << i;
  }
}

TEST_F(CheckpointTest, AKilledSaveLeavesTheOldOneAndIsCleared) {
  {
    CheckpointDirectory directory = open();
    save(directory, 1, 1);
    ASSERT_TRUE(directory.prepare(2).ok());
    write(directory, 2, 2); // and here the run is killed
  }
  EXPECT_EQ(restored(*newest()), 1.f);
  EXPECT_THAT(warnings, IsEmpty());
  EXPECT_THAT(names(),
              ElementsAre("step-1", testing::MatchesRegex("step-2[.][0-9a-f]{8}[.]partial")));
  CheckpointDirectory directory = open();
  directory.forgetNonce();
  EXPECT_THAT(names(), ElementsAre("step-1"));
}

TEST_F(CheckpointTest, TheSameStepIsReplaced) {
  CheckpointDirectory directory = open();
  save(directory, 1, 1);
  save(directory, 1, 5);
  directory.forgetNonce();
  EXPECT_EQ(restored(*newest()), 5.f);
  EXPECT_THAT(names(), ElementsAre("step-1"));
}

TEST_F(CheckpointTest, KeepsTheLastOnes) {
  CheckpointDirectory directory = open(2);
  directory.forgetNonce();
  for (uint64_t step : {1, 2, 3, 10})
    save(directory, step, float(step));
  EXPECT_THAT(names(), ElementsAre("step-10", "step-3"));
}

TEST_F(CheckpointTest, KeepsTheOneThatIsSparedOrAllOfThem) {
  {
    CheckpointDirectory directory = open(2);
    directory.forgetNonce();
    for (uint64_t step : {1, 2, 3, 4, 5}) {
      save(directory, step, float(step));
      if (step <= 2) // the better one takes the other's place
        directory.spare(step);
    }
    EXPECT_THAT(names(), ElementsAre("step-2", "step-4", "step-5"));
  }
  CheckpointDirectory directory = open(0);
  directory.forgetNonce();
  for (uint64_t step : {6, 7, 8})
    save(directory, step, float(step));
  EXPECT_THAT(names(), ElementsAre("step-2", "step-4", "step-5", "step-6", "step-7", "step-8"));
}

TEST_F(CheckpointTest, AnotherTrainingBeginsWithWhatFits) {
  {
    CheckpointDirectory directory = open();
    save(directory, 3, 1.5f);
  }
  const CommittedCheckpoint found = *newest();
  plan::Plan other;
  auto add = [&](const std::string &name, const std::string &slotOf = "", bool isAverage = false) {
    plan::Variable &variable = *other.add_variables();
    variable = plan.variables(0);
    variable.set_name(name);
    variable.set_slot_of(slotOf);
    variable.set_is_average(isAverage);
    return &variable;
  };
  add("v");
  const WarmStartSource origin(found);
  auto nothing = origin.beginnings(other);
  EXPECT_EQ(nothing.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(
      std::string(nothing.status().message()),
      testing::HasSubstr(
          "no variable of the model by name and type; it has global_step, w, the model v (not there)"));
  add("w");
  add("w/Adam/m", "w");
  add("w/ExponentialMovingAverage", "w", true);
  add("v/ExponentialMovingAverage", "v", true);
  *other.add_variables() = plan.variables(1);
  other.mutable_variables(5)->set_global_step(true);
  auto made = origin.beginnings(other);
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_THAT(made->sources,
              testing::ElementsAre(testing::Pair("w", "w"),
                                   testing::Pair("w/ExponentialMovingAverage", "w")));
  EXPECT_THAT(made->others,
              testing::ElementsAre("v (not there)", "v/ExponentialMovingAverage (not there)"));
  other.mutable_variables(1)->mutable_type()->set_dtype(plan::F64);
  made = origin.beginnings(other);
  ASSERT_TRUE(made.ok()) << made.status(); // the average's own type is the checkpoint's
  EXPECT_THAT(made->others,
              testing::Contains("w (tensor<4xf32> there, tensor<4xf64> in the plan)"));
  // Which of them have no value of their own, and do not get one either.
  for (int variable : {0, 1, 4})
    other.mutable_variables(variable)->mutable_initializer()->set_uninitialized(true);
  other.add_locations("");
  other.add_locations("m.mlir:3:1");
  other.mutable_variables(1)->set_location(1);
  EXPECT_THAT(
      std::string(origin.beginnings(other).status().message()),
      testing::HasSubstr(
          "step-3 lacks the values of 3 variables that have none of their own (#graph.uninitialized): v (not there), "
          "w of m.mlir:3:1 (tensor<4xf32> there, tensor<4xf64> in the plan), v/ExponentialMovingAverage (not there)"));
  EXPECT_THAT(
      std::string(checkInitialized(other).message()),
      testing::HasSubstr(
          "3 variables have no values to begin with (#graph.uninitialized): v, w of m.mlir:3:1, v/Exp"));
  EXPECT_TRUE(checkInitialized(plan).ok());
}

TEST_F(CheckpointTest, OneOfThemIsReadByItsOwnPathAndNotTrainedIn) {
  {
    CheckpointDirectory directory = open();
    save(directory, 3, 1.5f);
    save(directory, 7, 2.5f);
  }
  std::vector<std::string> skipped;
  for (const char *end : {"", "/"}) {
    auto found = findNewest(dir + "/step-3" + end, skipped);
    ASSERT_TRUE(found.ok() && *found) << found.status();
    EXPECT_EQ(restored(**found), 1.5f);
    absl::Status refused = CheckpointDirectory::open(dir + "/step-3" + end).status();
    EXPECT_EQ(refused.code(), absl::StatusCode::kInvalidArgument) << refused;
    EXPECT_THAT(std::string(refused.message()),
                testing::HasSubstr("from the newest in --checkpoint_dir " + dir + ","));
  }
  std::filesystem::remove(dir + "/step-3/" + shardFile("ps", 0));
  EXPECT_FALSE(findNewest(dir + "/step-3", skipped).ok()) << "no other one is taken for it";
}

TEST_F(CheckpointTest, ADamagedLaterOneDoesNotPushOutTheNewest) {
  CheckpointDirectory directory = open(1);
  directory.forgetNonce();
  save(directory, 10, 10);
  std::filesystem::remove(dir + "/step-10/manifest.json");
  save(directory, 7, 7);
  EXPECT_THAT(names(), ElementsAre("step-10", "step-7"));
  EXPECT_EQ(restored(*newest()), 7.f);
}

TEST_F(CheckpointTest, TwoRunsCannotWriteIntoOneFolder) {
  CheckpointDirectory directory = open();
  auto second = CheckpointDirectory::open(dir);
  ASSERT_FALSE(second.ok());
  EXPECT_THAT(std::string(second.status().message()), HasSubstr("is in use by another run"));
}

TEST_F(CheckpointTest, TheNonceProvesTheFolder) {
  CheckpointDirectory directory = open();
  EXPECT_TRUE(checkNonce(dir, directory.nonce()).ok());
  std::filesystem::create_directory(folder / "elsewhere");
  EXPECT_THAT(std::string(checkNonce(folder / "elsewhere", directory.nonce()).message()),
              HasSubstr("is not the chief's folder"));
  EXPECT_FALSE(checkNonce(dir, "../../etc/passwd").ok());
  directory.forgetNonce();
  EXPECT_FALSE(checkNonce(dir, directory.nonce()).ok());
}

TEST_F(CheckpointTest, VariablesMustFitThePlan) {
  CheckpointDirectory directory = open();
  save(directory, 1, 1);
  CommittedCheckpoint found = *newest();
  plan::Plan other = plan;
  *other.mutable_variables(0)->mutable_type() = tensorType(plan::F32, {5});
  EXPECT_THAT(std::string(checkVariables(found, other, warnings).message()),
              HasSubstr("variable w is tensor<4xf32>, the plan has tensor<5xf32>"));
  other.mutable_variables(0)->set_name("v");
  EXPECT_THAT(std::string(checkVariables(found, other, warnings).message()),
              HasSubstr("has no variable v"));
  other = plan;
  other.mutable_variables()->RemoveLast();
  EXPECT_TRUE(checkVariables(found, other, warnings).ok());
  EXPECT_THAT(warnings, ElementsAre(HasSubstr("variable global_step is not in the plan")));
  EXPECT_FALSE(restoreVariables(found, {{"v", tensorType(plan::F32, {4}), nullptr, 16}}).ok());
  std::vector<float> room(5);
  EXPECT_FALSE(restoreVariables(found, {{"w", tensorType(plan::F32, {5}), room.data(), 20}}).ok());
}

/// Rows of `whole`, as the plan has them for a variable that is split at these rows.
std::vector<plan::Variable> partsOf(const plan::Variable &whole, const std::vector<int64_t> &at) {
  std::vector<plan::Variable> parts;
  for (size_t i = 0; i + 1 < at.size(); ++i) {
    plan::Variable part = whole;
    part.set_name(whole.name() + "/part_" + std::to_string(i));
    part.mutable_type()->set_shape(0, at[i + 1] - at[i]);
    part.mutable_part_of()->set_of(whole.name());
    *part.mutable_part_of()->mutable_type() = whole.type();
    part.mutable_part_of()->set_row(uint64_t(at[i]));
    parts.push_back(part);
  }
  return parts;
}

TEST_F(CheckpointTest, AnyPartsRestoreIntoAnyOthers) {
  plan::Variable whole;
  whole.set_name("w");
  *whole.mutable_type() = tensorType(plan::F32, {7, 3});
  std::vector<float> values(21), got(21);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = float(i) + 0.5f;
  const std::vector<std::vector<int64_t>> ways = {
      {0, 7}, {0, 4, 7}, {0, 3, 5, 7}, {0, 1, 2, 3, 4, 5, 6, 7}};
  uint64_t step = 0;
  for (const auto &way : ways) {
    CheckpointDirectory directory = open();
    CheckpointManifest manifest;
    manifest.globalStep = ++step;
    ASSERT_TRUE(directory.prepare(step).ok());
    std::vector<plan::Variable> parts = way.size() > 2 ? partsOf(whole, way) : std::vector{whole};
    for (size_t i = 0; i < parts.size(); ++i) {
      float *data = values.data() + plan::modelOffset(parts[i]) / 4;
      TensorView view{parts[i].name(), parts[i].type(), data, *plan::tensorBytes(parts[i].type())};
      if (parts[i].has_part_of())
        view.part = parts[i].part_of();
      auto shard = writeShard(dir, directory.nonce(), step, shardFile("ps", uint32_t(i)), {view});
      ASSERT_TRUE(shard.ok()) << shard.status();
      manifest.shards.push_back(*decodeShard(encodeShard(*shard)));
    }
    ASSERT_TRUE(directory.commit(manifest).ok());
    CommittedCheckpoint found = *newest();
    for (const auto &other : ways) {
      std::vector<plan::Variable> here =
          other.size() > 2 ? partsOf(whole, other) : std::vector{whole};
      plan::Plan plan;
      std::vector<RestoreTarget> targets;
      got.assign(21, -1);
      for (const plan::Variable &part : here) {
        *plan.add_variables() = part;
        uint64_t offset = plan::modelOffset(part);
        targets.push_back({plan::modelName(part), plan::modelType(part), got.data() + offset / 4,
                           *plan::tensorBytes(part.type()), offset});
      }
      EXPECT_EQ(checkVariables(found, plan, warnings), absl::OkStatus());
      EXPECT_EQ(restoreVariables(found, targets), absl::OkStatus());
      EXPECT_EQ(got, values) << way.size() << " to " << other.size();
    }
    EXPECT_THAT(warnings, IsEmpty());
    plan::Plan other;
    *other.add_variables() = partsOf(whole, {0, 4, 7})[1];
    other.mutable_variables(0)->mutable_part_of()->mutable_type()->set_shape(0, 8);
    EXPECT_THAT(std::string(checkVariables(found, other, warnings).message()),
                HasSubstr("variable w is tensor<7x3xf32>, the plan has tensor<8x3xf32>"));
  }
}

TEST_F(CheckpointTest, AShardWithoutItsPartIsNamed) {
  CheckpointDirectory directory = open();
  save(directory, 1, 1);
  CommittedCheckpoint found = *newest();
  found.manifest.shards[0].variables[0].name = "elsewhere"; // a manifest of another writer
  found.manifest.shards[0].variables[0].part.emplace();
  found.manifest.shards[0].variables[0].part->set_of("w");
  *found.manifest.shards[0].variables[0].part->mutable_type() = plan.variables(0).type();
  std::vector<float> w(4);
  EXPECT_THAT(
      std::string(
          restoreVariables(found, {{"w", plan.variables(0).type(), w.data(), 16}}).message()),
      HasSubstr("lacks the variable elsewhere that the manifest promises"));
}

TEST_F(CheckpointTest, ReadersSeeWholeCheckpointsWhileTrainingGoesOn) {
  CheckpointDirectory directory = open(2);
  save(directory, 1, 1);
  std::atomic<bool> stop = false;
  std::atomic<int> reads = 0;
  std::thread reader([&] {
    while (!stop) {
      std::vector<std::string> skipped;
      auto found = findNewest(dir, skipped);
      // One that was pruned between listing and opening is skipped; a torn one never appears.
      ASSERT_TRUE(found.ok()) << found.status();
      for (const std::string &warning : skipped)
        ASSERT_THAT(warning, HasSubstr("No such file"));
      if (found->has_value()) {
        std::vector<float> w(4);
        absl::Status status =
            restoreVariables(**found, {{"w", plan.variables(0).type(), w.data(), 16}});
        if (status.ok())
          ASSERT_EQ(w[0], float((*found)->manifest.globalStep));
        ++reads;
      }
    }
  });
  for (uint64_t step = 2; step < 60; ++step)
    save(directory, step, float(step));
  stop = true;
  reader.join();
  EXPECT_GT(reads, 0);
}

} // namespace
