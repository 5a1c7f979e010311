#include "runtime/service/ConnectionAdmission.h"

#include "runtime/common/base/MonotonicClock.h"
#include "runtime/common/base/ProcessLog.h"
#include "runtime/common/base/Socket.h"
#include "runtime/common/base/StartThread.h"
#include "runtime/common/base/StatusMacros.h"
#include "runtime/service/RunSecret.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

namespace graphc::service {
namespace {
/// Beyond so many callers in kCountFor that prove nothing (with TLS: beyond so many at all), it
/// admits only every kRest: a flood costs a few per cent of a core.
constexpr size_t kManyStrangers = 100, kAtOnce = 16;
constexpr absl::Duration kCountFor = absl::Seconds(1), kRest = absl::Milliseconds(10);

int64_t after(absl::Duration wait) {
  return base::nowNanoseconds() + absl::ToInt64Nanoseconds(wait);
}

uint64_t inodeOf(int fd) {
  struct stat info{};
  return fstat(fd, &info) == 0 && S_ISSOCK(info.st_mode) ? info.st_ino : 0;
}
} // namespace

AdmittedSocket::AdmittedSocket(int fd) : fd_(fd), inode_(inodeOf(fd)) {}
bool AdmittedSocket::hasEnded() const { return inodeOf(fd_) != inode_; }

absl::StatusOr<std::unique_ptr<ConnectionAdmission>> ConnectionAdmission::open(Options options) {
  base::UniqueFd stop(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!stop)
    return base::errnoStatus("eventfd", errno);
  std::unique_ptr<ConnectionAdmission> made(
      new ConnectionAdmission(std::move(options), std::move(stop)));
  GRAPHC_ASSIGN_OR_RETURN(made->thread_,
                          base::startThread("the admission's", [one = made.get()] { one->run(); }));
  return made;
}

ConnectionAdmission::ConnectionAdmission(Options options, base::UniqueFd stop)
    : options_(std::move(options)), stop_(std::move(stop)) {}

void ConnectionAdmission::close() {
  if (!thread_.joinable())
    return;
  uint64_t one = 1;
  (void)!write(stop_.get(), &one, sizeof one);
  thread_.join();
}

/// With TLS: connections that gRPC has closed are forgotten, by the inode that their descriptor no
/// longer leads to.
bool ConnectionAdmission::full() {
  std::erase_if(admitted_, [](const AdmittedSocket &one) { return one.hasEnded(); });
  if (admitted_.size() < options_.mostConnections)
    return false;
  if (!std::exchange(saidFull_, true))
    base::logger().warn("{} connections are open, no more are taken until some end",
                        admitted_.size());
  return true;
}

/// The connection is gRPC's from here on.
void ConnectionAdmission::admit(base::UniqueFd socket) {
  if (!options_.proof)
    admitted_.emplace_back(socket.get());
  options_.admit(std::move(socket));
}

/// A place at the proof for one who has just called.
void ConnectionAdmission::seat(base::UniqueFd socket) {
  Caller caller{std::move(socket), nullptr, after(kProofTime)};
  caller.examiner = std::make_unique<ProofExaminer>(caller.socket.get(), options_.secret);
  if (callers_.size() < kMostAtProof)
    return callers_.push_back(std::move(caller));
  const int64_t now = base::nowNanoseconds();
  size_t first = static_cast<unsigned char>(randomBytes(1)[0]);
  for (size_t i = 0; i < callers_.size(); ++i)
    if (Caller &other = callers_[(first + i) % callers_.size()]; other.keptUntil <= now) {
      other = std::move(caller);
      return;
    }
}

/// Takes some of the callers that wait at a listener. With TLS they go to gRPC, as many as may;
/// without, to the proof.
void ConnectionAdmission::acceptFrom(int listener) {
  for (size_t i = 0; i < kAtOnce; ++i) {
    base::UniqueFd socket(accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!socket) {
      if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS)
        rest_ = after(kRest); // the caller waits in the kernel's queue
      return;
    }
    base::setNoDelay(socket.get());
    ++strangers_; // until it has proved itself
    if (!options_.proof) {
      if (!full())
        admit(std::move(socket));
      continue;
    }
    sockaddr_storage own{};
    socklen_t size = sizeof own;
    bool near = getsockname(socket.get(), reinterpret_cast<sockaddr *>(&own), &size) == 0 &&
                own.ss_family == AF_UNIX;
    if (!near || base::checkSameUser(socket.get()).ok())
      seat(std::move(socket));
  }
}

/// The thread: takes callers, hears their proofs, and sends away who takes too long. When strangers
/// are many it rests between two rounds; what calls meanwhile waits in the kernel's queue.
void ConnectionAdmission::run() {
  std::vector<pollfd> polls;
  while (true) {
    const int64_t now = base::nowNanoseconds();
    if (now - counted_ > absl::ToInt64Nanoseconds(kCountFor)) {
      counted_ = now;
      strangers_ = 0;
    }
    std::erase_if(callers_, [now](const Caller &caller) { return caller.until <= now; });
    const bool open = rest_ <= now;
    int64_t wake = open ? INT64_MAX : rest_;
    polls = {{stop_.get(), POLLIN, 0}};
    for (const Caller &caller : callers_) {
      polls.push_back({caller.socket.get(), POLLIN, 0});
      wake = std::min(wake, caller.until);
    }
    const size_t listeners = polls.size();
    for (const base::UniqueFd &listener : options_.listeners)
      polls.push_back({listener.get(), static_cast<short>(open ? POLLIN : 0), 0});
    int wait = wake == INT64_MAX ? -1 : static_cast<int>((wake - now) / 1000000 + 1);
    if (poll(polls.data(), polls.size(), wait) < 0 && errno != EINTR)
      break;
    if (polls[0].revents)
      break;
    for (size_t i = callers_.size(); i-- > 0;) { // from the end: some go
      if (!polls[1 + i].revents)
        continue;
      Caller &caller = callers_[i];
      ProofExaminer::State state = caller.examiner->readable();
      if (state == ProofExaminer::State::NeedsMore) {
        if (caller.keptUntil == 0 && caller.examiner->answered())
          caller.keptUntil = after(kAnswerTime);
        continue;
      }
      bool comesIn = state == ProofExaminer::State::Proven && caller.examiner->welcome();
      base::UniqueFd socket = std::move(caller.socket);
      callers_.erase(callers_.begin() + static_cast<ptrdiff_t>(i));
      if (comesIn) {
        strangers_ -= strangers_ > 0;
        admit(std::move(socket));
      }
    }
    for (size_t i = 0; open && i < options_.listeners.size(); ++i)
      if (polls[listeners + i].revents)
        acceptFrom(options_.listeners[i].get());
    if (open && strangers_ > kManyStrangers)
      rest_ = after(kRest);
  }
  callers_.clear();
  options_.listeners.clear(); // who calls now is refused at once
}

} // namespace graphc::service
