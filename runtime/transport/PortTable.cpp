#include "runtime/transport/PortTable.h"

namespace graphc::transport {

bool PortTable::addSender(const ChannelSpec &spec, RingMemory *ring, base::FutexScope scope,
                          const std::string &peer) {
  return senders_
      .try_emplace(spec.key, std::make_unique<RingSender>(spec, ring, state_, scope, peer))
      .second;
}

bool PortTable::addReceiver(const ChannelSpec &spec, RingMemory *ring, base::FutexScope scope,
                            const std::string &peer) {
  return receivers_
      .try_emplace(spec.key, std::make_unique<RingReceiver>(spec, ring, state_, scope, peer))
      .second;
}

SendPort *PortTable::sender(ChannelKey key) const {
  auto it = senders_.find(key);
  return it == senders_.end() ? nullptr : it->second.get();
}

RecvPort *PortTable::receiver(ChannelKey key) const {
  auto it = receivers_.find(key);
  return it == receivers_.end() ? nullptr : it->second.get();
}

TransportCounters PortTable::counters() const {
  TransportCounters sum;
  for (const auto &[key, port] : senders_)
    (port->channel().control ? sum.controlBytes : sum.bytesSent) += port->bytesMoved();
  for (const auto &[key, port] : receivers_)
    (port->channel().control ? sum.controlBytes : sum.bytesReceived) += port->bytesMoved();
  return sum;
}

void PortTable::abort(absl::Status why) {
  state_.set(std::move(why)); // a port may have set it already, and wakes nobody
  wake();
}

void PortTable::wake() {
  for (const auto &[key, port] : senders_)
    port->wakeLocal();
  for (const auto &[key, port] : receivers_)
    port->wakeLocal();
}

void PortTable::reset(uint64_t generation) {
  for (const auto &[key, port] : senders_)
    port->reset(generation);
  for (const auto &[key, port] : receivers_)
    port->reset(generation);
  state_.clear();
}

} // namespace graphc::transport
