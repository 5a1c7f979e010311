//===- StepArbiter.h - who takes a task's steps, and who gets what they make --------*- C++ -*-===//
//
// Three may be there: the session of this process (StepwiseRun.h), the chief's session, whose step
// permits come by the control link, and the chief's --fetch. A step is made that each session
// allows; a result goes to each that wants it. Where nobody steps there is no gate.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_SESSION_TASK_STEPARBITER_H
#define GRAPHC_RUNTIME_SESSION_TASK_STEPARBITER_H

#include "runtime/common/base/Mutex.h"
#include "runtime/service/ControlLink.h"
#include "runtime/session/task/PhaseCallbacks.h"
#include "runtime/session/task/StepwiseRun.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace graphc::session {

class StepArbiter {
public:
  /// `stepping`: of the session in this process; null: there is none.
  StepArbiter(StepwiseRun *stepping, service::ControlLink &link)
      : stepping_(stepping), link_(link) {}
  /// What the chief says before all: the results that it may get, and whether its session takes the
  /// steps.
  void prepare(const service::Order::Prepare &order);
  /// A word of the chief's session, on the link's thread. An error: it is none.
  absl::Status permit(const service::ToTask::StepPermit &permit);

  /// The variables have their values, by a checkpoint where that is not empty.
  void restored(const std::string &from) { restoredFrom_ = from; }
  /// Before the lanes are made: their gate, and where their results go.
  void direct(const plan::Phase &phase, PhaseCallbacks::Options &host);
  /// Once they are: so many of them wait at the gate.
  void begin(const plan::Phase &phase, uint64_t firstStep, size_t lanes);
  /// They have ended, after so many steps.
  void finish(const plan::Phase &phase, uint64_t steps);

private:
  /// The session here takes the steps of all tasks.
  bool takesAll() const { return stepping_ && !stepping_->own; }
  bool isSteppedHere(const plan::Phase &phase) const {
    return stepping_ && stepping_->role == phase.role();
  }
  bool isPermitted(const plan::Phase &phase) const {
    return stepped_ == phase.role() && !takesAll();
  }
  executor::StepwiseGate &gate() { return stepping_ ? stepping_->gate : gate_; }
  bool wantsHere(const std::string &name) const { return stepping_->own && stepping_->wants(name); }
  bool wantsThere(const std::string &name, uint64_t step);

  StepwiseRun *const stepping_;
  service::ControlLink &link_;
  std::string restoredFrom_;
  bool begun_ = false; ///< the session here has heard from which step
  executor::StepwiseGate gate_; ///< of the chief's step permits, where no session is here
  base::Mutex mutex_; ///< a leaf
  std::vector<std::string> fetches_ ABSL_GUARDED_BY(mutex_); ///< Prepare's
  std::optional<plan::Role> stepped_; ///< written before a step permit can come
  std::map<uint64_t, std::set<std::string>>
      wanted_ ABSL_GUARDED_BY(mutex_); ///< by step: what the chief's session wants of it
};

} // namespace graphc::session
#endif
