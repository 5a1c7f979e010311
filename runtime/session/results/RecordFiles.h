//===- RecordFiles.h - the files of --history and --summary_dir ---------------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_SESSION_RESULTS_RECORDFILES_H
#define GRAPHC_RUNTIME_SESSION_RESULTS_RECORDFILES_H

#include "runtime/common/base/Mutex.h"
#include "runtime/common/plan/plan.pb.h"
#include "runtime/observe/EventFile.h"
#include "runtime/observe/HistoryFile.h"
#include "runtime/session/results/TrainingObserver.h"

#include <functional>
#include <memory>
#include <string>

namespace graphc::session {

/// A file that cannot be written any more (a full disk) is said once and ends as it is; the run
/// goes on, and ends with an error.
class RecordFiles final : public TrainingObserver {
public:
  struct Options {
    std::string historyFile, summaryFolder; ///< empty: none
    std::function<void(const std::string &)> log; ///< any thread
  };
  RecordFiles(const plan::Plan &plan, Options options)
      : plan_(plan), options_(std::move(options)) {}

  absl::Status begin(const RunStart &start) override;
  void record(const observe::StepRecord &record) override;
  absl::Status end(bool complete) override;

private:
  /// Whether the file goes on.
  bool keep(const absl::Status &status, const std::string &flag)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const plan::Plan &plan_;
  const Options options_;
  base::Mutex mutex_; ///< a record may still come while the run ends by an error
  std::unique_ptr<observe::HistoryFile> history_ ABSL_GUARDED_BY(mutex_);
  std::unique_ptr<observe::SummaryWriter> summaries_ ABSL_GUARDED_BY(mutex_);
  absl::Status failed_ ABSL_GUARDED_BY(mutex_);
};

} // namespace graphc::session
#endif
