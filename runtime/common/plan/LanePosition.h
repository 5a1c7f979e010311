//===- LanePosition.h - where in its program a lane is, in words --------------------*- C++ -*-===//
//
// What a waiting lane says of itself, what a task tells the chief of its lanes
// (session/hangs/LaneWatch.h) and what a recording keeps of them are the same few numbers. The
// plan, which all have, turns them into names, source lines and the lane at the other end.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_COMMON_PLAN_LANEPOSITION_H
#define GRAPHC_RUNTIME_COMMON_PLAN_LANEPOSITION_H

#include "runtime/common/plan/plan.pb.h"

#include <cstdint>
#include <optional>
#include <string>

namespace graphc::plan {

/// What a lane does at its place.
enum class LaneActivity : uint8_t {
  Works, ///< the instruction: a kernel, a copy, a sum
  Reads, ///< a batch that its data thread has to have made
  Receives, ///< waits for a message
  Sends, ///< waits for a free slot of a channel, or to have a buffer back that was sent
  Device, ///< waits for its device's queue
  Ticket, ///< waits for an update ticket, and so for the slowest worker (max_staleness)
  Choice, ///< waits for the first replicas that are ready
  Results, ///< waits for the chief to take results (--fetch)
  Between, ///< has ended its step, and has not begun the next one
};
inline constexpr uint32_t kDoings = uint32_t(LaneActivity::Between) + 1;

/// One instance of a program of the plan.
struct LaneName {
  uint32_t program = 0, instance = 0;
  friend auto operator<=>(const LaneName &, const LaneName &) = default;
};

struct LanePosition {
  LaneName lane;
  uint64_t step = 0; ///< of the running phase, from 0
  bool begins = false; ///< is not in its first step yet: sends what goes ahead of that
  uint32_t iteration = 0; ///< of a loop
  uint32_t instruction = 0; ///< of the plan's program; behind the last: as many as it has
  LaneActivity doing = LaneActivity::Works;
  uint32_t channel = 0; ///< Receives, Sends, Choice
  /// Receives, Sends: instance of the channel; Ticket: of the program, the slowest
  uint32_t peer = 0;
  uint64_t stepsBefore = 0; ///< that the lane made before the phase
};
/// The step's number for people: from 1, over all phases and restarts of a training.
inline uint64_t stepNumber(const LanePosition &place) { return place.stepsBefore + place.step + 1; }

// Of a verified plan, or of a sketch that checkSketch (PlanSketch.h) has let through, and of places
// that checkPlace has.
/// "/job:worker/task:1 train.worker[1]".
std::string laneText(const Plan &plan, const LaneName &lane);
/// The lane at the other end of an instance of a channel: the receiver's where the asker `sends`.
LaneName otherEnd(const Plan &plan, uint32_t channel, uint32_t instance, bool sends);
/// "receive train.w1.gradient[1] (model.mlir:12:8) from /job:worker/task:1 train.worker[1]".
std::string endText(const Plan &plan, uint32_t channel, uint32_t instance, bool sends);
/// Behind a lane's name: "waits at step 12 to " and the like, "computes kernel train.matmul_3
/// (model.mlir:3:4) at step 12".
std::string placeText(const Plan &plan, const LanePosition &place);

/// Whether it is a place of that task; `task`: number.
bool checkPlace(const Plan &plan, uint32_t task, const LanePosition &place);
/// Whether the lane at `peer` has done what `waits`, which receives from it or sends to it, waits
/// for. Then something is lost between the two. Nothing where the plan alone does not tell.
std::optional<bool> hasDone(const Plan &plan, const LanePosition &waits, const LanePosition &peer);

} // namespace graphc::plan
#endif
