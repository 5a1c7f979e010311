//===- CudaQueue.h - streams, and who waits for them --------------------------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_DEVICE_CUDA_CUDAQUEUE_H
#define GRAPHC_RUNTIME_DEVICE_CUDA_CUDAQUEUE_H

#include "runtime/common/base/Mutex.h"
#include "runtime/device/cuda/CudaContext.h"

#include <thread>
#include <vector>

namespace graphc::device::cuda {

/// The thread that waits for a GPU's events, so that lanes may wait with a deadline. Of one queue
/// alone the events come in order, and it blocks in the driver. Where there are several it asks for
/// each in turn, so that none waits for another's: at first every 20 µs, then the less often the
/// longer it takes.
class EventWaiter {
public:
  explicit EventWaiter(GpuPtr gpu);
  ~EventWaiter();

  /// Of those who may wait: how many there are.
  void join();
  void leave();
  /// Until the event was seen done, wakes() is no longer what is given, or the time is over. May
  /// return early.
  void wait(Event event, absl::Duration timeout, uint64_t wakes);
  void wake();
  /// Before an event goes: nobody blocks on it any more.
  void forget(Event event);

private:
  void loop();
  /// Those that are done go; whether there was one.
  bool drop(const std::vector<Event> &done) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  GpuPtr gpu_;
  base::Mutex mutex_;
  base::CondVar asked_, told_; // of the thread, of lanes
  std::vector<Event> wanted_ ABSL_GUARDED_BY(mutex_);
  std::vector<Event> current_ ABSL_GUARDED_BY(mutex_); // with these the thread is in the driver
  unsigned forgetting_ ABSL_GUARDED_BY(mutex_) = 0; // lanes that wait for `current_`
  unsigned queues_ ABSL_GUARDED_BY(mutex_) = 0;
  bool ending_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_; // last: it uses the others
};

absl::StatusOr<std::unique_ptr<DeviceQueue>> makeCudaQueue(GpuPtr gpu,
                                                           std::shared_ptr<EventWaiter> waiter);

} // namespace graphc::device::cuda
#endif
