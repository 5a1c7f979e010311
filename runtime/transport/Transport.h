//===- Transport.h - moving one channel's messages between two lanes --------------------------------------*- C++
//-*-===//
//
// One small interface with three implementations: in-process, shared memory, gRPC. test/runtime/transport holds ONE
// conformance suite that all of them pass. Threads: a port belongs to one lane; only that lane calls it. abort() and
// close() of the owning Transport may come from any thread. No callback is ever made under a lock.
//
// A channel instance is a ring of `capacity` slots of exactly `bytes` bytes, 64-byte aligned, at the receiver. The k-th
// send pairs with the k-th receive. Nothing here blocks but wait().
//
//===----------------------------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_TRANSPORT_TRANSPORT_H
#define GRAPHC_RUNTIME_TRANSPORT_TRANSPORT_H

#include "absl/status/status.h"
#include "absl/time/time.h"

#include <cstdint>
#include <memory>

namespace graphc::transport {

/// Names one instance of a plan channel within a run.
struct ChannelKey {
  uint32_t channel = 0;
  uint32_t instance = 0;
  friend bool operator==(const ChannelKey &, const ChannelKey &) = default;
};

struct ChannelSpec {
  ChannelKey key;
  uint64_t bytes = 0;    ///< payload of one message
  uint32_t capacity = 1; ///< slots
};

/// What a poll found. Closed: the peer ended its phase and every message it sent before was taken.
enum class PollState { Ready, Pending, Closed, Aborted };

/// Anything a lane can wait on. wait() returns at the latest after `timeout`, earlier when the state may have changed;
/// it spins briefly, then sleeps. It may wake spuriously.
class Port {
public:
  virtual ~Port() = default;
  virtual void wait(absl::Duration timeout) = 0;
};

class SendPort : public Port {
public:
  /// Starts to send `spec.bytes` bytes at `data`. Pending: no free slot yet (try again), Ready: started. The buffer
  /// must stay as it is until done(). `step` travels in the header for the hang explainer and fencing.
  virtual PollState start(const void *data, uint64_t step) = 0;
  /// Ready once the buffer of the last start may be written again.
  virtual PollState done() = 0;
  /// Ends this sender's phase: the receiver finds Closed after the last message. Idempotent.
  virtual void close() = 0;
};

class RecvPort : public Port {
public:
  /// Ready: `*data` is the oldest message not yet released, in place, valid until release().
  virtual PollState poll(const void **data) = 0;
  /// Gives the slot of the last Ready poll back to the sender.
  virtual void release() = 0;
};

/// The counters of promise 3: payload bytes of plan channels as the transport itself moved them.
struct TransportCounters {
  uint64_t bytesSent = 0;
  uint64_t bytesReceived = 0;
  uint64_t controlBytes = 0; ///< headers, credits and the like
};

/// One task's end of one kind of transport towards all of its peers, for one epoch of the run.
class Transport {
public:
  virtual ~Transport() = default;
  virtual TransportCounters counters() const = 0;
  /// Every port's state becomes Aborted (but messages already there may still be taken), every waiter wakes. First
  /// status wins; idempotent; from any thread.
  virtual void abort(absl::Status why) = 0;
  /// Empties every channel and reopens it for the next phase or epoch. Only while no lane runs on either side.
  virtual absl::Status reset(uint64_t epoch) = 0;
};

} // namespace graphc::transport
#endif
