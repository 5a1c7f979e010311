//===- ChiefEarlyStop.h - early stop, over all runs of a training -------------------*- C++ -*-===//
//
// Records the results of evaluations beside the checkpoints (checkpoint/EvaluationHistory.h), also
// without --early_stop and --export best: a later run that has these flags compares them. The best
// checkpoint is kept.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_SESSION_MASTER_CHIEFEARLYSTOP_H
#define GRAPHC_RUNTIME_SESSION_MASTER_CHIEFEARLYSTOP_H

#include "runtime/checkpoint/EvaluationHistory.h"
#include "runtime/session/master/ChiefCheckpoints.h"
#include "runtime/session/master/FileWatchdog.h"
#include "runtime/session/progress/EarlyStop.h"

namespace graphc::session {

/// Used on the master's thread.
class ChiefEarlyStop {
public:
  /// The references must outlive it. Without `stop` evaluations are recorded, and not compared.
  ChiefEarlyStop(std::optional<EarlyStop> stop, ChiefCheckpoints &checkpoints, FileWatchdog &files,
                 std::function<void(const std::string &)> warn)
      : stop_(std::move(stop)), best_(stop_), checkpoints_(checkpoints), files_(files),
        warn_(std::move(warn)) {}

  /// Training begins after `step` steps. The folder of its checkpoints is locked.
  absl::Status begin(uint64_t step);
  bool wanted() const { return stop_.has_value(); }
  /// Whether the newest evaluation that can be compared is of an earlier step.
  bool lacks(uint64_t step) const {
    return stop_ && checkpoints_.wanted() &&
           (records_.made.empty() || records_.made.back().step < step ||
            !records_.made.back().metrics.contains(stop_->metric()));
  }
  /// Records an evaluation's means. If it is the best so far, its checkpoint is kept.
  absl::Status evaluated(uint64_t step, const std::map<std::string, double> &means);
  /// The evaluation of training's last step, if that was not evaluated before. It counts for the
  /// best of this run only: a run that goes on compares what an uninterrupted one does.
  void evaluatedLast(uint64_t step, const std::map<std::string, double> &means) {
    if (lacks(step))
      best_->evaluated(step, means);
  }
  bool isOver() const { return stop_ && stop_->isOver(); }
  std::string describe() const { return stop_ ? stop_->describe() : ""; }
  /// The path of the best checkpoint that exists, or an empty string.
  std::string best() const;
  std::string describeBest() const { return best_ ? best_->describeBest() : ""; }
  /// Why best() is empty.
  std::string describeMissing() const;

private:
  void compareEarlierRuns();
  /// That the checkpoint of the best evaluation does not exist. There is a best evaluation.
  std::string describeGone(const EarlyStop &compared) const;
  std::string flag() const { return stop_->endsTraining() ? "--early_stop" : "--export best"; }

  std::optional<EarlyStop> stop_; ///< compares all evaluations, for the patience
  std::optional<EarlyStop> best_; ///< compares the evaluations whose checkpoints exist
  ChiefCheckpoints &checkpoints_;
  FileWatchdog &files_;
  const std::function<void(const std::string &)> warn_;
  checkpoint::EvaluationHistory records_;
  std::string damage_; ///< why the file of earlier runs could not be read
};

} // namespace graphc::session
#endif
