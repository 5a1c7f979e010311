// What of a plan follows from its instructions, for plans that are made or changed by hand.
#ifndef GRAPHC_TEST_RUNTIME_COMMON_PLAN_COMPLETEPLAN_H
#define GRAPHC_TEST_RUNTIME_COMMON_PLAN_COMPLETEPLAN_H

#include "runtime/common/plan/plan.pb.h"

namespace graphc::plan {

/// Byte totals of each program, and numbers for its events that grow along every edge where that is
/// possible. Any plan.
void completePlan(Plan &plan);

} // namespace graphc::plan
#endif
