//===- DeviceSpec.h - device names in TensorFlow's syntax ---------------------------*- C++ -*-===//
//
// "/job:worker/task:0/device:CPU:0", and every partial form: "/job:ps", "/device:GPU:1", "/gpu:0",
// "/cpu:*", "". A part that is "*" or missing is unset. "/replica:0" and "/replica:*" are read and
// forgotten: there is one replica level here.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_COMMON_CLUSTER_DEVICESPEC_H
#define GRAPHC_RUNTIME_COMMON_CLUSTER_DEVICESPEC_H

#include "absl/status/statusor.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace graphc::cluster {

constexpr uint32_t kMostTasks = 65536; ///< of a cluster
constexpr uint32_t kMostDevices = 1024; ///< of one kind in a task

struct DeviceSpec {
  std::optional<std::string> job;
  std::optional<uint32_t> task;
  std::optional<std::string> type; ///< one of device/DeviceKinds.h, in capitals
  std::optional<uint32_t> index; ///< of the device in its task; only with a type

  /// Errors say what was found and what was expected, without a position: the caller knows the
  /// place.
  static absl::StatusOr<DeviceSpec> parse(std::string_view text);

  /// This name with every unset part taken from `outer`: what a scope inside another one means. A
  /// type that is set here and differs from the outer one drops the outer index ("/gpu:1" around
  /// "/cpu:*" is not CPU 1).
  DeviceSpec mergedInto(const DeviceSpec &outer) const;

  /// Whether one full device could satisfy both.
  bool compatibleWith(const DeviceSpec &other) const;
  bool isFull() const { return job && task && type && index; }
  bool isEmpty() const { return !job && !task && !type; }

  /// Canonical: "/job:worker/task:0/device:CPU:0"; unset parts are left out, an unset index of a
  /// set type is "*".
  std::string str() const;

  friend bool operator==(const DeviceSpec &, const DeviceSpec &) = default;
};

/// Tasks of one job, end to end: "/job:worker/task:0-1", "/job:chief/task:0".
struct TaskRange {
  std::string job;
  uint32_t first = 0;
  uint32_t count = 1;

  static absl::StatusOr<TaskRange> parse(std::string_view text);
  std::string str() const;
  friend bool operator==(const TaskRange &, const TaskRange &) = default;
};

/// "/job:worker/task:1".
std::string taskName(std::string_view job, uint32_t index);

/// Job names are letters, digits and '_' after a letter, as in TensorFlow.
bool isJobName(std::string_view name);

} // namespace graphc::cluster
#endif
