//===- Restarts.h - how often a launcher starts its tasks again, and after which pause --------------------*- C++ -*-===//
#ifndef GRAPHC_TOOLS_GRAPHRUN_RESTARTS_H
#define GRAPHC_TOOLS_GRAPHRUN_RESTARTS_H

#include "absl/time/time.h"

#include <cstdint>
#include <optional>
#include <string>

namespace graphc::graphrun {

/// Once nobody is in a session: clears what a killed task has left half written of checkpoints, unless another run holds the folder. Returns the
/// newest step that is there.
std::optional<uint64_t> clearCheckpoints(const std::string &directory);
/// Before a training begins there: what an earlier one has left is no word of this one's end (checkpoint/Finished.h).
void forgetFinished(const std::string &directory);

/// --max_restarts. The first time there is no pause. Tasks that die again and again without a step that stays are given longer and longer
/// ones: half a second, each twice the one before, a minute at most. A newer checkpoint than the last time begins anew without one.
class Restarts {
public:
  explicit Restarts(uint32_t most) : most_(most) {}
  uint32_t most() const { return most_; }
  uint32_t made() const { return made_; }

  /// Nobody is in the session any more; `newest`: the step of the newest checkpoint, if any. The pause before the next one begins, or none
  /// where that was done `most` times.
  std::optional<absl::Duration> next(std::optional<uint64_t> newest);
  /// Of the restart that next() has permitted, `who` being started: "restarting all tasks from step 120 in 1s (restart 1 of 3)".
  std::string describe(const std::string &who) const;

private:
  const uint32_t most_;
  uint32_t made_ = 0;
  std::optional<uint64_t> from_;
  absl::Duration pause_ = absl::ZeroDuration();
};

} // namespace graphc::graphrun
#endif
