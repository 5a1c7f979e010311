//===- TrainingEndMarker.h - training says in the checkpoints' folder that it is over ---------===//
//
//   DIR/finished.json     {"step": 1172, "epochs": 5}
//
// For those who follow the folder (an evaluator): no further checkpoint comes of that training.
// Written behind its last checkpoint; gone as soon as a run trains there again. One that fails, or
// is stopped and may go on, leaves none.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_CHECKPOINT_TRAININGENDMARKER_H
#define GRAPHC_RUNTIME_CHECKPOINT_TRAININGENDMARKER_H

#include "absl/status/statusor.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace graphc::checkpoint {

/// What a training is to reach: --steps or --epochs, counted from the very first; neither: it is
/// not known.
struct TrainingGoal {
  std::optional<uint64_t> steps;
  std::optional<double> epochs;
};

struct TrainingEndMarker {
  uint64_t step = 0; ///< steps made
  TrainingGoal goal; ///< of that training, also where it ended before

  /// Whether a training with this goal is over by that: not if it has further to go.
  bool reaches(const TrainingGoal &wanted) const;
};

std::string encodeFinished(const TrainingEndMarker &finished);
/// `name` is for messages.
absl::StatusOr<TrainingEndMarker> decodeFinished(std::string_view text, std::string_view name);

/// Of the checkpoints' folder; none where it is not there.
absl::StatusOr<std::optional<TrainingEndMarker>> readFinished(const std::string &dir);
absl::Status writeFinished(const std::string &dir, const TrainingEndMarker &finished);
absl::Status removeFinished(const std::string &dir);

} // namespace graphc::checkpoint
#endif
