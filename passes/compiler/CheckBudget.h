//===- CheckBudget.h - limits of cluster.json that a plan must keep -----------------*- C++ -*-===//
#ifndef GRAPHC_PASSES_COMPILER_CHECKBUDGET_H
#define GRAPHC_PASSES_COMPILER_CHECKBUDGET_H

#include "passes/compiler/Diagnostic.h"
#include "passes/compiler/PlanFacts.h"
#include "runtime/common/cluster/ClusterConfig.h"
#include "runtime/common/plan/plan.pb.h"

namespace graphc {

/// What a row of a plan needs of its device's memory beyond its limit.
struct MemoryExcess {
  unsigned row;
  uint64_t bytes;
};
std::vector<MemoryExcess> findMemoryExcesses(const PlanFootprint &footprint,
                                             const cluster::BudgetConfig &budget);

/// Whether the plan keeps the budget of its cluster. Where not, says by how much, and what takes
/// most of it with the model's lines.
bool keepsBudget(const plan::Plan &plan, const cluster::ClusterConfig &cluster,
                 const DiagnosticSink &sink);

} // namespace graphc

#endif
