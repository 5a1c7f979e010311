//===- EvaluationHistory.h - the results of evaluations, beside their checkpoints -------------===//
//
//   DIR/evaluations.json     {"evaluations": [{"step": 39, "metrics": {"accuracy": 0.81}}, …]}
//
// The chief writes the file after each evaluation during training, with all metrics, so that a
// later run can compare them by any of these (--early_stop, --export best). A value that is not a
// number is null. A run that begins at step N deletes the records after step N: they belong to
// another training. Versions before 2026-12 recorded one metric, {"metric": "accuracy",
// "evaluations": [[39, 0.81], …]}, which is still read.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_CHECKPOINT_EVALUATIONHISTORY_H
#define GRAPHC_RUNTIME_CHECKPOINT_EVALUATIONHISTORY_H

#include "absl/status/statusor.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace graphc::checkpoint {

struct EvaluationRecord {
  uint64_t step = 0;
  std::map<std::string, double> metrics; ///< by name
};

struct EvaluationHistory {
  std::vector<EvaluationRecord> made; ///< by step, ascending

  /// Deletes the records after that step. Returns whether there were any.
  bool removeAfter(uint64_t step);
};

std::string encodeEvaluations(const EvaluationHistory &evaluations);
/// `name` is for messages.
absl::StatusOr<EvaluationHistory> decodeEvaluations(std::string_view text, std::string_view name);

/// Reads the file in the folder of the checkpoints. Without a file there are no records.
absl::StatusOr<EvaluationHistory> readEvaluations(const std::string &dir);
/// Without records it deletes the file.
absl::Status writeEvaluations(const std::string &dir, const EvaluationHistory &evaluations);

} // namespace graphc::checkpoint
#endif
