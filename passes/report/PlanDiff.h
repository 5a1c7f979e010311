//===- PlanDiff.h - what differs between two plans ----------------------------------*- C++ -*-===//
#ifndef GRAPHC_PASSES_REPORT_PLANDIFF_H
#define GRAPHC_PASSES_REPORT_PLANDIFF_H

#include "runtime/common/plan/PlanFile.h"

namespace graphc {

/// What moved from one plan to another, what now crosses a link, what it costs, and why.
std::string diff(const plan::LoadedPlan &before, const plan::LoadedPlan &after);

} // namespace graphc

#endif
