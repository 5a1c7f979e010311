//===- Ranks.h - a task that another launcher has started: srun, mpirun, torchrun, JobSet ----------------------*- C++ -*-===//
#ifndef GRAPHC_TOOLS_GRAPHRUN_RANKS_H
#define GRAPHC_TOOLS_GRAPHRUN_RANKS_H

#include "runtime/cluster/Rank.h"
#include "runtime/plan/plan.pb.h"
#include "tools/graphrun/TaskMain.h"

namespace graphc::graphrun {

/// Who this process is by its environment; none: no launcher's variables are there.
absl::StatusOr<std::optional<cluster::Rank>> rankOf(const plan::Plan &plan);

/// For the user: which task this is and why; the chief says which task each rank is.
std::string describe(const plan::Plan &plan, const cluster::Rank &rank);

/// The task of a rank where no address was given: the chief listens where all look for it, any other at a port of its own, which
/// it tells the chief. GPUs are dealt among the tasks of a host. `setup->task` is set.
absl::Status meet(const plan::Plan &plan, const Flags &flags, const cluster::Rank &rank, TaskSetup *setup);

/// With --job_dir: certificates, and, where `setup->addresses` has none, this task's address and the chief's. `run` is the folder's
/// name there. Waits for the chief.
absl::Status enterJobFolder(const plan::Plan &plan, const Flags &flags, const std::string &run, TaskSetup *setup);

} // namespace graphc::graphrun
#endif
