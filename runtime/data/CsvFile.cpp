#include "runtime/data/CsvFile.h"

#include "runtime/common/base/StatusMacros.h"

#include "absl/strings/str_cat.h"

#include <charconv>
#include <cmath>
#include <cstring>

namespace graphc::data {
namespace {

struct Field {
  std::string text; ///< without quotes
  uint64_t line = 1, column = 1; ///< where it begins
};

/// Records of a stream, in bounded memory.
class Records {
public:
  Records(base::ByteReader &reader, const std::string &name, char separator)
      : reader_(reader), name_(name), separator_(separator), buffer_(1 << 16, '\0') {}

  /// False at the end of the file. Empty lines are records of one empty field, but for those behind
  /// the last record.
  absl::StatusOr<bool> next(std::vector<Field> &fields) {
    count_ = 0;
    size_t bytes = 0;
    if (line_ == 1 && column_ == 1)
      skipMark();
    int c = peek();
    if (!failure_.ok())
      return failure_;
    if (c < 0)
      return false;
    Field *field = begin(fields);
    for (bool quoted = false, closed = false;;) {
      c = peek();
      if (++bytes > mostCsvRecord)
        return bad(field->line, field->column,
                   absl::StrCat(
                       "a record of more than ", mostCsvRecord,
                       " bytes; expected ends of lines, and a closing quote for each that opens"));
      if (quoted) {
        if (c < 0)
          return bad(field->line, field->column, "a quote opens here and is not closed");
        take();
        if (c != '"') {
          field->text += char(c);
          continue;
        }
        if (peek() == '"') {
          take();
          field->text += '"';
        } else {
          quoted = false;
          closed = true;
        }
        continue;
      }
      if (c == '\r') {
        take();
        c = peek();
        if (c != '\n' && c >= 0)
          return bad(line_, column_ - 1, "a carriage return within a line");
      }
      if (c < 0 || c == '\n') {
        if (c == '\n')
          take();
        break;
      }
      if (c == separator_) {
        take();
        field = begin(fields);
        closed = false;
      } else if (c == '"' && field->text.empty() && !closed) {
        take();
        quoted = true;
      } else if (c == '"' || closed) {
        return bad(line_, column_,
                   "a quote within a field; expected it doubled, and the field in quotes");
      } else {
        field->text += char(c);
        take();
      }
    }
    if (!failure_.ok())
      return failure_;
    fields.resize(count_);
    return true;
  }

  /// What is wrong where; where the file itself could not be read, that.
  absl::Status bad(uint64_t atLine, uint64_t atColumn, const std::string &why) const {
    if (!failure_.ok())
      return failure_;
    return absl::InvalidArgumentError(absl::StrCat(name_, ":", atLine, ":", atColumn, ": ", why));
  }

private:
  Field *begin(std::vector<Field> &fields) {
    if (count_ == fields.size())
      fields.emplace_back();
    Field &field = fields[count_++];
    field.text.clear(); // keeps its memory
    field.line = line_;
    field.column = column_;
    return &field;
  }

  /// The next byte, or -1 at the end and where `failure_` is one.
  int peek() {
    if (at_ == filled_ && !ended_) {
      absl::StatusOr<size_t> got = reader_.read(buffer_.data(), buffer_.size());
      failure_ = got.status();
      filled_ = got.ok() ? *got : 0;
      at_ = 0;
      ended_ = filled_ < buffer_.size();
    }
    return at_ < filled_ ? int(static_cast<uint8_t>(buffer_[at_])) : -1;
  }
  void take() {
    ++column_;
    if (buffer_[at_++] == '\n') {
      ++line_;
      column_ = 1;
    }
  }
  /// The byte order mark that spreadsheets write.
  void skipMark() {
    if (peek() == 0xEF && filled_ - at_ >= 3 &&
        memcmp(buffer_.data() + at_, "\xEF\xBB\xBF", 3) == 0)
      at_ += 3;
  }

  base::ByteReader &reader_;
  const std::string &name_;
  const char separator_;
  std::string buffer_;
  size_t at_ = 0, filled_ = 0, count_ = 0;
  bool ended_ = false;
  uint64_t line_ = 1, column_ = 1;
  absl::Status failure_; ///< of the reader
};

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t'))
    text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t'))
    text.remove_suffix(1);
  return text;
}

/// A field as it is shown: its first bytes.
std::string shown(std::string_view text) {
  std::string out = "\"";
  for (char c : text.substr(0, 40))
    out += c >= 0x20 && c < 0x7f ? c : '?';
  return out + (text.size() > 40 ? "…\"" : "\"");
}

template <typename T> void put(uint8_t *out, T value) { memcpy(out, &value, sizeof(T)); }

template <typename Float> const char *readFloat(std::string_view text, uint8_t *out) {
  Float value = 0;
  auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code == std::errc::invalid_argument || end != text.data() + text.size())
    return "is no number";
  if (code == std::errc::result_out_of_range) {
    // Too large, or too small to be anything but 0. A double knows more often which.
    double wide = 0;
    auto again = std::from_chars(text.data(), text.data() + text.size(), wide);
    if (again.ec == std::errc::result_out_of_range) {
      const size_t e = text.find_first_of("eE");
      if (e == std::string_view::npos || e + 1 >= text.size() || text[e + 1] != '-')
        return "is too large";
      wide = 0;
    }
    if (std::fabs(wide) > 1)
      return "is too large";
    value = Float(wide);
  }
  if (std::isinf(value))
    return "is too large";
  put(out, value);
  return nullptr;
}

template <typename Integer> const char *readInteger(std::string_view text, uint8_t *out) {
  Integer value = 0;
  auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code == std::errc::invalid_argument || end != text.data() + text.size())
    return "is no integer";
  if (code == std::errc::result_out_of_range)
    return "is out of range";
  put(out, value);
  return nullptr;
}

/// Why the text is no value of the type, or null; `out` has it then. "inf" and "nan" are no
/// numbers.
const char *readNumber(std::string_view text, StoredType type, uint8_t *out) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-')
    text.remove_prefix(1);
  const size_t sign = !text.empty() && text[0] == '-';
  if (type == StoredType::Bool) {
    if (text != "0" && text != "1" && text != "false" && text != "true")
      return "is neither 0 nor 1, false nor true";
    *out = text == "1" || text == "true";
    return nullptr;
  }
  if (text.size() <= sign || !((text[sign] >= '0' && text[sign] <= '9') || text[sign] == '.'))
    return "is no number";
  switch (type) {
  case StoredType::F32:
    return readFloat<float>(text, out);
  case StoredType::F64:
    return readFloat<double>(text, out);
  case StoredType::I8:
    return readInteger<int8_t>(text, out);
  case StoredType::U8:
    return readInteger<uint8_t>(text, out);
  case StoredType::I32:
    return readInteger<int32_t>(text, out);
  case StoredType::I64:
    return readInteger<int64_t>(text, out);
  default:
    return "has a type that CSV does not have";
  }
}

/// What is missing as a value of the type, which it fits.
void putMissing(double missing, StoredType type, uint8_t *out) {
  switch (type) {
  case StoredType::F32:
    return put(out, float(missing));
  case StoredType::F64:
    return put(out, missing);
  case StoredType::I8:
    return put(out, int8_t(missing));
  case StoredType::U8:
  case StoredType::Bool:
    return put(out, uint8_t(missing));
  case StoredType::I32:
    return put(out, int32_t(missing));
  default:
    return put(out, int64_t(missing));
  }
}

/// Which of the file's columns each of the wanted ones is.
absl::StatusOr<std::vector<uint32_t>>
findColumns(const CsvOptions &options, const std::vector<Field> &first, const Records &records) {
  if (options.all && first.size() != options.columns.size())
    return records.bad(first[0].line, 1,
                       absl::StrCat(first.size(), " columns, but a sample has ",
                                    options.columns.size(),
                                    " elements; say which with columns = […]"));
  std::vector<uint32_t> found;
  for (const CsvColumn &column : options.columns) {
    uint32_t at = column.number;
    if (column.name) {
      at = 0;
      while (at < first.size() && trimmed(first[at].text) != trimmed(*column.name))
        ++at;
      for (size_t other = at + 1; other < first.size(); ++other)
        if (trimmed(first[other].text) == trimmed(*column.name))
          return records.bad(first[other].line, first[other].column,
                             absl::StrCat("a second column is called ", shown(*column.name),
                                          "; say which by its number"));
    }
    if (at >= first.size()) {
      std::string names;
      for (size_t i = 0; options.header && i < std::min<size_t>(first.size(), 8); ++i)
        absl::StrAppend(&names, i ? ", " : ": ", shown(trimmed(first[i].text)));
      return records.bad(first[0].line, 1,
                         absl::StrCat("no column ",
                                      column.name ? shown(*column.name) : absl::StrCat(at),
                                      " among the ", first.size(), names,
                                      first.size() > 8 && options.header ? ", …" : ""));
    }
    found.push_back(at);
  }
  return found;
}

} // namespace

absl::StatusOr<ArrayHeader> decodeCsv(base::ByteReader &reader, const std::string &name,
                                      const CsvOptions &options, const ElementSink &sink) {
  Records records(reader, name, options.separator);
  std::vector<Field> fields;
  size_t rowBytes = 0;
  for (const CsvColumn &column : options.columns)
    rowBytes += sizeOf(column.type);
  GRAPHC_ASSIGN_OR_RETURN(bool more, records.next(fields));
  if (!more)
    return absl::InvalidArgumentError(
        absl::StrCat(name, ": it is empty, expected lines of numbers"));
  GRAPHC_ASSIGN_OR_RETURN(std::vector<uint32_t> places, findColumns(options, fields, records));
  const size_t width = fields.size();
  if (options.header) {
    GRAPHC_ASSIGN_OR_RETURN(more, records.next(fields));
  }
  std::vector<uint8_t> rows;
  rows.reserve((1 << 16) + rowBytes);
  uint64_t samples = 0;
  for (; more; ++samples) {
    if (fields.size() == 1 && (width > 1 || !options.missing) &&
        fields[0].text.empty()) { // an empty line, which may only be at the end
      const uint64_t line = fields[0].line;
      while (more && fields.size() == 1 && fields[0].text.empty()) {
        GRAPHC_ASSIGN_OR_RETURN(more, records.next(fields));
        if (more && fields[0].line > line + 1000)
          break;
      }
      if (more)
        return records.bad(line, 1, "an empty line; expected a record, or the end of the file");
      break;
    }
    if (fields.size() != width)
      return records.bad(fields.back().line, fields.back().column,
                         absl::StrCat(fields.size(), " fields in this record, expected ", width,
                                      " as in the first one"));
    const size_t begin = rows.size();
    rows.resize(begin + rowBytes);
    uint8_t *out = rows.data() + begin;
    for (size_t i = 0; i < places.size(); ++i) {
      const Field &field = fields[places[i]];
      const StoredType type = options.columns[i].type;
      std::string_view text = trimmed(field.text);
      if (text.empty() && options.missing) {
        putMissing(*options.missing, type, out);
      } else if (text.empty()) {
        return records.bad(
            field.line, field.column,
            "an empty field; expected a number, or missing = … in #graph.csv for what is not there");
      } else if (const char *why = readNumber(text, type, out)) {
        return records.bad(
            field.line, field.column,
            absl::StrCat(shown(text), " ", why, ", expected a value of ", nameOf(type)));
      }
      out += sizeOf(type);
    }
    if (rows.size() >= (1 << 16)) {
      GRAPHC_RETURN_IF_ERROR(sink(rows.data(), rows.size()));
      rows.clear();
    }
    GRAPHC_ASSIGN_OR_RETURN(more, records.next(fields));
  }
  if (!rows.empty())
    GRAPHC_RETURN_IF_ERROR(sink(rows.data(), rows.size()));
  return makeList(StoredType::U8, samples, rowBytes, name);
}

} // namespace graphc::data
