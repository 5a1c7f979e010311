#include "runtime/base/Status.h"
#include "runtime/transport/Transport.h"

namespace graphc::transport {

SendPort *TransportSet::sender(ChannelKey key) {
  for (const auto &part : parts)
    if (SendPort *port = part->sender(key))
      return port;
  return nullptr;
}

RecvPort *TransportSet::receiver(ChannelKey key) {
  for (const auto &part : parts)
    if (RecvPort *port = part->receiver(key))
      return port;
  return nullptr;
}

TransportCounters TransportSet::counters() const {
  TransportCounters sum;
  for (const auto &part : parts)
    sum += part->counters();
  return sum;
}

std::vector<MessageMemory> TransportSet::memory() {
  std::vector<MessageMemory> all;
  for (const auto &part : parts)
    for (const MessageMemory &memory : part->memory())
      all.push_back(memory);
  return all;
}

void TransportSet::abort(absl::Status why) {
  for (const auto &part : parts)
    part->abort(why);
}

absl::Status TransportSet::status() const {
  for (const auto &part : parts)
    GRAPHC_RETURN_IF_ERROR(part->status());
  return absl::OkStatus();
}

absl::Status TransportSet::reset(uint64_t epoch) {
  for (const auto &part : parts)
    GRAPHC_RETURN_IF_ERROR(part->reset(epoch));
  return absl::OkStatus();
}

} // namespace graphc::transport
