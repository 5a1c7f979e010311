//===- QueuePort.h - a lane waits for its device as it waits for a peer -------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_EXECUTOR_QUEUEPORT_H
#define GRAPHC_RUNTIME_EXECUTOR_QUEUEPORT_H

#include "runtime/device/Device.h"
#include "runtime/transport/SpinThenPark.h"
#include "runtime/transport/Transport.h"

namespace graphc::executor {

/// The queue of one lane. Whoever completes the work, a thread of the device perhaps, ends the
/// wait, and so does whoever aborts the run (device::wakeAll).
class QueuePort final : public transport::Port {
public:
  QueuePort(device::DeviceQueue &queue, const transport::Transport &transport)
      : queue_(queue), transport_(transport) {}

  /// Ready once the queue has counted to `n`. Pending where its work failed too: see
  /// DeviceQueue::status().
  transport::PollState poll(uint64_t n) {
    count_ = n;
    if (queue_.reached(n) == device::DeviceQueue::Reached::Yes)
      return transport::PollState::Ready;
    wakes_ = device::wakes(); // an abort is there before it wakes
    return transport_.status().ok() ? transport::PollState::Pending : transport::PollState::Aborted;
  }
  void wait(absl::Duration timeout) override {
    if (!spin_.await([&] { return queue_.reached(count_) != device::DeviceQueue::Reached::NotYet; },
                     timeout))
      queue_.wait(count_, timeout, wakes_);
  }
  absl::Status status() const override { return transport_.status(); }

private:
  device::DeviceQueue &queue_;
  const transport::Transport &transport_;
  transport::SpinThenPark spin_;
  uint64_t count_ = 0, wakes_ = 0;
};

} // namespace graphc::executor
#endif
