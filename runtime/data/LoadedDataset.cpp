#include "runtime/data/LoadedDataset.h"

#include "runtime/common/base/Crc32c.h"
#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/plan/PlanTypes.h"
#include "runtime/data/DatasetFiles.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace graphc::data {
namespace {

absl::Status bad(const plan::Dataset &set, std::string_view why) {
  return absl::InvalidArgumentError(
      absl::StrCat("data set ", set.name(), ": ", absl::string_view(why.data(), why.size())));
}

bool isFloat(plan::DataType type) { return type == plan::F32 || type == plan::F64; }

} // namespace

absl::StatusOr<std::shared_ptr<LoadedDataset>>
LoadedDataset::open(const plan::Dataset &plan, const DatasetSearchPath &search) {
  auto set = std::make_shared<LoadedDataset>();
  set->setName_ = plan.name();
  set->shuffle_ = plan.shuffle();
  set->shuffleSeed_ = plan.seed();
  if (plan.components_size() == 0)
    return bad(plan, "the plan gives it no component");
  for (const plan::Dataset::Component &component : plan.components()) {
    Column &column = set->columns_.emplace_back();
    std::optional<uint64_t> elements = plan::elementCount(component.sample());
    std::optional<uint64_t> bytes = plan::tensorBytes(component.sample());
    if (!elements || !bytes || *bytes == 0 || *bytes > maxSampleBytes)
      return bad(plan, absl::StrCat("a sample of type ", plan::typeText(component.sample()),
                                    " has no usable size"));
    column.elements = *elements;
    column.rowBytes = *bytes;
    column.conversion.to = component.sample().dtype();
    // proto3 leaves unset numbers at 0; a scale of 0 would make every value the offset, so 0 means
    // "as stored".
    column.conversion.scale = component.scale() == 0 ? 1 : component.scale();
    column.conversion.offset = component.offset();
    column.transforms = SampleTransforms(component);
    bool scaled = column.conversion.scale != 1 || column.conversion.offset != 0;
    if (!std::isfinite(component.scale()) || !std::isfinite(component.offset()))
      return bad(plan, "scale and offset must be finite");
    if (scaled && !isFloat(column.conversion.to))
      return bad(plan, absl::StrCat("scale and offset need a float component, not ",
                                    plan::typeText(component.sample())));
  }
  GRAPHC_RETURN_IF_ERROR(plan.has_synthetic() ? set->openSynthetic(plan)
                                              : set->openFiles(plan, search));
  return set;
}

absl::Status LoadedDataset::openFiles(const plan::Dataset &plan, const DatasetSearchPath &search) {
  absl::StatusOr<std::vector<StoredColumn>> opened = openSource(plan, search);
  if (!opened.ok())
    return base::annotate(opened.status(), absl::StrCat("data set ", setName_));
  if (opened->size() != columns_.size())
    return bad(plan,
               absl::StrCat(opened->size(), " files for ", plan.components_size(), " components"));
  std::vector<std::string> parts;
  for (int i = 0; i < plan.components_size(); ++i) {
    Column &column = columns_[i];
    column.file = std::move((*opened)[i]);
    const StoredColumn &file = column.file;
    const std::string &path = file.segments.front().path;
    const plan::TensorType &sample = plan.components(i).sample();
    if (file.elements != column.elements)
      return bad(plan, absl::StrCat(path, " has samples of ", file.elements, " elements (",
                                    file.shape, "), the model expects ", plan::typeText(sample)));
    if (!canConvert(file.type, sample.dtype()))
      return bad(plan, absl::StrCat(path, " stores ", nameOf(file.type), ", which does not become ",
                                    plan::dataTypeName(sample.dtype()), " without loss; store ",
                                    plan::dataTypeName(sample.dtype()),
                                    " (NumPy: .astype), or declare the component as ",
                                    nameOf(file.type)));
    column.conversion.from = file.type;
    if (i == 0)
      count_ = file.samples();
    else if (file.samples() != count_)
      return bad(plan, absl::StrCat(path, " has ", file.samples(), " samples, ",
                                    columns_[0].file.name, " has ", count_));
    for (const StoredColumn::Segment &segment : file.segments)
      if (std::string part = absl::StrCat(segment.path, " (", segment.bytes->where, ")");
          std::find(parts.begin(), parts.end(), part) == parts.end())
        parts.push_back(std::move(part));
  }
  text_ = absl::StrCat("data set ", setName_, ": ", count_, " samples from ",
                       absl::StrJoin(parts, ", "));
  return absl::OkStatus();
}

absl::Status LoadedDataset::openSynthetic(const plan::Dataset &plan) {
  synthetic_ = true;
  syntheticSeed_ = plan.synthetic().seed();
  count_ = plan.synthetic().samples();
  if (count_ == 0 || count_ > maxSamples)
    return bad(plan, absl::StrCat(count_, " synthetic samples; expected 1 to ", maxSamples));
  for (int i = 0; i < plan.components_size(); ++i) {
    Column &column = columns_[i];
    plan::DataType type = column.conversion.to;
    column.stream = static_cast<uint64_t>(i);
    if (isFloat(type))
      continue;
    column.limit = i < plan.synthetic().limits_size() ? plan.synthetic().limits(i) : 0;
    int64_t most = type == plan::I1    ? 2
                   : type == plan::I8  ? 128
                   : type == plan::U8  ? 256
                   : type == plan::I32 ? int64_t(1) << 31
                   : type == plan::I64 ? INT64_MAX
                                       : 0;
    if (most == 0)
      return bad(plan, absl::StrCat("no synthetic samples of type ",
                                    plan::typeText(plan.components(i).sample())));
    if (column.limit < 1 || column.limit > most)
      return bad(plan, absl::StrCat("component ", i, " has the limit ", column.limit,
                                    "; expected 1 to ", most));
  }
  text_ = absl::StrCat("data set ", setName_, ": ", count_, " synthetic samples");
  return absl::OkStatus();
}

/// A file of the component; the first of several.
std::string LoadedDataset::pathOf(const Column &column) {
  const auto &segments = column.file.segments;
  return absl::StrCat(segments.front().path,
                      segments.size() > 1 ? absl::StrCat(" and ", segments.size() - 1, " more")
                                          : "");
}

uint32_t LoadedDataset::crc() const {
  uint32_t crc = 0;
  for (const Column &column : columns_)
    for (const StoredColumn::Segment &segment : column.file.segments)
      crc = base::crc32c(crc, segment.bytes->data + segment.begin,
                         (segment.samples - 1) * column.file.stride + column.file.rowBytes());
  return crc;
}

/// Labels of a file are looked through once, as the data set is opened; of a large one they are
/// looked at batch by batch (findStrays).
absl::Status LoadedDataset::checkClasses(size_t component, uint64_t classes) const {
  constexpr uint64_t most = uint64_t(1) << 24, piece = 4096;
  const Column &column = columns_[component];
  const uint64_t labels = count_ * column.elements; // of a file: as many as it has bytes, at most
  if (synthetic_ || labels > most)
    return absl::OkStatus();
  const StoredColumn &file = column.file;
  // Samples that lie end to end in one file are looked at many at once.
  const bool dense = file.segments.size() == 1 && file.stride == file.rowBytes();
  const uint64_t once = dense ? piece : column.elements;
  std::vector<uint8_t> values(once * (column.rowBytes / column.elements));
  LabelStrays all;
  for (uint64_t begin = 0; begin < labels; begin += once) {
    const uint64_t length = std::min(once, labels - begin);
    const uint8_t *from =
        dense ? file.at(0) + begin * sizeOf(file.type) : file.at(begin / column.elements);
    convertRow(column.conversion, from, length, values.data());
    const LabelStrays found =
        data::findStrays(column.conversion.to, values.data(), length, classes);
    if (found.count && !all.count)
      all = {0, begin + found.first, found.value};
    all.count += found.count;
  }
  if (all.count == 0)
    return absl::OkStatus();
  return data::straysError(setName_, pathOf(column), all, labels, all.first / column.elements,
                           classes);
}

LabelStrays LoadedDataset::findStrays(size_t component, uint64_t classes, const void *samples,
                                      uint64_t batch) const {
  const Column &column = columns_[component];
  return data::findStrays(column.conversion.to, samples, batch * column.elements, classes);
}

absl::Status LoadedDataset::straysError(size_t component, uint64_t classes,
                                        const LabelStrays &strays, uint64_t batch,
                                        uint64_t sample) const {
  const Column &column = columns_[component];
  return data::straysError(setName_,
                           synthetic_ ? "one batch" : absl::StrCat("one batch of ", pathOf(column)),
                           strays, batch * column.elements, sample, classes);
}

/// A mapped file that is cut short reads as zeros from there on (base/MappedFile.h): the batch that
/// has read them is no batch.
absl::Status LoadedDataset::check() const {
  for (const Column &column : columns_)
    for (const StoredColumn::Segment &segment : column.file.segments)
      if (segment.bytes->mapping.cut())
        return absl::DataLossError(
            absl::StrCat("data set ", setName_, ": ", segment.path, " (", segment.bytes->where,
                         ") was cut short while it was being read; put the whole file back"));
  return absl::OkStatus();
}

uint64_t LoadedDataset::keepDrawn(uint64_t most) {
  uint64_t bytes = 0;
  for (const Column &column : columns_)
    bytes += std::max(column.rowBytes, 4 * column.elements);
  if (!synthetic_ || drawn_ || bytes > most || count_ > most / bytes)
    return 0;
  for (size_t c = 0; c < columns_.size(); ++c) {
    std::vector<uint8_t> rows(count_ * columns_[c].rowBytes);
    for (uint64_t index = 0; index < count_; ++index)
      copySample(c, index, rows.data() + index * columns_[c].rowBytes);
    columns_[c].rows = std::move(rows);
  }
  drawn_ = true;
  return count_ * bytes;
}

bool LoadedDataset::isReady() const {
  constexpr uint64_t least = 256;
  uint64_t bytes = 0;
  for (const Column &column : columns_)
    bytes += column.rowBytes;
  return drawn_ && (!shuffle_ || bytes >= least);
}

void LoadedDataset::copySample(size_t component, uint64_t index, void *out,
                               std::optional<uint64_t> trainingEpoch) const {
  const Column &column = columns_[component];
  if (drawn_) {
    memcpy(out, column.rows.data() + index * column.rowBytes, column.rowBytes);
    return;
  }
  if (synthetic_)
    syntheticRow(syntheticSeed_, column.stream, index, column.conversion.to, column.limit,
                 column.elements, out);
  else if (trainingEpoch && column.transforms.draws())
    column.transforms.convertDrawn(
        column.conversion, column.file.at(index),
        column.transforms.draw(shuffleSeed_, *trainingEpoch, index, component), out);
  else
    convertRow(column.conversion, column.file.at(index), column.elements, out);
  if (column.transforms.normalizes())
    column.transforms.normalize(column.conversion.to, out);
}

} // namespace graphc::data
