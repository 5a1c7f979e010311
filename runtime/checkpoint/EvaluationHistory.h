//===- EvaluationHistory.h - what evaluations gave, beside the checkpoints they are of --------===//
//
//   DIR/evaluations.json     {"metric": "accuracy", "evaluations": [[39, 0.81], [78, 0.84]]}
//
// For --early_stop: a run that goes on from step N knows what there was until then. A value that is
// no number is null. Written behind each evaluation; what a run has behind the step at which it
// begins is of another training, and goes.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_CHECKPOINT_EVALUATIONHISTORY_H
#define GRAPHC_RUNTIME_CHECKPOINT_EVALUATIONHISTORY_H

#include "absl/status/statusor.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace graphc::checkpoint {

struct EvaluationRecord {
  uint64_t step = 0;
  double value = 0;
};

struct EvaluationHistory {
  std::string metric;
  std::vector<EvaluationRecord> made; ///< by step, ascending

  /// Whether there were some behind that step, which are none of a training that is there.
  bool forgetBehind(uint64_t step);
};

std::string encodeEvaluations(const EvaluationHistory &evaluations);
/// `name` is for messages.
absl::StatusOr<EvaluationHistory> decodeEvaluations(std::string_view text, std::string_view name);

/// Of the checkpoints' folder; none where it is not there.
absl::StatusOr<EvaluationHistory> readEvaluations(const std::string &dir);
/// None: there is no such file then.
absl::Status writeEvaluations(const std::string &dir, const EvaluationHistory &evaluations);

} // namespace graphc::checkpoint
#endif
