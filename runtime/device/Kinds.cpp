#include "runtime/device/Kinds.h"

#include <algorithm>
#include <vector>

namespace graphc::device {
namespace {

constexpr Kind table[] = {{"CPU", /*hasCode=*/true}, {"GPU", /*hasCode=*/false}};

std::string join(const std::vector<std::string> &names, std::string_view word) {
  std::string text;
  for (size_t i = 0; i < names.size(); ++i)
    text += (i == 0 ? "" : i + 1 == names.size() ? " " + std::string(word) + " " : ", ") + names[i];
  return text;
}

char upper(char c) { return c >= 'a' && c <= 'z' ? char(c - 'a' + 'A') : c; }

} // namespace

std::span<const Kind> kinds() { return table; }

const Kind *findKind(std::string_view name) {
  const Kind *found = std::find_if(std::begin(table), std::end(table), [&](const Kind &kind) {
    return std::equal(name.begin(), name.end(), kind.name.begin(), kind.name.end(),
                      [](char a, char b) { return upper(a) == b; });
  });
  return found == std::end(table) ? nullptr : found;
}

const Kind &hostKind() { return table[0]; }

std::string hostDevice() { return std::string(hostKind().name) + ":0"; }

std::string listKinds(std::string_view word) {
  std::vector<std::string> names;
  for (const Kind &kind : table)
    names.emplace_back(kind.name);
  return join(names, word);
}

std::string listCompiledKinds() {
  std::vector<std::string> names;
  for (const Kind &kind : table)
    if (kind.hasCode)
      names.push_back(std::string(kind.name) + "s");
  return join(names, "and");
}

} // namespace graphc::device
