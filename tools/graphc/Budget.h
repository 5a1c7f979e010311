//===- Budget.h - limits of cluster.json that a plan must keep ----------------------------------------------*- C++ -*-===//
#ifndef GRAPHC_TOOLS_GRAPHC_BUDGET_H
#define GRAPHC_TOOLS_GRAPHC_BUDGET_H

#include "runtime/cluster/ClusterConfig.h"
#include "runtime/plan/plan.pb.h"

#include "llvm/Support/raw_ostream.h"

namespace graphc {

/// Whether the plan keeps the budget of its cluster. Where not, says on `os` by how much, and what takes most of it with
/// the model's lines.
bool keepsBudget(const plan::Plan &plan, const cluster::ClusterConfig &cluster, llvm::raw_ostream &os);

} // namespace graphc

#endif
