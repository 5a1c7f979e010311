#include "runtime/data/DatasetFiles.h"

#include "runtime/common/base/Sha256.h"
#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/plan/PlanTypes.h"
#include "runtime/data/CsvFile.h"
#include "runtime/data/IdxFile.h"
#include "runtime/data/NpyFile.h"
#include "runtime/data/TextVocabulary.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace graphc::data {
namespace {

StoredColumn columnOf(const ArrayHeader &header, std::shared_ptr<const StoredBytes> bytes,
                      uint64_t begin, const std::string &name, const std::string &path) {
  StoredColumn column;
  column.type = header.type;
  column.elements = header.elementsPerSample();
  column.stride = column.rowBytes();
  column.name = name;
  column.shape = absl::StrJoin(header.shape, "x");
  column.segments.push_back({std::move(bytes), begin, header.samples(), path});
  return column;
}

absl::StatusOr<std::vector<StoredColumn>> openIdx(const plan::Dataset &plan,
                                                  const DatasetSearchPath &search) {
  std::vector<StoredColumn> columns;
  for (const std::string &name : plan.idx().files()) {
    GRAPHC_ASSIGN_OR_RETURN(std::string path, findDataFile(name, search));
    GRAPHC_ASSIGN_OR_RETURN(IdxFile file, IdxFile::open(path, search));
    columns.push_back(columnOf(file.header(), file.content(), file.offset(), name, path));
  }
  return columns;
}

absl::StatusOr<std::vector<StoredColumn>> openNpyFiles(const plan::Dataset &plan,
                                                       const DatasetSearchPath &search) {
  std::vector<StoredColumn> columns;
  for (const std::string &name : plan.npy().files()) {
    auto [file, array] = splitNpyName(name);
    GRAPHC_ASSIGN_OR_RETURN(std::string path, findDataFile(file, search));
    GRAPHC_ASSIGN_OR_RETURN(NpyArray opened, openNpy(path, array, search));
    columns.push_back(columnOf(opened.header, std::move(opened.bytes), opened.begin, name,
                               array.empty() ? path : absl::StrCat(path, ":", array)));
  }
  return columns;
}

absl::StatusOr<std::vector<StoredColumn>> openCifar10(const plan::Dataset &plan,
                                                      const DatasetSearchPath &search) {
  std::vector<StoredColumn> columns(size_t(plan.components_size()));
  for (size_t c = 0; c < columns.size(); ++c) {
    columns[c].elements = c ? 1 : cifarImage;
    columns[c].stride = cifarRecord;
    columns[c].name = plan.cifar10().files(0);
    columns[c].shape = c ? "1" : "3x32x32";
  }
  for (const std::string &name : plan.cifar10().files()) {
    GRAPHC_ASSIGN_OR_RETURN(std::string path, findDataFile(name, search));
    GRAPHC_ASSIGN_OR_RETURN(std::shared_ptr<const StoredBytes> bytes, openContent(path, search));
    GRAPHC_ASSIGN_OR_RETURN(uint64_t samples, cifarSamples(bytes->size, path));
    for (size_t c = 0; c < columns.size(); ++c)
      columns[c].segments.push_back({bytes, c ? uint64_t(0) : 1, samples, path});
  }
  return columns;
}

/// What a CSV's field becomes in the row of a component.
std::optional<StoredType> fieldType(plan::DataType type) {
  switch (type) {
  case plan::F32:
    return StoredType::F32;
  case plan::F64:
    return StoredType::F64;
  case plan::I1:
    return StoredType::Bool;
  case plan::I8:
    return StoredType::I8;
  case plan::U8:
    return StoredType::U8;
  case plan::I32:
    return StoredType::I32;
  case plan::I64:
    return StoredType::I64;
  default:
    return std::nullopt;
  }
}

absl::StatusOr<std::vector<StoredColumn>> openCsv(const plan::Dataset &plan,
                                                  const DatasetSearchPath &search) {
  const plan::Dataset::Csv &csv = plan.csv();
  CsvOptions options;
  options.all = csv.columns_size() == 0;
  options.header = csv.header();
  options.separator = char(csv.separator());
  if (csv.has_missing())
    options.missing = csv.missing();
  std::vector<StoredColumn> columns;
  std::vector<uint64_t> begins; // of the columns in a row
  uint64_t rowBytes = 0;
  for (const plan::Dataset::Component &component : plan.components()) {
    const std::optional<StoredType> type = fieldType(component.sample().dtype());
    if (!type)
      return absl::InvalidArgumentError(absl::StrCat(csv.file(), ": no column of numbers becomes ",
                                                     plan::typeText(component.sample())));
    StoredColumn &column = columns.emplace_back();
    column.type = *type;
    column.elements = plan::elementCount(component.sample()).value_or(0);
    column.name = csv.file();
    column.shape = absl::StrCat(column.elements, " columns");
    for (uint64_t i = 0; i < column.elements; ++i) {
      CsvColumn &wanted = options.columns.emplace_back();
      const int at = int(options.columns.size()) - 1;
      wanted.type = *type;
      wanted.number = uint32_t(at);
      if (at < csv.columns_size() && csv.columns(at).has_name())
        wanted.name = csv.columns(at).name();
      else if (at < csv.columns_size())
        wanted.number = csv.columns(at).number();
    }
    begins.push_back(rowBytes);
    rowBytes += column.rowBytes();
  }
  GRAPHC_ASSIGN_OR_RETURN(std::string path, findDataFile(csv.file(), search));
  GRAPHC_ASSIGN_OR_RETURN(base::MappedFile source, base::MappedFile::open(path));
  auto decode = [&](const ElementSink &sink) -> absl::StatusOr<ArrayHeader> {
    GRAPHC_ASSIGN_OR_RETURN(std::unique_ptr<base::ByteReader> reader,
                            base::openBytes(source.view(), path));
    return decodeCsv(*reader, path, options, atMost(search.cacheLimit, path, sink));
  };
  std::string how = absl::StrCat("csv ", options.header, " ", csv.separator(), " ",
                                 options.missing ? absl::StrCat(*options.missing) : "none");
  for (const CsvColumn &column : options.columns)
    absl::StrAppend(&how, "\n", nameOf(column.type), " ",
                    column.name ? absl::StrCat("'", *column.name) : absl::StrCat(column.number));
  GRAPHC_ASSIGN_OR_RETURN(DecodedArray rows, decodeOnce(path, how, search, decode));
  if (source.cut())
    return absl::DataLossError(
        absl::StrCat(path, " was cut short while it was being read; put the whole file back"));
  for (size_t c = 0; c < columns.size(); ++c) {
    columns[c].stride = rowBytes;
    columns[c].segments.push_back({rows.bytes, begins[c], rows.header.samples(), path});
  }
  return columns;
}

absl::StatusOr<DecodedArray> cutIntoTokens(const std::string &path,
                                           const std::string &vocabularyPath,
                                           const DatasetSearchPath &search) {
  GRAPHC_ASSIGN_OR_RETURN(std::string content,
                          base::readFile(vocabularyPath, TextVocabulary::mostBytes));
  GRAPHC_ASSIGN_OR_RETURN(TextVocabulary vocabulary,
                          TextVocabulary::parse(content, vocabularyPath));
  GRAPHC_ASSIGN_OR_RETURN(base::MappedFile source, base::MappedFile::open(path));
  auto decode = [&](const ElementSink &sink) -> absl::StatusOr<ArrayHeader> {
    GRAPHC_ASSIGN_OR_RETURN(std::unique_ptr<base::ByteReader> reader,
                            base::openBytes(source.view(), path));
    return vocabulary.cut(*reader, path, atMost(search.cacheLimit, path, sink));
  };
  const std::string how = absl::StrCat("tokens ", base::toHex(base::sha256(content)));
  GRAPHC_ASSIGN_OR_RETURN(DecodedArray tokens, decodeOnce(path, how, search, decode));
  if (source.cut())
    return absl::DataLossError(
        absl::StrCat(path, " was cut short while it was being read; put the whole file back"));
  return tokens;
}

absl::StatusOr<std::vector<StoredColumn>> openText(const plan::Dataset &plan,
                                                   const DatasetSearchPath &search) {
  const plan::Dataset::Text &text = plan.text();
  GRAPHC_ASSIGN_OR_RETURN(std::string path, findDataFile(text.file(), search));
  StoredType type = StoredType::U8;
  std::shared_ptr<const StoredBytes> bytes;
  if (text.vocabulary().empty()) {
    GRAPHC_ASSIGN_OR_RETURN(bytes, openContent(path, search));
  } else {
    GRAPHC_ASSIGN_OR_RETURN(std::string vocabulary, findDataFile(text.vocabulary(), search));
    GRAPHC_ASSIGN_OR_RETURN(DecodedArray tokens, cutIntoTokens(path, vocabulary, search));
    type = StoredType::I32;
    bytes = std::move(tokens.bytes);
  }
  const uint64_t width = sizeOf(type), there = bytes->size / width;
  const uint64_t end = text.end() ? text.end() : there, begin = text.begin();
  const uint64_t window = plan::elementCount(plan.components(0).sample()).value_or(1);
  const uint64_t most = uint64_t(1) << 46; // of each: their sums cannot overflow
  const uint64_t needed = window + uint64_t(plan.components_size() > 1);
  const char *what = type == StoredType::U8 ? "bytes" : "tokens";
  if (end > there)
    return absl::OutOfRangeError(absl::StrCat(path, ": it has ", there, " ", what, ", but end = ",
                                              end, "; lower that, or leave it out for all"));
  if (window > most || begin >= end || end - begin < needed)
    return absl::OutOfRangeError(
        absl::StrCat(path, ": ", end - std::min(begin, end), " ", what, " from begin = ", begin,
                     " on, expected at least the ", needed, " of one sample"));
  const uint64_t stride = text.stride() ? text.stride() : window;
  std::vector<StoredColumn> columns;
  for (int c = 0; c < plan.components_size(); ++c) {
    StoredColumn column;
    column.type = type;
    column.elements = window;
    column.stride = stride * width;
    column.name = text.file();
    column.shape = absl::StrCat(window, " ", what);
    column.segments.push_back(
        {bytes, (begin + uint64_t(c)) * width, (end - begin - needed) / stride + 1, path});
    columns.push_back(std::move(column));
  }
  return columns;
}

} // namespace

absl::StatusOr<uint64_t> cifarSamples(uint64_t bytes, const std::string &name) {
  if (bytes == 0 || bytes % cifarRecord)
    return absl::DataLossError(
        absl::StrCat(name, ": ", bytes, " bytes, which are no whole records of ", cifarRecord,
                     " (a label and 3x32x32 bytes); expected a file of CIFAR-10's binary "
                     "version, unpacked: fetch or unpack it again"));
  return bytes / cifarRecord;
}

absl::StatusOr<std::vector<StoredColumn>> openSource(const plan::Dataset &plan,
                                                     const DatasetSearchPath &search) {
  switch (plan.source_case()) {
  case plan::Dataset::kIdx:
    return openIdx(plan, search);
  case plan::Dataset::kNpy:
    return openNpyFiles(plan, search);
  case plan::Dataset::kCsv:
    return openCsv(plan, search);
  case plan::Dataset::kText:
    return openText(plan, search);
  case plan::Dataset::kCifar10:
    return openCifar10(plan, search);
  default:
    return absl::InvalidArgumentError("the plan gives it no source");
  }
}

} // namespace graphc::data
