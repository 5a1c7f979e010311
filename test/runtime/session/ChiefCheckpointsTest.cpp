// The chief's part of checkpoints, with one owner that obeys: which is found, when the next is due,
// what is left of one that fails.
#include "runtime/session/master/ChiefCheckpoints.h"

#include "runtime/api/TaskThreads.h"
#include "runtime/common/plan/PlanTypes.h"
#include "runtime/service/RunSecret.h"

#include "absl/time/clock.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <thread>

namespace graphc::session {
namespace {
using testing::HasSubstr;

struct ChiefCheckpointsTest : testing::Test {
  struct Owner final : service::TaskLink {
    explicit Owner(ChiefCheckpointsTest &test) : test(test) {}
    void send(const service::ToTask &message) override {
      if (message.has_order())
        test.obey(message.order());
    }
    ChiefCheckpointsTest &test;
  };

  ChiefCheckpointsTest() {
    loaded.fingerprint = std::string(64, 'a');
    loaded.plan.add_jobs()->set_name("local");
    loaded.plan.mutable_jobs(0)->set_tasks(1);
    plan::Variable &w = *loaded.plan.add_variables();
    w.set_name("w");
    w.mutable_type()->set_dtype(plan::F32);
    w.mutable_type()->add_shape(4);
    service::TaskCoordinator::Options coordinated;
    coordinated.fingerprint = loaded.fingerprint;
    coordinated.taskNames = {plan::taskText(loaded.plan, loaded.plan.chief())};
    coordinator = std::make_unique<service::TaskCoordinator>(std::move(coordinated));
    EXPECT_TRUE(coordinator
                    ->join(introduce(loaded, 0, "", /*incarnation=*/7, /*version=*/""),
                           std::make_shared<Owner>(*this))
                    .ok());
    EXPECT_TRUE(coordinator->waitForAll().ok());
  }
  ~ChiefCheckpointsTest() override { std::filesystem::remove_all(folder); }

  void obey(const service::Order &order) {
    service::Done done;
    done.set_id(order.id());
    if (order.has_check())
      EXPECT_TRUE(
          checkpoint::checkNonce(order.check().directory(), nonce = order.check().nonce()).ok());
    if (order.has_save()) {
      ++saves;
      const float value[4] = {1, 2, 3, 4};
      auto shard = checkpoint::writeShard(
          order.save().directory(), nonce, order.save().step(), "local-0.safetensors",
          {{"w", loaded.plan.variables(0).type(), value, sizeof(value)}});
      EXPECT_TRUE(shard.ok()) << shard.status();
      if (shard.ok())
        done.set_shard(broken ? "no shard" : checkpoint::encodeShard(*shard));
    }
    coordinator->done({0, 7}, std::move(done));
  }
  ChiefCheckpoints checkpoints(bool writes = true, std::optional<double> everySeconds = {}) {
    ChiefCheckpoints::Options options{folder, writes, everySeconds,
                                      [this](const std::string &line) { logged.push_back(line); }};
    options.wait = wait;
    return {loaded.plan, *coordinator, files, std::move(options)};
  }
  absl::Duration wait = absl::Seconds(60); ///< for the folder
  std::string nonce; ///< of the last check
  bool exists(const std::string &name) const {
    return std::filesystem::exists(folder + "/" + name);
  }

  const std::string folder = testing::TempDir() + "/chief-" + service::randomHex(6);
  plan::LoadedPlan loaded;
  std::unique_ptr<service::TaskCoordinator> coordinator;
  FileWatchdog files{kFileDeadline};
  std::vector<std::string> logged;
  int saves = 0;
  bool broken = false;
};

TEST_F(ChiefCheckpointsTest, WhoLetsGoOfTheFolderIsWaitedFor) {
  checkpoint::CheckpointDirectory held = *checkpoint::CheckpointDirectory::open(folder);
  std::thread letsGo([&] {
    absl::SleepFor(absl::Milliseconds(200));
    const checkpoint::CheckpointDirectory gone = std::move(held);
  });
  EXPECT_TRUE(checkpoints().open().ok());
  letsGo.join();
}

TEST_F(ChiefCheckpointsTest, WhatOneRunSavesTheNextFinds) {
  {
    ChiefCheckpoints first = checkpoints();
    auto found = first.open();
    ASSERT_TRUE(found.ok()) << found.status();
    EXPECT_FALSE(*found);
    ASSERT_TRUE(first.save(12, {{"train_step", 48}}).ok());
    ASSERT_TRUE(first.save(12, {{"train_step", 48}}).ok());
    EXPECT_EQ(saves, 1) << "it has that one already";
    wait = absl::ZeroDuration();
    EXPECT_THAT(std::string(checkpoints().open().status().message()),
                HasSubstr("is in use by another run"));
    EXPECT_TRUE(checkpoints(/*writes=*/false).open().ok()) << "who reads holds nothing";
  }
  ChiefCheckpoints second = checkpoints();
  auto found = second.open();
  ASSERT_TRUE(found.ok() && *found) << found.status();
  EXPECT_EQ((*found)->manifest.globalStep, 12u);
  EXPECT_EQ((*found)->manifest.dataPositions.at("train_step"), 48u);
  ASSERT_TRUE(second.save(12, {{"train_step", 48}}).ok());
  EXPECT_EQ(saves, 1) << "what it began with is saved";
}

TEST_F(ChiefCheckpointsTest, OfOneThatFailsNothingIsLeft) {
  ChiefCheckpoints own = checkpoints();
  ASSERT_TRUE(own.open().ok());
  broken = true;
  EXPECT_FALSE(own.save(3, {}).ok());
  EXPECT_FALSE(exists("step-3"));
  for (const auto &entry : std::filesystem::directory_iterator(folder))
    EXPECT_FALSE(entry.path().native().ends_with(".partial")) << entry.path();
  broken = false;
  ASSERT_TRUE(own.save(3, {}).ok()) << "it was not counted as saved";
  EXPECT_TRUE(exists("step-3/manifest.json"));
}

TEST_F(ChiefCheckpointsTest, ARunDoesNotBeginAnewOverWhatIsDamaged) {
  std::filesystem::create_directories(folder + "/step-7");
  auto found = checkpoints().open();
  EXPECT_TRUE(absl::IsDataLoss(found.status())) << found.status();
  EXPECT_THAT(std::string(found.status().message()), HasSubstr("has no checkpoint that is whole"));
  EXPECT_THAT(logged, testing::Contains(HasSubstr("step-7")));
}

TEST_F(ChiefCheckpointsTest, TheNextIsDueByTheClockSinceTheLast) {
  ChiefCheckpoints own = checkpoints(true, 10);
  const absl::Time now = absl::Now();
  EXPECT_FALSE(own.due(now + absl::Hours(1))) << "nothing is trained yet";
  own.startClock(now);
  EXPECT_FALSE(own.due(now + absl::Seconds(9)));
  EXPECT_TRUE(own.due(now + absl::Seconds(10)));
  ASSERT_TRUE(own.open().ok());
  own.startClock(now - absl::Seconds(60));
  EXPECT_TRUE(own.due(now));
  ASSERT_TRUE(own.save(1, {}).ok());
  EXPECT_FALSE(own.due(absl::Now()));
  ChiefCheckpoints bySteps = checkpoints(true);
  bySteps.startClock(now);
  EXPECT_FALSE(bySteps.due(now + absl::Hours(1)));
}

} // namespace
} // namespace graphc::session
