//===- MessageRing.h - mailbox rings in memory that two lanes share -----------------*- C++ -*-===//
//
// One ring a channel instance, in plain memory (in-process) or in a memfd (shared memory). Layout,
// 64-byte lines:
//
//   ProducerLine   written by the sender    produced, generation, step, closed; the sender's wish to be woken
//   ConsumerLine   written by the receiver  consumed; the receiver's wish to be woken
//   slot 0 … capacity-1, each round64(bytes), and where messages have an actual size one more line,
//   which holds it
//
// A message costs the receiver two cache lines (ProducerLine, payload) and the sender one. Sleeping
// is an event count: the sleeper reads the event word, announces itself, looks once more, and
// sleeps only while the word is unchanged; the waker changes the word only when somebody is
// announced. So neither side makes a system call while the other is awake, and no wake-up is lost:
// announcement and counter are sequentially consistent, hence either the waker sees the
// announcement or the sleeper sees the counter.
//
// The peer may be hostile: everything it writes is read once into a local and checked before use.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_TRANSPORT_MESSAGERING_H
#define GRAPHC_RUNTIME_TRANSPORT_MESSAGERING_H

#include "runtime/common/base/Futex.h"
#include "runtime/common/base/Mutex.h"
#include "runtime/transport/ArrivalCounter.h"
#include "runtime/transport/SpinThenPark.h"
#include "runtime/transport/Transport.h"

#include <atomic>
#include <string>

namespace graphc::transport {

struct alignas(64) ProducerLine {
  std::atomic<uint64_t> produced; // messages sent since the reset
  std::atomic<uint64_t> generation;
  std::atomic<uint64_t> step; // of the latest message
  std::atomic<uint32_t> closed;
  // futex of the receiver; the receiver's own abort changes it as well
  std::atomic<uint32_t> receiverEvent;
  std::atomic<uint32_t> senderWaiting;
};
struct alignas(64) ConsumerLine {
  std::atomic<uint64_t> consumed; // messages released since the reset
  std::atomic<uint32_t> senderEvent; // futex of the sender
  std::atomic<uint32_t> receiverWaiting;
};
struct RingMemory {
  ProducerLine producer;
  ConsumerLine consumer;
  // slots follow
};
static_assert(sizeof(RingMemory) == 128 && std::atomic<uint64_t>::is_always_lock_free);

/// Bytes of one slot, and of a ring with all its slots. A slot of a zero-copy channel holds a
/// reference: the offset of the payload in the sender's zero-copy memory.
inline uint64_t payloadStride(const ChannelSpec &spec) {
  return spec.zeroCopy ? 64 : (spec.bytes + 63) / 64 * 64;
}
inline uint64_t slotStride(const ChannelSpec &spec) {
  return payloadStride(spec) + (spec.unit ? 64 : 0);
}
inline uint64_t ringBytes(const ChannelSpec &spec) {
  return sizeof(RingMemory) + slotStride(spec) * spec.capacity;
}

/// What references count from. In one process any address will do.
struct ZeroCopyView {
  const uint8_t *data = nullptr;
  uint64_t bytes = UINT64_MAX;
};

/// Whether and why a transport aborted; shared by its ports. `aborted_` is the only part on the
/// step path.
class AbortState {
public:
  bool isAborted() const { return aborted_.load(std::memory_order_acquire); }
  absl::Status status() const;
  /// True for the first abort since the last clear.
  bool set(absl::Status why);
  void clear();

private:
  std::atomic<bool> aborted_{false};
  mutable base::Mutex mutex_;
  absl::Status why_ ABSL_GUARDED_BY(mutex_);
};

/// Payload counters of one port: written by its lane, read by anyone.
struct PortCounter {
  std::atomic<uint64_t> bytes{0};
  void add(uint64_t n) {
    bytes.store(bytes.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
  }
};

class RingSender final : public SendPort {
public:
  RingSender(const ChannelSpec &spec, RingMemory *ring, AbortState &abort, base::FutexScope scope,
             std::string peer)
      : spec_(spec), ring_(ring), slots_(reinterpret_cast<uint8_t *>(ring + 1)), abort_(abort),
        scope_(scope), peer_(std::move(peer)) {}

  PollState acquire(void **data) override;
  PollState start(const void *data, uint64_t step, SendMode mode, uint64_t bytes = kWhole) override;
  PollState done() override;
  void close() override;
  void wait(absl::Duration timeout) override;
  absl::Status status() const override { return abort_.status(); }

  void reset(uint64_t generation);
  void wakeLocal(); ///< after an abort, from any thread
  const ChannelSpec &channel() const { return spec_; }
  uint64_t bytesMoved() const { return counter_.bytes.load(std::memory_order_relaxed); }
  /// What this side sends zero-copy, before the first start().
  void setZeroCopy(ZeroCopyView view) { zeroCopy_ = view; }
  /// The receiver's, where it has one, before the first start().
  void tell(ArrivalCounter *receivers) { arrivals_ = receivers; }

private:
  /// Asks the receiver how far it is. False: fewer than `free` slots are.
  bool hasFree(uint64_t free);
  bool hasSlot() { return hasFree(1); }
  bool writeSlot(const void *data, uint64_t bytes);
  void wakeReceiver();

  const ChannelSpec spec_;
  RingMemory *const ring_;
  uint8_t *const slots_;
  AbortState &abort_;
  const base::FutexScope scope_;
  const std::string peer_;
  uint64_t produced_ = 0;
  uint64_t seenConsumed_ = 0;
  uint32_t slot_ = 0; // produced_ mod capacity
  bool finishing_ = false; // done() was Pending: wait() is for the last release
  ZeroCopyView zeroCopy_;
  ArrivalCounter *arrivals_ = nullptr;
  SpinThenPark spinThenPark_;
  PortCounter counter_;
};

class RingReceiver final : public RecvPort {
public:
  RingReceiver(const ChannelSpec &spec, RingMemory *ring, AbortState &abort, base::FutexScope scope,
               std::string peer)
      : spec_(spec), ring_(ring), slots_(reinterpret_cast<uint8_t *>(ring + 1)), abort_(abort),
        scope_(scope), peer_(std::move(peer)) {}

  PollState poll(const void **data) override;
  uint64_t size() const override { return spec_.unit ? messageBytes_ : kWhole; }
  void release() override;
  void wait(absl::Duration timeout) override;
  void waitAll(std::span<RecvPort *const> ports, absl::Duration timeout) override;
  absl::Status status() const override { return abort_.status(); }
  std::span<const uint8_t> sendersMemory() const override {
    return zeroCopy_.data ? std::span(zeroCopy_.data, zeroCopy_.bytes) : std::span<const uint8_t>();
  }

  void reset(uint64_t generation);
  void wakeLocal();
  const ChannelSpec &channel() const { return spec_; }
  uint64_t bytesMoved() const { return counter_.bytes.load(std::memory_order_relaxed); }

  /// Where the sender's zero-copy memory is mapped here, before the first poll().
  void mapZeroCopy(ZeroCopyView view) { zeroCopy_ = view; }
  /// The arrival counter of its channel, which the sender knows too. Before the first poll().
  void gather(ArrivalCounter *arrivals) { arrivals_ = arrivals; }

private:
  bool changed() const;
  /// Where the payload of the oldest message is; null where its reference leads out of the
  /// zero-copy memory.
  const void *payload() const;
  /// Reads how large the oldest message is; false where it cannot be.
  bool readSize();

  const ChannelSpec spec_;
  RingMemory *const ring_;
  uint8_t *const slots_;
  AbortState &abort_;
  const base::FutexScope scope_;
  const std::string peer_;
  uint64_t consumed_ = 0;
  uint64_t seenProduced_ = 0;
  uint64_t generation_ = 0;
  uint32_t slot_ = 0;
  uint64_t messageBytes_ = 0; // of the last Ready poll
  ZeroCopyView zeroCopy_;
  ArrivalCounter *arrivals_ = nullptr;
  SpinThenPark spinThenPark_;
  PortCounter counter_;
};

} // namespace graphc::transport
#endif
