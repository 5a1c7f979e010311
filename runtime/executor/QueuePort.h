//===- QueuePort.h - a lane waits for a queue of its device as it waits for a peer ------------------------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_EXECUTOR_QUEUEPORT_H
#define GRAPHC_RUNTIME_EXECUTOR_QUEUEPORT_H

#include "runtime/device/Device.h"
#include "runtime/transport/Transport.h"

namespace graphc::executor {

/// One queue of one lane. Whoever completes the work, a thread of the device perhaps, ends the wait; that the run was aborted is
/// seen between two waits.
class QueuePort final : public transport::Port {
public:
  QueuePort(device::Queue &queue, const transport::Transport &transport) : queue(queue), transport(transport) {}

  /// Ready once the queue has counted to `n`. Pending where a kernel failed too: see failure().
  transport::PollState poll(uint64_t n) {
    count = n;
    if (queue.reached(n) == device::Queue::Reached::Yes)
      return transport::PollState::Ready;
    return transport.status().ok() ? transport::PollState::Pending : transport::PollState::Aborted;
  }
  absl::Status failure() const { return queue.status(); }
  void wait(absl::Duration timeout) override { queue.wait(count, timeout); }
  absl::Status status() const override { return transport.status(); }

private:
  device::Queue &queue;
  const transport::Transport &transport;
  uint64_t count = 0;
};

} // namespace graphc::executor
#endif
