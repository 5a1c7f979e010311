#include "runtime/data/Dataset.h"

#include "runtime/base/Crc32c.h"
#include "runtime/base/Status.h"
#include "runtime/plan/Types.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include <algorithm>
#include <cmath>

namespace graphc::data {
namespace {

absl::Status bad(const plan::Dataset &set, std::string_view why) {
  return absl::InvalidArgumentError(
      absl::StrCat("data set ", set.name(), ": ", absl::string_view(why.data(), why.size())));
}

bool isFloat(plan::DataType type) { return type == plan::F32 || type == plan::F64; }

std::string shapeText(const std::vector<uint32_t> &shape) { return absl::StrJoin(shape, "x"); }

} // namespace

absl::StatusOr<std::shared_ptr<const Dataset>> Dataset::open(const plan::Dataset &plan, const DataSearch &search) {
  auto set = std::make_shared<Dataset>();
  set->setName = plan.name();
  set->shuffle = plan.shuffle();
  set->shuffleSeed = plan.seed();
  if (plan.components_size() == 0)
    return bad(plan, "the plan gives it no component");
  for (const plan::Dataset::Component &component : plan.components()) {
    Column &column = set->columns.emplace_back();
    std::optional<uint64_t> elements = plan::elementCount(component.sample());
    std::optional<uint64_t> bytes = plan::tensorBytes(component.sample());
    if (!elements || !bytes || *bytes == 0 || *bytes > maxSampleBytes)
      return bad(plan, absl::StrCat("a sample of type ", plan::typeText(component.sample()), " has no usable size"));
    column.elements = *elements;
    column.rowBytes = *bytes;
    column.conversion.to = component.sample().dtype();
    // proto3 leaves unset numbers at 0; a scale of 0 would make every value the offset, so 0 means "as stored".
    column.conversion.scale = component.scale() == 0 ? 1 : component.scale();
    column.conversion.offset = component.offset();
    bool scaled = column.conversion.scale != 1 || column.conversion.offset != 0;
    if (!std::isfinite(component.scale()) || !std::isfinite(component.offset()))
      return bad(plan, "scale and offset must be finite");
    if (scaled && !isFloat(column.conversion.to))
      return bad(plan,
                 absl::StrCat("scale and offset need a float component, not ", plan::typeText(component.sample())));
  }
  switch (plan.source_case()) {
  case plan::Dataset::kIdx:
    GRAPHC_RETURN_IF_ERROR(set->openIdx(plan, search));
    break;
  case plan::Dataset::kSynthetic:
    GRAPHC_RETURN_IF_ERROR(set->openSynthetic(plan));
    break;
  default:
    return bad(plan, "the plan gives it no source");
  }
  return set;
}

absl::Status Dataset::openIdx(const plan::Dataset &plan, const DataSearch &search) {
  if (plan.idx().files_size() != plan.components_size())
    return bad(plan, absl::StrCat(plan.idx().files_size(), " files for ", plan.components_size(), " components"));
  std::vector<std::string> parts;
  for (int i = 0; i < plan.idx().files_size(); ++i) {
    Column &column = columns[i];
    absl::StatusOr<std::string> path = findDataFile(plan.idx().files(i), search);
    if (!path.ok())
      return base::annotate(path.status(), absl::StrCat("data set ", setName));
    absl::StatusOr<IdxFile> file = IdxFile::open(*path, search);
    if (!file.ok())
      return base::annotate(file.status(), absl::StrCat("data set ", setName));
    column.file = std::move(*file);
    column.path = *path;
    const IdxHeader &header = column.file.header();
    const plan::TensorType &sample = plan.components(i).sample();
    if (header.elementsPerSample() != column.elements)
      return bad(plan, absl::StrCat(*path, " has samples of ", header.elementsPerSample(), " elements (",
                                    shapeText(header.shape), "), the model expects ", plan::typeText(sample)));
    if (!canConvert(header.type, sample.dtype()))
      return bad(plan, absl::StrCat(*path, " stores ", nameOf(header.type), ", which does not become ",
                                    plan::dataTypeName(sample.dtype()), " without loss"));
    column.conversion.from = header.type;
    if (i == 0)
      count = header.samples();
    else if (header.samples() != count)
      return bad(plan,
                 absl::StrCat(*path, " has ", header.samples(), " samples, ", plan.idx().files(0), " has ", count));
    parts.push_back(absl::StrCat(*path, " (", column.file.source(), ")"));
  }
  text = absl::StrCat("data set ", setName, ": ", count, " samples from ", absl::StrJoin(parts, ", "));
  return absl::OkStatus();
}

absl::Status Dataset::openSynthetic(const plan::Dataset &plan) {
  synthetic = true;
  syntheticSeed = plan.synthetic().seed();
  count = plan.synthetic().samples();
  if (count == 0 || count > maxSamples)
    return bad(plan, absl::StrCat(count, " synthetic samples; expected 1 to ", maxSamples));
  for (int i = 0; i < plan.components_size(); ++i) {
    Column &column = columns[i];
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
      return bad(plan, absl::StrCat("no synthetic samples of type ", plan::typeText(plan.components(i).sample())));
    if (column.limit < 1 || column.limit > most)
      return bad(plan, absl::StrCat("component ", i, " has the limit ", column.limit, "; expected 1 to ", most));
  }
  text = absl::StrCat("data set ", setName, ": ", count, " synthetic samples");
  return absl::OkStatus();
}

uint32_t Dataset::crc() const {
  uint32_t crc = 0;
  for (const Column &column : columns)
    if (!synthetic)
      crc = base::crc32c(crc, column.file.payload(), column.file.header().payloadBytes);
  return crc;
}

/// Labels of a file are looked through once, as the data set is opened; of a large one they are looked at batch by
/// batch (findStrays).
absl::Status Dataset::checkClasses(size_t component, uint64_t classes) const {
  constexpr uint64_t most = uint64_t(1) << 24, piece = 4096;
  const Column &column = columns[component];
  const uint64_t labels = count * column.elements; // of a file: as many as it has bytes, at most
  if (synthetic || labels > most)
    return absl::OkStatus();
  const size_t bytes = sizeOf(column.conversion.from);
  std::vector<uint8_t> values(piece * (column.rowBytes / column.elements));
  Strays all;
  for (uint64_t begin = 0; begin < labels; begin += piece) {
    const uint64_t length = std::min(piece, labels - begin);
    convertRow(column.conversion, column.file.payload() + begin * bytes, length, values.data());
    const Strays found = data::findStrays(column.conversion.to, values.data(), length, classes);
    if (found.count && !all.count)
      all = {0, begin + found.first, found.value};
    all.count += found.count;
  }
  if (all.count == 0)
    return absl::OkStatus();
  return data::straysError(setName, column.path, all, labels, all.first / column.elements, classes);
}

Strays Dataset::findStrays(size_t component, uint64_t classes, const void *samples, uint64_t batch) const {
  const Column &column = columns[component];
  return data::findStrays(column.conversion.to, samples, batch * column.elements, classes);
}

absl::Status Dataset::straysError(size_t component, uint64_t classes, const Strays &strays, uint64_t batch,
                                  uint64_t sample) const {
  const Column &column = columns[component];
  return data::straysError(setName, synthetic ? "one batch" : absl::StrCat("one batch of ", column.path), strays,
                           batch * column.elements, sample, classes);
}

/// A mapped file that is cut short reads as zeros from there on (base/MappedFile.h): the batch that has read them is no
/// batch.
absl::Status Dataset::check() const {
  for (const Column &column : columns)
    if (column.file.cut())
      return absl::DataLossError(absl::StrCat("data set ", setName, ": ", column.path, " (", column.file.source(),
                                              ") was cut short while it was being read; put the whole file back"));
  return absl::OkStatus();
}

void Dataset::copySample(size_t component, uint64_t index, void *out) const {
  const Column &column = columns[component];
  if (synthetic)
    return syntheticRow(syntheticSeed, column.stream, index, column.conversion.to, column.limit, column.elements, out);
  uint64_t stride = column.elements * sizeOf(column.conversion.from);
  convertRow(column.conversion, column.file.payload() + index * stride, column.elements, out);
}

} // namespace graphc::data
