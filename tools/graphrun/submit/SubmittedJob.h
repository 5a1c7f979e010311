//===- SubmittedJob.h - what graphrun submit was asked for --------------------------*- C++ -*-===//
#ifndef GRAPHC_TOOLS_GRAPHRUN_SUBMIT_SUBMITTEDJOB_H
#define GRAPHC_TOOLS_GRAPHRUN_SUBMIT_SUBMITTEDJOB_H

#include "runtime/common/plan/PlanFile.h"
#include "tools/graphrun/RunFlags.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace graphc::graphrun {

/// A job of the plan that has nodes of its own.
struct NodeSelector {
  std::string job;
  uint32_t nodes = 0; ///< Slurm: so many
  std::string partition; ///< Slurm: of this one; empty: the other nodes'
  std::string label, value; ///< Kubernetes: those that have it; empty: any
};

struct SubmittedJob {
  std::string engine, name, image;
  uint32_t nodes = 1;
  uint32_t restarts = 10;
  std::string partition; ///< Slurm's
  std::string apart; ///< JOB=N[:PARTITION] or JOB[:LABEL=VALUE], as given
  std::optional<NodeSelector> own; ///< the same, read
  bool beside = false;
  std::vector<std::string> volumes; ///< CLAIM:PATH
  std::vector<std::string> arguments; ///< of graphrun, the plan first, without --evaluator
  RunFlags flags; ///< these, read
  plan::LoadedPlan plan;
  size_t tasks = 0;
};

inline const plan::Job &chiefsJob(const SubmittedJob &job) {
  return job.plan.plan.jobs(static_cast<int>(job.plan.plan.chief().job()));
}

} // namespace graphc::graphrun
#endif
