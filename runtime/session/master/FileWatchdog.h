//===- FileWatchdog.h - a clock over what the chief does with files -----------------*- C++ -*-===//
//
// Files that neither come nor fail, as on a network's disk that is away, hold the thread that asked
// for them. The chief's have nobody else who would notice: its thread says what it is about to do,
// another one asks from time to time whether that takes too long.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_SESSION_MASTER_FILEWATCHDOG_H
#define GRAPHC_RUNTIME_SESSION_MASTER_FILEWATCHDOG_H

#include "runtime/common/base/Mutex.h"

#include "absl/status/status.h"
#include "absl/time/time.h"

#include <optional>
#include <string>

namespace graphc::session {

/// A big checkpoint on a slow disk, by whichever task.
inline constexpr absl::Duration kFileDeadline = absl::Minutes(30);

class FileWatchdog {
public:
  /// `deadline`: of one piece of work.
  explicit FileWatchdog(absl::Duration deadline) : deadline_(deadline) {}

  /// A piece of work, while it lives. One at a time.
  class [[nodiscard]] Work {
  public:
    /// `what`: "reading the checkpoints of DIR".
    Work(FileWatchdog &watch, std::string what);
    ~Work();
    Work(const Work &) = delete;
    Work &operator=(const Work &) = delete;

  private:
    FileWatchdog &watch_;
  };

  /// Any thread: an error that names the work under way once it takes longer than the deadline.
  absl::Status check(absl::Time now) const;

private:
  struct Working {
    std::string what;
    absl::Time since;
  };
  const absl::Duration deadline_;
  mutable base::Mutex mutex_; ///< a leaf
  std::optional<Working> working_ ABSL_GUARDED_BY(mutex_);
};

} // namespace graphc::session
#endif
