//===- CheckpointEvaluator.h ------------------------------------------------------------------===//
//
// Evaluates each checkpoint of a training that other processes make.
//
// It only reads: the training never waits for it, and does not know whether it is there. Each
// checkpoint that comes is evaluated in this process, by the plan's evaluation for one process
// alone (plan/StandalonePlan.h). What it has done already is not kept anywhere: one that is started
// again begins with the newest.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_API_CHECKPOINTEVALUATOR_H
#define GRAPHC_RUNTIME_API_CHECKPOINTEVALUATOR_H

#include "runtime/api/Run.h"
#include "runtime/checkpoint/TrainingEndMarker.h"
#include "runtime/observe/EventFile.h"
#include "runtime/observe/HistoryFile.h"

#include <map>
#include <memory>
#include <optional>

namespace graphc::session {

class CheckpointEvaluator {
public:
  struct Options {
    RunOptions run; ///< of one evaluation; its checkpoints' folder is that which is followed
    checkpoint::TrainingGoal goal; ///< of the training, as far as it is known
    std::string historyFile, summaryFolder; ///< empty: none
    absl::Duration wait = absl::Seconds(300); ///< for the next checkpoint
    /// Where somebody here knows it: as long as it does a checkpoint is waited for, however long
    /// that takes; `wait` counts for nothing.
    std::function<bool()> trainingLives;
    std::function<void(const std::string &)> print; ///< the metrics of a checkpoint
  };
  /// `plan`: its evaluation alone. It has to outlive this.
  CheckpointEvaluator(const plan::LoadedPlan &plan, Options options);

  /// Until training is over and its last checkpoint evaluated. Cancelled: stopped as asked.
  /// DeadlineExceeded: no checkpoint came. FailedPrecondition: training does not live any more, and
  /// has not said that it is over.
  absl::Status run();

private:
  absl::StatusOr<std::vector<uint64_t>> newSteps();
  absl::Status evaluate(uint64_t step);
  absl::Status keep(uint64_t step, const std::map<std::string, double> &metrics);
  absl::Status await(bool isOver);
  bool stops() const { return options_.run.stop && options_.run.stop(); }
  void log(const std::string &line) const { options_.run.log(line); }
  const std::string &folder() const { return options_.run.checkpointDirectory; }

  const plan::LoadedPlan &plan_;
  const Options options_;
  bool foundSome_ = false; ///< at its first look
  std::optional<uint64_t> last_; ///< step of the newest that was evaluated
  std::string unreadable_; ///< what was said of finished.json
  std::map<uint64_t, uint64_t> skipped_; ///< damaged ones: step → which folder of that name it was
  absl::Time since_; ///< it waits
  absl::Duration nextReport_;
  std::unique_ptr<observe::HistoryFile> history_;
  std::unique_ptr<observe::EventFile> events_;
};

} // namespace graphc::session
#endif
