#include "runtime/session/results/FetchFiles.h"

#include "runtime/common/base/File.h"
#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/plan/PlanTypes.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <sys/stat.h>

namespace graphc::session {
namespace {

struct Result {
  const plan::Program *program = nullptr;
  const plan::Port *port = nullptr;
  const plan::TensorType &type() const {
    return program->buffers(static_cast<int>(port->buffer())).type();
  }
};

Result find(const plan::Plan &plan, uint32_t phase, const std::string &name) {
  for (uint32_t index : plan.phases(static_cast<int>(phase)).programs())
    for (const plan::Program &program = plan.programs(static_cast<int>(index));
         const plan::Port &port : program.fetches())
      if (port.name() == name)
        return {&program, &port};
  return {};
}

/// The samples that make the phase's epochs, where it is run for results and not for training.
std::optional<data::SampleStream> samplesOf(const plan::Plan &plan, uint32_t phase) {
  const std::vector<data::SampleStream> streams = data::streamsOf(plan, phase);
  const plan::Phase &one = plan.phases(static_cast<int>(phase));
  return one.role() == plan::TRAIN || streams.empty() || one.samples_per_step() == 0
             ? std::nullopt
             : std::optional(streams.front());
}

bool hasRows(const plan::Plan &plan, uint32_t phase, const Result &result) {
  const std::optional<data::SampleStream> samples = samplesOf(plan, phase);
  return samples && result.type().shape_size() > 0 &&
         result.type().shape(0) == static_cast<int64_t>(samples->microBatch);
}

/// Whether several ops share the samples of the data set, and the result has as many rows as one of
/// these ops, or all together, take samples. Which rows are of which samples is then unknown.
bool mayHaveRowsOfSharedSamples(const plan::Plan &plan, uint32_t phase, const Result &result) {
  const std::optional<data::SampleStream> samples = samplesOf(plan, phase);
  if (!samples || !samples->shared || result.type().shape_size() == 0)
    return false;
  const auto rows = uint64_t(result.type().shape(0));
  const auto takesAsMany = [&](const plan::Instruction &one) {
    return one.has_next_batch() && one.next_batch().dataset() == samples->dataset &&
           one.next_batch().batch() == rows;
  };
  return rows == samples->microBatch ||
         std::any_of(result.program->instructions().begin(), result.program->instructions().end(),
                     takesAsMany);
}
} // namespace

absl::Status FetchFiles::check(const plan::Plan &plan, uint32_t phase,
                               const FetchFileNames &files) {
  const plan::Phase &one = plan.phases(static_cast<int>(phase));
  std::map<std::string, std::string> known;
  for (const auto &[name, path] : files) {
    const std::string flag = absl::StrCat("--fetch ", name, "=", path, ": ");
    if (auto [other, isNew] = known.try_emplace(path, name); !isNew)
      return absl::InvalidArgumentError(
          absl::StrCat(flag, other->second, " goes to this file already; name another one"));
    if (one.ends_by_end_of_stream())
      return absl::InvalidArgumentError(
          absl::StrCat(flag, "replicas of ", one.name(),
                       " share no step, so that there is no value of each step; --fetch ", name,
                       " prints those of each task, --history FILE keeps them"));
    const Result result = find(plan, phase, name);
    if (mayHaveRowsOfSharedSamples(plan, phase, result))
      return absl::InvalidArgumentError(absl::StrCat(
          flag, "several graph.next_batch ops of ", one.name(),
          " share the samples of a data set, so the rows of ", name,
          " cannot be matched with samples; take all samples with one graph.next_batch, or print "
          "each step's value with --fetch ",
          name));
    if (!hasRows(plan, phase, result))
      continue;
    const data::SampleStream samples = *samplesOf(plan, phase);
    if (const plan::Dataset &data = plan.datasets(static_cast<int>(samples.dataset));
        data.shuffle())
      return absl::InvalidArgumentError(
          absl::StrCat(flag, "@", data.name(),
                       " is shuffled, and rows would not be in the order of its samples; "
                       "read a graph.dataset without shuffle in ",
                       one.name()));
    if (const uint64_t rows = samples.microBatch * result.program->instances();
        rows != one.samples_per_step())
      return absl::InvalidArgumentError(absl::StrCat(
          flag, "a step of ", one.name(), " takes ", one.samples_per_step(),
          " samples, and its results have rows of ", rows,
          ", since a replica takes several micro-batches; compile the model for one_device, whose bits are the same"));
  }
  return absl::OkStatus();
}

FetchFiles::FetchFiles(const plan::Plan &plan, uint32_t phase, FetchFileNames files,
                       std::function<void(const std::string &)> log)
    : phase_(phase), trains_(plan.phases(static_cast<int>(phase)).role() == plan::TRAIN),
      log_(std::move(log)) {
  for (auto &[name, path] : files) {
    const Result result = find(plan, phase, name);
    files_.push_back({name, path, result.type(), hasRows(plan, phase, result), nullptr});
  }
  if (const std::optional<data::SampleStream> samples = samplesOf(plan, phase))
    walk_ = {0, samples->perStep, samples->padded};
}

std::set<std::string> FetchFiles::byRows() const {
  std::set<std::string> names;
  for (const File &file : files_)
    if (file.byRows)
      names.insert(file.name);
  return names;
}

absl::Status FetchFiles::begin(const RunStart &start) {
  base::MutexLock lock(mutex_);
  walk_.samples = start.samples;
  wholeDataSet_ = !start.stepsGiven;
  for (File &file : files_) {
    plan::TensorType row = file.type;
    if (file.byRows)
      row.mutable_shape()->erase(row.shape().begin());
    // What came before the run went on is of steps that are not made again.
    const std::string partial = checkpoint::NpyStream::partialPathOf(file.path);
    if (struct stat info{}; trains_ && start.restart.step > 0 &&
                            ::lstat(partial.c_str(), &info) == 0 && S_ISREG(info.st_mode)) {
      GRAPHC_ASSIGN_OR_RETURN(std::string old, base::moveAway(partial));
      log_(absl::StrCat("--fetch ", file.name, ": what came before is ", old, " now"));
    }
    auto stream = checkpoint::NpyStream::create(file.path, row);
    if (!stream.ok())
      return base::annotate(stream.status(), absl::StrCat("--fetch ", file.name));
    file.stream = *std::move(stream);
  }
  return absl::OkStatus();
}

/// How many rows of a step are of samples that no earlier one has: not those of padding, and not
/// those behind the one pass.
uint64_t FetchFiles::rowsOf(uint64_t step, uint64_t found) const {
  uint64_t first = walk_.after(0, step), end = walk_.after(0, step + 1);
  if (wholeDataSet_)
    end = std::min(end, std::max(first, walk_.samples));
  return std::min(found, end - first);
}

absl::Status FetchFiles::take(const FetchedTensor &value) {
  base::MutexLock lock(mutex_);
  if (value.phase != phase_)
    return absl::OkStatus();
  for (File &file : files_) {
    if (file.name != value.name || !file.stream)
      continue;
    const uint64_t rows =
        file.byRows ? rowsOf(value.step, static_cast<uint64_t>(value.type.shape(0))) : 1;
    if (absl::Status status = file.stream->append(value.data.data(), rows); !status.ok())
      return base::annotate(status, absl::StrCat("--fetch ", file.name));
  }
  return absl::OkStatus();
}

absl::Status FetchFiles::end(bool complete) {
  base::MutexLock lock(mutex_);
  absl::Status all;
  for (File &file : files_) {
    if (!file.stream)
      continue;
    absl::Status status = complete ? file.stream->commit() : file.stream->keepPartial();
    if (status.ok() && !complete)
      log_(absl::StrCat("--fetch ", file.name, ": ", file.stream->partialPath(),
                        " has what came until the end, ", file.stream->rows(),
                        file.byRows ? " rows; " : " steps; ", file.path, " is as it was"));
    all.Update(base::annotate(status, absl::StrCat("--fetch ", file.name)));
    file.stream.reset();
  }
  return all;
}

} // namespace graphc::session
