// A link that is made anew, in front of the one before: what every transport does then.
#include "test/runtime/transport/Conformance.h"

#include "absl/time/clock.h"

#include <cstring>
#include <thread>

namespace graphc::transport {
namespace {

/// Several transports as one task has them, of two tasks.
struct Tasks {
  TransportSet sending, receiving;
  std::vector<std::shared_ptr<Link>> links; ///< newest last
  const bool alike; ///< both ends are one object

  explicit Tasks(std::shared_ptr<Link> first) : alike(&first->sending() == &first->receiving()) {
    sending.add(end(first, true));
    receiving.add(end(first, false));
    links.push_back(std::move(first));
  }
  static std::shared_ptr<Transport> end(const std::shared_ptr<Link> &link, bool sends) {
    return {link, sends ? &link->sending() : &link->receiving()};
  }
  void relink(std::shared_ptr<Link> next) {
    sending.putFirst(end(next, true), &links.back()->sending());
    receiving.putFirst(end(next, false), &links.back()->receiving());
    links.push_back(std::move(next));
  }
};

const std::vector<ChannelSpec> kSpecs = {{{0, 0}, 4096, 2, false}, {{1, 0}, 64, 2, false}};

} // namespace

/// Nothing of the links before comes, begun, sent or half taken, and each has its slots and its
/// credits.
TEST_P(Conformance, MessagesOfAnEarlierLinkNeverArrive) {
  open(kSpecs);
  Tasks tasks(std::move(link));
  std::vector<uint8_t> old = content(4096, 1);
  for (uint32_t life = 0; life < 4; ++life) {
    SendPort *before = tasks.sending.sender({0, 0});
    RecvPort *beforeReceiver = tasks.receiving.receiver({0, 0});
    // one that was sent, one that was taken and not given back
    ASSERT_TRUE(send(before, old.data(), life));
    ASSERT_TRUE(send(before, old.data(), life));
    ASSERT_NE(receive(beforeReceiver), nullptr);

    auto next = GetParam().make(kSpecs);
    ASSERT_TRUE(next.ok()) << next.status();
    tasks.relink(*std::move(next));
    SendPort *now = tasks.sending.sender({0, 0});
    RecvPort *nowReceiver = tasks.receiving.receiver({0, 0});
    EXPECT_NE(now, before);
    EXPECT_NE(nowReceiver, beforeReceiver);
    const void *data = nullptr;
    EXPECT_EQ(nowReceiver->poll(&data), PollState::Pending) << "nothing has been sent by this link";
    const std::vector<uint8_t> fresh = content(4096, 100 + life);
    for (uint32_t k = 0; k < 3; ++k) { // more than slots
      std::thread sender([&] { send(now, fresh.data(), k, SendMode::Copy); });
      const void *got = receive(nowReceiver);
      sender.join();
      ASSERT_NE(got, nullptr);
      EXPECT_EQ(memcmp(got, fresh.data(), fresh.size()), 0) << "life " << life << ", message " << k;
      nowReceiver->release();
    }
    EXPECT_EQ(nowReceiver->poll(&data), PollState::Pending);
    EXPECT_EQ(tasks.receiving.receiver({1, 0})->poll(&data), PollState::Pending);
  }
  const uint64_t messages = 4 * (2 + 3);
  EXPECT_EQ(tasks.sending.counters().bytesSent, messages * 4096)
      << "of all links, those that went too";
}

/// Who still holds a port of an earlier link finds it where it was, and hears of the abort of that
/// link alone.
TEST_P(Conformance, PortsOfAnEarlierLinkStayUntilItGoes) {
  open(kSpecs);
  Tasks tasks(std::move(link));
  SendPort *before = tasks.sending.sender({0, 0});
  RecvPort *beforeReceiver = tasks.receiving.receiver({0, 0});
  auto next = GetParam().make(kSpecs);
  ASSERT_TRUE(next.ok()) << next.status();
  tasks.relink(*std::move(next));
  tasks.links.front()->sending().abort(absl::UnavailableError("the peer was lost"));
  tasks.links.front()->receiving().abort(absl::UnavailableError("the peer was lost"));
  void *memory = nullptr;
  EXPECT_EQ(pollUntil(beforeReceiver, PollState::Aborted), PollState::Aborted);
  EXPECT_EQ(before->acquire(&memory), PollState::Aborted);
  EXPECT_EQ(tasks.sending.status(), absl::OkStatus()) << "the set is the new link";
  const std::vector<uint8_t> data = content(4096, 3);
  ASSERT_TRUE(send(tasks.sending.sender({0, 0}), data.data()));
  ASSERT_NE(receive(tasks.receiving.receiver({0, 0})), nullptr);
}

/// An abort that comes before the new link is in the set reaches it all the same, and a reset takes
/// it back.
TEST_P(Conformance, AnAbortReachesALinkThatComesLate) {
  open(kSpecs);
  Tasks tasks(std::move(link));
  tasks.sending.abort(absl::AbortedError("a task failed"));
  tasks.receiving.abort(absl::AbortedError("a task failed"));
  auto next = GetParam().make(kSpecs);
  ASSERT_TRUE(next.ok()) << next.status();
  tasks.relink(*std::move(next));
  RecvPort *port = tasks.receiving.receiver({0, 0});
  EXPECT_EQ(pollUntil(port, PollState::Aborted), PollState::Aborted);
  EXPECT_EQ(tasks.receiving.status().message(), "a task failed");
  ASSERT_EQ(tasks.sending.reset(2), absl::OkStatus());
  if (!tasks.alike)
    ASSERT_EQ(tasks.receiving.reset(2), absl::OkStatus());
  const std::vector<uint8_t> data = content(4096, 3);
  ASSERT_TRUE(send(tasks.sending.sender({0, 0}), data.data()));
  ASSERT_NE(receive(tasks.receiving.receiver({0, 0})), nullptr);
}

/// Who waits at a port looks again at once, and finds what it was asked to (executor/LanePause.h).
TEST_P(Conformance, WakeEndsAWait) {
  open(kSpecs);
  const absl::Duration took =
      timeToWake([&] { receiver->wait(absl::Seconds(10)); }, [&] { link->receiving().wake(); });
  EXPECT_LT(took, absl::Seconds(5));
}

} // namespace graphc::transport
