//===- TaskStatistics.h - what a task tells of its steps in the file of --stats -----*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_SESSION_TASK_TASKSTATISTICS_H
#define GRAPHC_RUNTIME_SESSION_TASK_TASKSTATISTICS_H

#include "runtime/executor/Lane.h"
#include "runtime/executor/LoadedKernels.h"
#include "runtime/observe/StatsFile.h"
#include "runtime/session/task/PhaseCallbacks.h"

#include <memory>
#include <span>
#include <string>

namespace graphc::session {

class TaskStatistics {
public:
  /// The first step of all is done.
  void firstStep();
  /// A run of a phase, whose lanes have been joined; `before` and `now`: what was sent and received
  /// until then.
  void add(const plan::Phase &phase, const PhaseCallbacks &host,
           std::span<const std::unique_ptr<executor::Lane>> lanes, absl::Duration took,
           const transport::TransportCounters &before, const transport::TransportCounters &now);
  /// At the end; `library` may be null.
  std::string text(const executor::LoadedKernels *library);

private:
  observe::TaskStats stats_;
  bool ofTraining_ = false;
};

} // namespace graphc::session
#endif
