#include "runtime/transport/ConflatingTransport.h"

#include "runtime/common/base/Mutex.h"
#include "runtime/common/base/StatusMacros.h"
#include "runtime/device/MemoryRegion.h"
#include "runtime/transport/MessageRing.h"

#include "absl/strings/str_cat.h"

#include <array>
#include <cstring>

namespace graphc::transport {

namespace {
/// Of one channel: what its instances' receivers wait on.
struct WakeEvent {
  base::Mutex mutex;
  base::CondVar happened;
  std::atomic<uint64_t> count{0}; // written under mutex

  void notify() {
    {
      base::MutexLock lock(mutex);
      count.fetch_add(1);
    }
    happened.notifyAll();
  }
};
} // namespace

struct ConflatingTransport::Shared {
  AbortState abort;
  std::map<uint32_t, WakeEvent> events; // by channel
};

class ConflatingChannel final : public SendPort {
public:
  ConflatingChannel(const ChannelSpec &spec, device::MemoryRegion memory, WakeEvent &event,
                    ConflatingTransport &transport)
      : spec(spec), memory(std::move(memory)), event(event), transport(transport), receiver(*this) {
  }

  PollState acquire(void **data) override {
    *data = buffer(writing);
    return abort().isAborted() ? PollState::Aborted : PollState::Ready;
  }
  /// There are three buffers: one that is written, one that is complete, one that is read. Writing
  /// and complete change places here, so the sender never waits; a message that nobody has taken is
  /// lost.
  PollState start(const void *data, uint64_t, SendMode, uint64_t) override {
    if (abort().isAborted())
      return PollState::Aborted;
    if (data != buffer(writing)) // acquired memory is the buffer itself
      memcpy(buffer(writing), data, spec.bytes);
    {
      base::MutexLock lock(mutex);
      std::swap(writing, complete);
      sent.fetch_add(1, std::memory_order_relaxed);
    }
    tell();
    return PollState::Ready;
  }
  PollState done() override { return PollState::Ready; } // start() copies
  void close() override {
    {
      base::MutexLock lock(mutex);
      closed = true;
    }
    tell();
  }
  void wait(absl::Duration) override {} // never Pending
  absl::Status status() const override { return transport.status(); }

  void tell() {
    event.notify();
    if (transport.changed)
      transport.changed(receiver);
  }
  void reset() {
    base::MutexLock lock(mutex);
    sent = taken = 0;
    closed = false;
  }
  AbortState &abort() const;
  uint8_t *buffer(uint32_t index) { return memory.data() + slotStride(spec) * index; }

  const ChannelSpec spec;
  device::MemoryRegion memory;
  WakeEvent &event;
  ConflatingTransport &transport;
  ConflatingReceiver receiver;
  base::Mutex mutex; // a leaf
  uint32_t writing = 0; // the sender's
  uint32_t complete ABSL_GUARDED_BY(mutex) = 1;
  uint32_t reading = 2; // the receiver's
  std::atomic<uint64_t> sent{0}; // written under mutex
  uint64_t taken ABSL_GUARDED_BY(mutex) = 0;
  bool closed ABSL_GUARDED_BY(mutex) = false;
};

// One for all channels of the transport, whose abort() sets it and then wakes the receivers;
// acquire(), start() and poll() find it set.
AbortState &ConflatingChannel::abort() const { return transport.shared_->abort; }

// While a message is held it stays the same, as in a fifo.
PollState ConflatingReceiver::poll(const void **data) {
  seen_ = channel_.event.count.load();
  bool closed = false;
  if (!held_) {
    base::MutexLock lock(channel_.mutex);
    if (uint64_t sent = channel_.sent.load(std::memory_order_relaxed); sent > channel_.taken) {
      std::swap(channel_.reading, channel_.complete);
      channel_.taken = sent;
      held_ = true;
    }
    closed = channel_.closed;
  }
  if (held_) {
    *data = channel_.buffer(channel_.reading);
    return PollState::Ready;
  }
  if (channel_.abort().isAborted())
    return PollState::Aborted;
  return closed ? PollState::Closed : PollState::Pending;
}

void ConflatingReceiver::release() { held_ = false; }

void ConflatingReceiver::wait(absl::Duration timeout) {
  WakeEvent &event = channel_.event;
  base::MutexLock lock(event.mutex);
  event.happened.waitFor(event.mutex, timeout, [&] { return event.count.load() != seen_; });
}

absl::Status ConflatingReceiver::status() const { return channel_.status(); }
uint64_t ConflatingReceiver::sent() const { return channel_.sent.load(std::memory_order_relaxed); }

ConflatingTransport::ConflatingTransport() : shared_(std::make_unique<Shared>()) {}
ConflatingTransport::~ConflatingTransport() = default;

absl::StatusOr<std::unique_ptr<ConflatingTransport>>
ConflatingTransport::create(const std::vector<ChannelSpec> &specs) {
  std::unique_ptr<ConflatingTransport> transport(new ConflatingTransport);
  for (const ChannelSpec &spec : specs) {
    GRAPHC_ASSIGN_OR_RETURN(device::MemoryRegion memory,
                            device::MemoryRegion::allocate(3 * slotStride(spec),
                                                           device::MemoryRegion::Guard::None,
                                                           "a conflating channel"));
    auto channel = std::make_unique<ConflatingChannel>(
        spec, std::move(memory), transport->shared_->events[spec.key.channel], *transport);
    if (!transport->channels_.emplace(spec.key, std::move(channel)).second)
      return absl::InvalidArgumentError(absl::StrCat("channel ", spec.key.channel, " instance ",
                                                     spec.key.instance, " is listed twice"));
  }
  return transport;
}

SendPort *ConflatingTransport::sender(ChannelKey key) {
  auto found = channels_.find(key);
  return found == channels_.end() ? nullptr : found->second.get();
}

ConflatingReceiver *ConflatingTransport::conflating(ChannelKey key) {
  auto found = channels_.find(key);
  return found == channels_.end() ? nullptr : &found->second->receiver;
}

void ConflatingTransport::abort(absl::Status why) {
  shared_->abort.set(std::move(why));
  for (auto &[key, channel] : channels_)
    channel->tell();
}

absl::Status ConflatingTransport::status() const { return shared_->abort.status(); }

absl::Status ConflatingTransport::reset(uint64_t) {
  shared_->abort.clear();
  for (auto &[key, channel] : channels_) {
    channel->reset();
    channel->receiver.release();
  }
  return absl::OkStatus();
}

} // namespace graphc::transport
