//===- DeviceName.cpp -----------------------------------------------------------------------------------------===//
#include "dialects/graph/DeviceName.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace graphc::graph;

namespace {

bool isIdentifier(llvm::StringRef text) {
  return !text.empty() && (llvm::isAlpha(text.front()) || text.front() == '_') &&
         llvm::all_of(text, [](char c) { return llvm::isAlnum(c) || c == '_' || c == '-' || c == '.'; });
}

/// Reads a number or `*` (which leaves `result` open).
bool readIndex(llvm::StringRef text, std::optional<int64_t> &result) {
  if (text == "*")
    return true;
  uint32_t number;
  if (text.empty() || !llvm::isDigit(text.front()) || text.getAsInteger(10, number) || number > 0x7fffffff)
    return false;
  result = number;
  return true;
}

std::optional<DeviceName> fail(std::string &error, const std::string &message) {
  error = message;
  return std::nullopt;
}

} // namespace

std::optional<DeviceName> DeviceName::parse(llvm::StringRef text, std::string &error) {
  DeviceName name;
  if (text.empty())
    return name;
  if (text.front() != '/')
    return fail(error, "expected '/' at the start of device name '" + text.str() + "'");
  llvm::SmallVector<llvm::StringRef> parts;
  text.drop_front().split(parts, '/');
  llvm::SmallVector<llvm::StringRef> seen;
  for (llvm::StringRef part : parts) {
    auto [key, value] = part.split(':');
    bool isShort = key.equals_insensitive("cpu") || key.equals_insensitive("gpu");
    llvm::StringRef slot = isShort ? "device" : key;
    if (llvm::is_contained(seen, slot))
      return fail(error, "part '" + slot.str() + "' is given twice in device name '" + text.str() + "'");
    seen.push_back(slot);
    if (isShort) {
      name.kind = key.upper();
      if (!readIndex(value, name.index))
        return fail(error, "expected a device number in '/" + part.str() + "' of device name '" + text.str() + "'");
    } else if (key == "job") {
      if (value == "*")
        continue;
      if (!isIdentifier(value))
        return fail(error, "expected a job name in '/" + part.str() + "' of device name '" + text.str() + "'");
      name.job = value.str();
    } else if (key == "task") {
      if (!readIndex(value, name.task))
        return fail(error, "expected a task number in '/" + part.str() + "' of device name '" + text.str() + "'");
    } else if (key == "replica") {
      if (value != "0" && value != "*")
        return fail(error, "expected replica 0 in '/" + part.str() + "' of device name '" + text.str() + "'");
    } else if (key == "device") {
      auto [kind, index] = value.split(':');
      if (kind != "*") {
        if (!isIdentifier(kind))
          return fail(error, "expected KIND:NUMBER in '/" + part.str() + "' of device name '" + text.str() + "'");
        name.kind = kind.upper();
      }
      if (value.contains(':') && !readIndex(index, name.index))
        return fail(error, "expected a device number in '/" + part.str() + "' of device name '" + text.str() + "'");
    } else {
      return fail(error, "unknown part '/" + part.str() + "' of device name '" + text.str() +
                             "', expected /job:NAME, /task:N, /device:KIND:N, /cpu:N or /gpu:N");
    }
  }
  return name;
}

std::string DeviceName::str() const {
  std::string text;
  if (!job.empty())
    text += "/job:" + job;
  if (task)
    text += "/task:" + std::to_string(*task);
  if (!kind.empty() || index)
    text += "/device:" + (kind.empty() ? "*" : kind) + (index ? ":" + std::to_string(*index) : "");
  return text;
}

DeviceName DeviceName::over(const DeviceName &outer) const {
  DeviceName merged = *this;
  if (!merged.task && (merged.job.empty() || merged.job == outer.job))
    merged.task = outer.task;
  if (merged.job.empty())
    merged.job = outer.job;
  if (!merged.index && (merged.kind.empty() || merged.kind == outer.kind))
    merged.index = outer.index;
  if (merged.kind.empty())
    merged.kind = outer.kind;
  return merged;
}

bool DeviceName::isCompatibleWith(const DeviceName &other) const {
  auto agree = [](const auto &a, const auto &b, bool openA, bool openB) { return openA || openB || a == b; };
  return agree(job, other.job, job.empty(), other.job.empty()) && agree(task, other.task, !task, !other.task) &&
         agree(kind, other.kind, kind.empty(), other.kind.empty()) && agree(index, other.index, !index, !other.index);
}

std::optional<ReplicaRange> ReplicaRange::parse(llvm::StringRef text, std::string &error) {
  ReplicaRange range;
  llvm::StringRef rest = text;
  uint32_t first, last;
  if (!rest.consume_front("/job:"))
    return error = "expected /job:NAME/task:FIRST-LAST, got '" + text.str() + "'", std::nullopt;
  auto [job, tasks] = rest.split("/task:");
  auto [low, high] = tasks.split('-');
  if (!tasks.contains('-'))
    high = low;
  if (!isIdentifier(job) || low.getAsInteger(10, first) || high.getAsInteger(10, last) || last < first)
    return error = "expected /job:NAME/task:FIRST-LAST, got '" + text.str() + "'", std::nullopt;
  range.job = job.str();
  range.first = first;
  range.count = int64_t(last) - first + 1;
  return range;
}

std::string ReplicaRange::str() const {
  std::string text = "/job:" + job + "/task:" + std::to_string(first);
  return count == 1 ? text : text + "-" + std::to_string(first + count - 1);
}
