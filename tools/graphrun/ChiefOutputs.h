//===- ChiefOutputs.h - where the results of a run go -------------------------------*- C++ -*-===//
//
// On the chief: values of --fetch to standard output and into files, records into those of
// --history, --summary_dir and --log_file.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_TOOLS_GRAPHRUN_CHIEFOUTPUTS_H
#define GRAPHC_TOOLS_GRAPHRUN_CHIEFOUTPUTS_H

#include "runtime/session/master/MasterDriver.h"
#include "runtime/session/results/FetchFiles.h"
#include "runtime/session/results/RecordFiles.h"
#include "tools/graphrun/RunFlags.h"

namespace graphc::graphrun {

class ChiefOutputs {
public:
  struct Sinks {
    std::function<void(const std::string &)> print, log;
  };
  /// Makes itself known to the driver by its options.
  ChiefOutputs(const plan::Plan &plan, const RunFlags &flags, session::DriverOptions &driver,
               Sinks sinks);
  /// A value of --fetch. Any thread.
  absl::Status add(const service::Fetched &value);

private:
  /// Each record as fields of a line of the log.
  struct LogRecords final : session::TrainingObserver {
    void record(const observe::StepRecord &record) override;
  };
  void deliver(const session::FetchedTensor &value);

  const std::set<std::string> printed_;
  const Sinks sinks_;
  std::unique_ptr<session::FetchCollector> fetched_;
  std::unique_ptr<session::FetchFiles> files_;
  std::unique_ptr<session::RecordFiles> records_;
  LogRecords logged_;
  base::Mutex mutex_; ///< a leaf
  absl::Status failed_ ABSL_GUARDED_BY(mutex_); ///< of a file
};

} // namespace graphc::graphrun
#endif
