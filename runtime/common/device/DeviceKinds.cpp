#include "runtime/common/device/DeviceKinds.h"

#include <algorithm>
#include <vector>

namespace graphc::device {
namespace {

/// Room for the kinds of tests.
struct Table {
  std::vector<DeviceKind> all{{"CPU", CodeFormat::Native, /*ownMemory=*/false, /*places=*/32},
                              {"GPU", CodeFormat::Ptx, /*ownMemory=*/true}};
};

/// Made when it is asked for first, which may be before main().
Table &table() {
  static Table one;
  return one;
}

std::string join(const std::vector<std::string> &names, std::string_view word) {
  std::string text;
  for (size_t i = 0; i < names.size(); ++i)
    text += (i == 0 ? "" : i + 1 == names.size() ? " " + std::string(word) + " " : ", ") + names[i];
  return text;
}

char upper(char c) { return c >= 'a' && c <= 'z' ? char(c - 'a' + 'A') : c; }

} // namespace

std::span<const DeviceKind> kinds() { return table().all; }

void addKind(const DeviceKind &kind) {
  if (!findKind(kind.name))
    table().all.push_back(kind);
}

const DeviceKind *findKind(std::string_view name) {
  for (const DeviceKind &kind : kinds())
    if (std::equal(name.begin(), name.end(), kind.name.begin(), kind.name.end(),
                   [](char a, char b) { return upper(a) == b; }))
      return &kind;
  return nullptr;
}

bool runsPtx(std::string_view kind) {
  const DeviceKind *known = findKind(kind);
  return known && known->code == CodeFormat::Ptx;
}

bool hasOwnMemory(std::string_view kind) {
  const DeviceKind *known = findKind(kind);
  return known && known->ownMemory;
}

int64_t placesOf(std::string_view kind) {
  const DeviceKind *known = findKind(kind);
  return known ? known->places : DeviceKind{}.places;
}

const DeviceKind &gpuKind() {
  return *std::find_if(kinds().begin(), kinds().end(),
                       [](const DeviceKind &kind) { return kind.code == CodeFormat::Ptx; });
}

const DeviceKind &hostKind() { return kinds().front(); }

std::string hostDevice() { return std::string(hostKind().name) + ":0"; }

std::string listKinds(std::string_view word) {
  std::vector<std::string> names;
  for (const DeviceKind &kind : kinds())
    names.emplace_back(kind.name);
  return join(names, word);
}

std::string listCompiledKinds() {
  std::vector<std::string> names;
  for (const DeviceKind &kind : kinds())
    if (kind.hasCode())
      names.push_back(std::string(kind.name) + "s");
  return join(names, "and");
}

} // namespace graphc::device
