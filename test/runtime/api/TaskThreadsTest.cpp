// The threads of a task, of which the heartbeat is a task's own word that it lives; the thread
// sanitizer watches.
#include "runtime/api/TaskThreads.h"

#include "runtime/common/base/Mutex.h"
#include "test/runtime/session/LonePlan.h"

#include "absl/time/clock.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace graphc::session {
namespace {
using testing::HasSubstr;

constexpr absl::Duration kForever = absl::Seconds(30);

/// A chief of whom only what it is told is seen, and which says what a test wants.
class Link final : public service::ControlLink {
public:
  /// On the thread that sends, after so many messages before.
  std::function<void(size_t before, const service::Progress &)> onSend =
      [](size_t, const service::Progress &) {};

  void send(service::FromTask message) override {
    size_t before;
    {
      base::MutexLock lock(mutex_);
      before = heard_++;
      changed_.notifyAll();
    }
    onSend(before, message.progress());
  }
  void close() override {}
  using ControlLink::deliver;
  void heartbeat() {
    service::ToTask message;
    message.mutable_heartbeat();
    deliver(message);
  }
  void release() {
    service::ToTask message;
    message.set_release(true);
    deliver(message);
  }
  void await(size_t messages) {
    base::MutexLock lock(mutex_);
    EXPECT_TRUE(changed_.waitFor(mutex_, kForever, [&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
      return heard_ >= messages;
    }));
  }

private:
  base::Mutex mutex_;
  base::CondVar changed_;
  size_t heard_ ABSL_GUARDED_BY(mutex_) = 0;
};

struct TaskThreadsTest : testing::Test {
  TaskThreads::Parts parts(service::ControlLink &to) {
    TaskThreads::Parts parts{"/job:local/task:0",
                             "/job:worker/task:0",
                             session,
                             to,
                             nullptr,
                             nullptr,
                             [this] { return stop.load(); },
                             {}};
    parts.every = parts.beat = absl::Milliseconds(1);
    return parts;
  }
  static absl::Status joined() { return absl::OkStatus(); }
  static plan::LoadedPlan lone() {
    plan::LoadedPlan loaded;
    loaded.plan = plan::lonePlan();
    loaded.fingerprint = std::string(64, 'a');
    return loaded;
  }

  plan::LoadedPlan loaded = lone();
  Link link;
  OrderExecutor session{loaded, {}, link};
  std::atomic<bool> stop{false};
};

TEST_F(TaskThreadsTest, TheHeartbeatTellsOfAStopWhichTheChiefDecides) {
  std::atomic<size_t> untilStop{0}, asked{0};
  link.heartbeat();
  link.onSend = [&](size_t before, const service::Progress &progress) {
    if (progress.stop_requested()) {
      if (++asked == 3)
        link.release();
    } else {
      ++untilStop;
    }
    stop = before >= 4;
  };
  TaskThreads::End end = TaskThreads(parts(link)).run(joined);
  ASSERT_TRUE(end.failure);
  EXPECT_EQ(end.failure->status.message(), "the chief let this task go before the end of the run");
  EXPECT_EQ(untilStop, 5u);
  EXPECT_GE(asked, 3u);
}

TEST_F(TaskThreadsTest, AStopBeforeTheChiefIsThereEndsTheWait) {
  link.onSend = [&](size_t before, const service::Progress &) { stop = before >= 3; };
  TaskThreads::Parts own = parts(link);
  own.lostAfter = absl::Milliseconds(2); // who has not come yet is not silent
  TaskThreads::End end = TaskThreads(own).run(joined);
  ASSERT_TRUE(end.failure);
  EXPECT_EQ(end.failure->status,
            absl::CancelledError("stopped while waiting for the chief, as asked"));
}

TEST_F(TaskThreadsTest, AChiefThatFallsSilentIsLost) {
  std::atomic<size_t> beats{0};
  TaskThreads::Parts own = parts(link);
  own.every = own.beat = absl::Milliseconds(20);
  own.lostAfter = absl::Milliseconds(400);
  link.heartbeat();
  link.onSend = [&](size_t before, const service::Progress &) {
    beats = before;
    if (before < 30) // 600 ms
      link.heartbeat();
  };
  TaskThreads::End end = TaskThreads(own).run(joined);
  ASSERT_TRUE(end.failure);
  EXPECT_THAT(std::string(end.failure->status.message()),
              HasSubstr("the chief /job:worker/task:0 did not answer for"));
  EXPECT_GE(beats, 30u);
}

TEST_F(TaskThreadsTest, AnAbortCountsHoweverLongTheChiefWasSilent) {
  TaskThreads::Parts own = parts(link);
  // the heartbeat's thread ends the silence itself, however late it runs
  own.lostAfter = absl::Seconds(2);
  link.heartbeat();
  const absl::Time begin = absl::Now();
  link.onSend = [&](size_t, const service::Progress &) {
    if (absl::Now() - begin <= own.lostAfter * 0.6)
      return;
    service::ToTask message;
    message.mutable_abort()->set_task("/job:worker/task:1");
    message.mutable_abort()->set_message("did not answer for 5s");
    message.mutable_abort()->set_lost(true);
    link.deliver(message);
  };
  TaskThreads::End end = TaskThreads(own).run(joined);
  ASSERT_TRUE(end.failure);
  EXPECT_THAT(std::string(end.failure->status.message()), HasSubstr("/job:worker/task:1"));
  EXPECT_TRUE(end.failure->lost);
}

TEST_F(TaskThreadsTest, SignsOfLifeAreFewAndAStopIsToldAtOnce) {
  std::atomic<size_t> sent{0}, stops{0};
  TaskThreads::Parts own = parts(link);
  own.beat = absl::Hours(1);
  std::atomic<int> looks{0};
  own.stopAsked = [&] {
    const int look = ++looks;
    if (look == 200)
      link.release();
    return look >= 100;
  };
  link.heartbeat();
  link.onSend = [&](size_t, const service::Progress &progress) {
    ++sent;
    stops += progress.stop_requested();
  };
  TaskThreads::End end = TaskThreads(own).run(joined);
  EXPECT_GE(looks, 200);
  EXPECT_EQ(sent, 2u) << "the first look's, and the stop's";
  EXPECT_EQ(stops, 1u);
}

TEST_F(TaskThreadsTest, ASessionThatNeverComesBackIsGivenUp) {
  TaskThreads::Parts own = parts(link);
  own.stuckAfter = absl::Milliseconds(50);
  std::atomic<int> given{0};
  std::string why;
  own.stuck = [&](const TaskFailure &failure) {
    if (given++)
      return;
    why = std::string(failure.status.message());
    link.release(); // here it comes back all the same
  };
  link.heartbeat();
  std::thread fails([&] {
    absl::SleepFor(absl::Milliseconds(20));
    EXPECT_EQ(given, 0);
    session.fail({absl::InternalError("the device is gone"), false, ""});
  });
  TaskThreads::End end = TaskThreads(own).run(joined);
  fails.join();
  EXPECT_GE(given, 1);
  EXPECT_EQ(why, "the device is gone");
}

service::RootCause lostServer() {
  return {"/job:ps/task:0", "", 0, absl::UnavailableError("was killed by signal 9"), /*lost=*/true};
}

TEST_F(TaskThreadsTest, WhoHasStartedTheTasksSaysThatOneIsLost) {
  TaskThreads::Parts own = parts(link);
  int asks = 0;
  own.lost = [&] { return ++asks == 5 ? std::optional(lostServer()) : std::nullopt; };
  own.stuck = [](const TaskFailure &) { FAIL() << "it can leave in good order"; };
  link.heartbeat();
  TaskThreads::End end = TaskThreads(own).run(joined);
  ASSERT_TRUE(end.failure);
  EXPECT_EQ(end.failure->status.message(), "/job:ps/task:0: was killed by signal 9");
  EXPECT_TRUE(end.failure->lost && end.failure->secondary);
  EXPECT_TRUE(session.isTakenApart());
}

TEST_F(TaskThreadsTest, WhoHasNotReachedTheChiefByThenEnds) {
  TaskThreads::Parts own = parts(link);
  std::optional<TaskFailure> stuck;
  own.lost = [&] { return stuck ? std::nullopt : std::optional(lostServer()); };
  // of graphrun, that ends the process
  own.stuck = [&](const TaskFailure &failure) { stuck = failure; };
  TaskThreads::End end = TaskThreads(own).run(joined);
  ASSERT_TRUE(end.failure && stuck);
  EXPECT_EQ(stuck->suspect, "/job:ps/task:0");
  EXPECT_TRUE(stuck->lost);
}

TEST_F(TaskThreadsTest, OnTheChiefTheHeartbeatIsTheDriversClock) {
  service::TaskCoordinator::Options coordinated;
  coordinated.fingerprint = loaded.fingerprint;
  coordinated.taskNames = {"/job:local/task:0", "/job:absent/task:0"};
  service::TaskCoordinator coordinator(coordinated);
  DriverOptions driven;
  driven.log = [](const std::string &) {};
  MasterDriver driver(loaded, coordinator, driven);
  auto local = std::make_shared<service::LocalLink>(coordinator, 0);
  OrderExecutor chief(loaded, {}, *local);
  std::atomic<int> asks{0};
  TaskThreads::Parts own{"/job:local/task:0", "/job:local/task:0",        chief, *local, &driver,
                         &coordinator,        [&] { return ++asks > 5; }, {}};
  own.every = own.lostAfter = absl::Milliseconds(1); // a chief does not lose itself
  TaskThreads::End end = TaskThreads(own).run(
      [&] { return local->join(introduce(loaded, 0, "", /*incarnation=*/7, /*version=*/"")); });
  ASSERT_TRUE(end.failure);
  EXPECT_FALSE(end.failure->secondary);
  EXPECT_EQ(end.failure->status,
            absl::CancelledError("stopped while waiting for the other tasks, as asked"));
}

TEST_F(TaskThreadsTest, ItEndsAtOnceWhereNobodyIsJoined) {
  for (int round = 0; round < 20; ++round) {
    TaskThreads::Parts own = parts(link);
    own.every = absl::Hours(1);
    TaskThreads::End end = TaskThreads(own).run([&] {
      if (round % 2)
        link.await(1);
      return absl::UnavailableError("no chief");
    });
    ASSERT_TRUE(end.failure);
    EXPECT_EQ(end.failure->status, absl::UnavailableError("no chief"));
  }
}

} // namespace
} // namespace graphc::session
