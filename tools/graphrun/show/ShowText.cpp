#include "tools/graphrun/show/ShowReaders.h"

#include "runtime/common/base/TextUtils.h"
#include "runtime/common/plan/MemoryRequirements.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include <algorithm>

namespace graphc::graphrun {
namespace {
using Json = nlohmann::ordered_json;

/// Characters, where a name of the model's is not ASCII.
size_t width(const std::string &text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return !base::continuesUtf8(c); }));
}

std::string cell(const std::string &name, const Json &value) {
  if (value.is_string())
    return base::foreignText(value.get<std::string>());
  if (value.is_boolean())
    return value.get<bool>() ? "yes" : "no";
  if (value.is_number_unsigned() && absl::EndsWith(name, "bytes"))
    return plan::bytesText(value.get<uint64_t>());
  if (value.is_array()) {
    std::vector<std::string> parts;
    for (const Json &part : value)
      parts.push_back(cell(name, part));
    return absl::StrJoin(parts, ", ");
  }
  return value.is_null() ? "" : value.dump();
}

std::string words(std::string name) {
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

bool isTable(const Json &value) {
  return value.is_object() ||
         (value.is_array() && !value.empty() &&
          std::all_of(value.begin(), value.end(), [](const Json &row) { return row.is_object(); }));
}

std::string table(const Json &rows) {
  std::vector<std::string> columns;
  for (const Json &row : rows)
    for (const auto &[name, value] : row.items())
      if (std::find(columns.begin(), columns.end(), name) == columns.end())
        columns.push_back(name);
  std::vector<std::vector<std::string>> lines(1);
  for (const std::string &column : columns)
    lines[0].push_back(words(column));
  for (const Json &row : rows) {
    lines.emplace_back();
    for (const std::string &column : columns)
      lines.back().push_back(row.contains(column) ? cell(column, row[column]) : "");
  }
  std::vector<size_t> widths(columns.size());
  for (const auto &line : lines)
    for (size_t i = 0; i < line.size(); ++i)
      widths[i] = std::max(widths[i], width(line[i]));
  std::string text;
  for (const auto &line : lines) {
    std::string row;
    for (size_t i = 0; i < line.size(); ++i)
      absl::StrAppend(&row, "  ", line[i], std::string(widths[i] - width(line[i]), ' '));
    absl::StrAppend(&text, row.substr(0, row.find_last_not_of(' ') + 1), "\n");
  }
  return text;
}
} // namespace

std::string shownText(const Json &json) {
  std::string text;
  for (const auto &[name, value] : json.items()) {
    if (value.empty() || (value.is_string() && value.get<std::string>().empty()))
      continue;
    if (!isTable(value)) {
      absl::StrAppend(&text, words(name), ": ", cell(name, value), "\n");
      continue;
    }
    absl::StrAppend(&text, "\n", words(name),
                    value.is_array() ? absl::StrCat(" (", value.size(), ")") : "", "\n");
    if (value.is_array()) {
      text += table(value);
      continue;
    }
    for (const auto &[key, one] : value.items())
      absl::StrAppend(&text, "  ", base::foreignText(words(key)), ": ", cell(key, one), "\n");
  }
  return text;
}

} // namespace graphc::graphrun
