//===- DeviceName.h - device names in TensorFlow's syntax ---------------------------*- C++ -*-===//
//
// `/job:NAME/replica:0/task:N/device:KIND:N`, each part optional, `/cpu:N` and `/gpu:N` for short.
// A part that is absent or `*` is open.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_DIALECTS_GRAPH_DEVICENAME_H
#define GRAPHC_DIALECTS_GRAPH_DEVICENAME_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>

namespace graphc::graph {

struct DeviceName {
  std::string job; ///< empty: open
  std::optional<int64_t> task;
  std::string kind; ///< in capitals, "CPU"; empty: open
  std::optional<int64_t> index; ///< among the task's devices of this kind

  /// Reads a name. On failure returns nothing and says in `error` what is wrong with it.
  static std::optional<DeviceName> parse(llvm::StringRef text, std::string &error);
  /// Of a cluster; `task` is below it.
  static int64_t mostTasks();

  /// Canonical form, "" where every part is open.
  std::string str() const;
  /// Every part is given.
  bool isFull() const { return !job.empty() && task && !kind.empty() && index; }
  /// The parts of this, and where it leaves one open, that of `outer`. An index means nothing under
  /// another kind and is taken only with it; a task likewise with its job.
  DeviceName over(const DeviceName &outer) const;
  /// Whether some full name satisfies both.
  bool isCompatibleWith(const DeviceName &other) const;
  bool operator==(const DeviceName &) const = default;
};

/// Tasks first … first + count - 1 of a job.
struct ReplicaRange {
  std::string job;
  int64_t first = 0;
  int64_t count = 0;

  /// Reads "/job:worker/task:0-2" or "/job:worker/task:1".
  static std::optional<ReplicaRange> parse(llvm::StringRef text, std::string &error);
  std::string str() const;
};

} // namespace graphc::graph

#endif
