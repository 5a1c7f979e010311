// The master's table: who may join, barriers, and whose fault it was.
#include "runtime/service/TaskCoordinator.h"

#include "runtime/common/base/MonotonicClock.h"
#include "test/runtime/service/FakeCluster.h"

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <future>
#include <thread>

namespace graphc::service {
namespace {
using testing::AllOf;
using testing::HasSubstr;

TEST_F(Cluster, AnotherPlanIsRefusedWithBothFingerprints) {
  Hello hello = helloOf(1, "/job:worker/task:0");
  hello.set_fingerprint("beef");
  absl::Status status = coordinator->join(hello, tasks[1]);
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("beef"), HasSubstr("feed"), HasSubstr("same plan file")));
}

TEST_F(Cluster, AnEarlierSessionsIsRefusedByName) {
  options.session = 3;
  coordinator = std::make_unique<TaskCoordinator>(options);
  Hello hello = helloOf(1, "/job:worker/task:0");
  hello.set_session(2);
  EXPECT_THAT(std::string(coordinator->join(hello, tasks[1]).message()),
              AllOf(HasSubstr("/job:worker/task:0 (process 4001 on here)"), HasSubstr("session 2"),
                    HasSubstr("session 3"), HasSubstr("given up")));
  hello.set_session(3);
  EXPECT_TRUE(coordinator->join(hello, tasks[1]).ok());
}

/// One that was silent for too long before all were there, and wakes up: whatever it says, the
/// process that has its place is the task.
TEST_F(Cluster, AProcessThatWasGivenUpCountsForNothing) {
  ASSERT_TRUE(join(1).ok());
  const TaskIncarnation stale{1, 101};
  const absl::Time now = absl::Now();
  // in steps in which nobody takes this process for one that was stopped
  for (int i = 0; i < 5; ++i)
    coordinator->heartbeat(now + i * absl::Milliseconds(400), 0);
  EXPECT_FALSE(coordinator->progress(stale, {}));
  EXPECT_THAT(std::string(coordinator->displaced(stale).message()),
              AllOf(HasSubstr("given up as /job:worker/task:0"), HasSubstr("start it again")));
  Hello hello = helloOf(1, "/job:worker/task:0");
  hello.set_incarnation(7);
  hello.set_pid(77);
  ASSERT_TRUE(coordinator->join(hello, tasks[1]).ok());
  Error error;
  error.set_message("the chief does not answer");
  EXPECT_FALSE(coordinator->failed(stale, error));
  EXPECT_FALSE(coordinator->done(stale, {}));
  EXPECT_FALSE(coordinator->fetched(stale, {}));
  EXPECT_FALSE(coordinator->traced(stale, {}));
  EXPECT_FALSE(coordinator->clockRead(stale, {}));
  EXPECT_FALSE(coordinator->progress({9, 101}, {})) << "no task of the plan";
  coordinator->disconnected(1, 101, "is gone");
  EXPECT_THAT(std::string(coordinator->displaced(stale).message()),
              HasSubstr("another process is /job:worker/task:0 by now (process 77 on here)"));
  EXPECT_TRUE(coordinator->progress({1, 7}, {}));
  ASSERT_TRUE(join(0).ok() && join(2).ok());
  EXPECT_TRUE(coordinator->waitForAll().ok());
  EXPECT_FALSE(coordinator->rootCause());
}

TEST_F(Cluster, AnotherVersionIsRefusedWithBoth) {
  options.version = "2.0";
  coordinator = std::make_unique<TaskCoordinator>(options);
  Hello hello = helloOf(1, "/job:worker/task:0");
  hello.set_version("1.0");
  EXPECT_THAT(std::string(coordinator->join(hello, tasks[1]).message()),
              AllOf(HasSubstr("1.0"), HasSubstr("2.0")));
}

TEST_F(Cluster, SecondWorkerOneIsRefusedNamingTheFirst) {
  ASSERT_TRUE(join(2).ok());
  Hello second = helloOf(2, "/job:worker/task:1");
  second.set_pid(9);
  absl::Status status = coordinator->join(second, std::make_shared<FakeTask>());
  EXPECT_TRUE(absl::IsAlreadyExists(status));
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("/job:worker/task:1"), HasSubstr("4002"), HasSubstr("here")));
}

TEST_F(Cluster, UnknownTaskIsRefusedWithTheKnownOnes) {
  EXPECT_THAT(std::string(coordinator->join(helloOf(3, "/job:worker/task:2"), tasks[0]).message()),
              HasSubstr("/job:worker/task:1"));
}

TEST_F(Cluster, WaitNamesWhoIsMissing) {
  ASSERT_TRUE(join(1).ok());
  absl::Status status = coordinator->waitForAll();
  EXPECT_TRUE(absl::IsDeadlineExceeded(status));
  EXPECT_THAT(std::string(status.message()), AllOf(HasSubstr("/job:ps/task:0, /job:worker/task:1"),
                                                   testing::Not(HasSubstr("worker/task:0"))));
}

TEST_F(Cluster, WaitSaysHowLongItWasAndWillBe) {
  options.joinDeadline = absl::Seconds(20);
  options.announce = [&](const std::string &line) {
    announced.push_back(line);
    EXPECT_TRUE(join(0).ok()); // ends the wait
  };
  coordinator = std::make_unique<TaskCoordinator>(options);
  ASSERT_TRUE(join(1).ok() && join(2).ok());
  EXPECT_TRUE(coordinator->waitForAll().ok());
  EXPECT_THAT(
      announced,
      testing::ElementsAre(testing::MatchesRegex(
          "waiting for /job:ps/task:0 for [0-9]+s; at most [0-9]+s more \\(--join_deadline\\)")));
}

TEST_F(Cluster, WordsOfATaskAreCleanedAndBounded) {
  joinAll();
  Error error;
  error.set_code(77);
  error.set_message("\x1b[2J" + std::string(8 << 20, 'x'));
  coordinator->failed({1, 100 + 1}, error);
  std::string cause(coordinator->rootCause()->status.message());
  EXPECT_EQ(cause.rfind("\\x1b[2Jxxx", 0), 0u) << cause.substr(0, 40);
  EXPECT_LT(cause.size(), 5000u);
  EXPECT_EQ(coordinator->rootCause()->status.code(), absl::StatusCode::kUnknown);
}

TEST_F(Cluster, TaskThatLeavesBeforeTheStartMayComeAgain) {
  ASSERT_TRUE(join(2).ok());
  coordinator->disconnected(2, 102, "is gone");
  EXPECT_FALSE(coordinator->rootCause());
  EXPECT_TRUE(join(2).ok());
}

TEST_F(Cluster, ALossOfOneIsNotItsSuccessors) {
  Hello newcomer = helloOf(1, options.taskNames[1]);
  newcomer.set_incarnation(7);
  options.silence = [&](uint32_t, const TaskSnapshot &) { // between the look and the loss
    coordinator->disconnected(1, 101, "is gone");
    EXPECT_TRUE(coordinator->join(newcomer, tasks[1]).ok());
    return std::string();
  };
  coordinator = std::make_unique<TaskCoordinator>(options);
  ASSERT_TRUE(join(1).ok());
  const absl::Time now = absl::Now();
  coordinator->heartbeat(now, 0);
  coordinator->heartbeat(now + absl::Milliseconds(400), 0);
  coordinator->heartbeat(now + absl::Milliseconds(800), 0);
  coordinator->heartbeat(now + absl::Milliseconds(1200), 0);
  EXPECT_TRUE(coordinator->progress({1, 7}, Progress()));
}

TEST_F(Cluster, OrderWaitsForEveryAnswer) {
  joinAll();
  absl::StatusOr<std::vector<Done>> answers;
  std::thread master([&] {
    Order order;
    order.mutable_connect();
    answers = coordinator->giveOrder(order, absl::Now() + absl::Seconds(5));
  });
  while (tasks[2]->taken().empty())
    std::this_thread::yield();
  uint64_t id = tasks[2]->taken()[0].order().id();
  for (uint32_t task : {2u, 0u, 1u}) {
    Done done;
    done.set_id(id);
    done.set_steps(task);
    coordinator->done({task, 100 + task}, done);
  }
  master.join();
  ASSERT_TRUE(answers.ok()) << answers.status();
  for (uint32_t task : {0u, 1u, 2u})
    EXPECT_EQ((*answers)[task].steps(), task);
}

TEST_F(Cluster, AnAnswerThatNobodyAskedForEndsTheRunByItsTask) {
  joinAll();
  coordinator->done({1, 100 + 1}, {});
  ASSERT_TRUE(coordinator->rootCause());
  EXPECT_EQ(coordinator->rootCause()->task, "/job:worker/task:0");
  EXPECT_THAT(std::string(coordinator->rootCause()->status.message()),
              HasSubstr("it was not asked"));
}

TEST_F(Cluster, OrderDeadlineNamesWhoIsLate) {
  joinAll();
  Order order;
  order.mutable_connect();
  auto answers = coordinator->giveOrder(order, absl::Now() + absl::Milliseconds(20));
  EXPECT_TRUE(absl::IsDeadlineExceeded(answers.status()));
  EXPECT_THAT(std::string(answers.status().message()), HasSubstr("/job:worker/task:1"));
}

TEST_F(Cluster, FailureOfOneEndsAllWithItsWords) {
  joinAll();
  Error error;
  error.set_code(3);
  error.set_message("train.gz: corrupt");
  coordinator->failed({2, 100 + 2}, error);
  for (auto &task : tasks)
    EXPECT_TRUE(task->aborted());
  Order order;
  order.mutable_run();
  EXPECT_EQ(coordinator->giveOrder(order, absl::InfiniteFuture()).status().message(),
            "/job:worker/task:1: train.gz: corrupt");
  EXPECT_FALSE(coordinator->rootCause()->lost) << "it has failed by itself";
}

/// What a task says whose data stream with worker 1 ended.
Error brokenStream() {
  Error noticed;
  noticed.set_secondary(true);
  noticed.set_suspect("/job:worker/task:1");
  noticed.set_message("the data stream with /job:worker/task:1 ended");
  return noticed;
}

TEST_F(Cluster, DeathIsTheCauseAndNotWhatOthersNoticed) {
  joinAll();
  coordinator->failed({0, 100 + 0}, brokenStream());
  EXPECT_FALSE(coordinator->rootCause()) << "its own words may still come";
  coordinator->disconnected(2, 102, "is gone");
  ASSERT_TRUE(coordinator->rootCause());
  EXPECT_EQ(coordinator->rootCause()->task, "/job:worker/task:1");
  EXPECT_EQ(coordinator->rootCause()->pid, 4002);
  EXPECT_TRUE(coordinator->rootCause()->lost);
  EXPECT_THAT(std::string(coordinator->rootCause()->status.message()),
              HasSubstr("process 4002 on here is gone"));
}

/// Looks for so long, while these are heard.
void watchFor(TaskCoordinator &coordinator, absl::Duration time, std::vector<uint32_t> heard) {
  for (absl::Time end = absl::Now() + time; absl::Now() < end && !coordinator.rootCause();) {
    for (uint32_t task : heard)
      coordinator.progress({task, 100 + task}, {});
    coordinator.heartbeat(absl::Now(), 0);
    absl::SleepFor(absl::Milliseconds(20));
  }
}

TEST_F(Cluster, SuspicionAloneNamesTheSuspectInTheEnd) {
  options.lostAfter = absl::Seconds(60);
  coordinator = std::make_unique<TaskCoordinator>(options);
  joinAll();
  coordinator->failed({0, 100 + 0}, brokenStream());
  watchFor(*coordinator, absl::Milliseconds(500), {0, 1});
  EXPECT_FALSE(coordinator->rootCause());
  watchFor(*coordinator, absl::Seconds(30), {0, 1});
  ASSERT_TRUE(coordinator->rootCause());
  EXPECT_EQ(coordinator->rootCause()->task, "/job:worker/task:1");
  EXPECT_EQ(coordinator->rootCause()->pid, 4002);
  EXPECT_TRUE(coordinator->rootCause()->lost);
}

TEST_F(Cluster, ASuspectThatLivesIsInnocentAndTheConnectionIsNamed) {
  joinAll();
  coordinator->failed({0, 100 + 0}, brokenStream());
  watchFor(*coordinator, absl::Seconds(30), {1, 2});
  ASSERT_TRUE(coordinator->rootCause());
  EXPECT_EQ(coordinator->rootCause()->task,
            "the connection between /job:ps/task:0 and /job:worker/task:1");
  EXPECT_THAT(
      std::string(coordinator->rootCause()->status.message()),
      AllOf(HasSubstr("the data stream with /job:worker/task:1 ended"), HasSubstr("half open")));
}

TEST_F(Cluster, WhatIsKnownOfASilentTaskIsSaid) {
  options.silence = [](uint32_t task, const TaskSnapshot &heard) {
    return absl::StrCat("; ", heard.hello.name(), " had made ", heard.progress.steps(), " steps");
  };
  coordinator = std::make_unique<TaskCoordinator>(options);
  joinAll();
  Progress progress;
  progress.set_steps(12);
  coordinator->progress({2, 100 + 2}, progress);
  watchFor(*coordinator, absl::Seconds(30), {0, 1});
  ASSERT_TRUE(coordinator->rootCause());
  EXPECT_EQ(coordinator->rootCause()->status.message(),
            "process 4002 on here did not answer for 1s; /job:worker/task:1 had made 12 steps");
}

TEST_F(Cluster, HowLongEachWasSilent) {
  const absl::Time begin = absl::Now();
  ASSERT_TRUE(join(0).ok() && join(2).ok());
  coordinator->allowStragglers({false, false, true});
  const absl::Time later = absl::Now() + absl::Seconds(7);
  const std::vector<TaskSnapshot> heard = coordinator->heard(later);
  ASSERT_EQ(heard.size(), 3u);
  EXPECT_GE(heard[0].silent, absl::Seconds(7));
  EXPECT_LE(heard[0].silent, later - begin);
  EXPECT_FALSE(heard[0].straggler);
  EXPECT_EQ(heard[1].silent, absl::InfiniteDuration());
  EXPECT_EQ(heard[1].hello.name(), "");
  EXPECT_TRUE(heard[2].straggler);
}

TEST_F(Cluster, SilentTaskIsLost) {
  joinAll();
  coordinator->heartbeat(absl::Now(), 7);
  EXPECT_FALSE(coordinator->rootCause());
  EXPECT_EQ(tasks[0]->taken().back().heartbeat().global_step(), 7u);
  for (int i = 0; i < 200 && !coordinator->rootCause(); ++i) {
    absl::SleepFor(absl::Milliseconds(50));
    coordinator->progress({0, 100 + 0}, {});
    coordinator->progress({1, 100 + 1}, {});
    coordinator->heartbeat(absl::Now(), 8);
  }
  ASSERT_TRUE(coordinator->rootCause());
  EXPECT_EQ(coordinator->rootCause()->task, "/job:worker/task:1");
  EXPECT_THAT(std::string(coordinator->rootCause()->status.message()), HasSubstr("did not answer"));
}

TEST_F(Cluster, WhoseResultIsBeingTakenIsNotSilent) {
  std::promise<void> begun, printed;
  options.fetched = [&, read = printed.get_future().share()](const Fetched &) {
    begun.set_value();
    read.wait(); // nobody reads what the chief prints
    return absl::OkStatus();
  };
  coordinator = std::make_unique<TaskCoordinator>(options);
  joinAll();
  std::thread stream([&] { coordinator->fetched({2, 100 + 2}, {}); });
  begun.get_future().wait();
  auto heartbeatFor = [&](absl::Duration time) {
    for (absl::Time end = absl::Now() + time; absl::Now() < end && !coordinator->rootCause();) {
      absl::SleepFor(absl::Milliseconds(50));
      coordinator->progress({0, 100 + 0}, {});
      coordinator->progress({1, 100 + 1}, {});
      coordinator->heartbeat(absl::Now(), 8);
    }
  };
  heartbeatFor(absl::Seconds(2));
  EXPECT_FALSE(coordinator->rootCause());
  printed.set_value();
  stream.join();
  heartbeatFor(absl::Seconds(60));
  ASSERT_TRUE(coordinator->rootCause()) << "silent once there is nothing of it to take";
  EXPECT_EQ(coordinator->rootCause()->task, "/job:worker/task:1");
}

TEST_F(Cluster, NobodyIsLostWhileThisProcessWasStopped) {
  joinAll();
  coordinator->heartbeat(absl::Now(), 7);
  coordinator->heartbeat(absl::Now() + absl::Seconds(60), 7);
  EXPECT_FALSE(coordinator->rootCause());
}

TEST_F(Cluster, GoingAfterReleaseIsNoError) {
  joinAll();
  coordinator->release();
  coordinator->disconnected(2, 102, "is gone");
  EXPECT_FALSE(coordinator->rootCause());
}

TEST_F(Cluster, AStragglerIsReportedAndLostOnlyPastItsDeadline) {
  options.stragglerDeadline = absl::Seconds(4);
  coordinator = std::make_unique<TaskCoordinator>(options);
  joinAll();
  coordinator->allowStragglers({false, false, true});
  absl::Time now = absl::Now();
  auto heartbeatUntil = [&](auto done) {
    for (absl::Time end = absl::Now() + absl::Seconds(60); !done() && absl::Now() < end;) {
      // After a longer step the coordinator assumes that this process was stopped.
      now = std::min(absl::Now(), now + absl::Milliseconds(400));
      coordinator->progress({0, 100 + 0}, {});
      coordinator->progress({1, 100 + 1}, {});
      coordinator->heartbeat(now, 7);
      absl::SleepFor(absl::Milliseconds(25));
    }
  };
  heartbeatUntil([&] { return !announced.empty(); });
  EXPECT_FALSE(coordinator->rootCause());
  ASSERT_EQ(announced.size(), 1u);
  EXPECT_THAT(announced[0], AllOf(HasSubstr("/job:worker/task:1"),
                                  HasSubstr("does not answer for 1s"), HasSubstr("silent for 4s")));
  coordinator->progress({2, 100 + 2}, {});
  coordinator->heartbeat(absl::Now(), 7);
  ASSERT_EQ(announced.size(), 2u);
  EXPECT_THAT(announced[1], HasSubstr("answers again, after "));
  heartbeatUntil([&] { return coordinator->rootCause().has_value(); });
  ASSERT_TRUE(coordinator->rootCause());
  EXPECT_EQ(coordinator->rootCause()->task, "/job:worker/task:1");
  EXPECT_THAT(std::string(coordinator->rootCause()->status.message()),
              HasSubstr("did not answer for 4s"));
}

/// Answers as a clock that is so far ahead of this machine's would.
class FakeClock : public TaskLink {
public:
  FakeClock(ClockOffsets &offsets, uint32_t task, int64_t ahead)
      : offsets(offsets), task(task), ahead(ahead) {}
  void send(const ToTask &message) override {
    ClockReading reading;
    reading.set_nanoseconds(base::nowNanoseconds() + ahead);
    reading.set_id(message.clock() - 1); // of a question before
    offsets.answered(task, reading);
    reading.set_id(message.clock());
    offsets.answered(task + 1, reading); // by somebody else
    if (++asked == 1)
      absl::SleepFor(absl::Milliseconds(300)); // a slow one, by which little is known
    reading.set_nanoseconds(base::nowNanoseconds() + ahead);
    offsets.answered(task, reading);
    reading.set_nanoseconds(0); // twice
    offsets.answered(task, reading);
  }
  ClockOffsets &offsets;
  const uint32_t task;
  const int64_t ahead;
  int asked = 0;
};

TEST(ClockOffsets, TheQuickestAnswerCounts) {
  ClockOffsets offsets;
  std::vector<std::shared_ptr<TaskLink>> members = {
      std::make_shared<FakeClock>(offsets, 0, 0),
      std::make_shared<FakeClock>(offsets, 1, 5000000000), std::make_shared<FakeTask>()};
  const std::vector<std::optional<ClockOffset>> found = offsets.measure(members);
  ASSERT_TRUE(found[0] && found[1]);
  EXPECT_LE(std::abs(found[0]->nanoseconds), found[0]->error);
  EXPECT_LE(std::abs(found[1]->nanoseconds + 5000000000), found[1]->error);
  EXPECT_LT(found[1]->error, 100000000); // not of the slow one
  EXPECT_FALSE(found[2]); // says nothing
}

} // namespace
} // namespace graphc::service
