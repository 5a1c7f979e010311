//===- CsvFile.h - numbers of a CSV file --------------------------------------------*- C++ -*-===//
//
// RFC 4180: records end by LF or CRLF, fields may be in double quotes, which are doubled within.
// Every record has as many fields as the first. Only the columns that are asked for have to be
// numbers; those are read strictly. The result is one row of bytes a record, the columns' values
// one after the other.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_DATA_CSVFILE_H
#define GRAPHC_RUNTIME_DATA_CSVFILE_H

#include "runtime/data/DecodedFileCache.h"

#include <optional>

namespace graphc::data {

struct CsvColumn {
  std::optional<std::string> name; ///< else `number`, from 0
  uint32_t number = 0;
  StoredType type = StoredType::F32; ///< F32, F64, I8, U8, I32, I64 or Bool
};

struct CsvOptions {
  std::vector<CsvColumn> columns; ///< what a row has
  bool all = false; ///< `columns` are the file's, so that it has no others
  bool header = true;
  char separator = ',';
  std::optional<double> missing; ///< what an empty field is; an error where not given
};

/// A record longer than this is none: a file without an end of line must not fill memory.
constexpr size_t mostCsvRecord = 1 << 20;

/// Gives the sink a row of bytes for each record; errors name file, line and column (counted in
/// bytes, both from 1).
absl::StatusOr<ArrayHeader> decodeCsv(base::ByteReader &reader, const std::string &name,
                                      const CsvOptions &options, const ElementSink &sink);

} // namespace graphc::data
#endif
