//===- PortTable.h - the ring ports of one transport, by channel --------------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_TRANSPORT_PORTTABLE_H
#define GRAPHC_RUNTIME_TRANSPORT_PORTTABLE_H

#include "runtime/transport/MessageRing.h"

#include <map>
#include <memory>

namespace graphc::transport {

/// Shared by the in-process and the shared-memory transport. Filled at set-up, then immutable but
/// for the ports' state.
class PortTable {
public:
  /// False: the channel is there already.
  bool addSender(const ChannelSpec &spec, RingMemory *ring, base::FutexScope scope,
                 const std::string &peer);
  bool addReceiver(const ChannelSpec &spec, RingMemory *ring, base::FutexScope scope,
                   const std::string &peer);
  /// Of a zero-copy channel that is here: what its references count from.
  void setZeroCopy(ChannelKey key, ZeroCopyView view) { senders_.at(key)->setZeroCopy(view); }
  void mapZeroCopy(ChannelKey key, ZeroCopyView view) { receivers_.at(key)->mapZeroCopy(view); }
  /// The arrival counter of a gathered channel, at its two ends.
  void tell(ChannelKey key, ArrivalCounter *arrivals) { senders_.at(key)->tell(arrivals); }
  void gather(ChannelKey key, ArrivalCounter *arrivals) { receivers_.at(key)->gather(arrivals); }
  SendPort *sender(ChannelKey key) const;
  RecvPort *receiver(ChannelKey key) const;
  TransportCounters counters() const;
  void abort(absl::Status why);
  void wake();
  void reset(uint64_t generation);
  AbortState &abortState() { return state_; }
  const AbortState &abortState() const { return state_; }

private:
  AbortState state_;
  std::map<ChannelKey, std::unique_ptr<RingSender>> senders_;
  std::map<ChannelKey, std::unique_ptr<RingReceiver>> receivers_;
};

} // namespace graphc::transport
#endif
