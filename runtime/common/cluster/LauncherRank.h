//===- LauncherRank.h - who a process is that somebody else's launcher has started --*- C++ -*-===//
//
// torchrun, mpirun (Open MPI), srun (Slurm) and Kubernetes' JobSet start N processes with one
// command line and tell each its place in the environment. Rank 0 is the plan's chief, since the
// place of rank 0 is what such launchers promise; the ranks behind it are the other tasks in the
// plan's order. A launcher that is started by another one (torchrun or mpirun by srun) is the one
// that counts, so they are asked in that order.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_COMMON_CLUSTER_LAUNCHERRANK_H
#define GRAPHC_RUNTIME_COMMON_CLUSTER_LAUNCHERRANK_H

#include "runtime/common/cluster/TaskAddresses.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace graphc::cluster {

using EnvironmentVariables = std::map<std::string, std::string, std::less<>>;

/// Every pod of a JobSet listens here: each has an address of its own.
inline constexpr uint16_t kPodPort = 2222;
/// What a job of a plan is called there: Kubernetes has no '_' and no capitals in names.
std::string podName(const std::string &job);

struct LauncherRank {
  std::string launcher; ///< for people: "Slurm's step 12.0"
  /// Of this start: the same in all its processes, and another in any other start. Letters, digits,
  /// '.', '-' and '_'.
  std::string run;
  uint32_t rank = 0;
  TaskRef task;
  bool oneHost = false; ///< all of them are on this machine
  uint16_t port = 0; ///< where the chief listens, on one host
  /// Job → one address a task, where the launcher says how its hosts are called (JobSet); else
  /// empty, and the tasks have to find the chief and tell it where they are.
  std::map<std::string, std::vector<std::string>> addresses;
  bool operator==(const LauncherRank &) const = default;
};

/// None: no launcher's variables are there. An error names the variable, or both numbers where
/// there are not as many processes as the plan has tasks. `hostName`: of this machine, by which
/// JobSet tells the jobs apart.
absl::StatusOr<std::optional<LauncherRank>> rankOf(const EnvironmentVariables &environment,
                                                   std::string_view hostName,
                                                   const std::vector<PlanJob> &plan,
                                                   const TaskRef &chief);

/// Which task each rank is: the chief, then all others in the plan's order.
std::vector<TaskRef> tasksByRank(const std::vector<PlanJob> &plan, const TaskRef &chief);

/// "rank 0 is worker:0, 1 is ps:0, 2 to 50 are worker:1 to worker:49".
std::string describeRanks(const std::vector<TaskRef> &tasks);

} // namespace graphc::cluster
#endif
