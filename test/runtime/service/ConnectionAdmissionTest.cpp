// Who gets in to a task, what strangers get to hear, and what they cost.
#include "runtime/common/base/Socket.h"
#include "runtime/service/ControlLink.h"
#include "runtime/service/RunSecret.h"
#include "runtime/service/SecretProof.h"
#include "runtime/service/TaskServer.h"
#include "test/runtime/service/LocalMaster.h"

#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

namespace graphc::service {
namespace {
using testing::HasSubstr;

absl::Time soon() { return absl::Now() + absl::Seconds(20); }

/// An admission on loopback TCP that counts whom it admits.
struct AtAdmission : testing::Test {
  AtAdmission() {
    for (int port = 29500; !admission && port < 29600; ++port) {
      address = absl::StrCat("127.0.0.1:", port);
      auto listeners = base::listenTcp(address, false);
      if (!listeners.ok())
        continue;
      ConnectionAdmission::Options options;
      options.listeners = *std::move(listeners);
      options.secret = "secret";
      options.admit = [this](base::UniqueFd) { ++admitted; };
      admission = *ConnectionAdmission::open(std::move(options));
    }
  }
  base::UniqueFd call() { return *base::connectTcp(address, soon()); }
  absl::Status proveWith(const std::string &secret) { return prove(call().get(), secret, soon()); }
  void expectAdmitted(int count) {
    for (absl::Time limit = soon(); admitted < count && absl::Now() < limit;)
      absl::SleepFor(absl::Milliseconds(1));
    EXPECT_EQ(admitted, count);
  }
  std::atomic<int> admitted{0};
  std::string address;
  std::unique_ptr<ConnectionAdmission> admission;
};

TEST_F(AtAdmission, WhoKnowsTheSecretComesInAndNobodyElse) {
  EXPECT_TRUE(proveWith("secret").ok());
  absl::Status guess = proveWith("guess");
  EXPECT_TRUE(absl::IsUnauthenticated(guess)) << guess;
  EXPECT_THAT(std::string(guess.message()), HasSubstr("another user's process"));
  EXPECT_TRUE(proveWith("secret").ok());
  expectAdmitted(2);
}

// A caller that cannot compute the answer gets no further than the listener's own proof.
TEST_F(AtAdmission, AWrongAnswerEndsTheConnection) {
  base::UniqueFd caller = call();
  ASSERT_TRUE(base::sendAll(caller.get(), "graphc-3" + std::string(32, 'r'), soon()).ok());
  ASSERT_TRUE(base::receiveAll(caller.get(), 8 + 32 + 32, soon()).ok());
  ASSERT_TRUE(base::sendAll(caller.get(), std::string(32, 'x'), soon()).ok());
  EXPECT_TRUE(absl::IsUnavailable(base::receiveAll(caller.get(), 1, soon()).status()));
  EXPECT_EQ(admitted, 0);
}

TEST_F(AtAdmission, HttpIsSentAwayAtItsFirstBytes) {
  base::UniqueFd caller = call();
  ASSERT_TRUE(base::sendAll(caller.get(), "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", soon()).ok());
  EXPECT_TRUE(absl::IsUnavailable(base::receiveAll(caller.get(), 1, soon()).status()));
  EXPECT_EQ(admitted, 0);
}

// Somebody between two honest ends, who passes on what each says, has connections of his own, with
// ends of their own.
TEST_F(AtAdmission, WhoPassesOnWhatTwoOthersSayIsFoundOut) {
  auto between = base::listenTcp("127.0.0.1:29601", false);
  ASSERT_TRUE(between.ok()) << between.status();
  std::thread relay([&] {
    ASSERT_TRUE(base::waitFor(between->front().get(), POLLIN, soon()));
    base::UniqueFd honest(
        accept4(between->front().get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC)),
        to = call();
    auto first = base::receiveAll(honest.get(), 40, soon());
    ASSERT_TRUE(first.ok() && base::sendAll(to.get(), *first, soon()).ok());
    auto second = base::receiveAll(to.get(), 72, soon());
    ASSERT_TRUE(second.ok() && base::sendAll(honest.get(), *second, soon()).ok());
    EXPECT_FALSE(base::receiveAll(honest.get(), 1, soon()).ok())
        << "the caller must go away without a word";
  });
  base::UniqueFd caller = *base::connectTcp("127.0.0.1:29601", soon());
  EXPECT_TRUE(absl::IsUnauthenticated(prove(caller.get(), "secret", soon())));
  caller.reset();
  relay.join();
  EXPECT_EQ(admitted, 0);
}

TEST_F(AtAdmission, ManyWhoSayNothingKeepNobodyOut) {
  std::vector<base::UniqueFd> silent;
  for (size_t i = 0; i < 3 * ConnectionAdmission::kMostAtProof; ++i)
    silent.push_back(call());
  size_t descriptors = 0;
  for (auto &entry : std::filesystem::directory_iterator("/proc/self/fd"))
    descriptors += entry.exists();
  EXPECT_LT(descriptors,
            3 * ConnectionAdmission::kMostAtProof + ConnectionAdmission::kMostAtProof + 50);
  int proven = 0;
  for (int i = 0; i < 20; ++i)
    proven += proveWith("secret").ok();
  EXPECT_GE(proven, 10) << "one in so many may lose its place to another";
  expectAdmitted(proven); // who was not let in knows it, and tries again
}

TEST(UnixAdmission, OnlyWhoHoldsThePathFindsIt) {
  auto made = base::UnnamedListener::make(SOCK_STREAM);
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_TRUE(base::isUnixAddress(made->inheritedAddress()));
  EXPECT_TRUE(base::connectUnix(made->inheritedAddress().substr(5), SOCK_STREAM).ok());
  struct stat socket;
  ASSERT_EQ(fstat(made->listener.get(), &socket), 0);
  std::ifstream names("/proc/net/unix");
  std::string line, name;
  while (name.empty() && std::getline(names, line)) {
    std::vector<std::string> columns = absl::StrSplit(line, ' ', absl::SkipEmpty());
    if (columns.size() == 8 && columns[6] == absl::StrCat(socket.st_ino))
      name = columns[7];
  }
  EXPECT_THAT(name, HasSubstr("/graphc-"));
  EXPECT_NE(access(name.c_str(), F_OK), 0) << name << ": where it was bound, nothing may be left";
}

TEST(UnixAdmission, AnotherUserIsNotOfThisUser) {
  if (geteuid() != 0)
    GTEST_SKIP() << "only root can be two users";
  int ends[2];
  auto made = base::UnnamedListener::make(SOCK_STREAM);
  ASSERT_EQ(pipe(ends), 0);
  pid_t child = fork();
  if (child == 0) {
    // as this user, then another
    base::UniqueFd kept = *base::connectUnix(made->inheritedAddress().substr(5), SOCK_STREAM);
    (void)!write(ends[1], "x", 1);
    pause();
  }
  char ready;
  ASSERT_EQ(read(ends[0], &ready, 1), 1);
  base::UniqueFd own(accept4(made->listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
  EXPECT_TRUE(base::checkSameUser(own.get()).ok());
  ASSERT_EQ(seteuid(12345), 0);
  absl::Status stranger = base::checkSameUser(own.get());
  ASSERT_EQ(seteuid(0), 0);
  EXPECT_TRUE(absl::IsPermissionDenied(stranger)) << stranger;
  kill(child, SIGKILL);
  close(ends[0]);
  close(ends[1]);
}

// A caller that has proved itself is refused a message over the limit. (What such a message costs:
// LongMessageTest.cpp.)
TEST(TaskServer, AMessageThatIsTooLongIsRefused) {
  LocalMaster chief;
  ASSERT_TRUE(chief.server.ok()) << chief.server.status();
  auto stub = Master::NewStub(*chief.dial());
  auto ask = [&](size_t bytes) {
    grpc::ClientContext context;
    PlanRequest request;
    request.set_task(std::string(bytes, 'x'));
    PlanPart part;
    auto reader = stub->FetchPlan(&context, request);
    while (reader->Read(&part)) {
    }
    return reader->Finish().error_code();
  };
  EXPECT_EQ(ask(100), grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_EQ(ask(transport::kMostMessageBytes + 1), grpc::StatusCode::RESOURCE_EXHAUSTED);
}

} // namespace
} // namespace graphc::service
