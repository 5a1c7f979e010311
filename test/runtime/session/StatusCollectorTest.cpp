// What a run's status says by its orders and by what heartbeats have brought.
#include "runtime/session/master/StatusCollector.h"

#include "runtime/common/plan/PlanTypes.h"
#include "test/runtime/common/plan/PlanBuilder.h"

#include <gmock/gmock.h>

#include <atomic>
#include <thread>

namespace graphc::session {
namespace {
using service::Order;

struct Deaf final : service::TaskLink {
  void send(const service::ToTask &message) override {
    if (message.has_order())
      ordered.store(true);
  }
  std::atomic<bool> ordered{false};
};

class StatusOfARun : public testing::Test {
protected:
  void use(bool async) {
    loaded.plan = plan::parameterServerPlan({.servers = 1, .workers = 2, .async = async});
    loaded.fingerprint = "feed";
    service::TaskCoordinator::Options options;
    options.fingerprint = loaded.fingerprint;
    for (const plan::Task &task : plan::allTasks(loaded.plan))
      options.taskNames.push_back(plan::taskText(loaded.plan, task));
    names = options.taskNames;
    coordinator = std::make_unique<service::TaskCoordinator>(std::move(options));
    board = std::make_unique<StatusCollector>(
        loaded, StatusCollector::About{"train", "0.1.0", "/ck", 3, 17});
  }
  void joinAll() {
    for (uint32_t task = 0; task < names.size(); ++task) {
      service::Hello hello;
      hello.set_task(task);
      hello.set_name(names[task]);
      hello.set_fingerprint("feed");
      hello.set_pid(100 + task);
      hello.set_host("here");
      hello.set_host_id("id");
      hello.set_incarnation(1 + task);
      last = std::make_shared<Deaf>();
      ASSERT_TRUE(coordinator->join(hello, last).ok());
    }
  }
  void begin(uint32_t phase, uint64_t first) {
    Order order;
    order.mutable_begin()->set_phase(phase);
    order.mutable_begin()->set_first_step(first);
    board->ordered(order);
    order.mutable_run();
    board->ordered(order);
  }
  void tell(const std::string &task, uint64_t steps) {
    service::Progress progress;
    progress.set_steps(steps);
    coordinator->progress({number(task), 1 + number(task)}, progress);
  }
  uint32_t number(const std::string &task) const {
    return static_cast<uint32_t>(std::find(names.begin(), names.end(), task) - names.begin());
  }
  observe::RunStatus look(absl::Duration later = absl::ZeroDuration()) {
    return board->look(*coordinator, known, absl::Now() + later);
  }
  observe::TaskStatus look(const std::string &task) { return look().tasks.at(number(task)); }

  plan::LoadedPlan loaded;
  std::vector<std::string> names;
  std::unique_ptr<service::TaskCoordinator> coordinator;
  std::unique_ptr<StatusCollector> board;
  std::shared_ptr<Deaf> last; ///< of those that have joined
  ChiefCheckpoints::Known known;
  const std::string first = "/job:worker/task:0", second = "/job:worker/task:1",
                    server = "/job:ps/task:0";
};

TEST_F(StatusOfARun, FollowsTheOrders) {
  use(false);
  EXPECT_EQ(look().state, "waiting");
  EXPECT_EQ(look(second).state, "waiting");
  EXPECT_FALSE(board->begun());
  joinAll();
  EXPECT_EQ(look(second).state, "idle");
  EXPECT_EQ(look(second).pid, 100 + int64_t(number(second)));
  Order order;
  order.mutable_prepare();
  board->ordered(order);
  EXPECT_EQ(look().state, "preparing");
  EXPECT_TRUE(board->begun());
  order.mutable_initialize();
  board->ordered(order);
  EXPECT_EQ(look().state, "initializing");
  begin(0, 40);
  EXPECT_EQ(look().state, "training");
  EXPECT_EQ(look(second).state, "running");
  tell(second, 2);
  EXPECT_EQ(look(second).step, 42u);
  EXPECT_EQ(look(second).lag, std::nullopt) << "they share each step";
  order.mutable_save();
  board->ordered(order);
  EXPECT_EQ(look().state, "saving");
  EXPECT_EQ(look(second).state, "idle");
  EXPECT_EQ(look(second).step, 40u)
      << "what was heard of the phase is of no use behind it, the line of progress is";
  observe::ProgressSnapshot snapshot;
  snapshot.step = 50;
  board->shown(snapshot);
  EXPECT_EQ(look(second).step, 50u);
  order.mutable_end();
  board->ordered(order);
  EXPECT_EQ(look().state, "ending");
}

TEST_F(StatusOfARun, SaysWhatItWasTold) {
  use(false);
  const observe::RunStatus status = look();
  EXPECT_EQ(status.restarts, 3u);
  EXPECT_EQ(status.launcher, 17);
  EXPECT_EQ(status.checkpointDirectory, "/ck");
  EXPECT_FALSE(status.checkpoint);
  known = {7, absl::UnixEpoch() + absl::Seconds(5), 2};
  EXPECT_EQ(look().checkpoint->step, 7u);
  EXPECT_EQ(look().saved, 2u);
  for (int i = 0; i < 40; ++i)
    board->warned(absl::StrCat("line ", i), absl::Now());
  EXPECT_EQ(look().warned, 40u);
  ASSERT_EQ(look().warnings.size(), StatusCollector::kWarnings);
  EXPECT_EQ(look().warnings.back().text, "line 39");
}

TEST_F(StatusOfARun, ASilentTask) {
  use(false);
  const absl::Time before = absl::Now();
  joinAll();
  begin(0, 0);
  EXPECT_EQ(board->look(*coordinator, known, before + absl::Seconds(2)).tasks[0].state, "running");
  EXPECT_EQ(look(absl::Seconds(4)).tasks[0].state, "silent");
}

/// Lost while the others go on: until it is back with them, also once its next process is there.
TEST_F(StatusOfARun, ATaskThatIsAway) {
  use(true);
  joinAll();
  ASSERT_TRUE(coordinator->waitForAll().ok());
  begin(0, 0);
  coordinator->letRejoin(
      {{"it has variables", "it is the chief", ""}, [](uint32_t, int64_t, const std::string &) {}});
  std::thread master([&] {
    Order order;
    order.mutable_run();
    (void)coordinator->giveOrder(order, absl::InfiniteFuture());
  });
  while (!last->ordered.load())
    absl::SleepFor(absl::Milliseconds(1));
  coordinator->disconnected(2, 3, "is gone");
  EXPECT_EQ(look(second).state, "restarting");
  EXPECT_EQ(look(second).pid, 0);
  EXPECT_EQ(look(first).state, "running");
  service::Hello hello;
  hello.set_task(2);
  hello.set_name(second);
  hello.set_fingerprint("feed");
  hello.set_pid(900);
  hello.set_host("here");
  hello.set_host_id("id");
  hello.set_incarnation(77);
  ASSERT_TRUE(coordinator->join(hello, std::make_shared<Deaf>()).ok());
  EXPECT_EQ(look(second).state, "restarting");
  EXPECT_EQ(look(second).pid, 900);
  ASSERT_TRUE(coordinator->back({2, 77}, Order()));
  EXPECT_EQ(look(second).state, "running");
  coordinator->abort({second, "here", 900, absl::CancelledError("the test is over"), false});
  master.join();
}

TEST_F(StatusOfARun, WhereTasksShareNoStep) {
  use(true);
  joinAll();
  begin(0, 0);
  tell(first, 100);
  tell(second, 70);
  EXPECT_EQ(look(first).lag, 0u);
  EXPECT_EQ(look(first).staleness, 30u);
  EXPECT_EQ(look(second).lag, 30u);
  EXPECT_EQ(look(second).staleness, 0u);
  EXPECT_EQ(look(server).lag, std::nullopt) << "it computes no gradients";
  // Each counts on over pauses.
  begin(0, 170);
  tell(first, 5);
  tell(second, 5);
  EXPECT_EQ(look(first).step, 105u);
  EXPECT_EQ(look(second).step, 75u);
}

TEST_F(StatusOfARun, AHeartbeatThatIsOldIsNoLag) {
  use(true);
  joinAll();
  begin(0, 0);
  absl::SleepFor(absl::Milliseconds(950));
  tell(first, 1000);
  tell(second, 1000);
  (void)look(); // their rates: some 1,000 a second
  absl::SleepFor(absl::Milliseconds(500));
  tell(first, 1500); // the other's next one comes later
  const observe::TaskStatus behind = look(second);
  if (behind.state != "silent") // the machine did not stop this thread for 2 s
    EXPECT_LT(*behind.lag, 500u) << "the heartbeats differ by 500";
}

} // namespace
} // namespace graphc::session
