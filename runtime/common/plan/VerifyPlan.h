//===- VerifyPlan.h - everything a plan must satisfy before anything of it runs -----*- C++ -*-===//
//
// The runtime trusts a verified plan: no later code checks an index or a size again. So a rule that
// the executor relies on and that is not here is a defect of this file.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_COMMON_PLAN_VERIFYPLAN_H
#define GRAPHC_RUNTIME_COMMON_PLAN_VERIFYPLAN_H

#include "runtime/common/plan/plan.pb.h"

#include "absl/status/status.h"

namespace graphc::plan {

/// Upper limits on counts and sizes: far beyond any real plan, small enough that a hostile one
/// cannot exhaust a machine by its tables alone.
struct PlanLimits {
  static constexpr int tasks = 1 << 16;
  static constexpr int tableEntries = 1 << 20;
  static constexpr int rank = 16;
  static constexpr uint64_t bytes = uint64_t(1) << 46; ///< of one buffer, arena or message
  static constexpr uint32_t capacity = 1 << 10;
  static constexpr int64_t units = INT32_MAX; ///< of one message of an actual size
  /// instances of all channels, or of all programs, together
  static constexpr uint64_t ports = uint64_t(1) << 22;
  /// instructions of a step in loops, each as often as it is done
  static constexpr uint64_t repeated = uint64_t(1) << 30;
  static constexpr int nameBytes = 4096;
  static constexpr uint32_t threads = 1024; ///< of one kernel
};

/// OK, or InvalidArgument with what is wrong where ("program train.ps0: instruction 3
/// (model.mlir:12:8): …"). Never crashes, whatever the plan holds.
absl::Status verifyPlan(const Plan &plan);

} // namespace graphc::plan
#endif
