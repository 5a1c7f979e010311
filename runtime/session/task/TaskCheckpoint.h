//===- TaskCheckpoint.h - what a task's variables have to do with files -------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_SESSION_TASK_TASKCHECKPOINT_H
#define GRAPHC_RUNTIME_SESSION_TASK_TASKCHECKPOINT_H

#include "runtime/executor/VariableStore.h"
#include "runtime/service/ControlLink.h"

#include <map>
#include <string>

namespace graphc::session {

/// Obeys the orders to initialise or restore, to look at a folder, to save and to dump; `done` gets
/// what the task answers. While no lane runs.
class TaskCheckpoint {
public:
  /// Both have to outlive it.
  TaskCheckpoint(const plan::Plan &plan, plan::Task task, executor::VariableStore &variables)
      : plan_(plan), task_(std::move(task)), variables_(variables) {}

  absl::Status initialize(const service::Order::Initialize &order, service::Done *done);
  absl::Status check(const service::Order::Check &order);
  absl::Status save(const service::Order::Save &order, service::Done *done) const;
  absl::Status dump(const service::Order::Dump &order) const;

private:
  void noteMirrors(service::Done *done) const;
  std::string notFinite() const;

  const plan::Plan &plan_;
  const plan::Task task_;
  executor::VariableStore &variables_;
  std::map<std::string, std::string> nonces_; ///< by folder: of the chief's hold on it
  /// likewise, of a dump; none where this task sees another folder
  std::map<std::string, std::string> dumps_;
};

} // namespace graphc::session
#endif
