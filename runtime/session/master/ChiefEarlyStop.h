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

/// Master's thread.
class ChiefEarlyStop {
public:
  /// The others have to outlive it. Without `stop` evaluations are recorded, and not compared.
  ChiefEarlyStop(std::optional<EarlyStop> stop, ChiefCheckpoints &checkpoints, FileWatchdog &files,
                 std::function<void(const std::string &)> warn)
      : stop_(std::move(stop)), checkpoints_(checkpoints), files_(files), warn_(std::move(warn)) {}

  /// Training begins behind so many steps; the folder of its checkpoints is held.
  absl::Status begin(uint64_t step);
  bool wanted() const { return stop_.has_value(); }
  /// Whether none is known of that step, or behind it.
  bool lacks(uint64_t step) const {
    return stop_ && checkpoints_.wanted() && (made_.made.empty() || made_.made.back().step < step);
  }
  /// Records an evaluation's means. If it is the best so far, its checkpoint is kept.
  absl::Status evaluated(uint64_t step, const std::map<std::string, double> &means);
  /// Of training's last step, where it was not evaluated before. Counts for the best of this run
  /// alone: a run that goes on compares what an uninterrupted one does.
  void evaluatedLast(uint64_t step, const std::map<std::string, double> &means) {
    if (lacks(step))
      stop_->evaluated(step, means);
  }
  bool isOver() const { return stop_ && stop_->isOver(); }
  std::string describe() const { return stop_ ? stop_->describe() : ""; }
  /// The path of the best checkpoint; empty where there is none.
  std::string best() const;
  std::string describeBest() const { return stop_ ? stop_->describeBest() : ""; }
  /// Why best() is empty.
  std::string describeMissing() const;

private:
  /// Compares the evaluations of earlier runs.
  void compareEarlier();
  std::string flag() const { return stop_->endsTraining() ? "--early_stop" : "--export best"; }

  std::optional<EarlyStop> stop_;
  ChiefCheckpoints &checkpoints_;
  FileWatchdog &files_;
  const std::function<void(const std::string &)> warn_;
  checkpoint::EvaluationHistory made_;
  std::string damage_; ///< why the file of earlier runs could not be read
};

} // namespace graphc::session
#endif
