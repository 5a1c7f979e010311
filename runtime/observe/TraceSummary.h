//===- TraceSummary.h - what the steps of a trace went into -------------------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_OBSERVE_TRACESUMMARY_H
#define GRAPHC_RUNTIME_OBSERVE_TRACESUMMARY_H

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace graphc::observe {

struct TraceSummary {
  /// Seconds, of all lanes and steps of one task.
  struct Task {
    std::string name; ///< "/job:ps/task:0"
    uint64_t steps = 0; ///< of all its lanes
    double inSteps = 0;
    double kernels = 0, library = 0, messages = 0, data = 0;
    double waits = 0;
    std::map<std::string, double> waitsFor; ///< of them, those for another task, by "worker:1"
    double share(double seconds) const { return inSteps > 0 ? seconds / inSteps : 0; }
    double stepMs() const { return steps ? inSteps / double(steps) * 1e3 : 0; }
  };
  std::vector<Task> tasks;
  uint64_t slices = 0, messages = 0; ///< messages with both ends in the trace
  uint64_t lost = 0; ///< records for which there was no room
};

/// A line for each task, for people, below a head.
std::vector<std::string> toTable(const TraceSummary &summary);
/// {"tasks": {name: {"steps", "step_ms", "kernels", …}}}, shares of the step.
std::string toJson(const TraceSummary &summary);

} // namespace graphc::observe
#endif
