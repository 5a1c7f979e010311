//===- LaneWatch.h - where the lanes of a task are, and for how long they have been there -----===//
#ifndef GRAPHC_RUNTIME_SESSION_HANGS_LANEWATCH_H
#define GRAPHC_RUNTIME_SESSION_HANGS_LANEWATCH_H

#include "runtime/common/plan/LanePosition.h"
#include "runtime/executor/Lane.h"
#include "runtime/service/service.pb.h"

#include "absl/time/time.h"

#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace graphc::session {

struct StandingLane {
  plan::LanePosition place;
  absl::Duration stood;
};

service::LanePosition toProto(const StandingLane &lane);
/// Of task number `task`; nothing where it is no place that the task can be at.
std::optional<StandingLane> fromProto(const plan::Plan &plan, uint32_t task,
                                      const service::LanePosition &place);

/// Looks at the lanes of a running phase now and then. How long one has stood still is as exact as
/// they are looked at; time in which nobody looked, since the process was stopped, does not count.
class LaneWatch {
public:
  /// Other lanes are looked at from now on.
  /// That lane goes on from elsewhere: it has not stood there.
  void movedOn(size_t lane) {
    if (lane < seen_.size())
      seen_[lane].stood = absl::ZeroDuration();
  }
  void reset() { seen_.clear(); }
  std::vector<StandingLane> look(std::span<const std::unique_ptr<executor::Lane>> lanes,
                                 absl::Time now);

private:
  struct Seen {
    executor::Lane::Progress at;
    absl::Duration stood;
  };
  std::vector<Seen> seen_; ///< by lane
  absl::Time last_ = absl::InfinitePast();
};

} // namespace graphc::session
#endif
