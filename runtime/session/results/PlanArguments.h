//===- PlanArguments.h - what a run has to be fed, and what it can give -------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_SESSION_RESULTS_PLANARGUMENTS_H
#define GRAPHC_RUNTIME_SESSION_RESULTS_PLANARGUMENTS_H

#include "runtime/common/plan/plan.pb.h"

#include "absl/status/status.h"

#include <map>
#include <string>
#include <vector>

namespace graphc::session {

struct PlanArgument {
  plan::TensorType type;
  std::string function; ///< of this run, which asks for it; empty: of another entry
};

/// The arguments of a plan's functions, by name. Training evaluates at its end, so it asks for
/// eval's arguments too.
std::map<std::string, PlanArgument> argumentsOf(const plan::Plan &plan, const std::string &entry);

/// Of the function that `entry` names: train, eval or predict.
plan::Role roleOf(const std::string &entry);
/// The names of the results of a phase, each once.
std::vector<std::string> resultsOf(const plan::Plan &plan, const plan::Phase &phase);
/// Whether each argument of the phase's programs that run on `task` has a value of its size;
/// `feeds`: name → bytes.
absl::Status checkFeeds(const plan::Plan &plan, const plan::Phase &phase, const plan::Task &task,
                        const std::map<std::string, std::string> &feeds);

} // namespace graphc::session
#endif
