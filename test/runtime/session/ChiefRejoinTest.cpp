// The chief's part of a return: which orders, in which order, with which step, and what becomes of
// it when something goes wrong.
#include "runtime/session/recovery/ChiefRejoin.h"

#include "runtime/common/plan/PlanTypes.h"
#include "runtime/session/task/OrderValidator.h"
#include "test/runtime/common/plan/PlanBuilder.h"
#include "test/runtime/service/FakeCluster.h"

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include <gmock/gmock.h>

#include <functional>
#include <thread>

namespace graphc::session {
namespace {
using service::Done;
using service::Order;
using service::ToTask;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr uint32_t kServers = 2, kWorkers = 3, kTasks = kServers + kWorkers;

/// What was ordered whom, in words.
std::string textOf(uint32_t task, const Order &order) {
  const std::string kind = absl::StrCat(task, " ", orderName(order));
  if (order.has_rejoin())
    return absl::StrCat(kind, " at ", order.rejoin().step());
  if (order.has_begin())
    return absl::StrCat(kind, " at ", order.begin().resume_step());
  return kind;
}

/// Tasks that obey at once, each on whatever thread orders; `obey` says otherwise.
class Returning : public testing::Test {
protected:
  struct Task : service::TaskLink {
    Returning *of = nullptr;
    uint32_t number = 0;
    uint64_t incarnation = 0;
    void send(const ToTask &message) override {
      if (message.has_order())
        of->take(*this, message.order());
    }
  };

  explicit Returning(absl::Duration joinDeadline = absl::Seconds(20))
      : plan(plan::parameterServerPlan({kServers, kWorkers, 16, true})) {
    service::TaskCoordinator::Options options;
    for (const plan::Task &task : plan::allTasks(plan))
      options.taskNames.push_back(plan::taskText(plan, task));
    options.joinDeadline = absl::Seconds(5);
    coordinator = std::make_unique<service::TaskCoordinator>(options);
    RejoinOptions returning;
    returning.away = [this](uint32_t task, int64_t, const std::string &) { onAway(task); };
    returning.back = [this](uint32_t task, int64_t process) {
      backProcesses.push_back(process);
      note(absl::StrCat(task, " is back"));
    };
    returning.judges = [this](bool judges) { note(judges ? "judges" : "judges no more"); };
    returning.joinDeadline = joinDeadline;
    returns = std::make_unique<ChiefRejoin>(plan, *coordinator, returning,
                                            [this](const std::string &line) {
                                              base::MutexLock lock(mutex);
                                              said.push_back(line);
                                            });
    hear = returns->hearing({});
    for (uint32_t task = 0; task < kTasks; ++task)
      join(task, 100 + task);
    EXPECT_EQ(coordinator->waitForAll(), absl::OkStatus());
    Order order;
    order.mutable_prepare()->set_transport("auto");
    hear(order);
    order.mutable_check()->set_directory("folder");
    hear(order);
    order.mutable_initialize()->set_restore_from("folder/step-7");
    order.mutable_initialize()->set_init_from("weights.npz");
    order.mutable_initialize()->mutable_init_file()->set_bytes(7);
    hear(order);
    Order begin;
    begin.mutable_begin()->set_generation(3);
    returns->mark(*begin.mutable_begin());
    EXPECT_TRUE(begin.begin().rejoinable());
    hear(begin);
    returns->open();
  }

  void join(uint32_t task, uint64_t incarnation) {
    service::Hello hello = service::helloOf(task, plan::taskText(plan, plan::allTasks(plan)[task]));
    hello.set_fingerprint("");
    hello.set_incarnation(incarnation);
    hello.set_pid(int64_t(4000 + incarnation));
    auto made = std::make_shared<Task>();
    made->of = this;
    made->number = task;
    made->incarnation = incarnation;
    {
      base::MutexLock lock(mutex);
      now[task] = incarnation; // before anybody can order it anything
    }
    // with a root cause it comes too late
    if (absl::Status joined = coordinator->join(hello, made); !coordinator->rootCause())
      EXPECT_EQ(joined, absl::OkStatus());
  }

  void take(const Task &task, const Order &order) {
    Done done;
    done.set_id(order.id());
    if (order.has_part() && task.number < kServers)
      done.add_stopped_at()->set_step(10 + task.number);
    if (order.has_prepare())
      EXPECT_EQ(order.prepare().peers(int(task.number)).incarnation(), task.incarnation)
          << "as it is now";
    if (order.has_initialize())
      EXPECT_TRUE(order.initialize().restore_from().empty() &&
                  order.initialize().init_from().empty() && !order.initialize().has_init_file())
          << "who comes back has no variables";
    if (order.has_run()) {
      base::MutexLock lock(mutex);
      runOf[task.number] = order.id();
    }
    const bool answers = !obey || obey(task.number, order, done);
    // behind obey(): whoever waits for this goes on to what that looks at
    note(textOf(task.number, order));
    if (!answers || order.has_run())
      return;
    coordinator->done({task.number, task.incarnation}, done);
  }

  /// A phase in which somebody is lost; the answers of all to `run` at its end. `lose` is called
  /// when it runs.
  absl::Status run(const std::function<void()> &lose) {
    absl::StatusOr<std::vector<Done>> ended;
    std::thread master([&] {
      Order order;
      order.mutable_run();
      ended = coordinator->giveOrder(order, absl::InfiniteFuture(),
                                     [&] { return returns->bringBack({}); });
    });
    while (count("run") < int(kTasks))
      std::this_thread::yield();
    clear();
    lose();
    while (!coordinator->rootCause() && !(coordinator->away().empty() && backs() == wanted))
      absl::SleepFor(absl::Milliseconds(1));
    for (uint32_t task = 0; task < kTasks && !coordinator->rootCause(); ++task) {
      Done done;
      done.set_id(runOf[task]);
      coordinator->done({task, now[task]}, done);
    }
    master.join();
    returns->close();
    return ended.status();
  }
  void kill(uint32_t task) {
    uint64_t incarnation;
    {
      base::MutexLock lock(mutex);
      incarnation = now[task];
    }
    coordinator->disconnected(task, incarnation, "is gone");
  }

  void note(const std::string &what) {
    base::MutexLock lock(mutex);
    notes.push_back(what);
  }
  int count(const std::string &what) {
    base::MutexLock lock(mutex);
    return int(std::count_if(notes.begin(), notes.end(),
                             [&](auto &note) { return note.ends_with(what); }));
  }
  int backs() { return count("is back"); }
  void clear() {
    base::MutexLock lock(mutex);
    notes.clear();
  }
  std::vector<std::string> of(uint32_t task) {
    base::MutexLock lock(mutex);
    std::vector<std::string> own;
    for (const std::string &note : notes)
      if (note.starts_with(absl::StrCat(task, " ")))
        own.push_back(note.substr(2));
    return own;
  }

  const plan::Plan plan;
  std::unique_ptr<service::TaskCoordinator> coordinator;
  std::unique_ptr<ChiefRejoin> returns;
  std::function<void(const Order &)> hear;
  std::function<void(uint32_t)> onAway = [this](uint32_t task) { join(task, now[task] + 100); };
  std::function<bool(uint32_t task, const Order &, Done &)> obey; ///< false: no answer
  int wanted = 1;
  base::Mutex mutex;
  std::vector<std::string> notes, said;
  std::map<uint32_t, uint64_t> now, runOf;
  std::vector<int64_t> backProcesses; ///< in the order in which they were said to be back
};

TEST_F(Returning, OneOrderAfterTheOther) {
  ASSERT_EQ(run([&] { kill(4); }), absl::OkStatus());
  EXPECT_THAT(of(4), ElementsAre("prepare", "connect", HasSubstr("check"), "initialize",
                                 "begin at 10", "run", "is back"));
  for (uint32_t other : {0u, 1u})
    EXPECT_THAT(of(other), ElementsAre("part", "relink", "reconnect", "rejoin at 10"))
        << "the least step of all servers";
  for (uint32_t other : {2u, 3u})
    EXPECT_THAT(of(other), testing::IsEmpty()) << "a worker need not answer, and may be stopped";
  EXPECT_THAT(
      said, ElementsAre("/job:worker/task:2 is back (process 4204), and goes on with its step 11"));
  EXPECT_THAT(backProcesses, ElementsAre(4204));
  EXPECT_EQ(count("judges no more"), 1);
}

/// Whatever it was asked last: it comes once more, and all begin at the first order again.
TEST_F(Returning, LostAgainAtAnyOrder) {
  for (Order::KindCase at : {Order::kPrepare, Order::kConnect, Order::kCheck, Order::kInitialize,
                             Order::kBegin, Order::kRun}) {
    SCOPED_TRACE(int(at));
    int deaths = 0;
    wanted = at == Order::kRun ? 2 : 1;
    obey = [&](uint32_t task, const Order &order, Done &) {
      if (task != 4 || order.kind_case() != at || count("is gone") == 0 || deaths > 0)
        return true;
      ++deaths;
      kill(4);
      return false;
    };
    returns->open();
    ASSERT_EQ(run([&] {
                note("it is gone");
                kill(4);
              }),
              absl::OkStatus());
    EXPECT_EQ(deaths, 1);
    EXPECT_EQ(count("4 begin at 10"), at == Order::kBegin || at == Order::kRun ? 2 : 1);
    // it is said of the process that it is about, though that is lost again meanwhile
    if (at == Order::kRun)
      EXPECT_EQ(backProcesses.back() - backProcesses[backProcesses.size() - 2], 100);
    clear();
  }
}

TEST_F(Returning, SeveralAtOnce) {
  wanted = 2;
  ASSERT_EQ(run([&] {
              onAway = [](uint32_t) {};
              kill(3);
              kill(4);
              join(4, 204);
              absl::SleepFor(absl::Milliseconds(20));
              join(3, 203);
            }),
            absl::OkStatus());
  EXPECT_EQ(count("3 begin at 10"), 1);
  EXPECT_EQ(count("4 begin at 10"), 1);
}

/// Whatever goes wrong: the session ends in the lost task's name, so that all go back to the
/// checkpoint, and why is said.
struct Failing : Returning, testing::WithParamInterface<std::pair<Order::KindCase, const char *>> {
  Failing()
      : Returning(GetParam().first == Order::KIND_NOT_SET ? absl::Milliseconds(200)
                                                          : absl::Seconds(20)) {}
};

TEST_P(Failing, EndsTheSessionInTheLostTasksName) {
  obey = [](uint32_t task, const Order &order, Done &done) {
    if (task == 0 && order.kind_case() == GetParam().first)
      done.set_stopped_late(true);
    return true;
  };
  if (GetParam().first == Order::KIND_NOT_SET)
    onAway = [](uint32_t) {}; // nobody starts it again
  EXPECT_FALSE(run([&] { kill(4); }).ok());
  ASSERT_TRUE(coordinator->rootCause());
  EXPECT_EQ(coordinator->rootCause()->task, "/job:worker/task:2");
  EXPECT_TRUE(coordinator->rootCause()->lost);
  EXPECT_THAT(
      said,
      ElementsAre(testing::AllOf(
          HasSubstr("/job:worker/task:2 was lost, and all go back to the last checkpoint, since "),
          HasSubstr(GetParam().second))));
}
INSTANTIATE_TEST_SUITE_P(
    Returning, Failing,
    testing::Values(std::pair{Order::kPart, "what serves it had ended, or does not stop"},
                    std::pair{Order::kRelink, "another task cannot make its links with it anew"},
                    std::pair{Order::kReconnect, "another task found no way to it"},
                    std::pair{Order::kRejoin, "another task does not go on with it"},
                    std::pair{Order::KIND_NOT_SET,
                              "its next process did not come in time (--join_deadline)"}));

TEST_F(Returning, AServerThatIsLostMeanwhileIsTheCause) {
  onAway = [&](uint32_t) { kill(0); };
  EXPECT_FALSE(run([&] { kill(4); }).ok());
  ASSERT_TRUE(coordinator->rootCause());
  EXPECT_EQ(coordinator->rootCause()->task, "/job:ps/task:0");
}

} // namespace
} // namespace graphc::session
