//===- Stepping.h - a run whose steps somebody else takes one by one ---------------------------------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_SESSION_STEPPING_H
#define GRAPHC_RUNTIME_SESSION_STEPPING_H

#include "runtime/executor/StepGate.h"
#include "runtime/plan/plan.pb.h"
#include "runtime/session/FetchCollector.h"

#include <functional>
#include <string>

namespace graphc::session {

/// What a session gives the one task of its run (Session.h). A phase of another role, as an evaluation in between, runs by itself.
struct Stepping {
  plan::Role role = plan::TRAIN;
  executor::StepGate gate;
  /// Whether the step that runs sends this result; asked on lanes' threads.
  std::function<bool(const std::string &fetch)> wants;
  std::function<void(const FetchedTensor &)> fetched; ///< takes it, on such a thread, one call at a time
  /// On the driver's thread, once the variables have their values: the global step, and the checkpoint that they come from, or nothing.
  std::function<void(uint64_t step, const std::string &restoredFrom)> initialized;
  /// Whether training shall end before its steps are made, in good order.
  std::function<bool()> endAsked;
};

} // namespace graphc::session
#endif
