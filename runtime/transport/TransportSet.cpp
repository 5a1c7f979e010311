#include "runtime/common/base/StatusMacros.h"
#include "runtime/transport/Transport.h"

#include <algorithm>

namespace graphc::transport {

void TransportSet::putFirst(std::shared_ptr<Transport> transport, const Transport *before) {
  absl::Status over;
  {
    base::MutexLock lock(mutex_);
    if (before) {
      gone_ += before->counters();
      std::erase_if(parts_, [&](const auto &part) { return part.get() == before; });
    }
    parts_.insert(parts_.begin(), transport);
    if (aborted_)
      over = why_;
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
  base::MutexLock lock(mutex_);
  TransportCounters sum = gone_;
  for (const auto &part : parts_)
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
    base::MutexLock lock(mutex_);
    if (!aborted_)
      why_ = status;
    aborted_ = true;
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

absl::Status TransportSet::reset(uint64_t generation) {
  {
    base::MutexLock lock(mutex_);
    aborted_ = false;
    why_ = absl::OkStatus();
  }
  for (const auto &part : all())
    GRAPHC_RETURN_IF_ERROR(part->reset(generation));
  return absl::OkStatus();
}

} // namespace graphc::transport
