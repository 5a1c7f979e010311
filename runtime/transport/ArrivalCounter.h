//===- ArrivalCounter.h - one wake-up for the messages of many senders --------------*- C++ -*-===//
//
// Where one lane takes the messages of all instances it would otherwise sleep and be woken once a
// sender. Its arrival counter counts what arrives from all of them. The sleeper says at which count
// it wants to be woken, and who brings the count there wakes it.
//
// It lies in memory that the receiver shares with its senders. They may be hostile: a wrong count
// wakes the lane too early, and it looks again, or not at all, and then its wait's time-out wakes
// it.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_TRANSPORT_ARRIVALCOUNTER_H
#define GRAPHC_RUNTIME_TRANSPORT_ARRIVALCOUNTER_H

#include "runtime/common/base/Futex.h"

#include <atomic>
#include <cstdint>

namespace graphc::transport {

struct alignas(64) ArrivalCounter {
  std::atomic<uint64_t> arrived; // messages since the reset
  std::atomic<uint64_t> wanted; // the sleeper is woken when so many have arrived; 0: nobody sleeps
  std::atomic<uint32_t> event; // futex of the sleeper

  /// Of a sender, after its message is there. The count and `wanted` are sequentially consistent,
  /// so either the sleeper sees the count or the sender sees what is wanted.
  void arrive(base::FutexScope scope) {
    const uint64_t count = arrived.fetch_add(1, std::memory_order_seq_cst) + 1;
    if (const uint64_t at = wanted.load(std::memory_order_seq_cst); at != 0 && count >= at)
      open(scope);
  }
  /// Wakes the sleeper whatever the count.
  void open(base::FutexScope scope) {
    if (wanted.exchange(0, std::memory_order_seq_cst) != 0)
      ring(scope);
  }
  void ring(base::FutexScope scope) {
    event.fetch_add(1, std::memory_order_release);
    base::futexWake(&event, 1, scope);
  }
  void reset() {
    arrived.store(0, std::memory_order_relaxed);
    wanted.store(0, std::memory_order_relaxed);
  }
};
static_assert(sizeof(ArrivalCounter) == 64 && std::atomic<uint64_t>::is_always_lock_free);

} // namespace graphc::transport
#endif
