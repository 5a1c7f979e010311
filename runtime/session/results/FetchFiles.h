//===- FetchFiles.h - the files of --fetch NAME=FILE.npy ----------------------------*- C++ -*-===//
//
// Of training every step's value, one behind the other along a new first dimension. Of evaluation
// and prediction the rows of a whole data set in the order of its samples, where a value has a row
// for each sample of the batch and nothing but the batch; else as of training.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_SESSION_RESULTS_FETCHFILES_H
#define GRAPHC_RUNTIME_SESSION_RESULTS_FETCHFILES_H

#include "runtime/checkpoint/NpyStream.h"
#include "runtime/common/base/Mutex.h"
#include "runtime/data/SampleStreams.h"
#include "runtime/session/results/FetchCollector.h"
#include "runtime/session/results/TrainingObserver.h"

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace graphc::session {

using FetchFileNames = std::vector<std::pair<std::string, std::string>>; ///< name of a result, file

class FetchFiles final : public TrainingObserver {
public:
  /// `files` was checked for the phase, which the run is for.
  FetchFiles(const plan::Plan &plan, uint32_t phase, FetchFileNames files,
             std::function<void(const std::string &)> log);
  /// What the phase cannot give. The names are results of it.
  static absl::Status check(const plan::Plan &plan, uint32_t phase, const FetchFileNames &files);
  /// Results that have a row for each sample.
  std::set<std::string> byRows() const;

  absl::Status begin(const RunStart &start) override;
  /// A value of any result, in the order of steps. Any thread; behind end() it is dropped.
  absl::Status take(const FetchedTensor &value);
  /// What is whole gets its name. Of a run that was stopped FILE.partial is left, and said.
  absl::Status end(bool complete) override;

private:
  struct File {
    std::string name, path;
    plan::TensorType type; ///< of a value
    bool byRows = false;
    std::unique_ptr<checkpoint::NpyStream> stream;
  };
  uint64_t rowsOf(uint64_t step, uint64_t found) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const uint32_t phase_;
  const bool trains_; ///< else a run makes all values anew
  const std::function<void(const std::string &)> log_;
  std::vector<File> files_; ///< their streams guarded by mutex_
  base::Mutex mutex_; ///< a result may still come while the run ends by an error
  data::StreamWalk walk_ ABSL_GUARDED_BY(mutex_); ///< of the samples that make the epochs
  /// one pass over it, however many steps that is
  bool wholeDataSet_ ABSL_GUARDED_BY(mutex_) = false;
};

} // namespace graphc::session
#endif
