#include "runtime/service/Door.h"

#include "runtime/base/Socket.h"
#include "runtime/service/Secret.h"

#include "absl/time/clock.h"

#include <algorithm>
#include <cerrno>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

namespace graphc::service {
namespace {
/// Beyond so many callers in kCountFor that prove nothing, the door opens only every kRest: a flood costs a few per cent of a core.
constexpr size_t kManyStrangers = 100, kAtOnce = 16;
constexpr absl::Duration kCountFor = absl::Seconds(1), kRest = absl::Milliseconds(10);

uint64_t inodeOf(int fd) {
  struct stat info{};
  return fstat(fd, &info) == 0 && S_ISSOCK(info.st_mode) ? info.st_ino : 0;
}
} // namespace

Door::Door(Options options) : options_(std::move(options)), stop_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  thread_ = std::thread([this] { run(); });
}

void Door::close() {
  if (!thread_.joinable())
    return;
  uint64_t one = 1;
  (void)!write(stop_.get(), &one, sizeof one);
  thread_.join();
}

bool Door::full() {
  std::erase_if(admitted_, [](const Admitted &one) { return inodeOf(one.fd) != one.inode; });
  return admitted_.size() >= options_.mostConnections;
}

void Door::admit(base::UniqueFd socket) {
  if (!options_.proof)
    admitted_.push_back({socket.get(), inodeOf(socket.get())});
  options_.admit(std::move(socket));
}

void Door::acceptFrom(int listener) {
  for (size_t i = 0; i < kAtOnce; ++i) {
    base::UniqueFd socket(accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!socket) {
      if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS)
        rest_ = absl::Now() + kRest; // the caller waits in the kernel's queue
      return;
    }
    int on = 1;
    setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (!options_.proof) {
      if (!full())
        admit(std::move(socket));
      else
        ++strangers_;
      continue;
    }
    sockaddr_storage own{};
    socklen_t size = sizeof own;
    bool near = getsockname(socket.get(), reinterpret_cast<sockaddr *>(&own), &size) == 0 && own.ss_family == AF_UNIX;
    ++strangers_; // until it has proved itself
    if (near && !base::checkSameUser(socket.get()).ok())
      continue;
    Caller caller{std::move(socket), nullptr, absl::Now() + kProofTime};
    caller.examiner = std::make_unique<Examiner>(caller.socket.get(), options_.secret);
    if (callers_.size() < kMostAtProof)
      callers_.push_back(std::move(caller));
    else
      callers_[static_cast<unsigned char>(randomBytes(1)[0]) % callers_.size()] = std::move(caller);
  }
}

void Door::run() {
  std::vector<pollfd> polls;
  while (true) {
    absl::Time now = absl::Now(), wake = absl::InfiniteFuture();
    if (now - counted_ > kCountFor) {
      counted_ = now;
      strangers_ = 0;
    }
    std::erase_if(callers_, [now](const Caller &caller) { return caller.until <= now; });
    bool open = rest_ <= now;
    polls = {{stop_.get(), POLLIN, 0}};
    for (const Caller &caller : callers_) {
      polls.push_back({caller.socket.get(), POLLIN, 0});
      wake = std::min(wake, caller.until);
    }
    const size_t listeners = polls.size();
    for (const base::UniqueFd &listener : options_.listeners)
      polls.push_back({listener.get(), static_cast<short>(open ? POLLIN : 0), 0});
    if (!open)
      wake = std::min(wake, rest_);
    int64_t left = wake == absl::InfiniteFuture() ? -1 : absl::ToInt64Milliseconds(wake - now) + 1;
    if (poll(polls.data(), polls.size(), static_cast<int>(left)) < 0 && errno != EINTR)
      return;
    if (polls[0].revents)
      return;
    for (size_t i = callers_.size(); i-- > 0;) { // from the end: some go
      if (!polls[1 + i].revents)
        continue;
      Examiner::State state = callers_[i].examiner->readable();
      if (state == Examiner::State::NeedsMore)
        continue;
      base::UniqueFd socket = std::move(callers_[i].socket);
      callers_.erase(callers_.begin() + static_cast<ptrdiff_t>(i));
      if (state == Examiner::State::Proven) {
        strangers_ -= strangers_ > 0;
        admit(std::move(socket));
      }
    }
    for (size_t i = 0; open && i < options_.listeners.size(); ++i)
      if (polls[listeners + i].revents)
        acceptFrom(options_.listeners[i].get());
    if (open && strangers_ > kManyStrangers)
      rest_ = absl::Now() + kRest;
  }
}

} // namespace graphc::service
