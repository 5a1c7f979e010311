//===- ConflatingTransport.h - versioned slots between the lanes of one task --------*- C++ -*-===//
//
// A `conflating` channel is no fifo: a send replaces what is there and never waits; a receive takes
// the newest message that was not taken yet. Each instance has three buffers, which writer and
// reader swap under a lock that is held for a few instructions: one being written, one that is
// complete, one being read in place. So neither waits for the other's copy.
//
// The instances of a channel share one event: whoever waits on one receiver is woken by a send to
// any of them (Port::wait may wake spuriously), so that a lane can wait for the first of several
// instances.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_TRANSPORT_CONFLATINGTRANSPORT_H
#define GRAPHC_RUNTIME_TRANSPORT_CONFLATINGTRANSPORT_H

#include "runtime/transport/Transport.h"

#include "absl/status/statusor.h"

#include <functional>
#include <map>
#include <memory>

namespace graphc::transport {

class ConflatingChannel; // one instance

class ConflatingReceiver final : public RecvPort {
public:
  explicit ConflatingReceiver(ConflatingChannel &channel) : channel_(channel) {}
  PollState poll(const void **data) override;
  void release() override;
  void wait(absl::Duration timeout) override;
  absl::Status status() const override;
  /// Messages sent since the reset, taken or not. Any thread.
  uint64_t sent() const;

private:
  ConflatingChannel &channel_;
  uint64_t seen_ = 0; // the event's count before the last poll
  bool held_ = false;
};

class ConflatingTransport final : public Transport {
public:
  /// Of channels with both ends in this task.
  static absl::StatusOr<std::unique_ptr<ConflatingTransport>>
  create(const std::vector<ChannelSpec> &specs);
  ~ConflatingTransport() override;
  SendPort *sender(ChannelKey key) override;
  RecvPort *receiver(ChannelKey key) override { return conflating(key); }
  ConflatingReceiver *conflating(ChannelKey key);
  TransportCounters counters() const override { return {}; } // nothing leaves the task
  void abort(absl::Status why) override;
  absl::Status status() const override;
  absl::Status reset(uint64_t generation) override;

  /// Called, under no lock, when a receiver's state may have changed; for who waits otherwise than
  /// in wait(). Set before any lane runs.
  std::function<void(const ConflatingReceiver &)> changed;

private:
  ConflatingTransport();
  friend class ConflatingChannel;
  struct Shared;
  std::unique_ptr<Shared> shared_;
  std::map<ChannelKey, std::unique_ptr<ConflatingChannel>> channels_;
};

} // namespace graphc::transport
#endif
