//===- ClockOffsets.h - how the tasks' clocks stand to the master's -----------------*- C++ -*-===//
//
// CLOCK_MONOTONIC is the same for all processes of a host (but those in a time namespace of their
// own), and another on each host. As NTP does: a question and its answer; the task has read its
// clock in the middle of the two, give or take half of what they took. Of several the quickest
// counts.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_SERVICE_CLOCKOFFSETS_H
#define GRAPHC_RUNTIME_SERVICE_CLOCKOFFSETS_H

#include "runtime/common/base/Mutex.h"
#include "runtime/service/service.pb.h"

#include "absl/base/thread_annotations.h"

#include <memory>
#include <optional>
#include <vector>

namespace graphc::service {

/// The master's way to one task. send() queues and returns; it is called under no lock of the
/// coordinator.
class TaskLink {
public:
  virtual ~TaskLink() = default;
  virtual void send(const ToTask &message) = 0;
};

struct ClockOffset {
  int64_t nanoseconds = 0; ///< to add to the task's clock; the master's then says the same
  int64_t error = 0; ///< at most
};

class ClockOffsets {
public:
  /// By number; nothing for who does not answer within a second.
  std::vector<std::optional<ClockOffset>>
  measure(const std::vector<std::shared_ptr<TaskLink>> &members);
  /// On whatever thread it comes.
  void answered(uint32_t task, const ClockReading &reading);

private:
  struct Question {
    uint32_t task = 0;
    uint64_t id = 0;
    std::optional<int64_t> theirs; ///< nanoseconds
    int64_t at = 0; ///< when that came, by the master's clock
  };
  base::Mutex mutex_; ///< a leaf
  base::CondVar changed_;
  Question asked_ ABSL_GUARDED_BY(mutex_);
};

} // namespace graphc::service
#endif
