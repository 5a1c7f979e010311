//===- TaskOutput.h - what a task says, to its launcher or to a terminal ------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_LAUNCH_TASKOUTPUT_H
#define GRAPHC_RUNTIME_LAUNCH_TASKOUTPUT_H

#include "runtime/common/base/File.h"
#include "runtime/common/base/Mutex.h"
#include "runtime/common/base/ProcessLog.h"
#include "runtime/launch/LaunchContext.h"
#include "runtime/observe/ProgressLine.h"

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"

#include <cstdio>
#include <functional>
#include <string>

namespace graphc::launch {

/// Where this process's lines go: to the launcher's pipe, or to a terminal that it shares with
/// nobody.
class TaskOutput {
public:
  /// `stops`: asked while nobody reads standard output. Under a launcher it is the launcher's that
  /// is read.
  TaskOutput(int reportFd, std::function<bool()> stops) : report_(reportFd), line_(stderr) {
    line_.waitFor(std::move(stops), /*says=*/reportFd < 0);
  }
  void show(const observe::ProgressSnapshot &snapshot) {
    if (absl::Time now = absl::Now(); snapshot.last || now - logged_ >= absl::Seconds(1)) {
      // into --log_file only
      logged_ = now;
      base::logFields(spdlog::level::debug, observe::formatProgress(snapshot, /*barWidth=*/0),
                      absl::StrCat("\"progress\":", observe::toJson(snapshot)));
    }
    if (report_ < 0)
      line_.show(snapshot);
    else
      report(absl::StrCat("{\"progress\":", observe::toJson(snapshot), "}"));
  }
  void print(const std::string &line) {
    line_.print(stdout, line);
    base::logger().debug("{}", line);
  }
  bool wroteAll() { return line_.flush(stdout); }
  void log(const std::string &line) {
    line_.finish();
    base::logger().info("{}", line);
  }
  void warn(const std::string &line) {
    line_.finish();
    base::logger().warn("{}", line);
  }
  /// This task has reached the chief.
  void joined(uint64_t session) {
    if (report_ >= 0)
      report(encodeJoined(session));
  }
  void error(const ErrorReport &error) {
    line_.finish();
    base::logger().debug("{}{}",
                         error.secondary ? "another task failed: " : "failed: ", error.message);
    if (report_ >= 0)
      report(encode(error));
    else
      std::fprintf(stderr, "graphrun: %s\n", error.message.c_str());
  }

private:
  void report(std::string text) {
    text += '\n';
    base::MutexLock lock(mutex_);
    (void)base::writeAll(report_, text.data(), text.size(),
                         "the launcher's pipe"); // gone with the launcher, and so are we
  }
  const int report_;
  /// show() is called by one thread at a time (the driver's or its heartbeat's)
  absl::Time logged_ = absl::InfinitePast();
  base::Mutex mutex_;
  observe::ProgressLine line_;
};

} // namespace graphc::launch
#endif
