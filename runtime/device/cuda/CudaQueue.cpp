#include "runtime/device/cuda/CudaQueue.h"

#include "runtime/common/base/StatusMacros.h"
#include "runtime/device/cuda/CudaSegment.h"

#include "absl/time/clock.h"

#include <algorithm>
#include <deque>

namespace graphc::device::cuda {

EventWaiter::EventWaiter(GpuPtr gpu) : gpu_(std::move(gpu)), thread_([this] { loop(); }) {}

EventWaiter::~EventWaiter() {
  {
    base::MutexLock lock(mutex_);
    ending_ = true;
  }
  asked_.notifyAll();
  thread_.join();
}

void EventWaiter::join() {
  base::MutexLock lock(mutex_);
  ++queues_;
}

void EventWaiter::leave() {
  base::MutexLock lock(mutex_);
  --queues_;
}

void EventWaiter::wait(Event event, absl::Duration timeout, uint64_t wakes) {
  base::MutexLock lock(mutex_);
  if (device::wakes() != wakes)
    return;
  wanted_.push_back(event);
  asked_.notifyAll();
  told_.waitFor(mutex_, timeout); // whatever was done: who asked looks again
  std::erase(wanted_, event);
}

void EventWaiter::wake() {
  base::MutexLock lock(mutex_);
  told_.notifyAll();
}

void EventWaiter::forget(Event event) {
  base::MutexLock lock(mutex_);
  std::erase(wanted_, event);
  ++forgetting_;
  while (std::find(current_.begin(), current_.end(), event) != current_.end())
    told_.wait(mutex_);
  --forgetting_;
}

bool EventWaiter::drop(const std::vector<Event> &done) {
  for (Event event : done)
    std::erase(wanted_, event);
  return !done.empty();
}

void EventWaiter::loop() {
  constexpr absl::Duration first = absl::Microseconds(20), most = absl::Microseconds(500);
  gpu_->enter();
  std::vector<Event> asking, done;
  absl::Duration nap = first;
  base::MutexLock lock(mutex_);
  while (!ending_) {
    if (wanted_.empty()) {
      nap = first;
      asked_.wait(mutex_);
      continue;
    }
    const bool blocks = queues_ <= 1;
    asking.assign(wanted_.begin(), blocks ? wanted_.begin() + 1 : wanted_.end());
    current_ = asking;
    mutex_.unlock();
    done.clear();
    for (Event event : asking) // what went wrong whoever asked is told by its own query
      if (blocks ? (gpu_->driver.eventSynchronize(event), true)
                 : gpu_->driver.eventQuery(event) != kNotReady)
        done.push_back(event);
    mutex_.lock();
    current_.clear();
    const bool isAny = drop(done);
    if (isAny || forgetting_)
      told_.notifyAll();
    if (isAny) {
      nap = first;
    } else if (!ending_) {
      asked_.waitFor(mutex_, nap);
      nap = std::min(nap * 1.25, most);
    }
  }
}

namespace {

/// A stream. A signal is an event behind what was enqueued; events that were reached are used
/// again.
class CudaQueue final : public DeviceQueue {
public:
  CudaQueue(GpuPtr gpu, std::shared_ptr<EventWaiter> waiter)
      : gpu_(std::move(gpu)), waiter_(std::move(waiter)) {
    this->waiter_->join();
  }
  ~CudaQueue() override {
    gpu_->enter();
    if (stream_)
      gpu_->driver.streamSynchronize(stream_);
    for (const Signal &each : signals_) {
      waiter_->forget(each.event);
      gpu_->driver.eventDestroy(each.event);
    }
    for (Event event : unused_) {
      waiter_->forget(event); // whose time was over while it waited for this one
      gpu_->driver.eventDestroy(event);
    }
    if (stream_)
      gpu_->driver.streamDestroy(stream_);
    waiter_->leave();
  }
  absl::Status make() {
    gpu_->enter();
    return gpu_->check(gpu_->driver.streamCreate(&stream_, kNonBlockingStream), "cuStreamCreate");
  }

  void copy(void *to, const void *from, uint64_t bytes) override {
    if (bytes && begin())
      note(gpu_->driver.memcpyAsync(Address(reinterpret_cast<uintptr_t>(to)),
                                    Address(reinterpret_cast<uintptr_t>(from)), bytes, stream_),
           "cuMemcpyAsync");
  }
  void run(QueueSegment &segment, const GraphcContext &) override {
    if (begin())
      failure_ = static_cast<CudaSegment &>(segment).run(stream_);
  }
  void signal(uint64_t n) override {
    if (!begin())
      return;
    Event event = nullptr;
    if (unused_.empty()) {
      note(gpu_->driver.eventCreate(&event, kNoTimingEvent | kBlockingSyncEvent), "cuEventCreate");
    } else {
      event = unused_.back();
      unused_.pop_back();
    }
    if (!failure_.ok())
      return;
    note(gpu_->driver.eventRecord(event, stream_), "cuEventRecord");
    signals_.push_back({n, event});
  }
  Reached reached(uint64_t n) override {
    gpu_->enter();
    while (count_ < n && failure_.ok() && !signals_.empty()) {
      const Result result = gpu_->driver.eventQuery(signals_.front().event);
      if (result == kNotReady)
        return Reached::NotYet;
      note(result, "cuEventQuery");
      if (!failure_.ok())
        break;
      count_ = signals_.front().n;
      unused_.push_back(signals_.front().event);
      signals_.pop_front();
    }
    return count_ >= n ? Reached::Yes : failure_.ok() ? Reached::NotYet : Reached::Failed;
  }
  void wait(uint64_t n, absl::Duration timeout, uint64_t wakes) override {
    if (reached(n) != Reached::NotYet)
      return;
    if (const Signal *signal = find(n))
      waiter_->wait(signal->event, timeout, wakes);
    else
      absl::SleepFor(timeout); // nobody has signalled it
  }
  absl::Status status() const override { return failure_; }

private:
  struct Signal {
    uint64_t n;
    Event event;
  };
  /// The first that counts to n or beyond.
  const Signal *find(uint64_t n) const {
    for (const Signal &each : signals_)
      if (each.n >= n)
        return &each;
    return nullptr;
  }
  bool begin() {
    gpu_->enter();
    return failure_.ok();
  }
  void note(Result result, const char *call) {
    if (result != kSuccess && failure_.ok())
      failure_ = gpu_->check(result, call);
  }

  GpuPtr gpu_;
  std::shared_ptr<EventWaiter> waiter_;
  Stream stream_ = nullptr;
  std::deque<Signal> signals_; // not yet seen to be reached
  std::vector<Event> unused_;
  uint64_t count_ = 0;
  absl::Status failure_;
};

} // namespace

absl::StatusOr<std::unique_ptr<DeviceQueue>> makeCudaQueue(GpuPtr gpu,
                                                           std::shared_ptr<EventWaiter> waiter) {
  auto queue = std::make_unique<CudaQueue>(std::move(gpu), std::move(waiter));
  GRAPHC_RETURN_IF_ERROR(queue->make());
  return queue;
}

} // namespace graphc::device::cuda
