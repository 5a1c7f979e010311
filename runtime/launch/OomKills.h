//===- OomKills.h - processes that the kernel killed for lack of memory -------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_LAUNCH_OOMKILLS_H
#define GRAPHC_RUNTIME_LAUNCH_OOMKILLS_H

#include "absl/time/time.h"

#include <cstdint>
#include <string>

namespace graphc::launch {

/// The file in which the kernel counts the OOM kills of a cgroup, by the text of
/// /proc/self/cgroup: memory.events (cgroup v2) or memory.oom_control (v1) below `root`. A
/// container may see its own cgroup as the root. Where the cgroup has no such file, `machine`
/// counts the OOM kills of the whole machine.
std::string findOomFile(const std::string &cgroups, const std::string &root = "/sys/fs/cgroup",
                        const std::string &machine = "/proc/vmstat");

/// Counts OOM kills since it was made, by the line "oom_kill N" of such a file. Counts
/// nothing if the file cannot be read.
class OomKills {
public:
  explicit OomKills(std::string file) : file_(std::move(file)), seen_(read()) {}
  /// Consumes one kill; returns false if none is left.
  bool take();
  /// To be called regularly, after take(). Discards kills that nothing has taken for at least 5 s:
  /// they hit other processes, since a task's death is noticed sooner. Reads the file at most once
  /// a second.
  void forgetUnclaimed(absl::Time now);
  const std::string &file() const { return file_; }

private:
  uint64_t read() const;
  const std::string file_;
  uint64_t seen_;
  absl::Time next_ = absl::InfinitePast(); ///< when forgetUnclaimed() next reads the file
  uint64_t noticed_ = 0; ///< kills at the time since_
  absl::Time since_ = absl::InfiniteFuture(); ///< when kills were noticed that nothing has taken
};

} // namespace graphc::launch
#endif
