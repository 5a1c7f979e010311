//===- TaskTraces.h - what a task's lanes record for --trace ------------------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_SESSION_TASK_TASKTRACES_H
#define GRAPHC_RUNTIME_SESSION_TASK_TASKTRACES_H

#include "runtime/executor/Lane.h"
#include "runtime/service/ControlLink.h"

#include <memory>
#include <span>
#include <vector>

namespace graphc::session {

/// Of one run of a phase. The lanes share the memory that a task has for it.
class TaskTraces {
public:
  using Lanes = std::span<const std::unique_ptr<executor::Lane>>;
  /// Before they run; nothing where the order asks for no trace.
  void begin(Lanes lanes, const service::Order::Begin &order);
  /// Once they have ended. What is sent comes before the answer to `run`, so the chief has it by
  /// then.
  void send(Lanes lanes, service::ControlLink &link);
  void clear() { traces_.clear(); }
  /// The lanes stay for ever, and write on perhaps.
  void leave() {
    for (auto &trace : traces_)
      (void)trace.release();
  }

private:
  std::vector<std::unique_ptr<executor::LaneTrace>> traces_; ///< one a lane, or none
};

} // namespace graphc::session
#endif
