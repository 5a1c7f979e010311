//===- HistoryFile.h - the file of --history: a record a line -----------------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_OBSERVE_HISTORYFILE_H
#define GRAPHC_RUNTIME_OBSERVE_HISTORYFILE_H

#include "runtime/common/base/File.h"
#include "runtime/observe/StepRecord.h"

#include "absl/status/statusor.h"

#include <functional>
#include <memory>

namespace graphc::observe {

/// Each line is one write(2) at the end of the file, so that a process that is killed leaves whole
/// lines. One call at a time.
class HistoryFile {
public:
  /// A run that goes on from a checkpoint appends: what the file has behind that step, and a line
  /// that was cut short, are dropped. A run from the very first step begins a new file; what is
  /// there is another run's, and moves to FILE.1, FILE.2, …. Both is told to `say`. What is no
  /// regular file (/dev/stdout, a pipe) is only written to.
  static absl::StatusOr<std::unique_ptr<HistoryFile>>
  open(const std::string &path, const ResumePoint &restart,
       const std::function<void(const std::string &)> &say);
  absl::Status write(const StepRecord &record);

private:
  HistoryFile(std::string path, base::UniqueFd fd) : path_(std::move(path)), fd_(std::move(fd)) {}
  const std::string path_;
  const base::UniqueFd fd_;
};

} // namespace graphc::observe
#endif
