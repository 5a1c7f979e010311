//===- EvaluatorLifecycle.h - when a launcher starts, starts again and kills its evaluator ----===//
#ifndef GRAPHC_RUNTIME_LAUNCH_EVALUATORLIFECYCLE_H
#define GRAPHC_RUNTIME_LAUNCH_EVALUATORLIFECYCLE_H

#include "runtime/launch/LaunchedChild.h"
#include "runtime/session/recovery/RestartPolicy.h"

#include "absl/time/time.h"

#include <string>

namespace graphc::launch {

/// Without processes: the launcher tells what has become of it, and asks. Until it is begun there
/// is none.
class EvaluatorLifecycle {
public:
  void begin(absl::Time now) { startAt_ = now; }
  /// It is not started, nor started again.
  void giveUp() { startAt_ = absl::InfiniteFuture(); }
  bool isToCome() const { return startAt_ != absl::InfiniteFuture(); }
  /// Once for each start.
  bool mustStart(absl::Time now);
  void failed() { failed_ = true; }
  /// Of its own, which is no task's: the launcher then ends with an error all the same.
  bool hasFailed() const { return failed_; }

  /// Its process has ended. A line for the user, or "" at a good end, and where `stopping`:
  /// somebody has asked for a stop of all.
  std::string ended(const LaunchedChild &child, bool stopping, absl::Time now);

  /// Training has ended in good order. From now on it is started again a few times alone: it has
  /// one checkpoint before it, and the launcher waits for it.
  void trainingEnded() { restarts_ = session::RestartPolicy(kEndRestarts); }
  /// Behind that, every kLookEvery or more often: a line where it has to be killed now, since it is
  /// stopped and cannot end by itself. Time in which the launcher itself did not look counts for
  /// nothing: where Ctrl-Z stops both, both go on.
  std::string mustBeKilled(const LaunchedChild &child, absl::Time now);

  static constexpr absl::Duration kLookEvery = absl::Milliseconds(200);

private:
  static constexpr uint32_t kRestarts = 100, kEndRestarts = 5;
  session::RestartPolicy restarts_{kRestarts};
  absl::Time startAt_ = absl::InfiniteFuture();
  absl::Duration stopped_;
  absl::Time looked_ = absl::InfinitePast();
  bool failed_ = false;
};

} // namespace graphc::launch
#endif
