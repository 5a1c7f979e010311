//===- LaneSegments.h - what one lane gives to its device ---------------------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_EXECUTOR_LANESEGMENTS_H
#define GRAPHC_RUNTIME_EXECUTOR_LANESEGMENTS_H

#include "runtime/executor/LaneCallbacks.h"
#include "runtime/executor/LaneFrame.h"
#include "runtime/executor/LaneProgram.h"
#include "runtime/executor/QueuePort.h"

#include "absl/status/status.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace graphc::executor {

/// The program's segments with the lane's addresses, and the one queue of the device to which the
/// lane gives them. The queue counts one for each segment of each step, in a loop each time. A lane
/// that runs ahead has each twice, for even steps and for odd ones.
class LaneSegments {
public:
  LaneSegments(const LaneProgram &program, const LaneFrame &frame)
      : program_(program), frame_(frame) {}
  /// Records them. Those that name messages are prepared when they are given first, since messages
  /// have no address before. `lane`: for errors.
  absl::Status make(const transport::Transport &transport, const std::string &lane);

  /// `iteration` of the loop that it is in, or 0.
  void give(uint32_t segment, uint64_t step, uint32_t iteration, const GraphcContext &context);
  /// Ready once that segment of the step is done.
  transport::PollState poll(uint32_t segment, uint64_t step, uint32_t iteration) {
    return port_->poll(countOf(segment, step, iteration));
  }
  transport::PollState pollLast(uint32_t segment, uint64_t step) {
    return poll(segment, step, program_.segments[segment].times - 1);
  }
  QueuePort &waits() { return *port_; }
  const QueuePort &waits() const { return *port_; }
  /// Ready once all of that step is done.
  transport::PollState pollAll(uint64_t step) {
    return port_->poll((step + 1) * program_.segmentsOfStep);
  }
  /// Nothing that was given is still to be done, or ever will be.
  bool isIdle() const {
    return !queue_ || queue_->reached(signalled_) != device::DeviceQueue::Reached::NotYet;
  }
  /// Why the queue does no more: what its device says, of which segment. OK while it works.
  absl::Status failure(uint64_t step, const LaneInfo &lane) const;

private:
  /// A copy from or to a message.
  struct Move {
    uint32_t copy, arguments; ///< its number in the segment; to, from
  };
  struct Recorded {
    std::unique_ptr<device::QueueSegment> segment;
    std::vector<Move> moves;
  };
  /// As in `iteration`, where it adds to a loop's sums.
  Recorded record(const SegmentUse &use, uint32_t iteration, void *const *arguments) const;
  uint64_t countOf(uint32_t segment, uint64_t step, uint32_t iteration) const {
    const SegmentUse &use = program_.segments[segment];
    return step * program_.segmentsOfStep + use.before + uint64_t(iteration) * use.every + 1;
  }
  std::string describe(uint32_t segment) const;

  const LaneProgram &program_;
  const LaneFrame &frame_;
  /// Of a segment that adds to a loop's sums one for each LoopSumStep::number, of any other one;
  /// those of odd steps behind the others.
  std::vector<std::vector<Recorded>> recorded_;
  uint64_t signalled_ = 0; // the queue's last count
  std::unique_ptr<device::DeviceQueue> queue_; // it ends its work before the segments go
  std::optional<QueuePort> port_;
};

} // namespace graphc::executor
#endif
