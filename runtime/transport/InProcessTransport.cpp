#include "runtime/transport/InProcessTransport.h"

#include "runtime/common/base/StatusMacros.h"
#include "runtime/device/MemoryRegion.h"
#include "runtime/transport/PortTable.h"

#include "absl/strings/str_cat.h"

namespace graphc::transport {
namespace {

class InProcessTransport final : public Transport {
public:
  absl::Status add(const ChannelSpec &spec) {
    GRAPHC_ASSIGN_OR_RETURN(device::MemoryRegion memory,
                            device::MemoryRegion::allocate(
                                ringBytes(spec), device::MemoryRegion::Guard::None, "a channel"));
    auto *ring = new (memory.data()) RingMemory; // zeroed pages: every counter starts at 0
    memories_.push_back(std::move(memory));
    if (!ports_.addSender(spec, ring, base::FutexScope::Process, "this process") ||
        !ports_.addReceiver(spec, ring, base::FutexScope::Process, "this process"))
      return absl::InvalidArgumentError(absl::StrCat("channel ", spec.key.channel, " instance ",
                                                     spec.key.instance, " is listed twice"));
    return absl::OkStatus();
  }
  SendPort *sender(ChannelKey key) override { return ports_.sender(key); }
  RecvPort *receiver(ChannelKey key) override { return ports_.receiver(key); }
  TransportCounters counters() const override { return ports_.counters(); }
  std::vector<MessageMemory> memory() override {
    std::vector<MessageMemory> all;
    for (const device::MemoryRegion &each : memories_)
      all.push_back({{each.data(), each.size()}});
    return all;
  }
  void abort(absl::Status why) override { ports_.abort(std::move(why)); }
  void wake() override { ports_.wake(); }
  absl::Status status() const override { return ports_.abortState().status(); }
  absl::Status reset(uint64_t generation) override {
    ports_.reset(generation);
    return absl::OkStatus();
  }

private:
  std::vector<device::MemoryRegion> memories_;
  PortTable ports_;
};

} // namespace

absl::StatusOr<std::unique_ptr<Transport>>
makeInProcessTransport(const std::vector<ChannelSpec> &specs) {
  auto transport = std::make_unique<InProcessTransport>();
  for (const ChannelSpec &spec : specs)
    GRAPHC_RETURN_IF_ERROR(transport->add(spec));
  GRAPHC_RETURN_IF_ERROR(transport->reset(0));
  return transport;
}

} // namespace graphc::transport
