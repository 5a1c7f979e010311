// Control streams over real gRPC in one process: what a task hears in each way that things can end.
#include "runtime/common/base/Mutex.h"
#include "runtime/common/base/Socket.h"
#include "runtime/common/base/Version.h"
#include "runtime/service/ControlLink.h"
#include "runtime/service/MasterService.h"
#include "runtime/service/PlanFetch.h"
#include "runtime/service/RunSecret.h"
#include "runtime/service/TaskServer.h"

#include "absl/time/clock.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <future>
#include <thread>

namespace graphc::service {
namespace {
using testing::HasSubstr;

struct Streams : testing::Test {
  Streams() {
    silenceGrpc();
    TaskCoordinator::Options options;
    options.fingerprint = "feed";
    options.taskNames = {"/job:ps/task:0", "/job:worker/task:0"};
    options.joinDeadline = absl::Seconds(5);
    options.fetched = [this](const Fetched &value) {
      base::MutexLock lock(reading);
      taken += value.value().size();
      onTaken();
      return absl::OkStatus();
    };
    coordinator = std::make_unique<TaskCoordinator>(std::move(options));
    master = std::make_unique<MasterService>(*coordinator, nullptr, std::vector<std::string>(),
                                             /*mostBytes=*/size_t{24} << 20);
    socket = *base::UnnamedListener::make(SOCK_STREAM);
    address = socket.inheritedAddress();
    server = *TaskServer::start({address, std::move(socket.listener), {"secret", nullptr}},
                                {master.get()});
  }
  TaskDialer dialer(const std::string &secret = "secret") {
    return TaskDialer(address, {secret, nullptr});
  }
  std::unique_ptr<StreamLink> open(uint32_t task, const std::string &plan = "feed") {
    auto link = std::make_unique<StreamLink>(dialer(), "/job:worker/task:0");
    Hello hello;
    hello.set_task(task);
    hello.set_name(task == 0 ? "/job:ps/task:0" : "/job:worker/task:0");
    hello.set_fingerprint(plan);
    hello.set_incarnation(5 + task);
    EXPECT_TRUE(link->open(hello, absl::Now() + absl::Seconds(5), [](const std::string &) {}).ok());
    return link;
  }
  static FromTask result(size_t bytes) {
    FromTask message;
    message.mutable_fetched()->set_value(std::string(bytes, 'x'));
    return message;
  }
  base::Mutex reading; ///< held: the chief takes no result
  std::function<void()> onTaken = [] {}; ///< on the thread that reads the stream
  std::atomic<uint64_t> taken{0};
  absl::Status hear(ControlLink &link) {
    return link.receive(absl::Now() + absl::Seconds(5)).status();
  }
  std::unique_ptr<TaskCoordinator> coordinator;
  std::unique_ptr<MasterService> master;
  base::UnnamedListener socket;
  std::string address;
  std::unique_ptr<TaskServer> server;
};

TEST_F(Streams, OrderAndAnswer) {
  auto ps = open(0), worker = open(1);
  ASSERT_TRUE(coordinator->waitForAll().ok());
  std::thread obedient([&] {
    for (auto *link : {ps.get(), worker.get()}) {
      auto message = link->receive(absl::Now() + absl::Seconds(5));
      ASSERT_TRUE(message.ok()) << message.status();
      FromTask answer;
      answer.mutable_done()->set_id(message->order().id());
      answer.mutable_done()->set_steps(7);
      link->send(answer);
    }
  });
  Order order;
  order.mutable_connect();
  auto answers = coordinator->giveOrder(order, absl::Now() + absl::Seconds(5));
  obedient.join();
  ASSERT_TRUE(answers.ok()) << answers.status();
  EXPECT_EQ((*answers)[1].steps(), 7u);
}

TEST_F(Streams, WhoDoesNotKnowTheSecretGoesAwayAtOnce) {
  StreamLink link(dialer("guess"), "/job:worker/task:0");
  absl::Time begin = absl::Now();
  absl::Status status = link.open({}, begin + absl::Seconds(60), [](const std::string &) {});
  EXPECT_TRUE(absl::IsUnauthenticated(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("does not know this run's secret"));
  EXPECT_LT(absl::Now() - begin, absl::Seconds(30));
}

TEST_F(Streams, AnotherPlanIsToldBothFingerprints) {
  auto link = open(0, "beef");
  EXPECT_THAT(std::string(hear(*link).message()),
              testing::AllOf(HasSubstr("feed"), HasSubstr("beef")));
}

TEST_F(Streams, SecondTaskOfAnIndexIsRefusedAndTheFirstStays) {
  auto first = open(0);
  for (absl::Time limit = absl::Now() + absl::Seconds(20);
       !coordinator->hasJoined(0) && absl::Now() < limit;)
    absl::SleepFor(absl::Milliseconds(1));
  auto second = open(0);
  EXPECT_TRUE(absl::IsAlreadyExists(hear(*second)));
  EXPECT_TRUE(first->ended().ok());
}

TEST_F(Streams, AbortReachesEveryTask) {
  auto ps = open(0), worker = open(1);
  ASSERT_TRUE(coordinator->waitForAll().ok());
  std::promise<absl::Status> heard; // the callback comes after the link's state: wait for it
  ps->onEnd([&](absl::Status why) { heard.set_value(why); });
  coordinator->abort({"/job:worker/task:0", "here", 1, absl::InternalError("loss is NaN")});
  EXPECT_EQ(hear(*ps).message(), "/job:worker/task:0: loss is NaN");
  EXPECT_TRUE(absl::IsAborted(hear(*worker)));
  std::future<absl::Status> answer = heard.get_future();
  ASSERT_EQ(answer.wait_for(std::chrono::seconds(10)), std::future_status::ready);
  EXPECT_TRUE(absl::IsAborted(answer.get()));
}

/// Whoever takes its callback back may go: no call of it is under way any more.
TEST(ControlLink, ACallbackThatIsTakenBackIsNotUnderWay) {
  struct Link final : ControlLink {
    void send(FromTask) override {}
    void close() override {}
  } link;
  std::promise<void> begun;
  std::atomic<bool> ended{false};
  link.onEnd([&](const absl::Status &) {
    begun.set_value();
    absl::SleepFor(absl::Milliseconds(200));
    ended = true;
  });
  std::thread ends([&] { link.lost(absl::UnavailableError("gone")); });
  begun.get_future().wait();
  link.onEnd(nullptr);
  EXPECT_TRUE(ended);
  ends.join();
}

TEST_F(Streams, WordsOfTheChiefAreCleanedAndBounded) {
  struct Link final : ControlLink {
    using ControlLink::deliver;
    void send(FromTask) override {}
    void close() override {}
  } link;
  ToTask message;
  message.mutable_abort()->set_task("/job:w/task:0\x1b[31m");
  message.mutable_abort()->set_message("\x1b]0;x\a" + std::string(8 << 20, 'y'));
  link.deliver(message);
  std::string said(link.ended().message());
  EXPECT_EQ(said.rfind("/job:w/task:0\\x1b[31m: \\x1b]0;x\\x07yy", 0), 0u) << said.substr(0, 60);
  EXPECT_LT(said.size(), 5000u);
}

TEST_F(Streams, ResultsThatTheChiefDoesNotTakeWaitUpToALimit) {
  using transport::PollState;
  auto ps = open(0), worker = open(1);
  ASSERT_TRUE(coordinator->waitForAll().ok());
  ResultBacklog &backlog = ps->backlog();
  constexpr size_t bytes = 1 << 20;
  uint64_t sent = 0;
  {
    base::MutexLock lock(reading);
    // The sockets and gRPC take a few more messages, perhaps later, which ends a wait early.
    PollState state = PollState::Ready;
    absl::Duration waited;
    while (state == PollState::Ready) {
      for (; backlog.poll() == PollState::Ready; sent += bytes) {
        ASSERT_LT(sent, ResultBacklog::kMost + (32 << 20));
        ps->send(result(bytes));
      }
      absl::Time begin = absl::Now();
      backlog.wait(absl::Milliseconds(50));
      waited = absl::Now() - begin;
      state = backlog.poll();
    }
    EXPECT_GE(sent, ResultBacklog::kMost);
    EXPECT_EQ(state, PollState::Pending);
    EXPECT_GE(waited, absl::Milliseconds(50));
  }
  absl::Time limit = absl::Now() + absl::Seconds(20);
  while (taken.load() < sent && absl::Now() < limit)
    backlog.wait(absl::Milliseconds(5));
  EXPECT_EQ(taken.load(), sent);
  EXPECT_EQ(backlog.poll(), PollState::Ready);
  EXPECT_EQ(worker->backlog().poll(), PollState::Ready) << "each stream has its own";
}

TEST_F(Streams, WhatSaysThatATaskLivesOvertakesItsResults) {
  auto ps = open(0), worker = open(1);
  ASSERT_TRUE(coordinator->waitForAll().ok());
  uint64_t sent = 0;
  std::atomic<uint64_t> takenBefore{0};
  onTaken = [&] {
    if (!takenBefore && coordinator->clusterProgress().tasks[0].steps() == 7)
      takenBefore = taken.load();
  };
  {
    base::MutexLock lock(reading);
    for (; ps->backlog().poll() == transport::PollState::Ready; sent += 1 << 20)
      ps->send(result(1 << 20));
    FromTask message;
    message.mutable_progress()->set_steps(7);
    ps->send(std::move(message));
  }
  absl::Time limit = absl::Now() + absl::Seconds(20);
  while (taken.load() < sent && absl::Now() < limit)
    absl::SleepFor(absl::Milliseconds(5));
  EXPECT_EQ(taken.load(), sent);
  EXPECT_GT(takenBefore.load(), 0u) << "it came behind all results";
  EXPECT_LT(takenBefore.load(), sent);
}

// Longer than gRPC may take at once: 20 MiB, with a sign of life between its parts.
TEST_F(Streams, AResultOfManyMebibytesComesInParts) {
  auto ps = open(0), worker = open(1);
  ASSERT_TRUE(coordinator->waitForAll().ok());
  constexpr size_t bytes = 20 << 20;
  {
    base::MutexLock lock(reading);
    ps->send(result(1000));
    ps->send(result(bytes));
    FromTask message;
    message.mutable_progress()->set_steps(7);
    ps->send(std::move(message));
    ps->send(result(3 << 20));
  }
  const size_t all = 1000 + bytes + (3 << 20);
  for (absl::Time limit = absl::Now() + absl::Seconds(20);
       taken.load() < all && absl::Now() < limit;)
    absl::SleepFor(absl::Milliseconds(1));
  EXPECT_EQ(taken.load(), all);
  EXPECT_EQ(coordinator->clusterProgress().tasks[0].steps(), 7u);
  for (absl::Time limit = absl::Now() + absl::Seconds(20);
       ps->backlog().poll() != transport::PollState::Ready && absl::Now() < limit;)
    absl::SleepFor(absl::Milliseconds(1));
  EXPECT_TRUE(worker->ended().ok());
}

TEST_F(Streams, AResultThatIsLongerThanAnyOfThePlanEndsTheRunByItsSender) {
  auto ps = open(0), worker = open(1);
  ASSERT_TRUE(coordinator->waitForAll().ok());
  ps->send(result(25 << 20));
  absl::Status status = hear(*worker);
  EXPECT_TRUE(absl::IsAborted(status)) << status;
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("/job:ps/task:0: it sends a message of over 25165824 bytes"));
  EXPECT_EQ(taken.load(), 0u);
}

TEST_F(Streams, AWaitForTheChiefToTakeResultsEndsWithTheLink) {
  auto ps = open(0), worker = open(1);
  ASSERT_TRUE(coordinator->waitForAll().ok());
  base::MutexLock lock(reading);
  while (ps->backlog().poll() == transport::PollState::Ready)
    ps->send(result(1 << 20));
  ps->lost(absl::UnavailableError("the chief is gone"));
  EXPECT_EQ(ps->backlog().poll(), transport::PollState::Aborted);
  EXPECT_EQ(ps->backlog().status().message(), "the chief is gone");
}

TEST_F(Streams, TaskThatDiesIsNoticedAtOnce) {
  auto ps = open(0), worker = open(1);
  ASSERT_TRUE(coordinator->waitForAll().ok());
  absl::Time begin = absl::Now();
  ps.reset();
  while (!coordinator->rootCause() && absl::Now() - begin < absl::Seconds(5))
    absl::SleepFor(absl::Milliseconds(1));
  ASSERT_TRUE(coordinator->rootCause());
  EXPECT_EQ(coordinator->rootCause()->task, "/job:ps/task:0");
  EXPECT_TRUE(absl::IsAborted(hear(*worker)));
  EXPECT_TRUE(worker->endedByLoss());
}

TEST_F(Streams, ChiefThatDiesIsNoticedAtOnce) {
  auto ps = open(0), worker = open(1);
  ASSERT_TRUE(coordinator->waitForAll().ok());
  server->shutdown();
  absl::Status status = hear(*ps);
  EXPECT_TRUE(absl::IsUnavailable(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("/job:worker/task:0"));
  EXPECT_TRUE(ps->endedByLoss());
}

TEST_F(Streams, ReleaseArrivesBeforeTheEnd) {
  auto ps = open(0), worker = open(1);
  ASSERT_TRUE(coordinator->waitForAll().ok());
  coordinator->release();
  master->close();
  auto message = ps->receive(absl::Now() + absl::Seconds(5));
  // Either the word itself or, where the end overtook it, the chief's end: a task in its last state
  // takes both for good.
  EXPECT_TRUE(message.ok() ? message->has_release() : absl::IsUnavailable(message.status()));
}

// Freed by the closing thread, never by gRPC's: see ControlLink.cpp.
TEST_F(Streams, NothingOfALinkOutlivesIt) {
  for (int i = 0; i < 50; ++i) {
    auto open = [] {
      return std::distance(std::filesystem::directory_iterator("/proc/self/fd"),
                           std::filesystem::directory_iterator());
    };
    auto before = open();
    {
      StreamLink link(dialer(), "/job:worker/task:0");
      ASSERT_TRUE(link.open({}, absl::Now() + absl::Seconds(5), [](const std::string &) {}).ok());
    }
    // Its socket, and the server's end of it, which closes behind it.
    absl::Time limit = absl::Now() + absl::Seconds(10);
    while (i > 0 && open() > before && absl::Now() < limit)
      absl::SleepFor(absl::Milliseconds(1));
    ASSERT_TRUE(i == 0 || open() <= before) << "after link " << i;
  }
}

TEST(StreamLink, ChiefThatNeverComesIsNamed) {
  silenceGrpc();
  StreamLink link(TaskDialer("unix:" + testing::TempDir() + "graphc-nobody", {"secret", nullptr}),
                  "/job:chief/task:0");
  absl::Status status =
      link.open({}, absl::Now() + absl::Milliseconds(300), [](const std::string &) {});
  EXPECT_TRUE(absl::IsUnavailable(status));
  EXPECT_THAT(std::string(status.message()), HasSubstr("/job:chief/task:0 did not come"));
}

TEST_F(Streams, ANonsenseOfferIsNotTaken) {
  PlanOffer offer;
  auto fetch = [&](const std::string &run, const std::string &entry) {
    offer.file = "a plan";
    offer.run = run;
    offer.entry = entry;
    MasterService offering(*coordinator, &offer);
    base::UnnamedListener at = *base::UnnamedListener::make(SOCK_STREAM);
    auto listening = *TaskServer::start(
        {at.inheritedAddress(), std::move(at.listener), {"secret", nullptr}}, {&offering});
    TaskDialer to(at.inheritedAddress(), {"secret", nullptr});
    auto plan = to.connect(absl::Seconds(5));
    EXPECT_TRUE(plan.ok()) << plan.status();
    PlanRequest request;
    request.set_version(base::version());
    return std::string(
        fetchPlan(*plan, "/job:worker/task:0", request, absl::Seconds(5)).status().message());
  };
  EXPECT_EQ(fetch("client-1", "train"), "");
  EXPECT_THAT(fetch("../client", "train"), HasSubstr("the client: the run's name is malformed"));
  EXPECT_THAT(fetch("client-1", "train --dump_variables /"),
              HasSubstr("none of train, eval and predict"));
}

} // namespace
} // namespace graphc::service
