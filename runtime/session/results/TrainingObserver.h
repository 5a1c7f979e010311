//===- TrainingObserver.h - who is told what a run gives ----------------------------*- C++ -*-===//
//
// On the chief. The files of --history, --summary_dir and --fetch NAME=FILE are such, and the
// fields of --log_file.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_SESSION_RESULTS_TRAININGOBSERVER_H
#define GRAPHC_RUNTIME_SESSION_RESULTS_TRAININGOBSERVER_H

#include "runtime/observe/StepRecord.h"

#include "absl/status/status.h"

#include <cstdint>

namespace graphc::session {

struct RunStart {
  observe::ResumePoint restart;
  uint64_t samples = 0; ///< of an epoch of the entry's phase; 0: it reads no data
  bool stepsGiven = false; ///< --steps said how many; else the data set did
};

class TrainingObserver {
public:
  virtual ~TrainingObserver() = default;
  /// Before the first step, on the master's thread. An error ends the run.
  virtual absl::Status begin(const RunStart &) { return absl::OkStatus(); }
  /// Steps of training in their order, of each task where they share none; evaluations where they
  /// are. One call at a time, on the thread that brings a step's last result, or the master's.
  /// Returns soon, and keeps an error for end().
  virtual void record(const observe::StepRecord &) {}
  /// Behind everything, on the master's thread, where it began. `complete`: all that was asked for
  /// was done.
  virtual absl::Status end(bool /*complete*/) { return absl::OkStatus(); }
};

} // namespace graphc::session
#endif
