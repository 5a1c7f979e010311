// Links of a peer that was lost and comes back: made anew beside those of others, and freed when
// nobody has a port of them.
#include "runtime/session/peers/TaskTransports.h"

#include "runtime/common/plan/PlanTypes.h"
#include "runtime/service/RunSecret.h"
#include "runtime/service/TaskServer.h"
#include "runtime/transport/GrpcOptions.h"
#include "test/runtime/common/plan/PlanBuilder.h"

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <thread>

namespace graphc::session {
namespace {
using testing::HasSubstr;
using transport::PollState;

constexpr uint32_t kServer = 0, kOther = 1, kLost = 2; // tasks
constexpr uint32_t kDown = 0, kUp = 1; // channels

/// A parameter server and two workers in this process, by shared memory or over gRPC.
class Tasks : public testing::TestWithParam<const char *> {
protected:
  struct Task {
    base::UnnamedListener socket;
    std::string address;
    std::unique_ptr<service::TaskServer> server;
    std::unique_ptr<TaskTransports> transports;
  };

  Tasks() : plan(plan::parameterServerPlan({1, 2, 4096, true})) {
    service::silenceGrpc();
    for (uint32_t task = 0; task < 3; ++task)
      start(task, 100 + task);
    for (uint32_t task = 0; task < 3; ++task)
      prepare(task);
    std::vector<std::string> paths;
    for (Task &task : tasks)
      paths.push_back(task.transports->path());
    std::vector<std::thread> threads;
    for (Task &task : tasks)
      threads.emplace_back(
          [&] { EXPECT_EQ(task.transports->connect(paths, soon()), absl::OkStatus()); });
    for (std::thread &thread : threads)
      thread.join();
    for (Task &task : tasks)
      EXPECT_EQ(task.transports->all().reset(1), absl::OkStatus());
  }
  ~Tasks() override {
    ending = true;
    for (Task &task : tasks)
      task.transports.reset();
  }
  static absl::Time soon() { return absl::Now() + absl::Seconds(20); }

  /// A process of a task, which is known to nobody yet.
  void start(uint32_t number, uint64_t incarnation) {
    Task &task = tasks[number];
    task.transports.reset();
    task.server.reset();
    task.socket = *base::UnnamedListener::make(SOCK_STREAM);
    task.address = task.socket.inheritedAddress();
    auto started =
        service::TaskServer::start({task.address, std::move(task.socket.listener), known}, {});
    EXPECT_TRUE(started.ok()) << started.status();
    task.server = *std::move(started);
    service::Peer peer;
    peer.set_task(number);
    peer.set_name(plan::taskText(plan, plan::allTasks(plan)[number]));
    peer.set_address(task.address);
    peer.set_incarnation(incarnation);
    peer.set_host("here");
    peer.set_host_id("here");
    peer.set_pid(1);
    peers.resize(3);
    peers[number] = peer;
  }
  void prepare(uint32_t number) {
    TransportOptions options;
    options.kind = GetParam();
    options.fingerprint = std::string(64, 'a');
    options.run = absl::StrCat("run-", reinterpret_cast<uintptr_t>(this));
    options.identity = known;
    options.task = number;
    options.incarnation = peers[number].incarnation();
    options.data = &tasks[number].server->data();
    options.broken = [this](const std::string &peer, const absl::Status &why) {
      if (!ending)
        ADD_FAILURE() << peer << ": " << why;
    };
    options.spared = [](uint32_t peer, uint64_t, const absl::Status &) { return peer == kLost; };
    auto made = TaskTransports::prepare(plan, peers, none, std::move(options));
    ASSERT_TRUE(made.ok()) << made.status();
    tasks[number].transports = *std::move(made);
  }

  /// Its next process, with links to the server that are made anew.
  void comesBack(uint64_t incarnation, uint64_t generation = 1) {
    start(kLost, incarnation);
    joins(incarnation, generation);
  }
  void joins(uint64_t incarnation, uint64_t generation = 1) {
    auto path = of(kServer).relink(plan, peers, kLost);
    ASSERT_TRUE(path.ok()) << path.status();
    of(kServer).gone(kLost, incarnation - 100); // a word of the process before that comes late
    prepare(kLost);
    std::thread other([&] {
      EXPECT_EQ(of(kLost).connect({*path, "", of(kLost).path()}, soon()), absl::OkStatus());
    });
    EXPECT_EQ(of(kServer).reconnect(kLost, of(kLost).path(), generation, soon()), absl::OkStatus());
    other.join();
    EXPECT_EQ(of(kLost).all().reset(generation), absl::OkStatus());
  }
  TaskTransports &of(uint32_t task) { return *tasks[task].transports; }

  template <class Poll> static PollState wait(transport::Port &port, Poll poll) {
    PollState state;
    for (absl::Time until = soon(); (state = poll()) == PollState::Pending && absl::Now() < until;)
      port.wait(absl::Milliseconds(50));
    return state;
  }
  /// One message of channel `channel`, instance r, from one task to another.
  void passes(uint32_t channel, uint32_t instance, uint32_t from, uint32_t to, uint8_t value) {
    const std::vector<uint8_t> data(4 * 4096, value);
    transport::SendPort &out = *of(from).all().sender({channel, instance});
    transport::RecvPort &in = *of(to).all().receiver({channel, instance});
    const void *got = nullptr;
    ASSERT_EQ(wait(out, [&] { return out.start(data.data(), 0, transport::SendMode::Copy); }),
              PollState::Ready);
    ASSERT_EQ(wait(in, [&] { return in.poll(&got); }), PollState::Ready);
    EXPECT_EQ(memcmp(got, data.data(), data.size()), 0);
    in.release();
    ASSERT_EQ(wait(out, [&] { return out.done(); }), PollState::Ready);
  }

  std::atomic<bool> ending{false};
  const plan::Plan plan;
  const service::TaskIdentity known{service::randomHex(32), nullptr};
  const device::MemoryRegion none;
  Task tasks[3];
  std::vector<service::Peer> peers;
};

/// The others' links go on; a port of the link before is there until settle(), aborted, whatever a
/// lane that a failure has woken does with it.
TEST_P(Tasks, ALinkIsMadeAnewBesideTheOthers) {
  passes(kDown, 1, kServer, kLost, 1);
  passes(kUp, 1, kLost, kServer, 2); // by which its credit comes back
  for (uint64_t life = 1; life <= 3; ++life) {
    transport::SendPort *sender = of(kServer).all().sender({kDown, 1});
    transport::RecvPort *receiver = of(kServer).all().receiver({kUp, 1});
    const std::vector<uint8_t> begun(4 * 4096, 9); // is on its way when the peer dies
    ASSERT_EQ(
        wait(*sender, [&] { return sender->start(begun.data(), 0, transport::SendMode::Borrow); }),
        PollState::Ready);
    ASSERT_NO_FATAL_FAILURE(comesBack(102 + 100 * life));
    EXPECT_NE(of(kServer).all().sender({kDown, 1}), sender);
    if (life > 1) { // the first link is of all peers, and only ends
      const void *data = nullptr;
      EXPECT_EQ(wait(*receiver, [&] { return receiver->poll(&data); }), PollState::Aborted);
      EXPECT_EQ(sender->start(begun.data(), 1, transport::SendMode::Copy), PollState::Aborted);
      EXPECT_THAT(std::string(sender->status().message()), HasSubstr("was lost"));
    }
    of(kServer).settle(kLost);
    for (uint8_t message : {10, 11, 12}) {
      passes(kDown, 1, kServer, kLost, message);
      passes(kUp, 1, kLost, kServer, uint8_t(message + 100));
      passes(kDown, 0, kServer, kOther, uint8_t(message + 50));
      passes(kUp, 0, kOther, kServer, uint8_t(message + 150));
    }
    EXPECT_EQ(of(kServer).all().status(), absl::OkStatus());
  }
}

/// A message that is handed to gRPC when the stream has ended there, and nobody has heard of that
/// yet, is let go of all the same.
TEST_P(Tasks, WhatIsSentWhileThePeerEndsIsLetGo) {
  const std::vector<uint8_t> begun(4 * 4096, 9);
  for (uint64_t life = 1; life <= 20; ++life) {
    SCOPED_TRACE(life);
    transport::SendPort *sender = of(kServer).all().sender({kDown, 1});
    std::thread ends([&] { start(kLost, 102 + 100 * life); });
    for (const absl::Time at = absl::Now() + life * absl::Microseconds(50); absl::Now() < at;)
      ;
    ASSERT_NE(sender->start(begun.data(), 0, transport::SendMode::Borrow), PollState::Aborted);
    ends.join();
    // relink() fails where gRPC keeps the message for 5 s
    ASSERT_NO_FATAL_FAILURE(joins(102 + 100 * life));
    of(kServer).settle(kLost);
    passes(kDown, 1, kServer, kLost, 1);
    passes(kUp, 1, kLost, kServer, 2);
  }
}

/// A process that dies while links with it are made anew holds nobody up, and the next one is
/// linked all the same.
TEST_P(Tasks, WhoConnectsToOneThatIsLostAgainGivesUp) {
  transport::RecvPort *receiver = of(kServer).all().receiver({kUp, 1});
  start(kLost, 202);
  auto path = of(kServer).relink(plan, peers, kLost);
  ASSERT_TRUE(path.ok()) << path.status();
  const absl::Time begun = absl::Now();
  std::thread chief([&] {
    absl::SleepFor(absl::Milliseconds(100));
    of(kServer).gone(kLost, 202);
  });
  EXPECT_FALSE(of(kServer).reconnect(kLost, "/proc/self/fd/0", 1, soon()).ok());
  chief.join();
  EXPECT_LT(absl::Now() - begun, absl::Seconds(10));
  comesBack(302);
  EXPECT_NE(of(kServer).all().receiver({kUp, 1}), receiver);
  of(kServer).settle(kLost);
  passes(kDown, 1, kServer, kLost, 3);
  passes(kUp, 1, kLost, kServer, 4);
  passes(kUp, 0, kOther, kServer, 5);
}

/// A failure of the task reaches links that were made anew as it does the others, and wakes who
/// waits there.
TEST_P(Tasks, AFailureReachesALinkThatWasMadeAnew) {
  comesBack(202);
  transport::RecvPort *receiver = of(kServer).all().receiver({kUp, 1});
  std::thread failure([&] {
    absl::SleepFor(absl::Milliseconds(50));
    of(kServer).all().abort(absl::AbortedError("the task fails"));
  });
  const void *data = nullptr;
  EXPECT_EQ(wait(*receiver, [&] { return receiver->poll(&data); }), PollState::Aborted);
  failure.join();
}

INSTANTIATE_TEST_SUITE_P(Links, Tasks, testing::Values("shm", "grpc"),
                         [](auto &info) { return std::string(info.param); });

} // namespace
} // namespace graphc::session
