#include "runtime/transport/SegmentAcceptor.h"

#include "runtime/common/base/StartThread.h"
#include "runtime/common/base/StatusMacros.h"

#include "absl/time/clock.h"

#include <cerrno>
#include <cstring>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

namespace graphc::transport::detail {
namespace {

/// A caller asks again after two seconds; one that was stopped may come back to what it had said.
constexpr absl::Duration kLongestSilence = absl::Seconds(20);
/// Further ones wait at the socket.
constexpr size_t kMostCallers = 1024;

} // namespace

absl::StatusOr<std::unique_ptr<SegmentAcceptor>> SegmentAcceptor::start(base::UniqueFd listener,
                                                                        Host host) {
  std::unique_ptr<SegmentAcceptor> made(new SegmentAcceptor);
  made->listener_ = std::move(listener);
  made->host_ = std::move(host);
  made->stop_.reset(::eventfd(0, EFD_CLOEXEC));
  if (!made->stop_)
    return base::errnoStatus("eventfd", errno);
  GRAPHC_ASSIGN_OR_RETURN(
      made->thread_, base::startThread("the handshake's", [one = made.get()] { one->serve(); }));
  return made;
}

SegmentAcceptor::~SegmentAcceptor() {
  if (!thread_.joinable())
    return;
  const uint64_t one = 1;
  (void)!::write(stop_.get(), &one, sizeof one);
  thread_.join();
}

// Anything wrong with one caller is that caller's problem.
void SegmentAcceptor::serve() {
  while (!isComplete_) {
    std::vector<pollfd> fds = {{stop_.get(), POLLIN, 0}};
    for (const Caller &caller : callers_)
      fds.push_back({caller.socket.get(), POLLIN, 0});
    if (callers_.size() < kMostCallers)
      fds.push_back({listener_.get(), POLLIN, 0});
    if (::poll(fds.data(), fds.size(), callers_.empty() ? -1 : 1000) < 0 && errno != EINTR)
      return;
    if (fds[0].revents)
      return;
    const absl::Time now = absl::Now();
    const size_t count = callers_.size();
    for (size_t i = 0; i < count && !isComplete_; ++i)
      if (callers_[i].socket && fds[1 + i].revents && !take(callers_[i]))
        callers_[i].socket.reset();
      else if (callers_[i].socket && now > callers_[i].until)
        (void)leave(callers_[i]);
    std::erase_if(callers_, [](const Caller &caller) { return !caller.socket; });
    if (isComplete_ || fds.back().fd != listener_.get() || !fds.back().revents)
      continue;
    if (absl::StatusOr<base::UniqueFd> socket = acceptCaller(listener_.get()); socket.ok())
      callers_.push_back({*std::move(socket), now + kLongestSilence, nullptr});
    else if (absl::IsResourceExhausted(socket.status()))
      absl::SleepFor(absl::Milliseconds(10)); // no descriptor is free now
  }
}

bool SegmentAcceptor::take(Caller &caller) {
  if (caller.request) {
    if (receiveThanks(caller.socket.get()))
      isComplete_ = host_.connected(*caller.request);
    return false;
  }
  absl::StatusOr<Request> request = receiveRequest(caller.socket.get());
  if (!request.ok())
    return false;
  absl::StatusOr<Host::Memory> memory = host_.give(*request);
  if (memory.ok() && leaveOthersOf(*request))
    memory = host_.give(*request);
  if (!memory.ok()) {
    refuse(caller.socket.get(), memory.status());
    return false;
  }
  caller.request = std::make_unique<Request>(*std::move(request));
  return give(caller.socket.get(), memory->channels, memory->arrivals, memory->arrivalCounters);
}

/// Behind the shutdown its thanks cannot be sent any more, and those that were count, so that both
/// ends know the same.
bool SegmentAcceptor::leave(Caller &caller) {
  ::shutdown(caller.socket.get(), SHUT_RD);
  const bool thanked = caller.request && receiveThanks(caller.socket.get());
  if (thanked)
    isComplete_ = host_.connected(*caller.request);
  caller.socket.reset();
  return thanked;
}

/// A caller that asks again has given its earlier question up; two never have one segment.
bool SegmentAcceptor::leaveOthersOf(const Request &request) {
  bool thanked = false;
  for (Caller &other : callers_)
    if (other.socket && other.request && strcmp(other.request->hello.from, request.hello.from) == 0)
      thanked |= leave(other);
  return thanked;
}

} // namespace graphc::transport::detail
