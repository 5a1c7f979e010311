//===- RunRestarts.h - restarts of a run that a program makes by itself -------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_API_RUNRESTARTS_H
#define GRAPHC_RUNTIME_API_RUNRESTARTS_H

#include "runtime/session/recovery/RestartPolicy.h"

#include <functional>

namespace graphc::session {

struct RunOptions;

/// What a program knows of its run that has ended since another task was lost.
struct LostRun {
  absl::Status why;
  bool chief = true; ///< this is the chief
  bool met = true; ///< it had met the chief; else that one was about to end the run before
};

/// RunOptions::maxRestarts of a program. The chief's pauses are the launcher's; another task joins
/// the chief again as soon as that is there.
class RunRestarts {
public:
  /// `options` outlives it.
  explicit RunRestarts(const RunOptions &options);
  /// Says that the run begins again, and waits until it may. False: it may not, since it did as
  /// often as it may, or the end is asked for.
  bool await(const LostRun &loss, const std::function<bool()> &stopAsked);

private:
  const RunOptions &options_;
  RestartPolicy restarts_;
  /// so long an attempt that meets nobody counts for nothing
  absl::Time joinBy_ = absl::InfinitePast();
};

} // namespace graphc::session
#endif
