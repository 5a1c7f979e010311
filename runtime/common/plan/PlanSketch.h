//===- PlanSketch.h - a plan without what it computes: enough to say where a lane is ----------===//
#ifndef GRAPHC_RUNTIME_COMMON_PLAN_PLANSKETCH_H
#define GRAPHC_RUNTIME_COMMON_PLAN_PLANSKETCH_H

#include "runtime/common/plan/plan.pb.h"

#include "absl/status/status.h"

namespace graphc::plan {

/// The plan without code, constants, values and buffers. It does not run, and verifyPlan refuses
/// it; LanePosition.h takes it.
Plan sketchOf(const Plan &plan);

/// Of any bytes that parse: whether everything that LanePosition.h looks up in a sketch is there.
absl::Status checkSketch(const Plan &sketch);

} // namespace graphc::plan
#endif
