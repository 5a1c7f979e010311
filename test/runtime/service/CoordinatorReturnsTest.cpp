// Who is lost while a phase runs that goes on without it: what it owes, who takes that over, and
// whose fault a failure is.
#include "test/runtime/service/FakeCluster.h"

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include <gmock/gmock.h>

#include <atomic>
#include <thread>

namespace graphc::service {
namespace {
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Task 0 has variables; 1 and 2 may come back. The master's order is under way, and `meanwhile` is
/// what it does for who is away.
struct Returning : Cluster {
  ~Returning() override {
    if (master.joinable()) {
      coordinator->abort({"the test", "", 0, absl::CancelledError("it is over"), false});
      master.join();
    }
  }
  void begin(std::function<absl::Status()> meanwhile = [] {
    absl::SleepFor(absl::Milliseconds(1));
    return absl::OkStatus();
  }) {
    joinAll();
    coordinator->letRejoin({{"it has variables", "", ""},
                            [this](uint32_t task, int64_t process, const std::string &how) {
                              base::MutexLock lock(mutex);
                              lost.push_back(absl::StrCat(task, " ", process, " ", how));
                            }});
    master = std::thread([this, meanwhile] {
      Order order;
      order.mutable_run();
      answers = coordinator->giveOrder(order, absl::InfiniteFuture(), meanwhile);
      over.store(true);
    });
    for (auto &task : tasks)
      while (task->taken().empty())
        std::this_thread::yield();
  }
  std::vector<std::string> away() {
    base::MutexLock lock(mutex);
    return lost;
  }
  /// The next process of a task, `number` from 1.
  std::shared_ptr<FakeTask> comesBack(uint32_t task, uint64_t number = 1) {
    Hello hello = helloOf(task, options.taskNames[task]);
    hello.set_incarnation(100 + task + 100 * number);
    hello.set_pid(int64_t(4000 + task + 100 * number));
    tasks[task] = std::make_shared<FakeTask>();
    EXPECT_EQ(coordinator->join(hello, tasks[task]), absl::OkStatus());
    return tasks[task];
  }
  void done(uint32_t task, uint64_t incarnation, const Order &order, uint64_t steps = 0) {
    Done done;
    done.set_id(order.id());
    done.set_steps(steps);
    EXPECT_TRUE(coordinator->done({task, incarnation}, done));
  }
  Order ordered(uint32_t task) {
    const std::vector<ToTask> all = tasks[task]->taken();
    for (auto one = all.rbegin(); one != all.rend(); ++one)
      if (one->has_order())
        return one->order();
    return {};
  }
  absl::StatusOr<std::vector<Done>> ends() {
    master.join();
    return answers;
  }

  base::Mutex mutex;
  std::vector<std::string> lost ABSL_GUARDED_BY(mutex);
  std::atomic<bool> over{false};
  std::thread master;
  absl::StatusOr<std::vector<Done>> answers;
};

TEST_F(Returning, ItsNextProcessOwesTheAnswer) {
  begin();
  coordinator->disconnected(2, 102, "is gone");
  EXPECT_THAT(away(), ElementsAre("2 4002 process 4002 on here is gone"));
  EXPECT_THAT(coordinator->away(), ElementsAre(2u));
  EXPECT_THAT(
      announced,
      testing::Contains(
          "/job:worker/task:1: process 4002 on here is gone; the others go on, and wait for its next process"));
  EXPECT_FALSE(coordinator->rootCause());
  for (uint32_t other : {0u, 1u}) {
    const ToTask told = tasks[other]->taken().back();
    EXPECT_EQ(told.gone().task(), 2u);
    EXPECT_EQ(told.gone().incarnation(), 102u) << "that process, not the task";
  }
  EXPECT_TRUE(coordinator->heard(absl::Now())[2].away);
  EXPECT_FALSE(coordinator->done({2, 102}, {})) << "it is the task no more";
  for (uint32_t other : {0u, 1u})
    done(other, 100 + other, ordered(other), other);
  absl::SleepFor(absl::Milliseconds(20));
  EXPECT_FALSE(over) << "one answer is owed";

  EXPECT_FALSE(coordinator->hasJoined(2));
  comesBack(2);
  EXPECT_EQ(coordinator->awaitJoin(2, absl::Now() + absl::Seconds(5)), absl::OkStatus());
  EXPECT_TRUE(coordinator->heard(absl::Now())[2].away) << "it is there, and does not go on yet";
  Order run;
  run.mutable_run();
  ASSERT_TRUE(coordinator->back({2, 202}, run));
  EXPECT_THAT(coordinator->away(), IsEmpty());
  EXPECT_FALSE(coordinator->heard(absl::Now())[2].away);
  const absl::Time now = absl::Now();
  EXPECT_LT(coordinator->heard(now)[2].back, absl::Seconds(4));
  EXPECT_GE(coordinator->heard(now + absl::Seconds(5))[2].back, absl::Seconds(5));
  EXPECT_EQ(coordinator->heard(now)[1].back, absl::InfiniteDuration()) << "it never was away";
  EXPECT_TRUE(ordered(2).has_run());
  EXPECT_GT(ordered(2).id(), ordered(0).id()) << "an order of its own";
  done(2, 202, ordered(2), 7);
  auto ended = ends();
  ASSERT_EQ(ended.status(), absl::OkStatus());
  EXPECT_EQ((*ended)[1].steps(), 1u);
  EXPECT_EQ((*ended)[2].steps(), 7u);
}

TEST_F(Returning, ASecondDeathInTheMiddleOfAReturn) {
  begin();
  coordinator->disconnected(2, 102, "is gone");
  comesBack(2);
  absl::StatusOr<std::map<uint32_t, Done>> given;
  std::thread returns([&] {
    std::map<uint32_t, Order> orders;
    orders[0].mutable_relink();
    orders[2].mutable_prepare();
    given = coordinator->giveOrders(orders, absl::Now() + absl::Seconds(5));
  });
  while (!ordered(2).has_prepare() || !ordered(0).has_relink())
    std::this_thread::yield();
  done(0, 100, ordered(0), 3);
  coordinator->disconnected(2, 202, "is gone again");
  returns.join();
  ASSERT_EQ(given.status(), absl::OkStatus());
  EXPECT_EQ(given->size(), 1u) << "of who lives";
  EXPECT_EQ((*given)[0].steps(), 3u);
  EXPECT_THAT(away(), ElementsAre(HasSubstr("2 4002"),
                                  HasSubstr("2 4102 process 4102 on here is gone again")));
  Order run;
  run.mutable_run();
  EXPECT_FALSE(coordinator->back({2, 202}, run)) << "it is not there";
  EXPECT_THAT(coordinator->away(), ElementsAre(2u));
  comesBack(2, 2);
  EXPECT_FALSE(coordinator->back({2, 202}, run)) << "another process is";
  std::map<uint32_t, Order> orders;
  orders[2].mutable_prepare();
  auto none = coordinator->giveOrders(orders, absl::Now() + absl::Seconds(5),
                                      service::TaskIncarnation{2, 202});
  EXPECT_TRUE(none.ok() && none->empty()) << "nor is it asked for the other";
  EXPECT_TRUE(coordinator->back({2, 302}, run));
  done(2, 302, ordered(2));
  for (uint32_t other : {0u, 1u}) {
    Done done;
    done.set_id(tasks[other]->taken().front().order().id());
    EXPECT_TRUE(coordinator->done({other, 100 + other}, done))
        << "the order of all is another than its own";
  }
  EXPECT_EQ(ends().status(), absl::OkStatus());
}

/// Whoever starts processes sees the end of one before the chief may: the next one takes its place,
/// and what still comes of it counts for nothing.
TEST_F(Returning, ItsNextProcessComesBeforeTheEndOfThisOneIsHeard) {
  begin();
  coordinator->disconnected(2, 102, "is gone");
  comesBack(2);
  comesBack(2, 2);
  EXPECT_THAT(away(),
              ElementsAre(HasSubstr("2 4002"), HasSubstr("2 4102 process 4102 on here has ended")));
  EXPECT_FALSE(coordinator->progress({2, 202}, {}));
  coordinator->disconnected(2, 202, "is gone");
  EXPECT_TRUE(coordinator->progress({2, 302}, {})) << "this one is not";
  EXPECT_EQ(away().size(), 2u);
  Order run;
  run.mutable_run();
  ASSERT_TRUE(coordinator->back({2, 302}, run));
  EXPECT_TRUE(absl::IsAlreadyExists(join(2))) << "who is back is nobody's to displace";
  for (uint32_t task : {0u, 1u, 2u})
    done(task, task == 2 ? 302 : 100 + task, ordered(task));
  EXPECT_EQ(ends().status(), absl::OkStatus());
}

TEST_F(Returning, SeveralAtOnce) {
  begin();
  coordinator->disconnected(1, 101, "is gone");
  coordinator->disconnected(2, 102, "is gone too");
  EXPECT_THAT(coordinator->away(), ElementsAre(1u, 2u));
  comesBack(2);
  Order run;
  run.mutable_run();
  EXPECT_TRUE(coordinator->back({2, 202}, run));
  EXPECT_THAT(coordinator->away(), ElementsAre(1u));
  comesBack(1);
  EXPECT_TRUE(coordinator->back({1, 201}, run));
  done(0, 100, ordered(0));
  done(1, 201, ordered(1));
  done(2, 202, ordered(2));
  EXPECT_EQ(ends().status(), absl::OkStatus());
  EXPECT_EQ(away().size(), 2u);
}

TEST_F(Returning, AReturnThatFailsEndsTheSessionInTheLostTasksName) {
  begin([this] {
    coordinator->abort({options.taskNames[2], "here", 4002,
                        absl::UnavailableError("it could not come back"), true});
    return absl::UnavailableError("it could not come back");
  });
  coordinator->disconnected(2, 102, "is gone");
  EXPECT_THAT(std::string(ends().status().message()), HasSubstr("could not come back"));
  ASSERT_TRUE(coordinator->rootCause());
  EXPECT_EQ(coordinator->rootCause()->task, "/job:worker/task:1");
  EXPECT_TRUE(coordinator->rootCause()->lost) << "so that all go back to the checkpoint";
  EXPECT_TRUE(tasks[0]->aborted() && tasks[1]->aborted());
}

TEST_F(Returning, NobodyComesInTime) {
  begin();
  coordinator->disconnected(2, 102, "is gone");
  absl::Status late = coordinator->awaitJoin(2, absl::Now() + absl::Milliseconds(10));
  EXPECT_THAT(std::string(late.message()), HasSubstr("did not come in time (--join_deadline)"));
}

TEST_F(Returning, WhoMayNotIsTheCauseAndWhyIsSaid) {
  begin();
  coordinator->disconnected(0, 100, "is gone");
  ASSERT_TRUE(coordinator->rootCause());
  EXPECT_EQ(coordinator->rootCause()->task, "/job:ps/task:0");
  EXPECT_THAT(
      announced,
      testing::Contains(
          "/job:ps/task:0 was lost, and all go back to the last checkpoint, since it has variables"));
  EXPECT_THAT(away(), IsEmpty());
}

TEST_F(Returning, WhoHasEndedItsPartDoesNotComeBack) {
  begin();
  done(2, 102, ordered(2));
  coordinator->disconnected(2, 102, "is gone");
  ASSERT_TRUE(coordinator->rootCause());
  EXPECT_THAT(announced, testing::Contains(HasSubstr("since its part of the phase had ended")));
}

TEST_F(Returning, BehindThePhaseItIsALossAsEver) {
  begin();
  coordinator->letRejoin({});
  coordinator->disconnected(2, 102, "is gone");
  ASSERT_TRUE(coordinator->rootCause());
  EXPECT_THAT(away(), IsEmpty());
}

/// A stopped process is lost by its silence, and what it says when it wakes up counts for nothing.
TEST_F(Returning, WhoFallsSilentIsReplaced) {
  begin();
  const absl::Time now = absl::Now();
  for (int i = 0; i < 5; ++i) {
    for (uint32_t other : {0u, 1u})
      EXPECT_TRUE(coordinator->progress({other, 100 + other}, {}));
    coordinator->heartbeat(now + i * absl::Milliseconds(400), 0);
    if (!away().empty())
      break;
  }
  EXPECT_THAT(away(),
              testing::Contains(HasSubstr("2 4002 process 4002 on here did not answer for 1s")));
  EXPECT_FALSE(coordinator->progress({2, 102}, {}));
  coordinator->disconnected(2, 102, "is gone");
  EXPECT_FALSE(coordinator->rootCause());
}

Error broke(const std::string &suspect, uint64_t incarnation) {
  Error error;
  error.set_code(int(absl::StatusCode::kUnavailable));
  error.set_message("the data stream broke");
  error.set_secondary(true);
  error.set_suspect(suspect);
  error.set_spared(true);
  error.set_incarnation(incarnation);
  return error;
}

/// The server sees the broken stream first; then the death is known, and nobody is to blame for the
/// stream.
TEST_F(Returning, ABrokenStreamOfTheLostIsNoFailure) {
  options.lostAfter = absl::Seconds(100); // of the clock that the heartbeat is given
  coordinator = std::make_unique<TaskCoordinator>(options);
  begin();
  EXPECT_TRUE(coordinator->failed({0, 100}, broke("/job:worker/task:1", 102)));
  coordinator->disconnected(2, 102, "is gone");
  EXPECT_TRUE(coordinator->failed({1, 101}, broke("/job:worker/task:1", 102))) << "that is known";
  comesBack(2);
  EXPECT_TRUE(coordinator->failed({0, 100}, broke("/job:worker/task:1", 102)))
      << "and is not the next one's";
  const absl::Time now = absl::Now();
  for (int i = 0; i < 12; ++i) {
    for (uint32_t task : {0u, 1u, 2u})
      coordinator->progress({task, task == 2 ? 202 : 100 + task}, {});
    coordinator->heartbeat(now + i * absl::Milliseconds(400), 0);
  }
  EXPECT_FALSE(coordinator->rootCause()) << coordinator->rootCause()->describe();
  coordinator->disconnected(0, 100, "is gone");
  EXPECT_TRUE(coordinator->rootCause()) << "who has reported it has not left by that";
}

/// Both answer: then it is the connection, and the run ends.
TEST_F(Returning, ABrokenStreamOfOneThatLivesIsTheConnections) {
  options.lostAfter = absl::Seconds(100); // of the clock that the heartbeat is given
  coordinator = std::make_unique<TaskCoordinator>(options);
  begin();
  EXPECT_TRUE(coordinator->failed({0, 100}, broke("/job:worker/task:1", 102)));
  absl::SleepFor(absl::Milliseconds(2));
  const absl::Time now = absl::Now();
  for (int i = 0; i < 5; ++i) {
    for (uint32_t task : {0u, 1u, 2u})
      coordinator->progress({task, 100 + task}, {});
    coordinator->heartbeat(now + i * absl::Milliseconds(400), 0);
  }
  ASSERT_TRUE(coordinator->rootCause());
  EXPECT_EQ(coordinator->rootCause()->task,
            "the connection between /job:ps/task:0 and /job:worker/task:1");
}

TEST_F(Returning, AnAnswerToNoOrderEndsTheRunByItsTask) {
  begin();
  Done stray;
  stray.set_id(ordered(1).id() + 1);
  coordinator->done({1, 101}, stray);
  ASSERT_TRUE(coordinator->rootCause());
  EXPECT_EQ(coordinator->rootCause()->task, "/job:worker/task:0");
}

} // namespace
} // namespace graphc::service
