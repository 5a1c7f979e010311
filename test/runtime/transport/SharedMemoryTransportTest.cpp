//===- SharedMemoryTransportTest.cpp ----------------------------------------------------------===//
//
// Who may connect, what a hostile peer can do, what is left behind.
//
//===------------------------------------------------------------------------------------------===//

#include "runtime/transport/SharedMemoryTransport.h"
#include "runtime/common/base/Socket.h"
#include "runtime/device/MemoryRegion.h"
#include "runtime/transport/MessageRing.h"
#include "runtime/transport/SegmentHandshake.h"

#include "test/runtime/transport/TestPaths.h"

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <poll.h>
#include <sstream>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace graphc::transport {
namespace {

using testing::HasSubstr;

const std::vector<ChannelSpec> specs = {{{0, 0}, 64, 1, false}};
const std::string ps = "/job:ps/task:0", worker = "/job:worker/task:0";

std::string freshRun() {
  static int count = 0;
  return absl::StrCat("shared-memory-test-", getpid(), "-", count++);
}

SharedMemoryOptions receiverOptions(const std::string &run) {
  return {run, std::string(64, 'a'), ps, {{worker, specs, {}}}};
}
SharedMemoryOptions senderOptions(const std::string &run) {
  return {run, std::string(64, 'a'), worker, {{ps, {}, specs}}};
}
/// The deadline of a connection that is made or refused before it.
absl::Time inTime() { return absl::Now() + absl::Seconds(20); }
/// The deadline of a connection that waits until it passes.
absl::Time soon() { return absl::Now() + absl::Milliseconds(300); }

/// Connects a sender with `options` to a receiver with receiverOptions(run); the sender's status.
absl::Status connectTo(const std::string &run, const SharedMemoryOptions &options,
                       absl::Time deadline = inTime()) {
  auto receiver = listenAtTestPath(receiverOptions(run));
  EXPECT_TRUE(receiver.ok()) << receiver.status();
  auto sender = listenAtTestPath(options);
  EXPECT_TRUE(sender.ok()) << sender.status();
  return (*sender)->connect(deadline);
}

TEST(SharedMemoryTransport, AnotherPlanIsRefusedWithBothFingerprints) {
  std::string run = freshRun();
  SharedMemoryOptions options = senderOptions(run);
  options.fingerprint = std::string(64, 'b');
  absl::Status status = connectTo(run, options);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("another plan: ours is aaaaaaaaaaaaaaaa, yours bbbbbbbbbbbbbbbb"));
}

TEST(SharedMemoryTransport, AnotherRunDoesNotFindTheSocket) {
  absl::Status status = connectTo(freshRun(), senderOptions(freshRun()), soon());
  EXPECT_TRUE(absl::IsDeadlineExceeded(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("/job:ps/task:0 does not listen yet"));
}

TEST(SharedMemoryTransport, AnotherLayoutIsRefused) {
  std::string run = freshRun();
  SharedMemoryOptions options = senderOptions(run);
  options.peers[0].outgoing[0].capacity = 2;
  EXPECT_THAT(std::string(connectTo(run, options).message()), HasSubstr("different channels"));
}

TEST(SharedMemoryTransport, UnknownTaskIsRefused) {
  std::string run = freshRun();
  SharedMemoryOptions options = senderOptions(run);
  options.self = "/job:worker/task:7";
  EXPECT_THAT(std::string(connectTo(run, options).message()),
              HasSubstr("no channel comes from /job:worker/task:7"));
}

TEST(SharedMemoryTransport, SecondPeerOfTheSameNameIsRefused) {
  std::string run = freshRun();
  SharedMemoryOptions both = receiverOptions(run);
  both.peers.push_back({"/job:worker/task:1", {{{0, 1}, 64, 1, false}}, {}}); // keeps the door open
  auto receiver = listenAtTestPath(both);
  auto first = listenAtTestPath(senderOptions(run)), second = listenAtTestPath(senderOptions(run));
  ASSERT_TRUE(receiver.ok() && first.ok() && second.ok());
  EXPECT_TRUE((*first)->connect(inTime()).ok());
  EXPECT_THAT(std::string((*second)->connect(inTime()).message()),
              HasSubstr("is connected already"));
}

TEST(SharedMemoryTransport, MissingPeerIsNamed) {
  auto receiver = listenAtTestPath(receiverOptions(freshRun()));
  absl::Status status = (*receiver)->connect(soon());
  EXPECT_TRUE(absl::IsDeadlineExceeded(status));
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("/job:ps/task:0 waited for /job:worker/task:0"));
}

TEST(SharedMemoryTransport, AbortWakesConnect) {
  auto receiver = listenAtTestPath(receiverOptions(freshRun()));
  std::thread thread([&] {
    absl::SleepFor(absl::Milliseconds(50));
    (*receiver)->abort(absl::AbortedError("the launcher stops"));
  });
  absl::Time start = absl::Now();
  EXPECT_EQ((*receiver)->connect(start + absl::Seconds(20)).message(), "the launcher stops");
  EXPECT_LT(absl::Now() - start, absl::Seconds(10));
  thread.join();
}

TEST(SharedMemoryTransport, GarbageOnTheSocketHarmsNobody) {
  std::string run = freshRun();
  auto receiver = listenAtTestPath(receiverOptions(run));
  detail::Hello garbage;
  memset(&garbage, 0xff, sizeof garbage);
  EXPECT_FALSE(detail::requestSegment(testPath(run, ps), garbage).ok());
  auto sender = listenAtTestPath(senderOptions(run));
  EXPECT_TRUE((*sender)->connect(absl::Now() + absl::Seconds(10)).ok());
}

/// What a sender with senderOptions(run) says, heard at the receiver's path, where nobody answers
/// it.
detail::Hello helloOf(const std::string &run) {
  SharedMemoryOptions options = senderOptions(run);
  auto deaf = base::UnnamedListener::make(SOCK_SEQPACKET);
  EXPECT_TRUE(deaf.ok()) << deaf.status();
  auto sender = listenAtTestPath(options);
  (*sender)->setPath(ps, deaf->procPath());
  std::thread asks([&] { EXPECT_FALSE((*sender)->connect(soon()).ok()); });
  detail::Hello hello{};
  while (true) {
    absl::StatusOr<base::UniqueFd> caller = detail::acceptCaller(deaf->listener.get());
    if (!caller.ok()) {
      absl::SleepFor(absl::Milliseconds(1));
      continue;
    }
    EXPECT_TRUE(base::waitFor(caller->get(), POLLIN, absl::Now() + absl::Seconds(10)));
    hello = detail::receiveRequest(caller->get())->hello;
    break;
  }
  (*sender)->abort(absl::CancelledError("it has said enough"));
  deaf->listener.reset();
  deaf->path.reset();
  asks.join();
  return hello;
}
/// A connection to the receiver on which this was said.
base::UniqueFd saying(const std::string &run, const void *data, size_t bytes) {
  base::UniqueFd socket = *base::connectUnix(testPath(run, ps), SOCK_SEQPACKET);
  EXPECT_EQ(send(socket.get(), data, bytes, MSG_NOSIGNAL), ssize_t(bytes));
  return socket;
}

TEST(SharedMemoryTransport, WhoWasLateOrDiedMayAskAgain) {
  std::string run = freshRun();
  const detail::Hello hello = helloOf(run);
  auto receiver = listenAtTestPath(receiverOptions(run));
  // Gone before the answer, gone behind it, and one that has it and neither thanks nor goes.
  saying(run, &hello, sizeof hello).reset();
  for (bool goes : {true, false}) {
    base::UniqueFd answered = saying(run, &hello, sizeof hello);
    detail::Answer reply{};
    ASSERT_TRUE(base::waitFor(answered.get(), POLLIN, absl::Now() + absl::Seconds(10)));
    ASSERT_EQ(recv(answered.get(), &reply, sizeof reply, 0), ssize_t(sizeof reply));
    EXPECT_EQ(reply.accepted, 1u) << reply.message;
    if (goes)
      continue;
    auto sender = listenAtTestPath(senderOptions(run));
    EXPECT_TRUE((*sender)->connect(absl::Now() + absl::Seconds(10)).ok());
    EXPECT_LT(send(answered.get(), "t", 1, MSG_NOSIGNAL), 0) << "too late: another has the memory";
    EXPECT_TRUE((*receiver)->connect(absl::Now() + absl::Seconds(10)).ok());
  }
}

TEST(SharedMemoryTransport, ThanksThatWereSentCount) {
  std::string run = freshRun();
  const detail::Hello hello = helloOf(run);
  SharedMemoryOptions both = receiverOptions(run);
  both.peers.push_back({"/job:worker/task:1", {{{0, 1}, 64, 1, false}}, {}}); // keeps the door open
  auto receiver = listenAtTestPath(both);
  auto first = listenAtTestPath(senderOptions(run));
  ASSERT_TRUE((*first)->connect(absl::Now() + absl::Seconds(10)).ok());
  base::UniqueFd second = saying(run, &hello, sizeof hello);
  detail::Answer reply{};
  ASSERT_TRUE(base::waitFor(second.get(), POLLIN, absl::Now() + absl::Seconds(10)));
  ASSERT_EQ(recv(second.get(), &reply, sizeof reply, 0), ssize_t(sizeof reply));
  EXPECT_EQ(reply.accepted, 0u);
  EXPECT_THAT(std::string(reply.message), HasSubstr("connected already"));
}

TEST(SharedMemoryTransport, SilentCallersKeepNobodyWaiting) {
  std::string run = freshRun();
  auto receiver = listenAtTestPath(receiverOptions(run));
  std::vector<base::UniqueFd> silent;
  for (int i = 0; i < 20; ++i)
    silent.push_back(*base::connectUnix(testPath(run, ps), SOCK_SEQPACKET));
  auto sender = listenAtTestPath(senderOptions(run));
  EXPECT_TRUE((*sender)->connect(inTime()).ok()) << "one after the other they would take 40 s";
}

TEST(SharedMemoryTransport, SegmentWithoutSealsIsRefused) {
  int fd = memfd_create("unsealed", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  ASSERT_EQ(ftruncate(fd, 4096), 0);
  EXPECT_FALSE(detail::checkSegment(fd, 4096, ps).ok());
  close(fd);
  auto sealed = detail::makeSegment(4096);
  EXPECT_TRUE(detail::checkSegment(sealed->get(), 4096, ps).ok());
  EXPECT_FALSE(detail::checkSegment(sealed->get(), 8192, ps).ok());
  auto empty = detail::makeSegment(0);
  EXPECT_FALSE(detail::checkSegment(empty->get(), UINT64_MAX - 5, ps).ok())
      << "no file has so many pages";
}

TEST(SharedMemoryTransport, NothingIsLeftBehind) {
  auto count = [](const char *directory) {
    return std::distance(std::filesystem::directory_iterator(directory),
                         std::filesystem::directory_iterator());
  };
  auto fdsBefore = count("/proc/self/fd");
  {
    std::string run = freshRun();
    auto receiver = listenAtTestPath(receiverOptions(run));
    auto sender = listenAtTestPath(senderOptions(run));
    ASSERT_TRUE((*sender)->connect(absl::Now() + absl::Seconds(10)).ok());
    std::stringstream maps; // /dev/shm itself also has files of other processes, which come and go
    maps << std::ifstream("/proc/self/maps").rdbuf();
    EXPECT_THAT(maps.str(), testing::AllOf(HasSubstr("/memfd:graphc-channels"),
                                           testing::Not(HasSubstr("/dev/shm/"))));
  }
  EXPECT_EQ(count("/proc/self/fd"), fdsBefore);
}

TEST(SharedMemoryTransport, DeadPeerLeavesAReceiverThatAbortEnds) {
  std::string run = freshRun();
  auto receiver = listenAtTestPath(receiverOptions(run));
  pid_t child = fork();
  if (child == 0) { // sends one message, then waits to be killed
    auto sender = listenAtTestPath(senderOptions(run));
    if (!sender.ok() || !(*sender)->connect(absl::Now() + absl::Seconds(10)).ok())
      _exit(1);
    char message[64] = "from the other process";
    (*sender)->sender({0, 0})->start(message, 0);
    for (;;)
      pause();
  }
  ASSERT_TRUE((*receiver)->connect(absl::Now() + absl::Seconds(10)).ok());
  RecvPort *port = (*receiver)->receiver({0, 0});
  const void *data = nullptr;
  for (absl::Time end = absl::Now() + absl::Seconds(10);
       port->poll(&data) == PollState::Pending && absl::Now() < end;)
    port->wait(absl::Milliseconds(100));
  ASSERT_NE(data, nullptr);
  EXPECT_STREQ(static_cast<const char *>(data), "from the other process");
  port->release();
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_EQ(port->poll(&data), PollState::Pending) << "the transport cannot know";
  (*receiver)->abort(absl::AbortedError("worker:0 died"));
  EXPECT_EQ(port->poll(&data), PollState::Aborted);
}

/// A ring whose other side is the test.
struct HostileRing {
  ChannelSpec spec{{4, 0}, 8, 2, false};
  std::vector<uint8_t> storage = std::vector<uint8_t>(ringBytes(spec) + 64);
  RingMemory *ring =
      new (reinterpret_cast<void *>((reinterpret_cast<uintptr_t>(storage.data()) + 63) / 64 * 64))
          RingMemory;
  AbortState abort;
};

TEST(SharedMemoryTransport, ImpossibleMessageCountAborts) {
  HostileRing h;
  RingReceiver receiver(h.spec, h.ring, h.abort, base::FutexScope::Process, worker);
  receiver.reset(0);
  h.ring->producer.produced = uint64_t(1) << 60;
  const void *data = nullptr;
  EXPECT_EQ(receiver.poll(&data), PollState::Aborted);
  EXPECT_EQ(data, nullptr);
  EXPECT_THAT(std::string(receiver.status().message()),
              HasSubstr("1152921504606846976 messages in 2 slots"));
}

TEST(SharedMemoryTransport, MessageOfAnotherGenerationAborts) {
  HostileRing h;
  RingReceiver receiver(h.spec, h.ring, h.abort, base::FutexScope::Process, worker);
  RingSender sender(h.spec, h.ring, h.abort, base::FutexScope::Process, ps);
  receiver.reset(5);
  sender.reset(4);
  uint64_t value = 1;
  ASSERT_EQ(sender.start(&value, 0, SendMode::Borrow), PollState::Ready);
  const void *data = nullptr;
  EXPECT_EQ(receiver.poll(&data), PollState::Aborted);
  EXPECT_THAT(std::string(receiver.status().message()),
              HasSubstr("a message of generation 4 on channel 4 in generation 5"));
}

TEST(SharedMemoryTransport, ReferenceOutOfTheZeroCopyMemoryAborts) {
  alignas(64) uint8_t memory[256] = {};
  for (uint64_t offset :
       {uint64_t(256), uint64_t(32), uint64_t(192), ~uint64_t(63), uint64_t(64)}) {
    HostileRing h;
    h.spec.zeroCopy = true;
    h.spec.bytes = 128;
    std::vector<uint8_t> storage(ringBytes(h.spec) + 64);
    h.ring =
        new (reinterpret_cast<void *>((reinterpret_cast<uintptr_t>(storage.data()) + 63) / 64 * 64))
            RingMemory;
    RingReceiver receiver(h.spec, h.ring, h.abort, base::FutexScope::Process, worker);
    receiver.mapZeroCopy({memory, sizeof memory});
    receiver.reset(0);
    h.ring->producer.produced = 1;
    memcpy(h.ring + 1, &offset, sizeof offset);
    const void *data = nullptr;
    bool fits = offset == 64;
    EXPECT_EQ(receiver.poll(&data), fits ? PollState::Ready : PollState::Aborted) << offset;
    EXPECT_EQ(data, fits ? memory + 64 : nullptr);
    if (!fits)
      EXPECT_THAT(std::string(receiver.status().message()),
                  HasSubstr("refers to what is not in the 256 bytes"));
  }
}

TEST(SharedMemoryTransport, ASizeThatNoMessageHasAborts) {
  for (uint64_t size : {uint64_t(0), uint64_t(16), uint64_t(24), uint64_t(7), uint64_t(32),
                        ~uint64_t(0), ~uint64_t(7)}) {
    HostileRing h;
    h.spec.unit = 8;
    h.spec.bytes = 24;
    std::vector<uint8_t> storage(ringBytes(h.spec) + 64);
    h.ring =
        new (reinterpret_cast<void *>((reinterpret_cast<uintptr_t>(storage.data()) + 63) / 64 * 64))
            RingMemory;
    RingReceiver receiver(h.spec, h.ring, h.abort, base::FutexScope::Process, worker);
    receiver.reset(0);
    h.ring->producer.produced = 1;
    memcpy(reinterpret_cast<uint8_t *>(h.ring + 1) + payloadStride(h.spec), &size, sizeof size);
    const void *data = nullptr;
    const bool fits = size <= 24 && size % 8 == 0;
    EXPECT_EQ(receiver.poll(&data), fits ? PollState::Ready : PollState::Aborted) << size;
    if (fits)
      EXPECT_EQ(receiver.size(), size);
    else
      EXPECT_THAT(std::string(receiver.status().message()),
                  HasSubstr("bytes; expected at most 24, a multiple of 8"));
  }
}

TEST(SharedMemoryTransport, SendingWhatIsNotZeroCopyAborts) {
  HostileRing h;
  h.spec.zeroCopy = true;
  RingSender sender(h.spec, h.ring, h.abort, base::FutexScope::Process, ps);
  alignas(64) uint8_t memory[128] = {}, elsewhere[64] = {};
  sender.setZeroCopy({memory, sizeof memory});
  sender.reset(0);
  EXPECT_EQ(sender.start(memory + 64, 0, SendMode::Borrow), PollState::Ready);
  EXPECT_EQ(sender.start(elsewhere, 0, SendMode::Borrow), PollState::Aborted);
  EXPECT_THAT(std::string(sender.status().message()),
              HasSubstr("sends zero-copy what is not in the 128 bytes"));
}

TEST(SharedMemoryTransport, ZeroCopyChannelWithoutMemoryIsRefused) {
  std::string run = freshRun();
  SharedMemoryOptions receives = receiverOptions(run), sends = senderOptions(run);
  receives.peers[0].incoming[0].zeroCopy = sends.peers[0].outgoing[0].zeroCopy = true;
  auto receiver = listenAtTestPath(receives), sender = listenAtTestPath(sends);
  ASSERT_TRUE(receiver.ok() && sender.ok());
  EXPECT_THAT(std::string((*sender)->connect(inTime()).message()),
              HasSubstr("no memory came to read it in"));
}

TEST(SharedMemoryTransport, ZeroCopyMemoryWithoutSealsIsRefused) {
  std::string run = freshRun();
  SharedMemoryOptions receives = receiverOptions(run), sends = senderOptions(run);
  receives.peers[0].incoming[0].zeroCopy = sends.peers[0].outgoing[0].zeroCopy = true;
  base::UniqueFd unsealed(::memfd_create("unsealed", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  ASSERT_EQ(::ftruncate(unsealed.get(), 4096), 0);
  sends.zeroCopyFd = unsealed.get();
  sends.zeroCopyBytes = 4096;
  auto receiver = listenAtTestPath(receives), sender = listenAtTestPath(sends);
  ASSERT_TRUE(receiver.ok() && sender.ok());
  EXPECT_THAT(std::string((*sender)->connect(inTime()).message()), HasSubstr("without seals"));
}

// Readers see what the sender writes, and cannot write it themselves.
TEST(SharedMemoryDeathTest, ZeroCopyMemoryIsReadOnlyAtTheReader) {
  std::string run = freshRun();
  SharedMemoryOptions receives = receiverOptions(run), sends = senderOptions(run);
  receives.peers[0].incoming[0].zeroCopy = sends.peers[0].outgoing[0].zeroCopy = true;
  device::MemoryRegion memory = *device::MemoryRegion::share(4096, "zero-copy");
  sends.zeroCopyFd = memory.descriptor();
  sends.zeroCopy = memory.data();
  sends.zeroCopyBytes = memory.size();
  auto receiver = listenAtTestPath(receives), sender = listenAtTestPath(sends);
  ASSERT_TRUE(receiver.ok() && sender.ok());
  ASSERT_TRUE((*sender)->connect(inTime()).ok() && (*receiver)->connect(inTime()).ok());
  memory.data()[128] = 42;
  ASSERT_EQ((*sender)->sender({0, 0})->start(memory.data() + 128, 0), PollState::Ready);
  const void *data = nullptr;
  ASSERT_EQ((*receiver)->receiver({0, 0})->poll(&data), PollState::Ready);
  EXPECT_EQ(*static_cast<const uint8_t *>(data), 42);
  EXPECT_NE(data, memory.data() + 128) << "the reader has a mapping of its own";
  EXPECT_DEATH(*static_cast<volatile uint8_t *>(const_cast<void *>(data)) = 1, "");
}

// The lane that takes the messages of all instances sleeps once; a sender that closes wakes it too,
// and an abort.
TEST(SharedMemoryTransport, AGateOpensWhenAllHaveCome) {
  for (PollState end : {PollState::Ready, PollState::Closed, PollState::Aborted}) {
    HostileRing a, b;
    ArrivalCounter arrivals{};
    RingReceiver first(a.spec, a.ring, a.abort, base::FutexScope::Process, worker);
    RingReceiver second(b.spec, b.ring, b.abort, base::FutexScope::Process, worker);
    RingSender early(a.spec, a.ring, a.abort, base::FutexScope::Process, ps);
    RingSender late(b.spec, b.ring, b.abort, base::FutexScope::Process, ps);
    for (RingReceiver *port : {&first, &second}) {
      port->gather(&arrivals);
      port->reset(0);
    }
    for (RingSender *port : {&early, &late}) {
      port->tell(&arrivals);
      port->reset(0);
    }
    RecvPort *const ports[] = {&first, nullptr, &second};
    std::atomic<bool> woken{false};
    std::thread waiter([&] {
      first.waitAll(ports, absl::Seconds(20));
      woken = true;
    });
    absl::SleepFor(absl::Milliseconds(50));
    uint64_t value = 1;
    ASSERT_EQ(early.start(&value, 0, SendMode::Borrow), PollState::Ready);
    absl::SleepFor(absl::Milliseconds(50));
    EXPECT_FALSE(woken) << "one of two is there";
    absl::Time start = absl::Now();
    if (end == PollState::Ready) {
      ASSERT_EQ(late.start(&value, 0, SendMode::Borrow), PollState::Ready);
    } else if (end == PollState::Closed) {
      late.close();
    } else {
      b.abort.set(absl::AbortedError("worker:1 died"));
      second.wakeLocal();
    }
    waiter.join();
    EXPECT_LT(absl::Now() - start, absl::Seconds(5));
    const void *data = nullptr;
    EXPECT_EQ(first.poll(&data), PollState::Ready);
    EXPECT_EQ(second.poll(&data), end);
  }
}

// The arrivals is the receiver's, and all its senders have it.
TEST(SharedMemoryTransport, SendersOfAGatheredChannelShareItsGate) {
  std::string run = freshRun();
  const std::string tasks[] = {worker, "/job:worker/task:1"};
  SharedMemoryOptions receives{run, std::string(64, 'a'), ps, {}};
  std::vector<SharedMemoryOptions> sends;
  for (uint32_t r : {0, 1}) {
    ChannelSpec spec{{0, r}, 64};
    spec.gathered = true;
    receives.peers.push_back({tasks[r], {spec}, {}});
    sends.push_back({run, std::string(64, 'a'), tasks[r], {{ps, {}, {spec}}}});
  }
  auto receiver = listenAtTestPath(receives), first = listenAtTestPath(sends[0]),
       second = listenAtTestPath(sends[1]);
  ASSERT_TRUE(receiver.ok() && first.ok() && second.ok());
  for (auto *transport : {&first, &second, &receiver})
    ASSERT_TRUE((**transport)->connect(absl::Now() + absl::Seconds(20)).ok());
  RecvPort *const ports[] = {(*receiver)->receiver({0, 0}), (*receiver)->receiver({0, 1})};
  std::atomic<bool> woken{false};
  std::thread waiter([&] {
    ports[0]->waitAll(ports, absl::Seconds(20));
    woken = true;
  });
  const std::byte message[64] = {};
  absl::SleepFor(absl::Milliseconds(50));
  EXPECT_EQ((*first)->sender({0, 0})->start(message, 0), PollState::Ready);
  absl::SleepFor(absl::Milliseconds(50));
  EXPECT_FALSE(woken) << "one of two is there";
  absl::Time start = absl::Now();
  EXPECT_EQ((*second)->sender({0, 1})->start(message, 0), PollState::Ready);
  waiter.join();
  EXPECT_LT(absl::Now() - start, absl::Seconds(5));
}

TEST(SharedMemoryTransport, ReleaseOfWhatWasNeverSentAborts) {
  HostileRing h;
  RingSender sender(h.spec, h.ring, h.abort, base::FutexScope::Process, ps);
  sender.reset(0);
  uint64_t value = 1;
  ASSERT_EQ(sender.start(&value, 0, SendMode::Borrow), PollState::Ready);
  ASSERT_EQ(sender.start(&value, 0, SendMode::Borrow), PollState::Ready);
  h.ring->consumer.consumed = 77;
  EXPECT_EQ(sender.start(&value, 0, SendMode::Borrow), PollState::Aborted);
  EXPECT_THAT(std::string(sender.status().message()),
              HasSubstr("released 77 times after 2 messages"));
}

} // namespace
} // namespace graphc::transport
