//===- RingBackends.cpp - the suite over the in-process and the shared-memory transport -------===//

#include "runtime/common/base/StatusMacros.h"
#include "runtime/transport/InProcessTransport.h"
#include "runtime/transport/SharedMemoryTransport.h"

#include "test/runtime/transport/Conformance.h"
#include "test/runtime/transport/TestPaths.h"

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"

#include <atomic>
#include <unistd.h>

namespace graphc::transport {
namespace {

class InProcessLink final : public Link {
public:
  explicit InProcessLink(std::unique_ptr<Transport> transport) : transport_(std::move(transport)) {}
  Transport &sending() override { return *transport_; }
  Transport &receiving() override { return *transport_; }

private:
  std::unique_ptr<Transport> transport_;
};

absl::StatusOr<std::unique_ptr<Link>> makeInProcessLink(const std::vector<ChannelSpec> &specs) {
  GRAPHC_ASSIGN_OR_RETURN(std::unique_ptr<Transport> transport, makeInProcessTransport(specs));
  return std::make_unique<InProcessLink>(std::move(transport));
}

class SharedMemoryLink final : public Link {
public:
  std::unique_ptr<SharedMemoryTransport> from, to;
  Transport &sending() override { return *from; }
  Transport &receiving() override { return *to; }
  uint8_t *zeroCopy() override { return memory.data(); }
  device::MemoryRegion memory;
};

absl::StatusOr<std::unique_ptr<Link>> makeSharedMemoryLink(const std::vector<ChannelSpec> &specs) {
  static std::atomic<int> runs{0};
  std::string run = absl::StrCat("conformance-", getpid(), "-", runs++);
  SharedMemoryOptions sender{
      run, std::string(64, 'a'), "/job:worker/task:0", {{"/job:ps/task:0", {}, specs}}};
  SharedMemoryOptions receiver{
      run, std::string(64, 'a'), "/job:ps/task:0", {{"/job:worker/task:0", specs, {}}}};
  auto link = std::make_unique<SharedMemoryLink>();
  GRAPHC_ASSIGN_OR_RETURN(link->memory, device::MemoryRegion::share(1 << 20, "zero-copy"));
  sender.zeroCopyFd = link->memory.descriptor();
  sender.zeroCopy = link->memory.data();
  sender.zeroCopyBytes = link->memory.size();
  GRAPHC_ASSIGN_OR_RETURN(link->to, listenAtTestPath(receiver));
  GRAPHC_ASSIGN_OR_RETURN(link->from, listenAtTestPath(sender));
  GRAPHC_RETURN_IF_ERROR(link->from->connect(absl::Now() + absl::Seconds(10)));
  GRAPHC_RETURN_IF_ERROR(link->to->connect(absl::Now() + absl::Seconds(10)));
  GRAPHC_RETURN_IF_ERROR(link->from->reset(1));
  GRAPHC_RETURN_IF_ERROR(link->to->reset(1));
  return link;
}

INSTANTIATE_TEST_SUITE_P(Ring, Conformance,
                         testing::Values(Backend{"InProcess", makeInProcessLink},
                                         Backend{"SharedMemory", makeSharedMemoryLink}),
                         backendName);

} // namespace
} // namespace graphc::transport
