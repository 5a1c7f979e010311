//===- RestartPolicy.h ------------------------------------------------------------------------===//
//
// How often a run begins again that has lost a task, and after which pause.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_SESSION_RECOVERY_RESTARTPOLICY_H
#define GRAPHC_RUNTIME_SESSION_RECOVERY_RESTARTPOLICY_H

#include "absl/status/status.h"
#include "absl/time/time.h"

#include <cstdint>
#include <optional>
#include <string>

namespace graphc::session {

/// Once nobody is in a session: clears what a killed task has left half written of checkpoints,
/// unless another run holds the folder. Returns the newest step that is there.
std::optional<uint64_t> clearCheckpoints(const std::string &directory);
/// Before a training begins there: what an earlier one has left is no word of this one's end
/// (checkpoint/TrainingEndMarker.h).
void forgetFinished(const std::string &directory);

/// --max_restarts, RunOptions::maxRestarts. The first time there is no pause. Tasks that die again
/// and again without a step that stays are given longer and longer ones: half a second, each twice
/// the one before, a minute at most. A newer checkpoint than the last time begins anew without one.
class RestartPolicy {
public:
  /// `fromMemory`: tasks that live have what they have trained, by a plan with a commit point. Then
  /// steps stay without a checkpoint, and a pause is half a second at most.
  explicit RestartPolicy(uint32_t most, bool fromMemory = false)
      : most_(most), fromMemory_(fromMemory) {}
  uint32_t most() const { return most_; }
  uint32_t made() const { return made_; }

  /// Nobody is in the session any more; `newest`: the step of the newest checkpoint, if any. The
  /// pause before the next one begins, or none where that was done `most` times.
  std::optional<absl::Duration> next(std::optional<uint64_t> newest);
  /// One more, without a pause; false: that was done `most` times.
  bool count();
  /// One task is started again while the others go on: the same, the pauses begin anew behind ten
  /// seconds without one.
  /// `isOne`: with one that was started a moment ago and is on its way, by what may be one cause;
  /// that was counted.
  std::optional<absl::Duration> again(absl::Time now, bool isOne = false);
  /// Whether another may be one with the last of those.
  bool mayBeOne(absl::Time now) const;
  /// The last one was for nothing: another takes its place.
  void takeBack() { made_ -= made_ > 0; }
  /// Of the restart that next() has permitted, `who` being started: "restarting all tasks from step
  /// 120 in 1s (restart 1 of 3)".
  std::string describe(const std::string &who) const;

private:
  uint32_t most_;
  bool fromMemory_;
  uint32_t made_ = 0;
  std::optional<uint64_t> from_;
  absl::Duration pause_ = absl::ZeroDuration(), againPause_ = absl::ZeroDuration();
  absl::Time again_ = absl::InfinitePast(), counted_ = absl::InfinitePast();
};

} // namespace graphc::session
#endif
