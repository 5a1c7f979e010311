//===- ProcessRole.h - what a process of graphrun is in a run -----------------------*- C++ -*-===//
//
// By its launch context, its flags, the cluster's file, the environment and other launchers, in
// this order. main.cpp has one function for each role.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_TOOLS_GRAPHRUN_PROCESSROLE_H
#define GRAPHC_TOOLS_GRAPHRUN_PROCESSROLE_H

#include "runtime/common/cluster/LauncherRank.h"
#include "runtime/common/cluster/TaskAddresses.h"
#include "runtime/common/plan/PlanFile.h"
#include "runtime/launch/LaunchContext.h"
#include "runtime/tls/TlsCredentials.h"
#include "tools/graphrun/RunFlags.h"

#include "absl/status/statusor.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace graphc::graphrun {

enum class ProcessRole {
  LaunchedTask, ///< a launcher or the session of a program has started it
  Evaluator, ///< follows the checkpoints of a training
  Client, ///< --master: the chief of waiting servers
  Task, ///< one task, by hand or as a rank of another launcher
  SingleTask, ///< of a plan that has no other
  UnreachableTask, ///< of a check whose credentials are wrong: it looks at its own machine alone
  Launcher, ///< starts all tasks here
};

/// A command line with its plan, and what decideRole() has found out.
struct RunInvocation {
  const RunFlags &flags;
  const plan::LoadedPlan &plan;
  bool check = false; ///< graphrun check
  std::optional<launch::LaunchContext> launched;

  std::vector<std::string> wrong = {}; ///< a check reports everything, a run its first error
  /// an error only of a check
  absl::StatusOr<std::shared_ptr<const tls::TlsCredentials>> credentials = nullptr;
  cluster::ResolvedAddresses addresses = {};
  std::optional<cluster::TaskRef> task = {}; ///< of a task that was named
  std::optional<cluster::LauncherRank> rank = {}; ///< another launcher named it
};

/// The error is one of the command line or the environment.
absl::StatusOr<ProcessRole> decideRole(RunInvocation &invocation);

/// The number of a task that flags name.
absl::StatusOr<uint32_t> taskNumber(const plan::Plan &plan, const std::string &job, uint32_t index);
/// "worker:1 is 10.0.0.5:2222", the first task that is not on this machine's loopback; "" if all
/// are.
std::string foreignTask(const cluster::ResolvedAddresses &resolved);

} // namespace graphc::graphrun
#endif
