//===- RunStatus.h - how a run is doing, for whoever asks while it runs -------------*- C++ -*-===//
//
// A snapshot on the chief (session/master/StatusCollector.h makes it) and its three forms: JSON,
// which graphrun status reads again, Prometheus's text format, and a page for people.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_OBSERVE_RUNSTATUS_H
#define GRAPHC_RUNTIME_OBSERVE_RUNSTATUS_H

#include "runtime/observe/ProgressLine.h"

#include "absl/status/statusor.h"
#include "absl/time/time.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace graphc::observe {

/// What a run does, in the order in which most do it.
inline constexpr std::array<const char *, 9> kRunStates = {"waiting",  "preparing",  "initializing",
                                                           "training", "evaluating", "predicting",
                                                           "saving",   "writing",    "ending"};

struct TaskStatus {
  std::string name; ///< "/job:worker/task:1"
  std::string state; ///< waiting (it has not come yet), idle, running, silent, restarting
  std::vector<std::string> devices; ///< "CPU:0"
  std::string host;
  int64_t pid = 0; ///< 0: it has not come
  std::optional<uint64_t> step; ///< of the training, where it takes part in it
  double stepsPerSecond = 0;
  /// steps behind the first of those that compute gradients; of them alone
  std::optional<uint64_t> lag;
  std::optional<uint64_t> staleness; ///< steps ahead of the last of them, where they share no step
  std::optional<absl::Time> heard; ///< when its last heartbeat came
};

struct RunStatus {
  static constexpr int kFormat = 1; ///< of the JSON
  std::string model, strategy, entry, fingerprint, version;
  int64_t pid = 0; ///< the chief's
  std::optional<int64_t> launcher; ///< of the process that has started all tasks here
  std::string host, task; ///< the chief's
  std::string state; ///< of kRunStates
  absl::Time now, started;
  std::optional<ProgressSnapshot> progress; ///< the last one of training
  std::string checkpointDirectory; ///< absolute; empty: none
  struct Checkpoint {
    uint64_t step = 0;
    absl::Time at;
  };
  std::optional<Checkpoint> checkpoint; ///< the newest, saved or restored
  uint64_t saved = 0; ///< checkpoints, by this process
  uint32_t restarts = 0; ///< of all tasks, by their launcher
  std::optional<uint64_t> maxStaleness; ///< the strategy's bound
  std::vector<TaskStatus> tasks; ///< by number
  struct Warning {
    absl::Time at;
    std::string text;
  };
  std::vector<Warning> warnings; ///< the last ones, oldest first
  uint64_t warned = 0; ///< all of them
};

/// One JSON object, with times as seconds since 1970.
std::string toJson(const RunStatus &status);
/// Of any bytes: what is missing keeps its default, another format or another type is an error.
absl::StatusOr<RunStatus> runStatusFromJson(const std::string &text);

/// The text exposition format, version 0.0.4.
std::string toPrometheus(const RunStatus &status);
/// HTML without scripts and without anything from elsewhere, which asks for itself again every two
/// seconds.
std::string toPage(const RunStatus &status);

/// For people: "3 s", "2 min", "1 h 5 min".
std::string durationText(absl::Duration duration);

} // namespace graphc::observe
#endif
