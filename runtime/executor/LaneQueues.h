//===- LaneQueues.h - the queues of one lane on its device --------------------------------------------------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_EXECUTOR_LANEQUEUES_H
#define GRAPHC_RUNTIME_EXECUTOR_LANEQUEUES_H

#include "runtime/executor/Program.h"
#include "runtime/executor/QueuePort.h"

#include "absl/status/status.h"

#include <memory>
#include <string>
#include <vector>

namespace graphc::executor {

/// A queue counts on from step to step: what the plan numbers within a step is counted from what came before.
class LaneQueues {
public:
  explicit LaneQueues(const Program &program) : program(program) {}
  /// `lane`: for messages.
  absl::Status make(const transport::Transport &transport, const std::string &lane);

  device::Queue &operator[](uint32_t queue) const { return *queues[queue]; }
  /// What a queue counts to for its n-th signal of the step.
  uint64_t countOf(uint32_t queue, uint32_t n, uint64_t step) const { return step * program.signals[queue] + n; }
  QueuePort &port(uint32_t queue) { return ports[queue]; }

private:
  const Program &program;
  std::vector<std::unique_ptr<device::Queue>> queues;
  std::vector<QueuePort> ports;
};

} // namespace graphc::executor
#endif
