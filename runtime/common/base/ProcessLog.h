//===- ProcessLog.h - the runtime's log ---------------------------------------------*- C++ -*-===//
//
// One logger a process, on standard error; spdlog behind it. `logger().info("connected to {}",
// name)`. A task's lines carry its prefix ("[worker:1] "); with a log file every line is also one
// JSON object there.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_COMMON_BASE_PROCESSLOG_H
#define GRAPHC_RUNTIME_COMMON_BASE_PROCESSLOG_H

#include "absl/status/status.h"

#include <spdlog/spdlog.h>

#include <string>
#include <string_view>

namespace graphc::base {

struct LogOptions {
  std::string prefix; ///< before every line: "[worker:1] "
  std::string task; ///< "worker:1", for the file; empty: the prefix without brackets
  /// Appended to by all tasks of a run, debug lines too: JSON lines
  /// {"time","level","task","message", …}; empty: none.
  std::string file;
  spdlog::level::level_enum level = spdlog::level::info;
};

/// Call once, before threads start. Before that the logger writes plain lines at level info.
absl::Status initializeLog(const LogOptions &options);
spdlog::logger &logger();
/// A line that in the log file has more keys than its message: `fields` is JSON,
/// "\"step\":3,\"loss\":0.5".
void logFields(spdlog::level::level_enum level, std::string_view message,
               const std::string &fields);

} // namespace graphc::base
#endif
