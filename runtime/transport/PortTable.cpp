#include "runtime/transport/PortTable.h"

namespace graphc::transport {

bool PortTable::addSender(const ChannelSpec &spec, RingMemory *ring, base::FutexScope scope, const std::string &peer) {
  return senders.try_emplace(spec.key, std::make_unique<RingSender>(spec, ring, state, scope, peer)).second;
}

bool PortTable::addReceiver(const ChannelSpec &spec, RingMemory *ring, base::FutexScope scope,
                            const std::string &peer) {
  return receivers.try_emplace(spec.key, std::make_unique<RingReceiver>(spec, ring, state, scope, peer)).second;
}

SendPort *PortTable::sender(ChannelKey key) const {
  auto it = senders.find(key);
  return it == senders.end() ? nullptr : it->second.get();
}

RecvPort *PortTable::receiver(ChannelKey key) const {
  auto it = receivers.find(key);
  return it == receivers.end() ? nullptr : it->second.get();
}

TransportCounters PortTable::counters() const {
  TransportCounters sum;
  for (const auto &[key, port] : senders)
    (port->channel().control ? sum.controlBytes : sum.bytesSent) += port->bytesMoved();
  for (const auto &[key, port] : receivers)
    (port->channel().control ? sum.controlBytes : sum.bytesReceived) += port->bytesMoved();
  return sum;
}

void PortTable::abort(absl::Status why) {
  state.set(std::move(why)); // a port may have set it already, and wakes nobody
  wake();
}

void PortTable::wake() {
  for (const auto &[key, port] : senders)
    port->wakeLocal();
  for (const auto &[key, port] : receivers)
    port->wakeLocal();
}

void PortTable::reset(uint64_t epoch) {
  for (const auto &[key, port] : senders)
    port->reset(epoch);
  for (const auto &[key, port] : receivers)
    port->reset(epoch);
  state.clear();
}

} // namespace graphc::transport
