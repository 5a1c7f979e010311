#include "runtime/device/cuda/CudaQueue.h"

#include "runtime/common/base/Status.h"
#include "runtime/device/cuda/CudaSegment.h"

#include "absl/time/clock.h"

#include <algorithm>
#include <deque>

namespace graphc::device::cuda {

EventWaiter::EventWaiter(GpuPtr gpu) : gpu(std::move(gpu)), thread([this] { loop(); }) {}

EventWaiter::~EventWaiter() {
  {
    base::MutexLock lock(mutex);
    ending = true;
  }
  asked.notifyAll();
  thread.join();
}

void EventWaiter::join() {
  base::MutexLock lock(mutex);
  ++queues;
}

void EventWaiter::leave() {
  base::MutexLock lock(mutex);
  --queues;
}

void EventWaiter::wait(Event event, absl::Duration timeout, uint64_t wakes) {
  base::MutexLock lock(mutex);
  if (device::wakes() != wakes)
    return;
  wanted.push_back(event);
  asked.notifyAll();
  told.waitFor(mutex, timeout); // whatever was done: who asked looks again
  std::erase(wanted, event);
}

void EventWaiter::wake() {
  base::MutexLock lock(mutex);
  told.notifyAll();
}

void EventWaiter::forget(Event event) {
  base::MutexLock lock(mutex);
  std::erase(wanted, event);
  ++forgetting;
  while (std::find(current.begin(), current.end(), event) != current.end())
    told.wait(mutex);
  --forgetting;
}

bool EventWaiter::drop(const std::vector<Event> &done) {
  for (Event event : done)
    std::erase(wanted, event);
  return !done.empty();
}

void EventWaiter::loop() {
  constexpr absl::Duration first = absl::Microseconds(20), most = absl::Microseconds(500);
  gpu->enter();
  std::vector<Event> asking, done;
  absl::Duration nap = first;
  base::MutexLock lock(mutex);
  while (!ending) {
    if (wanted.empty()) {
      nap = first;
      asked.wait(mutex);
      continue;
    }
    const bool blocks = queues <= 1;
    asking.assign(wanted.begin(), blocks ? wanted.begin() + 1 : wanted.end());
    current = asking;
    mutex.unlock();
    done.clear();
    for (Event event : asking) // what went wrong whoever asked is told by its own query
      if (blocks ? (gpu->driver.eventSynchronize(event), true) : gpu->driver.eventQuery(event) != kNotReady)
        done.push_back(event);
    mutex.lock();
    current.clear();
    const bool isAny = drop(done);
    if (isAny || forgetting)
      told.notifyAll();
    if (isAny) {
      nap = first;
    } else if (!ending) {
      asked.waitFor(mutex, nap);
      nap = std::min(nap * 1.25, most);
    }
  }
}

namespace {

/// A stream. A signal is an event behind what was enqueued; events that were reached are used again.
class CudaQueue final : public DeviceQueue {
public:
  CudaQueue(GpuPtr gpu, std::shared_ptr<EventWaiter> waiter) : gpu(std::move(gpu)), waiter(std::move(waiter)) {
    this->waiter->join();
  }
  ~CudaQueue() override {
    gpu->enter();
    if (stream)
      gpu->driver.streamSynchronize(stream);
    for (const Signal &each : signals) {
      waiter->forget(each.event);
      gpu->driver.eventDestroy(each.event);
    }
    for (Event event : unused) {
      waiter->forget(event); // whose time was over while it waited for this one
      gpu->driver.eventDestroy(event);
    }
    if (stream)
      gpu->driver.streamDestroy(stream);
    waiter->leave();
  }
  absl::Status make() {
    gpu->enter();
    return gpu->check(gpu->driver.streamCreate(&stream, kNonBlockingStream), "cuStreamCreate");
  }

  void copy(void *to, const void *from, uint64_t bytes) override {
    if (bytes && begin())
      note(gpu->driver.memcpyAsync(Address(reinterpret_cast<uintptr_t>(to)), Address(reinterpret_cast<uintptr_t>(from)),
                                   bytes, stream),
           "cuMemcpyAsync");
  }
  void run(QueueSegment &segment, const GraphcContext &) override {
    if (begin())
      failure = static_cast<CudaSegment &>(segment).run(stream);
  }
  void signal(uint64_t n) override {
    if (!begin())
      return;
    Event event = nullptr;
    if (unused.empty()) {
      note(gpu->driver.eventCreate(&event, kNoTimingEvent | kBlockingSyncEvent), "cuEventCreate");
    } else {
      event = unused.back();
      unused.pop_back();
    }
    if (!failure.ok())
      return;
    note(gpu->driver.eventRecord(event, stream), "cuEventRecord");
    signals.push_back({n, event});
  }
  Reached reached(uint64_t n) override {
    gpu->enter();
    while (count < n && failure.ok() && !signals.empty()) {
      const Result result = gpu->driver.eventQuery(signals.front().event);
      if (result == kNotReady)
        return Reached::NotYet;
      note(result, "cuEventQuery");
      if (!failure.ok())
        break;
      count = signals.front().n;
      unused.push_back(signals.front().event);
      signals.pop_front();
    }
    return count >= n ? Reached::Yes : failure.ok() ? Reached::NotYet : Reached::Failed;
  }
  void wait(uint64_t n, absl::Duration timeout, uint64_t wakes) override {
    if (reached(n) != Reached::NotYet)
      return;
    if (const Signal *signal = find(n))
      waiter->wait(signal->event, timeout, wakes);
    else
      absl::SleepFor(timeout); // nobody has signalled it
  }
  absl::Status status() const override { return failure; }

private:
  struct Signal {
    uint64_t n;
    Event event;
  };
  /// The first that counts to n or beyond.
  const Signal *find(uint64_t n) const {
    for (const Signal &each : signals)
      if (each.n >= n)
        return &each;
    return nullptr;
  }
  bool begin() {
    gpu->enter();
    return failure.ok();
  }
  void note(Result result, const char *call) {
    if (result != kSuccess && failure.ok())
      failure = gpu->check(result, call);
  }

  GpuPtr gpu;
  std::shared_ptr<EventWaiter> waiter;
  Stream stream = nullptr;
  std::deque<Signal> signals; // not yet seen to be reached
  std::vector<Event> unused;
  uint64_t count = 0;
  absl::Status failure;
};

} // namespace

absl::StatusOr<std::unique_ptr<DeviceQueue>> makeCudaQueue(GpuPtr gpu, std::shared_ptr<EventWaiter> waiter) {
  auto queue = std::make_unique<CudaQueue>(std::move(gpu), std::move(waiter));
  GRAPHC_RETURN_IF_ERROR(queue->make());
  return queue;
}

} // namespace graphc::device::cuda
