//===- StatsFile.h - the file of --stats --------------------------------------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_OBSERVE_STATSFILE_H
#define GRAPHC_RUNTIME_OBSERVE_STATSFILE_H

#include "runtime/observe/StepTimes.h"
#include "runtime/observe/TraceSummary.h"

#include "absl/status/status.h"

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace graphc::observe {

/// How far ahead of the slowest live worker the steps of an asynchronous phase began, where update
/// tickets are given.
struct StalenessStats {
  uint64_t worst = 0;
  /// that began so many steps ahead; the last entry: that far and further
  std::vector<uint64_t> steps;
  uint64_t waits = 0; ///< for the slowest worker
  /// Another phase's.
  void add(uint64_t itsWorst, std::span<const uint64_t> itsSteps, uint64_t itsWaits);
};

/// One task's numbers, of its training phases (of whatever ran where nothing was trained).
struct TaskStats {
  uint64_t steps = 0;
  double firstStepSeconds = 0; ///< process start to end of first step
  StepTimes times;
  double seconds = 0; ///< wall time inside those phases
  uint64_t bytesSent = 0; ///< payload of plan channels, as the transports counted it
  uint64_t bytesReceived = 0;
  uint64_t controlBytes = 0;
  uint64_t arenaBytesTouched = 0;
  uint64_t residentBytes = 0;
  std::optional<StalenessStats> staleness;
  std::map<std::string, std::string> algorithms; ///< of GPUs' libraries, by kernel
  /// gradients that came too late, by replica, where the first of each step are chosen
  std::vector<uint64_t> dropped;
};

/// One line of JSON, the keys of the documented file.
std::string toJson(const TaskStats &stats);

struct FinalResults {
  std::optional<double> loss; ///< mean of the last epoch
  /// of the last evaluation: "accuracy"; of the last epoch of training: "train accuracy"
  std::map<std::string, double> metrics;
  /// why training ended before its steps were made, but not by a stop; empty: it did not
  std::string endedEarly = {};
};

/// Writes {"tasks": {name: …}, "final": {…}} atomically, with a "trace" where one was made; "-" is
/// standard output.
absl::Status writeStats(const std::string &path, const std::map<std::string, std::string> &tasks,
                        const FinalResults &results,
                        const std::optional<TraceSummary> &trace = std::nullopt);

} // namespace graphc::observe
#endif
