#include "runtime/transport/Ring.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <cstring>

namespace graphc::transport {
namespace {

/// Spins and yields, then sleeps on `event` until ready() or the timeout. `announced` is the word by which the other side knows.
template <typename Ready>
void awaitThenSleep(SpinThenPark &spinThenPark, const Ready &ready, std::atomic<uint32_t> &event,
                    std::atomic<uint32_t> &announced, base::FutexScope scope, absl::Duration timeout) {
  if (spinThenPark.await(ready, timeout))
    return;
  uint32_t seen = event.load(std::memory_order_acquire);
  announced.store(1, std::memory_order_seq_cst);
  if (!ready())
    base::futexWait(&event, seen, absl::ToInt64Nanoseconds(timeout), scope);
  announced.store(0, std::memory_order_relaxed);
}

void signal(std::atomic<uint32_t> &event, base::FutexScope scope) {
  event.fetch_add(1, std::memory_order_release);
  base::futexWake(&event, 1, scope);
}

} // namespace

absl::Status AbortState::status() const {
  base::MutexLock lock(mutex);
  return why;
}

bool AbortState::set(absl::Status status) {
  base::MutexLock lock(mutex);
  if (aborted.load(std::memory_order_relaxed))
    return false;
  why = status.ok() ? absl::AbortedError("the transport was aborted") : std::move(status);
  aborted.store(true, std::memory_order_seq_cst);
  return true;
}

void AbortState::clear() {
  base::MutexLock lock(mutex);
  why = absl::OkStatus();
  aborted.store(false, std::memory_order_release);
}

//===----------------------------------------------------------------------------------------------------------------===//
// Sender
//===----------------------------------------------------------------------------------------------------------------===//

/// The receiver's count of releases is read only where the one seen last does not suffice: it is in a cache line that
/// the receiver writes.
bool RingSender::hasFree(uint64_t free) {
  if (produced - seenConsumed + free <= spec.capacity)
    return true;
  seenConsumed = ring->consumer.consumed.load(std::memory_order_seq_cst);
  // A hostile count may claim anything; more than we sent is refused, less only stops us.
  if (seenConsumed > produced) {
    abort.set(
        absl::DataLossError(absl::StrCat("shared memory of ", peer, ": channel ", spec.key.channel, " was released ",
                                         seenConsumed, " times after ", produced, " messages")));
    seenConsumed = produced - spec.capacity;
    return false;
  }
  return produced - seenConsumed + free <= spec.capacity;
}

/// The slot gets the payload or, of a zero-copy message, the place of the payload in this task's zero-copy memory.
bool RingSender::writeSlot(const void *data, uint64_t bytes) {
  uint8_t *to = slots + slotStride(spec) * slot;
  if (spec.unit)
    memcpy(to + payloadStride(spec), &bytes, sizeof bytes);
  if (!spec.zeroCopy) {
    if (bytes && data != to) // acquired memory is the slot itself
      memcpy(to, data, bytes);
    return true;
  }
  uint64_t offset = uint64_t(reinterpret_cast<uintptr_t>(data) - reinterpret_cast<uintptr_t>(zeroCopy.data));
  if (offset > zeroCopy.bytes || spec.bytes > zeroCopy.bytes - offset)
    return abort.set(
               absl::InternalError(absl::StrCat("channel ", spec.key.channel, " sends zero-copy what is not in the ",
                                                zeroCopy.bytes, " bytes that ", peer, " can read"))),
           false;
  memcpy(to, &offset, sizeof offset);
  return true;
}

PollState RingSender::acquire(void **data) {
  if (abort.isAborted())
    return PollState::Aborted;
  finishing = false;
  if (!hasSlot())
    return abort.isAborted() ? PollState::Aborted : PollState::Pending;
  *data = slots + slotStride(spec) * slot;
  return PollState::Ready;
}

/// The slot is written before the count of messages, which the receiver reads: so what it counts is there. Then whoever
/// sleeps is woken.
PollState RingSender::start(const void *data, uint64_t step, SendMode, uint64_t bytes) {
  bytes = spec.unit ? bytes : spec.bytes;
  if (abort.isAborted())
    return PollState::Aborted;
  finishing = false;
  if (!hasSlot())
    return abort.isAborted() ? PollState::Aborted : PollState::Pending;
  if (!writeSlot(data, bytes))
    return PollState::Aborted;
  if (++slot == spec.capacity)
    slot = 0;
  ring->producer.step.store(step, std::memory_order_relaxed);
  ring->producer.produced.store(++produced, std::memory_order_seq_cst);
  wakeReceiver();
  if (arrivals)
    arrivals->arrive(scope);
  counter.add(bytes);
  return PollState::Ready;
}

/// A zero-copy message is done when the receiver has released every message: then nobody reads the sender's memory.
PollState RingSender::done() {
  if (!spec.zeroCopy)
    return PollState::Ready; // start() copied
  finishing = !hasFree(spec.capacity);
  return !finishing ? PollState::Ready : abort.isAborted() ? PollState::Aborted : PollState::Pending;
}

void RingSender::wakeReceiver() {
  if (ring->consumer.receiverWaiting.load(std::memory_order_seq_cst)) {
    ring->consumer.receiverWaiting.store(0, std::memory_order_relaxed);
    signal(ring->producer.receiverEvent, scope);
  }
}

void RingSender::close() {
  if (ring->producer.closed.load(std::memory_order_relaxed))
    return;
  ring->producer.closed.store(1, std::memory_order_seq_cst);
  wakeReceiver();
  if (arrivals)
    arrivals->open(scope);
}

void RingSender::wait(absl::Duration timeout) {
  uint64_t free = finishing ? spec.capacity : 1;
  awaitThenSleep(
      spinThenPark, [this, free] { return abort.isAborted() || hasFree(free); }, ring->consumer.senderEvent,
      ring->producer.senderWaiting, scope, timeout);
}

void RingSender::reset(uint64_t epoch) {
  produced = seenConsumed = 0;
  slot = 0;
  finishing = false;
  ring->producer.closed.store(0, std::memory_order_relaxed);
  ring->producer.senderWaiting.store(0, std::memory_order_relaxed);
  ring->producer.epoch.store(epoch, std::memory_order_relaxed);
  ring->producer.produced.store(0, std::memory_order_seq_cst);
}

void RingSender::wakeLocal() { signal(ring->consumer.senderEvent, scope); }

//===----------------------------------------------------------------------------------------------------------------===//
// Receiver
//===----------------------------------------------------------------------------------------------------------------===//

/// The sender's memory can hold anything: the count, the epoch and the reference are checked before the lane gets an
/// address.
PollState RingReceiver::poll(const void **data) {
  if (seenProduced == consumed) {
    // Closed is read before the counter: what was sent before close() is then certainly seen.
    bool closed = ring->producer.closed.load(std::memory_order_acquire) != 0;
    seenProduced = ring->producer.produced.load(std::memory_order_acquire);
    if (seenProduced == consumed)
      return closed ? PollState::Closed : abort.isAborted() ? PollState::Aborted : PollState::Pending;
    uint64_t sentIn = ring->producer.epoch.load(std::memory_order_relaxed);
    if (seenProduced - consumed > spec.capacity || sentIn != epoch) {
      abort.set(
          sentIn != epoch
              ? absl::DataLossError(absl::StrCat("shared memory of ", peer, ": a message of epoch ", sentIn,
                                                 " on channel ", spec.key.channel, " in epoch ", epoch))
              : absl::DataLossError(absl::StrCat("shared memory of ", peer, ": channel ", spec.key.channel, " claims ",
                                                 seenProduced - consumed, " messages in ", spec.capacity, " slots")));
      seenProduced = consumed;
      return PollState::Aborted;
    }
  }
  *data = payload();
  if (!*data) {
    abort.set(absl::DataLossError(absl::StrCat("shared memory of ", peer, ": channel ", spec.key.channel,
                                               " refers to what is not in the ", zeroCopy.bytes,
                                               " bytes it sends zero-copy")));
    return PollState::Aborted;
  }
  return readSize() ? PollState::Ready : PollState::Aborted;
}

/// Once, as the sender may change it: the lane is given what was checked.
bool RingReceiver::readSize() {
  messageBytes = spec.bytes;
  if (!spec.unit)
    return true;
  memcpy(&messageBytes, slots + slotStride(spec) * slot + payloadStride(spec), sizeof messageBytes);
  if (isMessageSize(spec, messageBytes))
    return true;
  abort.set(absl::DataLossError(absl::StrCat("shared memory of ", peer, ": a message on channel ", spec.key.channel,
                                             " says that it has ", messageBytes, " bytes; expected at most ",
                                             spec.bytes, ", a multiple of ", spec.unit)));
  messageBytes = 0;
  return false;
}

const void *RingReceiver::payload() const {
  const uint8_t *from = slots + slotStride(spec) * slot;
  if (!spec.zeroCopy)
    return from;
  uint64_t offset;
  memcpy(&offset, from, sizeof offset);
  if (offset % 64 || offset > zeroCopy.bytes || spec.bytes > zeroCopy.bytes - offset)
    return nullptr;
  return reinterpret_cast<const uint8_t *>(reinterpret_cast<uintptr_t>(zeroCopy.data) + offset);
}

/// Counts the slot as free, and wakes a sender that sleeps for one.
void RingReceiver::release() {
  if (++slot == spec.capacity)
    slot = 0;
  ring->consumer.consumed.store(++consumed, std::memory_order_seq_cst);
  if (ring->producer.senderWaiting.load(std::memory_order_seq_cst)) {
    ring->producer.senderWaiting.store(0, std::memory_order_relaxed);
    signal(ring->consumer.senderEvent, scope);
  }
  counter.add(messageBytes);
}

bool RingReceiver::changed() const {
  return ring->producer.produced.load(std::memory_order_seq_cst) != consumed ||
         ring->producer.closed.load(std::memory_order_seq_cst) != 0 || abort.isAborted();
}

void RingReceiver::wait(absl::Duration timeout) {
  awaitThenSleep(
      spinThenPark, [this] { return changed(); }, ring->producer.receiverEvent, ring->consumer.receiverWaiting, scope,
      timeout);
}

/// Sleeps once for the messages of many senders: the arrival counter wakes it when as many have come as are missing
/// here.
void RingReceiver::waitAll(std::span<RecvPort *const> ports, absl::Duration timeout) {
  if (!arrivals)
    return wait(timeout);
  auto isMissing = [&](RecvPort *port) {
    auto *other = dynamic_cast<RingReceiver *>(port);
    return other && other->arrivals == arrivals && !other->changed();
  };
  auto missing = [&] { return uint64_t(std::count_if(ports.begin(), ports.end(), isMissing)); };
  // What is counted from here on is not among what is there, or it is, and the lane looks once too often.
  uint64_t arrived = arrivals->arrived.load(std::memory_order_seq_cst), wanted = arrived + missing();
  auto isThere = [&] { return arrivals->arrived.load(std::memory_order_seq_cst) >= wanted || abort.isAborted(); };
  if (spinThenPark.await(isThere, timeout))
    return;
  const uint32_t seen = arrivals->event.load(std::memory_order_acquire);
  arrived = arrivals->arrived.load(std::memory_order_seq_cst);
  wanted = arrived + missing();
  if (wanted == arrived)
    return;
  arrivals->wanted.store(wanted, std::memory_order_seq_cst);
  if (arrivals->arrived.load(std::memory_order_seq_cst) < wanted && missing() == wanted - arrived)
    base::futexWait(&arrivals->event, seen, absl::ToInt64Nanoseconds(timeout), scope);
  arrivals->wanted.store(0, std::memory_order_relaxed);
}

void RingReceiver::reset(uint64_t newEpoch) {
  consumed = seenProduced = 0;
  slot = 0;
  epoch = newEpoch;
  ring->consumer.receiverWaiting.store(0, std::memory_order_relaxed);
  ring->consumer.consumed.store(0, std::memory_order_seq_cst);
  if (arrivals)
    arrivals->reset();
}

void RingReceiver::wakeLocal() {
  signal(ring->producer.receiverEvent, scope);
  if (arrivals)
    arrivals->ring(scope);
}

} // namespace graphc::transport
