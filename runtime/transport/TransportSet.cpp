#include "runtime/common/base/Status.h"
#include "runtime/transport/Transport.h"

#include <algorithm>

namespace graphc::transport {

void TransportSet::putFirst(std::shared_ptr<Transport> transport, const Transport *before) {
  absl::Status over;
  {
    base::MutexLock lock(mutex);
    if (before) {
      gone += before->counters();
      std::erase_if(parts, [&](const auto &part) { return part.get() == before; });
    }
    parts.insert(parts.begin(), transport);
    if (aborted)
      over = why;
    else
      return;
  }
  transport->abort(over);
}

SendPort *TransportSet::sender(ChannelKey key) {
  for (const auto &part : all())
    if (SendPort *port = part->sender(key))
      return port;
  return nullptr;
}

RecvPort *TransportSet::receiver(ChannelKey key) {
  for (const auto &part : all())
    if (RecvPort *port = part->receiver(key))
      return port;
  return nullptr;
}

TransportCounters TransportSet::counters() const {
  base::MutexLock lock(mutex);
  TransportCounters sum = gone;
  for (const auto &part : parts)
    sum += part->counters();
  return sum;
}

std::vector<MessageMemory> TransportSet::memory() {
  std::vector<MessageMemory> memories;
  for (const auto &part : all())
    for (const MessageMemory &memory : part->memory())
      memories.push_back(memory);
  return memories;
}

void TransportSet::abort(absl::Status status) {
  {
    base::MutexLock lock(mutex);
    if (!aborted)
      why = status;
    aborted = true;
  }
  for (const auto &part : all())
    part->abort(status);
}

absl::Status TransportSet::status() const {
  for (const auto &part : all())
    GRAPHC_RETURN_IF_ERROR(part->status());
  return absl::OkStatus();
}

void TransportSet::wake() {
  for (const auto &part : all())
    part->wake();
}

absl::Status TransportSet::reset(uint64_t epoch) {
  {
    base::MutexLock lock(mutex);
    aborted = false;
    why = absl::OkStatus();
  }
  for (const auto &part : all())
    GRAPHC_RETURN_IF_ERROR(part->reset(epoch));
  return absl::OkStatus();
}

} // namespace graphc::transport
