#include "runtime/observe/EventFile.h"

#include "runtime/common/base/Crc32c.h"
#include "runtime/common/base/StatusMacros.h"
#include "runtime/observe/ProcessInfo.h"
#include "runtime/observe/event.pb.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"

#include <bit>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace graphc::observe {
namespace {

static_assert(std::endian::native == std::endian::little,
              "lengths and checksums are written as they lie in memory");

/// A checksum of data that has checksums in it would be no good one.
uint32_t masked(uint32_t crc) { return std::rotr(crc, 15) + 0xa282ead8u; }

template <class T> void append(std::string &out, T value) {
  out.append(reinterpret_cast<const char *>(&value), sizeof value);
}

double seconds(absl::Time time) { return static_cast<double>(absl::ToUnixMicros(time)) * 1e-6; }

Event eventAt(absl::Time time, uint64_t step) {
  Event event;
  event.set_wall_time(seconds(time));
  event.set_step(static_cast<int64_t>(step));
  return event;
}

void fill(const TensorHistogram &from, HistogramProto &to) {
  to.set_min(from.min());
  to.set_max(from.max());
  to.set_num(static_cast<double>(from.count()));
  to.set_sum(from.sum());
  to.set_sum_squares(from.sumOfSquares());
  for (const TensorHistogram::Bucket &bucket : from.buckets()) {
    to.add_bucket_limit(bucket.limit);
    to.add_bucket(bucket.count);
  }
}

/// "/job:worker/task:1" → "worker-1".
std::string folderOf(const std::string &task) {
  return absl::StrReplaceAll(absl::StripPrefix(task, "/job:"), {{"/task:", "-"}});
}
} // namespace

std::string tfRecord(std::string_view data) {
  std::string record;
  append(record, static_cast<uint64_t>(data.size()));
  append(record, masked(base::crc32c(record)));
  record += data;
  append(record, masked(base::crc32c(data)));
  return record;
}

Event eventOf(const StepRecord &record) {
  Event event = eventAt(record.time, record.step);
  for (const auto &[name, value] : record.scalars) {
    Summary::Value &one = *event.mutable_summary()->add_value();
    one.set_tag(name);
    one.set_simple_value(static_cast<float>(value));
  }
  for (const auto &[name, histogram] : record.histograms) {
    Summary::Value &one = *event.mutable_summary()->add_value();
    one.set_tag(name);
    fill(histogram, *one.mutable_histo());
  }
  return event;
}

absl::StatusOr<std::unique_ptr<EventFile>> EventFile::create(const std::string &folder,
                                                             uint64_t step, absl::Time now) {
  GRAPHC_RETURN_IF_ERROR(base::makeDirectories(folder));
  // By name in the order of time, as TensorBoard reads them; and no other process's.
  const std::string name = absl::StrFormat("%s/events.out.tfevents.%010d.%s.%d", folder,
                                           absl::ToUnixSeconds(now), hostName(), getpid());
  std::string path;
  base::UniqueFd fd;
  for (int n = 0; !fd; ++n) {
    path = absl::StrCat(name, ".", n);
    fd = base::UniqueFd(
        ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0644));
    if (!fd && errno != EEXIST)
      return base::errnoStatus(path, errno);
  }
  std::unique_ptr<EventFile> file(new EventFile(path, std::move(fd)));
  Event version = eventAt(now, 0),
        start = eventAt(now, step + 1); // TensorBoard drops what is at the step of a start too
  version.set_file_version("brain.Event:2");
  start.mutable_session_log()->set_status(SessionLog::START);
  GRAPHC_RETURN_IF_ERROR(file->write(version));
  GRAPHC_RETURN_IF_ERROR(file->write(start));
  return file;
}

absl::Status EventFile::write(const Event &event) {
  const std::string record = tfRecord(event.SerializeAsString());
  return base::writeAll(fd_.get(), record.data(), record.size(), path_);
}

absl::StatusOr<std::unique_ptr<SummaryWriter>>
SummaryWriter::open(const std::string &folder, const ResumePoint &restart, absl::Time now) {
  std::unique_ptr<SummaryWriter> writer(new SummaryWriter(folder, restart));
  GRAPHC_RETURN_IF_ERROR(writer->fileOf("", /*ofTask=*/false, now).status());
  return writer;
}

absl::StatusOr<EventFile *> SummaryWriter::fileOf(const std::string &under, bool ofTask,
                                                  absl::Time now) {
  std::unique_ptr<EventFile> &file = files_[under];
  if (!file) {
    GRAPHC_ASSIGN_OR_RETURN(
        file, EventFile::create(under.empty() ? folder_ : absl::StrCat(folder_, "/", under),
                                ofTask ? restart_.stepOfTask : restart_.step, now));
  }
  return file.get();
}

absl::Status SummaryWriter::write(const StepRecord &record) {
  if (record.scalars.empty() && record.histograms.empty())
    return absl::OkStatus();
  const bool ofTask = !record.task.empty();
  GRAPHC_ASSIGN_OR_RETURN(EventFile * file, fileOf(ofTask                    ? folderOf(record.task)
                                                   : record.phase == "train" ? ""
                                                                             : record.phase,
                                                   ofTask, record.time));
  return file->write(eventOf(record));
}

absl::Status SummaryWriter::write(const GraphDef &graph, absl::Time now) {
  GRAPHC_ASSIGN_OR_RETURN(EventFile * file, fileOf("", /*ofTask=*/false, now));
  Event event = eventAt(now, 0);
  event.set_graph_def(graph.SerializeAsString());
  return file->write(event);
}

} // namespace graphc::observe
