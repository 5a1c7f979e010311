#include "runtime/transport/MessageRing.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <cstring>

namespace graphc::transport {
namespace {

/// Spins and yields, then sleeps on `event` until ready() or the timeout. `announced` is the word
/// by which the other side knows.
template <typename Ready>
void awaitThenSleep(SpinThenPark &spinThenPark, const Ready &ready, std::atomic<uint32_t> &event,
                    std::atomic<uint32_t> &announced, base::FutexScope scope,
                    absl::Duration timeout) {
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
  base::MutexLock lock(mutex_);
  return why_;
}

bool AbortState::set(absl::Status status) {
  base::MutexLock lock(mutex_);
  if (aborted_.load(std::memory_order_relaxed))
    return false;
  why_ = status.ok() ? absl::AbortedError("the transport was aborted") : std::move(status);
  aborted_.store(true, std::memory_order_seq_cst);
  return true;
}

void AbortState::clear() {
  base::MutexLock lock(mutex_);
  why_ = absl::OkStatus();
  aborted_.store(false, std::memory_order_release);
}

//===------------------------------------------------------------------------------------------===//
// Sender
//===------------------------------------------------------------------------------------------===//

/// The receiver's count of releases is read only where the one seen last does not suffice: it is in
/// a cache line that the receiver writes.
bool RingSender::hasFree(uint64_t free) {
  if (produced_ - seenConsumed_ + free <= spec_.capacity)
    return true;
  seenConsumed_ = ring_->consumer.consumed.load(std::memory_order_seq_cst);
  // A hostile count may claim anything; more than we sent is refused, less only stops us.
  if (seenConsumed_ > produced_) {
    abort_.set(absl::DataLossError(absl::StrCat("shared memory of ", peer_, ": channel ",
                                                spec_.key.channel, " was released ", seenConsumed_,
                                                " times after ", produced_, " messages")));
    seenConsumed_ = produced_ - spec_.capacity;
    return false;
  }
  return produced_ - seenConsumed_ + free <= spec_.capacity;
}

/// The slot gets the payload or, of a zero-copy message, the place of the payload in this task's
/// zero-copy memory.
bool RingSender::writeSlot(const void *data, uint64_t bytes) {
  uint8_t *to = slots_ + slotStride(spec_) * slot_;
  if (spec_.unit)
    memcpy(to + payloadStride(spec_), &bytes, sizeof bytes);
  if (!spec_.zeroCopy) {
    if (bytes && data != to) // acquired memory is the slot itself
      memcpy(to, data, bytes);
    return true;
  }
  uint64_t offset =
      uint64_t(reinterpret_cast<uintptr_t>(data) - reinterpret_cast<uintptr_t>(zeroCopy_.data));
  if (offset > zeroCopy_.bytes || spec_.bytes > zeroCopy_.bytes - offset)
    return abort_.set(absl::InternalError(
               absl::StrCat("channel ", spec_.key.channel, " sends zero-copy what is not in the ",
                            zeroCopy_.bytes, " bytes that ", peer_, " can read"))),
           false;
  memcpy(to, &offset, sizeof offset);
  return true;
}

PollState RingSender::acquire(void **data) {
  if (abort_.isAborted())
    return PollState::Aborted;
  finishing_ = false;
  if (!hasSlot())
    return abort_.isAborted() ? PollState::Aborted : PollState::Pending;
  *data = slots_ + slotStride(spec_) * slot_;
  return PollState::Ready;
}

/// The slot is written before the count of messages, which the receiver reads: so what it counts is
/// there. Then whoever sleeps is woken.
PollState RingSender::start(const void *data, uint64_t step, SendMode, uint64_t bytes) {
  bytes = spec_.unit ? bytes : spec_.bytes;
  if (abort_.isAborted())
    return PollState::Aborted;
  finishing_ = false;
  if (!hasSlot())
    return abort_.isAborted() ? PollState::Aborted : PollState::Pending;
  if (!writeSlot(data, bytes))
    return PollState::Aborted;
  if (++slot_ == spec_.capacity)
    slot_ = 0;
  ring_->producer.step.store(step, std::memory_order_relaxed);
  ring_->producer.produced.store(++produced_, std::memory_order_seq_cst);
  wakeReceiver();
  if (arrivals_)
    arrivals_->arrive(scope_);
  counter_.add(bytes);
  return PollState::Ready;
}

/// A zero-copy message is done when the receiver has released every message: then nobody reads the
/// sender's memory.
PollState RingSender::done() {
  if (!spec_.zeroCopy)
    return PollState::Ready; // start() copied
  finishing_ = !hasFree(spec_.capacity);
  return !finishing_          ? PollState::Ready
         : abort_.isAborted() ? PollState::Aborted
                              : PollState::Pending;
}

void RingSender::wakeReceiver() {
  if (ring_->consumer.receiverWaiting.load(std::memory_order_seq_cst)) {
    ring_->consumer.receiverWaiting.store(0, std::memory_order_relaxed);
    signal(ring_->producer.receiverEvent, scope_);
  }
}

void RingSender::close() {
  if (ring_->producer.closed.load(std::memory_order_relaxed))
    return;
  ring_->producer.closed.store(1, std::memory_order_seq_cst);
  wakeReceiver();
  if (arrivals_)
    arrivals_->open(scope_);
}

void RingSender::wait(absl::Duration timeout) {
  uint64_t free = finishing_ ? spec_.capacity : 1;
  awaitThenSleep(
      spinThenPark_, [this, free] { return abort_.isAborted() || hasFree(free); },
      ring_->consumer.senderEvent, ring_->producer.senderWaiting, scope_, timeout);
}

void RingSender::reset(uint64_t generation) {
  produced_ = seenConsumed_ = 0;
  slot_ = 0;
  finishing_ = false;
  ring_->producer.closed.store(0, std::memory_order_relaxed);
  ring_->producer.senderWaiting.store(0, std::memory_order_relaxed);
  ring_->producer.generation.store(generation, std::memory_order_relaxed);
  ring_->producer.produced.store(0, std::memory_order_seq_cst);
}

void RingSender::wakeLocal() { signal(ring_->consumer.senderEvent, scope_); }

//===------------------------------------------------------------------------------------------===//
// Receiver
//===------------------------------------------------------------------------------------------===//

/// The sender's memory can hold anything: the count, the generation and the reference are checked
/// before the lane gets an address.
PollState RingReceiver::poll(const void **data) {
  if (seenProduced_ == consumed_) {
    // Closed is read before the counter: what was sent before close() is then certainly seen.
    bool closed = ring_->producer.closed.load(std::memory_order_acquire) != 0;
    seenProduced_ = ring_->producer.produced.load(std::memory_order_acquire);
    if (seenProduced_ == consumed_)
      return closed               ? PollState::Closed
             : abort_.isAborted() ? PollState::Aborted
                                  : PollState::Pending;
    uint64_t sentIn = ring_->producer.generation.load(std::memory_order_relaxed);
    if (seenProduced_ - consumed_ > spec_.capacity || sentIn != generation_) {
      abort_.set(sentIn != generation_
                     ? absl::DataLossError(absl::StrCat(
                           "shared memory of ", peer_, ": a message of generation ", sentIn,
                           " on channel ", spec_.key.channel, " in generation ", generation_))
                     : absl::DataLossError(absl::StrCat(
                           "shared memory of ", peer_, ": channel ", spec_.key.channel, " claims ",
                           seenProduced_ - consumed_, " messages in ", spec_.capacity, " slots")));
      seenProduced_ = consumed_;
      return PollState::Aborted;
    }
  }
  *data = payload();
  if (!*data) {
    abort_.set(absl::DataLossError(absl::StrCat("shared memory of ", peer_, ": channel ",
                                                spec_.key.channel, " refers to what is not in the ",
                                                zeroCopy_.bytes, " bytes it sends zero-copy")));
    return PollState::Aborted;
  }
  return readSize() ? PollState::Ready : PollState::Aborted;
}

/// Once, as the sender may change it: the lane is given what was checked.
bool RingReceiver::readSize() {
  messageBytes_ = spec_.bytes;
  if (!spec_.unit)
    return true;
  memcpy(&messageBytes_, slots_ + slotStride(spec_) * slot_ + payloadStride(spec_),
         sizeof messageBytes_);
  if (isMessageSize(spec_, messageBytes_))
    return true;
  abort_.set(absl::DataLossError(absl::StrCat("shared memory of ", peer_, ": a message on channel ",
                                              spec_.key.channel, " says that it has ",
                                              messageBytes_, " bytes; expected at most ",
                                              spec_.bytes, ", a multiple of ", spec_.unit)));
  messageBytes_ = 0;
  return false;
}

const void *RingReceiver::payload() const {
  const uint8_t *from = slots_ + slotStride(spec_) * slot_;
  if (!spec_.zeroCopy)
    return from;
  uint64_t offset;
  memcpy(&offset, from, sizeof offset);
  if (offset % 64 || offset > zeroCopy_.bytes || spec_.bytes > zeroCopy_.bytes - offset)
    return nullptr;
  return reinterpret_cast<const uint8_t *>(reinterpret_cast<uintptr_t>(zeroCopy_.data) + offset);
}

/// Counts the slot as free, and wakes a sender that sleeps for one.
void RingReceiver::release() {
  if (++slot_ == spec_.capacity)
    slot_ = 0;
  ring_->consumer.consumed.store(++consumed_, std::memory_order_seq_cst);
  if (ring_->producer.senderWaiting.load(std::memory_order_seq_cst)) {
    ring_->producer.senderWaiting.store(0, std::memory_order_relaxed);
    signal(ring_->consumer.senderEvent, scope_);
  }
  counter_.add(messageBytes_);
}

bool RingReceiver::changed() const {
  return ring_->producer.produced.load(std::memory_order_seq_cst) != consumed_ ||
         ring_->producer.closed.load(std::memory_order_seq_cst) != 0 || abort_.isAborted();
}

void RingReceiver::wait(absl::Duration timeout) {
  awaitThenSleep(
      spinThenPark_, [this] { return changed(); }, ring_->producer.receiverEvent,
      ring_->consumer.receiverWaiting, scope_, timeout);
}

/// Sleeps once for the messages of many senders: the arrival counter wakes it when as many have
/// come as are missing here.
void RingReceiver::waitAll(std::span<RecvPort *const> ports, absl::Duration timeout) {
  if (!arrivals_)
    return wait(timeout);
  auto isMissing = [&](RecvPort *port) {
    auto *other = dynamic_cast<RingReceiver *>(port);
    return other && other->arrivals_ == arrivals_ && !other->changed();
  };
  auto missing = [&] { return uint64_t(std::count_if(ports.begin(), ports.end(), isMissing)); };
  // What is counted from here on is not among what is there, or it is, and the lane looks once too
  // often.
  uint64_t arrived = arrivals_->arrived.load(std::memory_order_seq_cst),
           wanted = arrived + missing();
  auto isThere = [&] {
    return arrivals_->arrived.load(std::memory_order_seq_cst) >= wanted || abort_.isAborted();
  };
  if (spinThenPark_.await(isThere, timeout))
    return;
  const uint32_t seen = arrivals_->event.load(std::memory_order_acquire);
  arrived = arrivals_->arrived.load(std::memory_order_seq_cst);
  wanted = arrived + missing();
  if (wanted == arrived)
    return;
  arrivals_->wanted.store(wanted, std::memory_order_seq_cst);
  if (arrivals_->arrived.load(std::memory_order_seq_cst) < wanted && missing() == wanted - arrived)
    base::futexWait(&arrivals_->event, seen, absl::ToInt64Nanoseconds(timeout), scope_);
  arrivals_->wanted.store(0, std::memory_order_relaxed);
}

void RingReceiver::reset(uint64_t newGeneration) {
  consumed_ = seenProduced_ = 0;
  slot_ = 0;
  generation_ = newGeneration;
  ring_->consumer.receiverWaiting.store(0, std::memory_order_relaxed);
  ring_->consumer.consumed.store(0, std::memory_order_seq_cst);
  if (arrivals_)
    arrivals_->reset();
}

void RingReceiver::wakeLocal() {
  signal(ring_->producer.receiverEvent, scope_);
  if (arrivals_)
    arrivals_->ring(scope_);
}

} // namespace graphc::transport
