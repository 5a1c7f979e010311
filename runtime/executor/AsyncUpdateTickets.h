//===- AsyncUpdateTickets.h - who may start its next step of an asynchronous phase --*- C++ -*-===//
//
// One object a task and run of a phase, on the task whose program takes the update tickets (the
// owner of global_step): the one place that decides. An instance that asks for a ticket at step c
// has done c steps; that number is its clock.
//
// Bounded staleness (SSP): a ticket for step c is given only while the slowest live clock is at
// least c - s. An instance that has ended, well or not, is not live: nobody waits for it. The
// slowest live instance itself never waits, so that one always gets on.
//
// Threads: take() and leave() come from the instance's own lane, the rest from any thread. The step
// path takes no lock and does not allocate; only who waits and who ends a wait meet in the mutex.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_EXECUTOR_ASYNCUPDATETICKETS_H
#define GRAPHC_RUNTIME_EXECUTOR_ASYNCUPDATETICKETS_H

#include "runtime/common/base/Mutex.h"
#include "runtime/transport/Transport.h"

#include <array>
#include <atomic>
#include <functional>
#include <optional>
#include <vector>

namespace graphc::executor {

enum class UpdateTicket : uint8_t {
  Taken,
  None, ///< no step is left, or a stop was asked for: the instance is no longer live
  Wait, ///< too far ahead: wait on port(), ask again
  Aborted, ///< see Port::status()
};

/// How far ahead of the slowest live instance the steps began.
struct StalenessCounts {
  static constexpr size_t kMost = 64; ///< the last entry: that far and further
  uint64_t worst = 0;
  std::array<uint64_t, kMost> steps{}; ///< that began so many steps ahead
  uint64_t waits = 0; ///< of an instance, each until it got on
};

class AsyncUpdateTickets {
public:
  /// `total` tickets for `instances`; no bound: nobody waits for another. `stopRequested` may be
  /// empty.
  AsyncUpdateTickets(uint64_t total, uint32_t instances, std::optional<uint64_t> maxStaleness,
                     std::function<bool()> stopRequested = {});

  UpdateTicket take(uint32_t instance, uint64_t clock);
  /// The instance's lane has ended; nobody waits for it any more. Idempotent.
  void leave(uint32_t instance);
  /// Ends all waits. First status wins.
  void abort(absl::Status why);

  /// What the instance waits on.
  transport::Port &port(uint32_t instance) { return clocks_[instance].turn; }
  uint64_t taken() const { return taken_.load(std::memory_order_relaxed); }
  /// a stop left tickets untaken
  bool stopped() const { return stopped_.load(std::memory_order_relaxed); }
  struct Slowest {
    uint32_t instance;
    uint64_t clock;
  };
  /// Nothing where none is live. Not counting `except`.
  std::optional<Slowest> slowest(std::optional<uint32_t> except = {}) const;
  std::optional<uint64_t> maxStaleness() const { return maxStaleness_; }
  /// After the lanes were joined.
  StalenessCounts staleness() const;
  /// By instance; their sum is taken(). After the lanes were joined.
  std::vector<uint64_t> takenByInstance() const;

  /// Called, under no lock, when who waits should ask again; for who waits otherwise than on
  /// port(). May be empty.
  std::function<void()> woken;

private:
  static constexpr uint64_t kGone = UINT64_MAX;
  struct Turn final : transport::Port {
    AsyncUpdateTickets *tickets = nullptr;
    uint64_t seen = 0; ///< wakes_ before the last look at the clocks
    void wait(absl::Duration timeout) override;
    absl::Status status() const override;
  };
  struct alignas(64) Clock {
    std::atomic<uint64_t> value{0};
    // The rest is its lane's own.
    bool waiting = false;
    StalenessCounts counts;
    Turn turn;
  };

  void advance(uint32_t instance, uint64_t clock);
  void wake();

  const uint64_t total_;
  const std::optional<uint64_t> maxStaleness_;
  const std::function<bool()> stopRequested_;
  std::vector<Clock> clocks_;
  std::atomic<uint64_t> taken_{0};
  std::atomic<bool> stopped_{false}, aborted_{false};
  std::atomic<uint32_t> waiting_{0}; ///< instances whose last answer was Wait

  mutable base::Mutex mutex_;
  base::CondVar changed_;
  std::atomic<uint64_t> wakes_{0}; ///< written under mutex_
  absl::Status why_ ABSL_GUARDED_BY(mutex_);
};

} // namespace graphc::executor
#endif
