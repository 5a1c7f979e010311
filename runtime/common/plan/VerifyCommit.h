//===- VerifyCommit.h - the commit point of a step ----------------------------------*- C++ -*-===//
//
// A program may say from which instruction on it writes variables (Program.commit_point). Then
// whatever ends a step, a peer's death above all, finds its task's variables whole: as they were
// before the step, or as they are behind it. Nothing before the commit point writes one; from it on
// there are calls and what counts micro-batches alone, which wait for nobody, so that the step
// comes to its end.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_COMMON_PLAN_VERIFYCOMMIT_H
#define GRAPHC_RUNTIME_COMMON_PLAN_VERIFYCOMMIT_H

#include "runtime/common/plan/plan.pb.h"

#include "absl/status/status.h"

namespace graphc::plan {

/// Whether a task that has lost another can be whole: a phase of training has a program with a
/// commit point.
bool recoversFromMemory(const Plan &plan);

namespace detail {
/// Of a program whose instructions were verified. In a plan with a commit point each program that
/// writes variables has one.
absl::Status checkCommitPoint(const Plan &plan, const Program &program);
} // namespace detail
} // namespace graphc::plan
#endif
