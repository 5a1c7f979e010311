//===- StandalonePlan.h - one phase of a plan, for one process alone ----------------*- C++ -*-===//
//
// The programs of the phase stay as they are, instruction for instruction, and so do its bits; what
// changes is where they run. Each device of each task of the cluster becomes one of the only task,
// and its channels are within the process. What the phase does not use (other phases, kernels,
// constants, data sets, variables) is left out.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_COMMON_PLAN_STANDALONEPLAN_H
#define GRAPHC_RUNTIME_COMMON_PLAN_STANDALONEPLAN_H

#include "runtime/common/plan/plan.pb.h"

#include "absl/status/statusor.h"

#include <string>

namespace graphc::plan {

/// Of a verified plan, its phase of this role, as a verified plan of one task of `job`. NotFound:
/// it has no such phase.
absl::StatusOr<Plan> standalonePlan(const Plan &plan, Role role, const std::string &job);

} // namespace graphc::plan
#endif
