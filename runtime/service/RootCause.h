//===- RootCause.h - whose fault it was ---------------------------------------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_SERVICE_ROOTCAUSE_H
#define GRAPHC_RUNTIME_SERVICE_ROOTCAUSE_H

#include "runtime/service/TaskTable.h"

#include "absl/status/status.h"

namespace graphc::service {

/// Who failed first and why: what the user reads at the end.
struct RootCause {
  std::string task; ///< "/job:worker/task:1"
  std::string host;
  int64_t pid = 0;
  absl::Status status;
  bool lost = false; ///< it did not fail by itself: its process or the way to it is gone
  /// "/job:worker/task:1: what went wrong".
  std::string describe() const;
};

/// A report that the connection with another task broke, for whose cause there may be better words.
struct SuspectedCause {
  RootCause cause;
  std::string reporter;
  std::optional<uint32_t> suspect; ///< number
  absl::Time since;

  /// `reporter` has said so of the task of that name; itself, where there is none.
  static SuspectedCause of(const TaskTable &tasks, const Hello &reporter,
                           const std::string &suspect, absl::Status status);
  /// The cause, once nothing better can be expected. A peer that was heard since, and so lives, is
  /// not it: the connection is.
  std::optional<RootCause> ripe(const TaskTable &tasks, absl::Time now) const;
};

} // namespace graphc::service
#endif
