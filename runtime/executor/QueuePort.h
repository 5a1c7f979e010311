//===- QueuePort.h - a lane waits for its device as it waits for a peer ----------------------------------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_EXECUTOR_QUEUEPORT_H
#define GRAPHC_RUNTIME_EXECUTOR_QUEUEPORT_H

#include "runtime/device/Device.h"
#include "runtime/transport/SpinThenPark.h"
#include "runtime/transport/Transport.h"

namespace graphc::executor {

/// The queue of one lane. Whoever completes the work, a thread of the device perhaps, ends the wait, and so does whoever aborts the run
/// (device::wakeAll).
class QueuePort final : public transport::Port {
public:
  QueuePort(device::DeviceQueue &queue, const transport::Transport &transport) : queue(queue), transport(transport) {}

  /// Ready once the queue has counted to `n`. Pending where its work failed too: see Queue::status().
  transport::PollState poll(uint64_t n) {
    count = n;
    if (queue.reached(n) == device::DeviceQueue::Reached::Yes)
      return transport::PollState::Ready;
    wakes = device::wakes(); // an abort is there before it wakes
    return transport.status().ok() ? transport::PollState::Pending : transport::PollState::Aborted;
  }
  void wait(absl::Duration timeout) override {
    if (!spin.await([&] { return queue.reached(count) != device::DeviceQueue::Reached::NotYet; }, timeout))
      queue.wait(count, timeout, wakes);
  }
  absl::Status status() const override { return transport.status(); }

private:
  device::DeviceQueue &queue;
  const transport::Transport &transport;
  transport::SpinThenPark spin;
  uint64_t count = 0, wakes = 0;
};

} // namespace graphc::executor
#endif
