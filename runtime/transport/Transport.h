//===- Transport.h - moving one channel's messages between two lanes ----------------*- C++ -*-===//
//
// One small interface with four implementations: in-process, shared memory, gRPC, conflating.
// test/runtime/transport holds ONE conformance suite that all of them pass. Threads: a port belongs
// to one lane; only that lane calls it. abort() of the owning Transport may come from any thread.
// No callback is ever made under a lock.
//
// A channel instance is a ring of `capacity` slots of exactly `bytes` bytes, 64-byte aligned, at
// the receiver (of a zero-copy channel: of references to the sender's memory). A message has
// `bytes` bytes, or where the channel has a `unit` as many units as its sender says, at most all.
// The k-th send pairs with the k-th receive. Nothing here blocks but wait(), and nothing but wait()
// makes a system call unless the other side sleeps. After set-up no call here allocates in our
// code, but a gRPC port its buffer, at its first message that is not the lane's own.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_TRANSPORT_TRANSPORT_H
#define GRAPHC_RUNTIME_TRANSPORT_TRANSPORT_H

#include "runtime/common/base/Mutex.h"

#include "absl/status/status.h"
#include "absl/time/time.h"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace graphc::transport {

/// Names one instance of a plan channel within a run.
struct ChannelKey {
  uint32_t channel = 0;
  uint32_t instance = 0;
  friend auto operator<=>(const ChannelKey &, const ChannelKey &) = default;
};

struct ChannelSpec {
  ChannelKey key;
  uint64_t bytes = 0; ///< payload of one message; where there is a `unit` the most that one has
  uint32_t capacity = 1; ///< slots
  /// the control message: its payload counts as controlBytes, not as bytesSent/Received
  bool control = false;
  /// The receiver reads the sender's buffer in place where both can reach it (in process, shared
  /// memory): start() takes no copy whatever the mode, and done() is Ready once every message was
  /// released. Elsewhere like any other.
  bool zeroCopy = false;
  bool conflating = false; ///< no fifo but a versioned slot within one task (ConflatingTransport.h)
  /// The sender takes another message from the receiver's lane before it needs the slot that a
  /// release() frees (plan/PiggybackedCredits.h): where telling it costs a message of its own, the
  /// news may wait for that one.
  bool creditWaits = false;
  /// one lane receives all instances of the channel that this task does, and waits for all at once
  bool gathered = false;
  /// Not 0: a message is as many times so many bytes as its sender says, which divide `bytes`. Not
  /// with zeroCopy, conflating or control.
  uint64_t unit = 0;
};

/// The size of a message that has all the bytes of its channel.
inline constexpr uint64_t kWhole = UINT64_MAX;

/// Whether a message of the channel may have so many bytes.
inline bool isMessageSize(const ChannelSpec &spec, uint64_t bytes) {
  return spec.unit ? bytes <= spec.bytes && bytes % spec.unit == 0 : bytes == spec.bytes;
}

/// What a poll found. Closed: the peer ended its phase and every message it sent before was taken.
/// Aborted: see Port::status().
enum class PollState { Ready, Pending, Closed, Aborted };

/// Borrow: the transport may read the buffer until done(). Copy: it has read it all when start()
/// returns Ready (the buffer is a variable that is locked only for that moment).
enum class SendMode { Borrow, Copy };

/// Anything a lane can wait on. wait() returns about `timeout` later, earlier when the state may
/// have changed; it may spin and yield for microseconds (SpinThenPark.h), then sleeps. It may wake
/// spuriously.
class Port {
public:
  virtual ~Port() = default;
  virtual void wait(absl::Duration timeout) = 0;
  /// Why the port is Aborted; OK while it is not.
  virtual absl::Status status() const = 0;
};

class SendPort : public Port {
public:
  /// Ready: `*data` is 64-byte aligned memory for the next message, which start() of the same
  /// address then sends without a copy; its content is whatever. Pending: none is free yet. Again
  /// before start(): the same answer. Not on zero-copy channels.
  virtual PollState acquire(void **data) = 0;
  /// Starts to send `bytes` bytes at `data`, on a channel with a unit isMessageSize() of them,
  /// elsewhere kWhole. Pending: no free slot yet (try again), Ready: started. The buffer must stay
  /// as it is until done(). `step` travels in the header for the hang explainer and fencing.
  virtual PollState start(const void *data, uint64_t step, SendMode mode = SendMode::Borrow,
                          uint64_t bytes = kWhole) = 0;
  /// Ready once the buffer of the last start may be written again. After Pending wait() is for this
  /// and not for a slot.
  virtual PollState done() = 0;
  /// Ends this sender's phase: the receiver finds Closed after the last message. Idempotent.
  virtual void close() = 0;
};

class RecvPort : public Port {
public:
  /// Ready: `*data` is the oldest message not yet released, in place, valid until release().
  virtual PollState poll(const void **data) = 0;
  /// How many bytes the message of the last Ready poll() has; kWhole where the channel has no unit.
  virtual uint64_t size() const { return kWhole; }
  /// Ready: more than `known` bytes of that message are there, `*there` from its start (all of it
  /// may be said as more); what follows them may be anything. wait() is then for more. Where
  /// messages come whole this is poll().
  virtual PollState pollStart(const void **data, uint64_t known, uint64_t *there) {
    *there = UINT64_MAX;
    return poll(data);
  }
  /// Of a zero-copy channel whose sender is another process on this host: all that it sends
  /// zero-copy, as it is mapped here. The messages lie in it. Empty elsewhere.
  virtual std::span<const uint8_t> sendersMemory() const { return {}; }
  /// Gives the slot of the last Ready poll back to the sender.
  virtual void release() = 0;
  /// wait() until all of `ports`, this one among them, have something to say; null ones do not
  /// count. A transport that cannot returns when this one has.
  virtual void waitAll(std::span<RecvPort *const>, absl::Duration timeout) { wait(timeout); }
};

/// The counters of promise 3: payload bytes of plan channels as the transport itself moved them.
struct TransportCounters {
  uint64_t bytesSent = 0; ///< of messages whose start() was Ready
  uint64_t bytesReceived = 0; ///< of messages that were released
  uint64_t controlBytes = 0; ///< headers, credits, control messages
  TransportCounters &operator+=(const TransportCounters &other) {
    bytesSent += other.bytesSent;
    bytesReceived += other.bytesReceived;
    controlBytes += other.controlBytes;
    return *this;
  }
};

/// Memory of this process in which messages lie.
struct MessageMemory {
  std::span<uint8_t> bytes;
  bool writable = true; ///< else the sender's, mapped read-only
};

/// One task's end of one kind of transport towards all of its peers, for one run.
class Transport {
public:
  virtual ~Transport() = default;
  /// The port of one channel instance that this transport was set up with, null for any other.
  /// Owned by the transport.
  virtual SendPort *sender(ChannelKey key) = 0;
  virtual RecvPort *receiver(ChannelKey key) = 0;
  /// Exact while no lane runs; otherwise a moment's view. Since set-up: reset() does not clear
  /// them.
  virtual TransportCounters counters() const = 0;
  /// Where poll() and acquire() find messages, once connected, for devices whose copies are to
  /// reach them (device::Device::pin); it stays where it is as long as the transport. Elsewhere may
  /// lie what takes less than a page, and what is sent zero-copy within a process.
  virtual std::vector<MessageMemory> memory() { return {}; }
  /// Every port's state becomes Aborted (but messages already there may still be taken), every
  /// waiter wakes. First status wins; idempotent; from any thread.
  virtual void abort(absl::Status why) = 0;
  /// Why this transport aborted, by a call of abort() or by what a peer did to it; OK while it did
  /// not. Any thread.
  virtual absl::Status status() const = 0;
  /// Every waiter looks again. Any thread. Where a transport does not know how, they do so by
  /// themselves when their wait is over.
  virtual void wake() {}
  /// Empties every channel and reopens it (also after abort) for the next run of a phase, whose
  /// number is `generation`. All tasks call it between two barriers: no lane runs on either side
  /// before the last task has reset.
  virtual absl::Status reset(uint64_t generation) = 0;
};

/// Several transports of one task as one: each channel is found in the first that has it.
class TransportSet final : public Transport {
public:
  void add(std::shared_ptr<Transport> transport) {
    base::MutexLock lock(mutex_);
    parts_.push_back(std::move(transport));
  }
  /// In front of the others, in place of `before` (null: of none): from now on its channels are
  /// found there. What was added is aborted as the others are.
  void putFirst(std::shared_ptr<Transport> transport, const Transport *before);
  SendPort *sender(ChannelKey key) override;
  RecvPort *receiver(ChannelKey key) override;
  TransportCounters counters() const override;
  std::vector<MessageMemory> memory() override;
  void abort(absl::Status why) override;
  absl::Status status() const override;
  void wake() override;
  absl::Status reset(uint64_t generation) override;

private:
  std::vector<std::shared_ptr<Transport>> all() const {
    base::MutexLock lock(mutex_);
    return parts_;
  }
  mutable base::Mutex mutex_; ///< a leaf: but for counters() of the parts, which takes that of one
  std::vector<std::shared_ptr<Transport>> parts_ ABSL_GUARDED_BY(mutex_);
  TransportCounters gone_ ABSL_GUARDED_BY(mutex_); ///< of those that were replaced
  bool aborted_ ABSL_GUARDED_BY(mutex_) = false;
  absl::Status why_ ABSL_GUARDED_BY(mutex_);
};

} // namespace graphc::transport
#endif
