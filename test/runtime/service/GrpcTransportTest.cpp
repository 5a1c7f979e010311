// What is gRPC's own and not in the conformance suite: the handshake, chunks, streams that break,
// fencing.
#include "test/runtime/service/GrpcPair.h"

#include "absl/strings/str_cat.h"
#include <gmock/gmock.h>

#include <atomic>
#include <netinet/in.h>
#include <numeric>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

namespace graphc::service {
namespace {
using transport::ChannelSpec;
using transport::PollState;
using transport::RecvPort;
using transport::SendPort;

PollState await(transport::Port &port, const std::function<PollState()> &poll) {
  absl::Time limit = absl::Now() + absl::Seconds(20);
  PollState state;
  while ((state = poll()) == PollState::Pending && absl::Now() < limit)
    port.wait(absl::Milliseconds(100));
  return state;
}
const void *receive(RecvPort &port) {
  const void *data = nullptr;
  EXPECT_EQ(await(port, [&] { return port.poll(&data); }), PollState::Ready);
  return data;
}
void send(SendPort &port, const void *data, uint64_t step) {
  EXPECT_EQ(await(port, [&] { return port.start(data, step, transport::SendMode::Borrow); }),
            PollState::Ready);
  EXPECT_EQ(await(port, [&] { return port.done(); }), PollState::Ready);
}

TEST(GrpcTransport, EverySizeArrivesWhole) {
  // Around the limits of inlining (1 KiB) and chunking (2 MiB).
  std::vector<ChannelSpec> specs;
  for (uint64_t bytes : {1ull, 8ull, 1023ull, 1024ull, 1025ull, (2ull << 20) - 1, 2ull << 20,
                         (2ull << 20) + 1, 9ull << 20})
    specs.push_back({{static_cast<uint32_t>(specs.size()), 0}, bytes, 2, false});
  GrpcPair pair(specs);
  ASSERT_TRUE(pair.connect().ok());
  uint64_t total = 0;
  for (auto &spec : specs) {
    std::vector<uint8_t> data(spec.bytes);
    for (uint64_t step = 0; step < 4; ++step) {
      std::iota(data.begin(), data.end(), static_cast<uint8_t>(step * 7));
      std::thread sender([&] { send(*pair.end[0]->sender(spec.key), data.data(), step); });
      RecvPort &port = *pair.end[1]->receiver(spec.key);
      const void *got = receive(port);
      sender.join();
      EXPECT_EQ(reinterpret_cast<uintptr_t>(got) % 64, 0u);
      EXPECT_EQ(memcmp(got, data.data(), spec.bytes), 0) << spec.bytes;
      port.release();
      total += spec.bytes;
    }
  }
  EXPECT_EQ(pair.end[0]->counters().bytesSent, total);
  EXPECT_EQ(pair.end[1]->counters().bytesReceived, total);
}

TEST(GrpcTransport, RoundTripIsQuick) {
  GrpcPair pair({{{0, 0}, 8, 1, false}}, {{{1, 0}, 8, 1, false}});
  ASSERT_TRUE(pair.connect().ok());
  constexpr uint64_t kTrips = 2000;
  std::thread echo([&] {
    for (uint64_t i = 0; i < kTrips; ++i) {
      RecvPort &in = *pair.end[1]->receiver({0, 0});
      uint64_t value = *static_cast<const uint64_t *>(receive(in));
      in.release();
      send(*pair.end[1]->sender({1, 0}), &value, i);
    }
  });
  absl::Time begin = absl::Now();
  uint64_t slow = 0;
  for (uint64_t i = 0; i < kTrips; ++i) {
    const absl::Time sent = absl::Now();
    send(*pair.end[0]->sender({0, 0}), &i, i);
    RecvPort &in = *pair.end[0]->receiver({1, 0});
    EXPECT_EQ(*static_cast<const uint64_t *>(receive(in)), i);
    in.release();
    slow += absl::Now() - sent >= absl::Milliseconds(100);
  }
  echo.join();
  double us = absl::ToDoubleMicroseconds(absl::Now() - begin) / kTrips;
  RecordProperty("round_trip_us", std::to_string(us));
  std::printf("round trip %.1f us\n", us);
  EXPECT_LT(slow, kTrips / 5) << "a lost wake-up costs 100 ms a trip";
}

TEST(GrpcTransport, AnotherRunIsRefused) {
  GrpcPair pair({{{0, 0}, 8, 1, false}});
  pair.identity[0].run = "other";
  pair.end[0] = std::make_unique<transport::GrpcTransport>(pair.identity[0]);
  pair.end[0]->addPeer(1, pair.identity[1].name, pair.incarnation[1]);
  pair.server[0]->data().serve(pair.end[0].get());
  EXPECT_THAT(std::string(pair.connect().message()),
              testing::HasSubstr("the caller is of another run"));
}

TEST(GrpcTransport, AnotherPlanIsRefusedWithBothFingerprints) {
  GrpcPair pair({{{0, 0}, 8, 1, false}});
  pair.identity[0].fingerprint = "another-plan";
  pair.server[0]->data().serve(nullptr);
  pair.end[0] = std::make_unique<transport::GrpcTransport>(pair.identity[0]);
  pair.end[0]->addPeer(1, pair.identity[1].name, pair.incarnation[1]);
  std::string message(pair.connect().message());
  EXPECT_THAT(message, testing::HasSubstr("another-plan"));
  EXPECT_THAT(message, testing::HasSubstr("this task plan"));
}

TEST(GrpcTransport, AnotherProcessOfTheSameNameIsRefused) {
  GrpcPair pair({{{0, 0}, 8, 1, false}});
  pair.identity[0].incarnation = 33;
  pair.end[0] = std::make_unique<transport::GrpcTransport>(pair.identity[0]);
  pair.end[0]->addPeer(1, pair.identity[1].name, pair.incarnation[1]);
  EXPECT_THAT(std::string(pair.connect().message()), testing::HasSubstr("another process"));
}

// The count follows from the plan and from the program alone, so only another graphrun has another
// one.
TEST(GrpcTransport, AnotherCountOfStreamsIsRefused) {
  GrpcPair pair({{{0, 0}, transport::kLargeBytes, 1, false}});
  pair.server[0]->data().serve(nullptr);
  pair.end[0] = std::make_unique<transport::GrpcTransport>(pair.identity[0]);
  pair.end[0]->addPeer(1, pair.identity[1].name, pair.incarnation[1]);
  EXPECT_THAT(std::string(pair.connect().message()),
              testing::HasSubstr(absl::StrCat("opens data stream 0 of 1, /job:test/task:1 expects ",
                                              transport::kMaxStreams,
                                              ": use the same graphrun on all machines")));
}

/// A channel on its way to where nobody is, as it may be with TLS.
absl::StatusOr<std::shared_ptr<grpc::Channel>> nobody() {
  return grpc::CreateChannel("unix-abstract:graphc-nobody", grpc::InsecureChannelCredentials());
}

TEST(GrpcTransport, OneOfSeveralStreamsThatIsMissingIsWaitedFor) {
  GrpcPair pair({{{0, 0}, transport::kLargeBytes, 1, false}});
  std::atomic<int> dialled{0};
  ASSERT_TRUE(pair.end[0]->connect(1, [&] { return dialled++ ? nobody() : pair.dial(); }).ok());
  EXPECT_EQ(dialled, int(transport::kMaxStreams));
  for (auto &end : pair.end)
    EXPECT_EQ(end->waitConnected(absl::Now() + absl::Milliseconds(300)).code(),
              absl::StatusCode::kDeadlineExceeded);
}

TEST(GrpcTransport, WhoWaitsForTheOthersHearsThatOneBroke) {
  GrpcPair pair({{{0, 0}, transport::kLargeBytes, 1, false}});
  std::atomic<int> dialled{0};
  ASSERT_TRUE(pair.end[0]->connect(1, [&] { return dialled++ ? nobody() : pair.dial(); }).ok());
  std::thread ender([&] {
    EXPECT_EQ(pair.end[0]->waitConnected(absl::Now() + absl::Milliseconds(300)).code(),
              absl::StatusCode::kDeadlineExceeded);
    pair.end[0]->shutdown();
  });
  EXPECT_EQ(pair.end[1]->waitConnected(absl::Now() + absl::Seconds(60)).code(),
            absl::StatusCode::kUnavailable);
  ender.join();
}

TEST(GrpcTransport, AStreamIsTakenOnce) {
  GrpcPair pair({{{0, 0}, transport::kLargeBytes, 1, false}});
  ASSERT_TRUE(pair.connect().ok());
  transport::GrpcTransport again(pair.identity[0]);
  again.addPeer(1, pair.identity[1].name, pair.incarnation[1]);
  again.addSend(1, {{0, 0}, transport::kLargeBytes, 1, false});
  ASSERT_TRUE(again.connect(1, [&] { return pair.dial(); }).ok());
  absl::Status status;
  for (absl::Time limit = absl::Now() + absl::Seconds(5); status.ok() && absl::Now() < limit;) {
    absl::SleepFor(absl::Milliseconds(20));
    status = again.status();
  }
  EXPECT_FALSE(status.ok());
  EXPECT_TRUE(pair.end[1]->status().ok()) << "those that stand go on";
  std::vector<uint8_t> data(transport::kLargeBytes, 7);
  std::thread sender([&] { send(*pair.end[0]->sender({0, 0}), data.data(), 0); });
  const void *got = receive(*pair.end[1]->receiver({0, 0}));
  sender.join();
  EXPECT_EQ(memcmp(got, data.data(), data.size()), 0);
}

TEST(GrpcTransport, PeerThatEndsBreaksTheStreamAndWakesTheReceiver) {
  GrpcPair pair({{{0, 0}, 8, 1, false}});
  ASSERT_TRUE(pair.connect().ok());
  std::atomic<uint32_t> broken{UINT32_MAX};
  pair.end[1]->onBroken([&](uint32_t peer, absl::Status) { broken = peer; });
  RecvPort &port = *pair.end[1]->receiver({0, 0});
  std::thread ender([&] {
    absl::SleepFor(absl::Milliseconds(50));
    pair.end[0]->shutdown();
  });
  const void *data = nullptr;
  EXPECT_EQ(await(port, [&] { return port.poll(&data); }), PollState::Aborted);
  ender.join();
  EXPECT_EQ(broken.load(), 0u);
  EXPECT_THAT(std::string(port.status().message()), testing::HasSubstr("/job:test/task:0"));
  EXPECT_FALSE(pair.end[1]->reset(1).ok());
}

TEST(GrpcTransport, FramesOfAnEarlierGenerationAreDropped) {
  GrpcPair pair({{{0, 0}, 8, 4, false}});
  ASSERT_TRUE(pair.connect().ok());
  uint64_t value = 1;
  send(*pair.end[0]->sender({0, 0}), &value, 0); // generation 0, perhaps still on its way
  ASSERT_TRUE(pair.end[1]->reset(1).ok());
  ASSERT_TRUE(pair.end[0]->reset(1).ok());
  value = 2;
  send(*pair.end[0]->sender({0, 0}), &value, 0);
  EXPECT_EQ(*static_cast<const uint64_t *>(receive(*pair.end[1]->receiver({0, 0}))), 2u);
}

/// The next process of a peer comes to the transport that was made for it, the lost one's transport
/// says nothing of its broken stream, and gRPC has let go of what was sent by then.
TEST(GrpcTransport, TheNextProcessOfALostPeerHasALinkOfItsOwn) {
  const std::vector<ChannelSpec> specs = {{{0, 0}, 9 << 20, 1, false}};
  GrpcPair pair({}, specs); // task 1 sends to task 0
  std::atomic<int> spared{0}, broken{0};
  pair.end[1]->onSpared([&](uint32_t peer, uint64_t incarnation, const absl::Status &) {
    EXPECT_EQ(peer, 0u);
    EXPECT_EQ(incarnation, 11u);
    ++spared;
    return true;
  });
  pair.end[1]->onBroken([&](uint32_t, absl::Status) { ++broken; });
  ASSERT_TRUE(pair.connect().ok());
  const std::vector<uint8_t> data(9 << 20, 7);
  SendPort &port = *pair.end[1]->sender({0, 0});
  ASSERT_EQ(port.start(data.data(), 0, transport::SendMode::Borrow),
            PollState::Ready); // large: on its way when the peer dies
  pair.server[0]->data().serve(nullptr);
  pair.end[0].reset();
  for (absl::Time until = absl::Now() + absl::Seconds(20); spared == 0 && absl::Now() < until;)
    absl::SleepFor(absl::Milliseconds(1));
  EXPECT_EQ(spared, 1);
  EXPECT_TRUE(pair.end[1]->forget(0, absl::Seconds(20)))
      << "the sender's memory may be written again";

  transport::GrpcTransport next(pair.identity[1]);
  next.addPeer(0, pair.identity[0].name, 33);
  next.addSend(0, specs.front());
  pair.server[1]->data().serveToo(&next);
  // who was given up and wakes up; then the one that is known
  for (uint64_t incarnation : {11u, 33u}) {
    transport::GrpcIdentity self = pair.identity[0];
    self.incarnation = incarnation;
    pair.end[0] = std::make_unique<transport::GrpcTransport>(self);
    pair.end[0]->addPeer(1, pair.identity[1].name, 22);
    EXPECT_TRUE(pair.end[0]->addRecv(1, specs.front()).ok());
    pair.server[0]->data().serve(pair.end[0].get());
    ASSERT_TRUE(pair.end[0]->connect(1, [&] { return pair.dial(); }).ok());
    const absl::Status connected = pair.end[0]->waitConnected(absl::Now() + absl::Seconds(20));
    EXPECT_EQ(connected.ok(), incarnation == 33) << connected;
    if (!connected.ok()) {
      pair.server[0]->data().serve(nullptr);
      EXPECT_FALSE(next.waitConnected(absl::Now()).ok()) << "no stream of another process";
    }
  }
  ASSERT_EQ(next.waitConnected(absl::Now() + absl::Seconds(20)), absl::OkStatus());
  const std::vector<uint8_t> fresh(9 << 20, 9);
  std::thread sender([&] { send(*next.sender({0, 0}), fresh.data(), 0); });
  const void *got = receive(*pair.end[0]->receiver({0, 0}));
  sender.join();
  ASSERT_NE(got, nullptr);
  EXPECT_EQ(memcmp(got, fresh.data(), fresh.size()), 0);
  EXPECT_EQ(broken, 0) << "the lost peer is no failure of the others";
  pair.end[0]->shutdown();
  pair.server[1]->data().serveNoMore(&next);
  next.shutdown();
}

TEST(TaskServer, PortInUseSaysSo) {
  auto first = TaskServer::start({"127.0.0.1:29481", {}, {"secret", nullptr}}, {});
  ASSERT_TRUE(first.ok()) << first.status();
  auto second = TaskServer::start({"127.0.0.1:29481", {}, {"secret", nullptr}}, {});
  ASSERT_FALSE(second.ok());
  EXPECT_THAT(std::string(second.status().message()),
              testing::AllOf(testing::HasSubstr("127.0.0.1:29481"),
                             testing::HasSubstr("another process has this port")));
}

// A line with a long way or a machine with much to do: TCP, TLS and HTTP/2 together take several
// round trips.
TEST(TaskServer, ASlowConnectionIsGivenTheTimeItNeeds) {
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof(address);
  ASSERT_EQ(bind(listener, reinterpret_cast<sockaddr *>(&address), length), 0);
  ASSERT_EQ(listen(listener, 8), 0);
  ASSERT_EQ(getsockname(listener, reinterpret_cast<sockaddr *>(&address), &length), 0);
  std::thread slow([listener] { // says two seconds after it was called that it speaks HTTP/2
    int connection = accept(listener, nullptr, nullptr);
    ASSERT_GE(connection, 0);
    absl::SleepFor(absl::Seconds(2));
    const char settings[] = {0, 0, 0, 4, 0, 0, 0, 0, 0};
    EXPECT_EQ(::send(connection, settings, sizeof(settings), MSG_NOSIGNAL),
              ssize_t{sizeof(settings)});
    char ignored[256];
    while (read(connection, ignored, sizeof(ignored)) > 0)
      ;
    close(connection);
  });
  auto channel =
      grpc::CreateCustomChannel(absl::StrCat("127.0.0.1:", ntohs(address.sin_port)),
                                grpc::InsecureChannelCredentials(), transport::channelArguments());
  EXPECT_TRUE(channel->WaitForConnected(absl::ToChronoTime(absl::Now() + absl::Seconds(20))));
  channel.reset();
  shutdown(listener, SHUT_RDWR);
  slow.join();
  close(listener);
}

} // namespace
} // namespace graphc::service
