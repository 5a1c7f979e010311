//===- Hook.h - what a program of its own does around each step of a session --------*- C++ -*-===//
//
// As tf.train.SessionRunHook: the same calls, in the same order. All of them are made on the thread
// that makes, steps and closes the session, one after the other, in the order in which the hooks
// were given. While a hook runs no step is under way.
//
// An error that a hook returns ends the run as a failure does: nothing is saved behind it, no
// further hook is called, and the session says which hook it was.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_API_HOOK_H
#define GRAPHC_RUNTIME_API_HOOK_H

#include "runtime/session/results/FetchCollector.h"

#include "absl/status/statusor.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace graphc::session {

class Session;

/// How a session begins.
struct SessionStart {
  uint64_t globalStep = 0; ///< steps that were made before
  std::string restoredFrom; ///< the checkpoint; empty: initial values
};

/// The step that comes, or that was made.
struct RunContext {
  Session &session;
  uint64_t globalStep = 0; ///< steps made when it began
  /// No step comes behind this one.
  void requestStop() const;
};

/// What a hook wants of the step that comes.
struct RunArgs {
  std::vector<std::string> fetches; ///< names of results
};

/// What the step has made.
struct RunValues {
  uint64_t globalStep = 0; ///< steps made with it
  /// by name: what any hook has asked for, reduced over replicas
  std::map<std::string, FetchedTensor> fetched;

  /// A result of one element, as a number; an error where it was not asked for or has several.
  absl::StatusOr<double> scalar(const std::string &name) const;
};

class Hook {
public:
  virtual ~Hook() = default;
  /// What errors call it; empty: by its number.
  virtual std::string name() const { return ""; }
  /// Before anything is made.
  virtual absl::Status begin() { return absl::OkStatus(); }
  /// The variables have their values, initial ones or a checkpoint's; no step was made.
  virtual absl::Status afterCreateSession(Session &, const SessionStart &) {
    return absl::OkStatus();
  }
  virtual absl::StatusOr<RunArgs> beforeRun(const RunContext &) { return RunArgs(); }
  virtual absl::Status afterRun(const RunContext &, const RunValues &) { return absl::OkStatus(); }
  /// Behind the last step, before what a run does at its end (checkpoint, evaluation) if it ends
  /// early; not after a failure.
  virtual absl::Status end(Session &) { return absl::OkStatus(); }
};

} // namespace graphc::session

namespace graphc {
using session::Hook;
using session::RunArgs;
using session::RunContext;
using session::RunValues;
using session::SessionStart;
} // namespace graphc
#endif
