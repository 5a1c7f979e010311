// Streams, events, launches and captures.
#include "test/cuda/FakeGraph.h"
#include "test/cuda/SimulatedLaunch.h"

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"

#include <cstdlib>
#include <cstring>

namespace graphc::fake {
namespace {

/// The signal that it was recorded as last.
struct Event {
  std::shared_ptr<QueueState> queue;
  uint64_t count = 0;
};

/// What streams begin behind, while there is one.
std::shared_ptr<QueueState> &gate() {
  static auto *one = new std::shared_ptr<QueueState>;
  return *one;
}

} // namespace

Result enqueue(Stream *stream, Run run) {
  if (!stream)
    return kInvalidHandle; // nothing here uses the default stream
  if (stream->captured) {
    Graph &graph = *stream->captured;
    Node &node = graph.add(std::move(run));
    if (graph.nodes.size() > 1)
      node.after = {&graph.nodes[graph.nodes.size() - 2]};
    return kSuccess;
  }
  gpu().engine.enqueue(*stream->queue,
                       {[run = std::move(run)] { return runOnGpu(run); }, 0, nullptr});
  return kSuccess;
}

absl::StatusOr<Run> launchOf(const ptx::Function *function, std::array<uint32_t, 3> blocks,
                             std::array<uint32_t, 3> threads, unsigned sharedBytes, void **params) {
  if (!function || sharedBytes || (!params && !function->params.empty()))
    return absl::InvalidArgumentError("a launch that nothing here makes");
  for (uint32_t size : blocks)
    if (size == 0)
      return absl::InvalidArgumentError("no block");
  if (function->threads && threads[0] * threads[1] * threads[2] != function->threads)
    return absl::InvalidArgumentError(
        absl::StrCat(function->name, " has blocks of ", function->threads, " threads"));
  std::vector<uint64_t> values; // the driver has read them when it returns
  for (size_t i = 0; i < function->params.size(); ++i) {
    uint64_t value = 0;
    memcpy(&value, params[i], function->params[i].second);
    values.push_back(value);
  }
  auto isNamed = [&](const char *variable) {
    const char *part = std::getenv(variable);
    return part && function->name.find(part) != std::string::npos;
  };
  if (isNamed("GRAPHC_FAKE_HANGS"))
    return Run([]() -> absl::Status {
      for (;;)
        absl::SleepFor(absl::Seconds(1));
    });
  if (isNamed("GRAPHC_FAKE_FAILS"))
    return Run(
        [name = function->name] { return absl::InternalError(absl::StrCat(name, " is to fail")); });
  return Run([=]() mutable {
    std::vector<void *> places;
    for (uint64_t &value : values)
      places.push_back(&value);
    accounts.launched();
    absl::Status status = gpu().machine.launch(*function, blocks, threads, places.data());
    return status.ok() ? status : base::annotate(status, function->name);
  });
}

} // namespace graphc::fake

using namespace graphc;
using namespace graphc::fake;

CUDA_FUNCTION(cuStreamSynchronize, , Stream *stream) {
  if (!stream) {
    base::MutexLock lock(gpu().mutex);
    for (const Gpu::Memset &each : gpu().memsets)
      memset(gpu().memory.pages.ownAddress(pointer(each.to)), each.value, each.bytes);
    gpu().memsets.clear();
    return failure();
  }
  if (stream->captured)
    return kCaptureUnsupported;
  gpu().engine.enqueue(*stream->queue, {nullptr, ++stream->signals, nullptr});
  while (gpu().engine.reached(*stream->queue, stream->signals) ==
         device::DeviceQueue::Reached::NotYet)
    gpu().engine.wait(*stream->queue, stream->signals, absl::Milliseconds(100));
  return failure();
}

/// One of memory that is not pinned is done when the call returns, and all before it in the stream
/// too.
CUDA_FUNCTION(cuMemcpyAsync, , Address to, Address from, size_t bytes, Stream *stream) {
  CHECK_READY();
  using Kind = HostMemory::Kind;
  const bool toDevice = gpu().memory.find(to, bytes), fromDevice = gpu().memory.find(from, bytes);
  const Kind kind =
      toDevice && fromDevice ? Kind::Pinned : hostMemory.find(pointer(toDevice ? from : to), bytes);
  if (kind == Kind::PinnedReadOnly && !toDevice)
    return kInvalidValue;
  if (kind == Kind::Pageable)
    accounts.copiedPageable(toDevice, bytes);
  const Result result = enqueue(stream, [=] {
    void *there = gpu().memory.pages.ownAddress(pointer(to));
    memcpy(there, gpu().memory.pages.ownAddress(pointer(from)), bytes);
    accounts.copied(there != pointer(to), bytes);
    return absl::OkStatus();
  });
  return kind == Kind::Pageable && result == kSuccess ? cuStreamSynchronize(stream) : result;
}

CUDA_FUNCTION(cuStreamCreate, , Stream **stream, unsigned) {
  CHECK_READY();
  *stream = new Stream;
  gpu().engine.add((*stream)->queue);
  if (gate())
    gpu().engine.enqueue(*(*stream)->queue, {nullptr, 1, gate()});
  return kSuccess;
}
CUDA_FUNCTION(cuStreamDestroy, _v2, Stream *stream) {
  gpu().engine.drain(stream->queue);
  delete stream;
  return kSuccess;
}
/// From here on the thread may do nothing with the stream but give it work (modes other than that
/// of the thread are not used).
CUDA_FUNCTION(cuStreamBeginCapture, _v2, Stream *stream, int mode) {
  CHECK_READY();
  if (!stream || stream->captured || mode != 1)
    return stream ? kIllegalState : kInvalidHandle;
  stream->captured = std::make_unique<Graph>();
  return kSuccess;
}
CUDA_FUNCTION(cuStreamEndCapture, , Stream *stream, Graph **graph) {
  CHECK_READY();
  if (!stream->captured)
    return kIllegalState;
  *graph = keep(std::move(stream->captured));
  return kSuccess;
}

/// One thread may record an event while another asks for it.
static base::Mutex eventMutex;
static Event stateOf(const Event *event) {
  base::MutexLock lock(eventMutex);
  return *event;
}

CUDA_FUNCTION(cuEventCreate, , Event **event, unsigned) {
  CHECK_READY();
  *event = new Event;
  return kSuccess;
}
CUDA_FUNCTION(cuEventDestroy, _v2, Event *event) {
  delete event;
  return kSuccess;
}
CUDA_FUNCTION(cuEventRecord, , Event *event, Stream *stream) {
  CHECK_READY();
  if (stream->captured)
    return kCaptureUnsupported;
  const uint64_t count = ++stream->signals;
  {
    base::MutexLock lock(eventMutex);
    event->queue = stream->queue;
    event->count = count;
  }
  gpu().engine.enqueue(*stream->queue, {nullptr, count, nullptr});
  return kSuccess;
}
CUDA_FUNCTION(cuEventQuery, , Event *event) {
  CHECK_READY();
  const Event now = stateOf(event);
  if (!now.queue)
    return kSuccess;
  device::DeviceQueue::Reached reached = gpu().engine.reached(*now.queue, now.count);
  if (reached == device::DeviceQueue::Reached::Yes)
    return kSuccess;
  return failure() == kSuccess ? kNotReady : failure();
}
CUDA_FUNCTION(cuEventSynchronize, , Event *event) {
  CHECK_READY();
  for (;;) {
    const Result result = cuEventQuery(event);
    if (result != kNotReady)
      return result;
    const Event now = stateOf(event);
    gpu().engine.wait(*now.queue, now.count, absl::Milliseconds(100));
  }
}

/// For tests: 1: streams that are made from now on do nothing; 0: all do.
extern "C" __attribute__((visibility("default"))) void graphcFakeGate(int closed) {
  if (closed) {
    gate() = std::make_shared<QueueState>();
  } else if (gate()) {
    gpu().engine.count(*gate(), 1);
    gate() = nullptr;
  }
}

graphc::fake::Result
graphcSimulatedLaunch(void *stream,
                      std::function<std::string(const simulated::FindMemory &)> work) {
  CHECK_READY();
  return enqueue(static_cast<Stream *>(stream), [work = std::move(work)] {
    const std::string wrong = work(
        [](uint64_t address, uint64_t bytes) { return gpu().memory.pages.find(address, bytes); });
    return wrong.empty() ? absl::OkStatus() : absl::InternalError(wrong);
  });
}
