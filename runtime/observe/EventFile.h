//===- EventFile.h - files of events that TensorBoard reads -------------------------*- C++ -*-===//
//
// A file is TFRecords, one an event: length, its checksum, the event, its checksum. Each is one
// write(2), so that a process that is killed leaves whole ones, and at most one that is cut short,
// which TensorBoard leaves out.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_OBSERVE_EVENTFILE_H
#define GRAPHC_RUNTIME_OBSERVE_EVENTFILE_H

#include "runtime/common/base/File.h"
#include "runtime/observe/StepRecord.h"

#include "absl/status/statusor.h"

#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace graphc::observe {
class Event;
class GraphDef;

/// TFRecord: `data` framed, with CRC-32C "masked" as TensorFlow does it.
std::string tfRecord(std::string_view data);
/// The scalars and histograms of a record.
Event eventOf(const StepRecord &record);

class EventFile {
public:
  /// A new file in the folder, which is made where it is missing, with its version and where the
  /// run begins: TensorBoard leaves out what older files of the folder have behind `step`.
  static absl::StatusOr<std::unique_ptr<EventFile>> create(const std::string &folder, uint64_t step,
                                                           absl::Time now);
  absl::Status write(const Event &event);

private:
  EventFile(std::string path, base::UniqueFd fd) : path_(std::move(path)), fd_(std::move(fd)) {}
  const std::string path_;
  const base::UniqueFd fd_;
};

/// The folder of --summary_dir (TensorBoard's --logdir). Training is in the folder itself,
/// evaluation in "eval" under it, as TensorFlow's Estimator has them; of tasks that share no step
/// each in a folder of its own, "worker-1". One call at a time.
class SummaryWriter {
public:
  static absl::StatusOr<std::unique_ptr<SummaryWriter>>
  open(const std::string &folder, const ResumePoint &restart, absl::Time now);
  absl::Status write(const StepRecord &record);
  absl::Status write(const GraphDef &graph, absl::Time now);

private:
  SummaryWriter(std::string folder, const ResumePoint &restart)
      : folder_(std::move(folder)), restart_(restart) {}
  absl::StatusOr<EventFile *> fileOf(const std::string &under, bool ofTask, absl::Time now);
  const std::string folder_;
  const ResumePoint restart_;
  /// by the folder under folder_; "": itself
  std::map<std::string, std::unique_ptr<EventFile>> files_;
};

} // namespace graphc::observe
#endif
