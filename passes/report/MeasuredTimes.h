//===- MeasuredTimes.h - what a trace says beside the prediction --------------------*- C++ -*-===//
#ifndef GRAPHC_PASSES_REPORT_MEASUREDTIMES_H
#define GRAPHC_PASSES_REPORT_MEASUREDTIMES_H

#include "runtime/common/plan/plan.pb.h"
#include "runtime/common/trace/TraceFile.h"

#include "absl/status/statusor.h"

#include <map>
#include <utility>
#include <vector>

namespace graphc {

/// The plan's main phase, as a run of it went.
struct MeasuredTimes {
  struct Time {
    /// seconds of a step of one instance, all times of a loop together
    double works = 0, waits = 0;
  };
  /// One step of each lane: of those in the trace, the one that took neither long nor short. Times
  /// are from the first lane's begin on.
  std::vector<trace::MeasuredTrace::Step> typical;
  /// By program and instruction: the mean of all steps and instances.
  std::map<std::pair<uint32_t, uint32_t>, Time> instructions;
  /// seconds from one step's end to the next one's; where a phase ends by end of stream, of one
  /// update
  double step = 0;
  size_t steps = 0; ///< of each lane
};

/// An error where the trace is of another plan, or of another of its phases. `fingerprint`: of the
/// plan.
absl::StatusOr<MeasuredTimes> measure(const plan::Plan &plan, const std::string &fingerprint,
                                      const trace::MeasuredTrace &trace);

} // namespace graphc

#endif
