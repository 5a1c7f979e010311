//===- PortTable.h - the ring ports of one transport, by channel ---------------------------------------------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_TRANSPORT_PORTTABLE_H
#define GRAPHC_RUNTIME_TRANSPORT_PORTTABLE_H

#include "runtime/transport/Ring.h"

#include <map>
#include <memory>

namespace graphc::transport {

/// Shared by the in-process and the shared-memory transport. Filled at set-up, then immutable but for the ports' state.
class PortTable {
public:
  /// False: the channel is there already.
  bool addSender(const ChannelSpec &spec, RingMemory *ring, base::FutexScope scope, const std::string &peer);
  bool addReceiver(const ChannelSpec &spec, RingMemory *ring, base::FutexScope scope, const std::string &peer);
  /// Of a published channel that is here: what its references count from.
  void publish(ChannelKey key, PublishedView view) { senders.at(key)->publish(view); }
  void mapPublished(ChannelKey key, PublishedView view) { receivers.at(key)->mapPublished(view); }
  /// The gate of a gathered channel, at its two ends.
  void tell(ChannelKey key, Gate *gate) { senders.at(key)->tell(gate); }
  void gather(ChannelKey key, Gate *gate) { receivers.at(key)->gather(gate); }
  SendPort *sender(ChannelKey key) const;
  RecvPort *receiver(ChannelKey key) const;
  TransportCounters counters() const;
  void abort(absl::Status why);
  void reset(uint64_t epoch);
  AbortState &abortState() { return state; }
  const AbortState &abortState() const { return state; }

private:
  AbortState state;
  std::map<ChannelKey, std::unique_ptr<RingSender>> senders;
  std::map<ChannelKey, std::unique_ptr<RingReceiver>> receivers;
};

} // namespace graphc::transport
#endif
