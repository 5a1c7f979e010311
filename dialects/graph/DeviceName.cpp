//===- DeviceName.cpp -------------------------------------------------------------------------===//
#include "dialects/graph/DeviceName.h"

#include "runtime/common/cluster/DeviceSpec.h"

using namespace graphc::graph;

static std::string_view view(llvm::StringRef text) { return {text.data(), text.size()}; }

// One grammar for models and cluster.json: the runtime's.
std::optional<DeviceName> DeviceName::parse(llvm::StringRef text, std::string &error) {
  absl::StatusOr<graphc::cluster::DeviceSpec> parsed =
      graphc::cluster::DeviceSpec::parse(view(text));
  if (!parsed.ok()) {
    error = std::string(parsed.status().message());
    return std::nullopt;
  }
  DeviceName name;
  name.job = parsed->job.value_or("");
  name.task = parsed->task;
  name.kind = parsed->type.value_or("");
  name.index = parsed->index;
  return name;
}

int64_t DeviceName::mostTasks() { return cluster::kMostTasks; }

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
  auto agree = [](const auto &a, const auto &b, bool openA, bool openB) {
    return openA || openB || a == b;
  };
  return agree(job, other.job, job.empty(), other.job.empty()) &&
         agree(task, other.task, !task, !other.task) &&
         agree(kind, other.kind, kind.empty(), other.kind.empty()) &&
         agree(index, other.index, !index, !other.index);
}

std::optional<ReplicaRange> ReplicaRange::parse(llvm::StringRef text, std::string &error) {
  absl::StatusOr<graphc::cluster::TaskRange> parsed = graphc::cluster::TaskRange::parse(view(text));
  if (!parsed.ok()) {
    error = std::string(parsed.status().message());
    return std::nullopt;
  }
  ReplicaRange range;
  range.job = parsed->job;
  range.first = parsed->first;
  range.count = parsed->count;
  return range;
}

std::string ReplicaRange::str() const {
  std::string text = "/job:" + job + "/task:" + std::to_string(first);
  return count == 1 ? text : text + "-" + std::to_string(first + count - 1);
}
