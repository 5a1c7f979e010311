//===- StepRecord.h - what one step or one evaluation gave, for those who keep it ---*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_OBSERVE_STEPRECORD_H
#define GRAPHC_RUNTIME_OBSERVE_STEPRECORD_H

#include "runtime/observe/TensorHistogram.h"

#include "absl/time/time.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace graphc::observe {

struct StepRecord {
  std::string phase; ///< "train" or "eval"
  std::string task; ///< "/job:worker/task:1" where tasks share no step; else empty: of all
  uint64_t step = 0; ///< made so far, this one among them; where there is a task, by that task
  std::optional<uint64_t> epoch; ///< from 1
  absl::Time time;
  std::vector<std::pair<std::string, double>> scalars;
  std::vector<std::pair<std::string, TensorHistogram>> histograms;
};

/// Where a run goes on: records beyond that are made again.
struct ResumePoint {
  bool restored = false; ///< from a checkpoint
  uint64_t step = 0;
  uint64_t stepOfTask = 0; ///< the same for records with a task
};

/// One line of JSON, without its end: the keys of docs/observing.md.
std::string toJson(const StepRecord &record);

} // namespace graphc::observe
#endif
