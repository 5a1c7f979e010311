//===- EvaluatorMain.h - this process is the evaluator of a training ----------------*- C++ -*-===//
#ifndef GRAPHC_TOOLS_GRAPHRUN_EVALUATORMAIN_H
#define GRAPHC_TOOLS_GRAPHRUN_EVALUATORMAIN_H

#include "runtime/common/plan/PlanFile.h"
#include "runtime/launch/LauncherMessages.h"
#include "tools/graphrun/RunFlags.h"

namespace graphc::graphrun {

/// Whether a job's name means the evaluator, which is no task of the plan.
bool isEvaluator(const plan::Plan &plan, const std::string &job);
/// What a command line asks of an evaluator, here or beside the tasks, that cannot be.
absl::Status checkEvaluator(const plan::Plan &plan, const RunFlags &flags);

/// Follows the checkpoints until training is over; returns the exit status, and has said why.
/// `check`: of graphrun check. `launcher`: that which has started this, handles signals and knows
/// whether training lives; null: it was started by hand.
int evaluate(bool check, const RunFlags &flags, const plan::Plan &plan,
             launch::LauncherMessages *launcher);

} // namespace graphc::graphrun
#endif
