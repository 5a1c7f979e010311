#include "runtime/executor/AsyncUpdateTickets.h"

#include "absl/time/time.h"

#include <algorithm>
#include <chrono>
#include <numeric>

namespace graphc::executor {

AsyncUpdateTickets::AsyncUpdateTickets(uint64_t total, uint32_t instances,
                                       std::optional<uint64_t> maxStaleness,
                                       std::function<bool()> stopRequested)
    : total_(total), maxStaleness_(maxStaleness), stopRequested_(std::move(stopRequested)),
      clocks_(instances) {
  for (Clock &clock : clocks_)
    clock.turn.tickets = this;
}

std::optional<AsyncUpdateTickets::Slowest>
AsyncUpdateTickets::slowest(std::optional<uint32_t> except) const {
  std::optional<Slowest> slowest;
  for (uint32_t i = 0; i < clocks_.size(); ++i)
    if (uint64_t clock = clocks_[i].value.load();
        clock != kGone && i != except && (!slowest || clock < slowest->clock))
      slowest = {i, clock};
  return slowest;
}

// No wake-up is lost: who waits is counted before it looks at the clocks a last time, and who
// advances a clock looks at the count after that (both sequentially consistent).
UpdateTicket AsyncUpdateTickets::take(uint32_t instance, uint64_t clock) {
  Clock &own = clocks_[instance];
  own.turn.seen = wakes_.load();
  if (own.value.load(std::memory_order_relaxed) < clock)
    advance(instance, clock);
  if (aborted_.load(std::memory_order_relaxed))
    return UpdateTicket::Aborted;
  bool stop = stopRequested_ && stopRequested_();
  if (stop && taken() < total_)
    stopped_ = true;
  uint64_t taken = stop ? total_ : taken_.load(std::memory_order_relaxed);
  if (taken >= total_) {
    leave(instance);
    return UpdateTicket::None;
  }
  std::optional<Slowest> last = slowest();
  uint64_t ahead = clock - std::min(clock, last ? last->clock : clock);
  if (maxStaleness_ && ahead > *maxStaleness_) {
    if (!own.waiting) {
      own.waiting = true;
      ++own.counts.waits;
      waiting_.fetch_add(1);
      last = slowest();
      ahead = clock - std::min(clock, last ? last->clock : clock);
    }
    if (ahead > *maxStaleness_)
      return UpdateTicket::Wait;
  }
  if (own.waiting) {
    own.waiting = false;
    waiting_.fetch_sub(1);
  }
  while (!taken_.compare_exchange_weak(taken, taken + 1, std::memory_order_relaxed))
    if (taken >= total_) {
      leave(instance);
      return UpdateTicket::None;
    }
  if (taken + 1 == total_ && waiting_.load()) // nobody waits for a ticket that will not come
    wake();
  own.counts.worst = std::max(own.counts.worst, ahead);
  ++own.counts.steps[std::min<uint64_t>(ahead, StalenessCounts::kMost - 1)];
  return UpdateTicket::Taken;
}

/// The instance has done so many steps; who waits for the slowest looks again.
void AsyncUpdateTickets::advance(uint32_t instance, uint64_t clock) {
  clocks_[instance].value.store(clock);
  if (waiting_.load())
    wake();
}

/// An instance that is gone is nobody's slowest.
void AsyncUpdateTickets::leave(uint32_t instance) {
  Clock &own = clocks_[instance];
  if (own.value.load(std::memory_order_relaxed) == kGone)
    return;
  if (std::exchange(own.waiting, false))
    waiting_.fetch_sub(1);
  advance(instance, kGone);
}

void AsyncUpdateTickets::abort(absl::Status why) {
  {
    base::MutexLock lock(mutex_);
    if (!aborted_.exchange(true))
      why_ = std::move(why);
  }
  wake();
}

void AsyncUpdateTickets::wake() {
  {
    base::MutexLock lock(mutex_);
    wakes_.fetch_add(1);
  }
  changed_.notifyAll();
  if (woken)
    woken();
}

void AsyncUpdateTickets::Turn::wait(absl::Duration timeout) {
  base::MutexLock lock(tickets->mutex_);
  tickets->changed_.waitFor(tickets->mutex_, timeout,
                            [&] { return tickets->wakes_.load() != seen; });
}

absl::Status AsyncUpdateTickets::Turn::status() const {
  base::MutexLock lock(tickets->mutex_);
  return tickets->why_;
}

std::vector<uint64_t> AsyncUpdateTickets::takenByInstance() const {
  std::vector<uint64_t> taken;
  for (const Clock &clock : clocks_)
    taken.push_back(
        std::accumulate(clock.counts.steps.begin(), clock.counts.steps.end(), uint64_t{0}));
  return taken;
}

StalenessCounts AsyncUpdateTickets::staleness() const {
  StalenessCounts all;
  for (const Clock &clock : clocks_) {
    all.worst = std::max(all.worst, clock.counts.worst);
    all.waits += clock.counts.waits;
    for (size_t i = 0; i < StalenessCounts::kMost; ++i)
      all.steps[i] += clock.counts.steps[i];
  }
  return all;
}

} // namespace graphc::executor
