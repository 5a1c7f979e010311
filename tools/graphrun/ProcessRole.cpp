#include "tools/graphrun/ProcessRole.h"

#include "runtime/api/RankRendezvous.h"
#include "runtime/api/TaskRendezvous.h"
#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/plan/PlanTypes.h"
#include "runtime/session/master/MasterDriver.h"
#include "tools/graphrun/EvaluatorMain.h"
#include "tools/graphrun/TaskMain.h"
#include "tools/graphrun/check/CheckFiles.h"
#include "tools/graphrun/status/StatusServer.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

#include <cstdlib>

namespace graphc::graphrun {
namespace {
absl::StatusOr<cluster::ResolvedAddresses> addressesOf(const plan::Plan &plan,
                                                       const RunFlags &flags) {
  cluster::AddressSources sources;
  sources.flags = flags.hosts;
  if (!flags.clusterFile.empty()) {
    GRAPHC_ASSIGN_OR_RETURN(sources.file, cluster::readClusterFile(flags.clusterFile));
  }
  if (const char *environment = std::getenv("TF_CONFIG"); environment && *environment)
    sources.environment = environment;
  return cluster::resolveAddresses(session::jobsOf(plan), sources);
}

/// A TF_CONFIG that names this process's task, and is not used, is a mistake and no wish to start
/// the others here.
absl::Status checkEnvironment(const cluster::ResolvedAddresses &resolved) {
  const char *text = std::getenv("TF_CONFIG");
  for (const std::string &note : resolved.notes)
    if (absl::StartsWith(note, "TF_CONFIG") && text && absl::StrContains(text, "\"task\""))
      return absl::InvalidArgumentError(absl::StrCat(
          note,
          "; it names this process's task, so the others are not started: mend it, unset it, or give "
          "--local or --job_name"));
  return absl::OkStatus();
}

/// What the plan, the files and the credentials refuse before anything is known of tasks.
absl::Status checkCommand(RunInvocation &in) {
  GRAPHC_RETURN_IF_ERROR(session::MasterDriver::validate(in.plan.plan, driverOptions(in.flags)));
  if (in.launched) // its launcher has looked
    return absl::OkStatus();
  if (!in.check)
    GRAPHC_RETURN_IF_ERROR(checkStatusFlags(in.flags, !in.flags.tls.certificate.empty() ||
                                                          !in.flags.jobDirectory.empty()));
  if (absl::Status files = checkFiles(in.plan.plan, in.flags, in.check); !files.ok()) {
    if (!in.check)
      return files;
    in.wrong.push_back(base::describe(files));
  }
  in.credentials = credentialsOf(in.flags);
  if (!in.credentials.ok()) {
    if (!in.check)
      return in.credentials.status();
    in.wrong.push_back(base::describe(in.credentials.status()));
  }
  return absl::OkStatus();
}

/// Which task this is by --job_name, the cluster's file or TF_CONFIG; else by what another launcher
/// has put into the environment.
absl::Status findTask(RunInvocation &in) {
  const RunFlags &flags = in.flags;
  GRAPHC_ASSIGN_OR_RETURN(in.addresses, addressesOf(in.plan.plan, flags));
  in.task = flags.local ? std::nullopt : in.addresses.task;
  if (!flags.jobName.empty())
    in.task = cluster::TaskRef{flags.jobName, flags.taskIndex.value_or(0)};
  if (in.task || flags.local)
    return absl::OkStatus();
  GRAPHC_RETURN_IF_ERROR(checkEnvironment(in.addresses));
  GRAPHC_ASSIGN_OR_RETURN(in.rank, session::rankOf(in.plan.plan, flags.rankOrder));
  if (!in.rank)
    return absl::OkStatus();
  if (flags.maxRestarts > 0 && !in.check)
    return absl::InvalidArgumentError(absl::StrCat(
        "--max_restarts is for a run whose tasks graphrun starts all here, and this is a process of ",
        in.rank->launcher, "; graphrun submit prints how that begins again"));
  in.task = in.rank->task;
  if (in.addresses.addresses.empty())
    in.addresses.addresses = in.rank->addresses;
  return absl::OkStatus();
}

/// What is for a launcher alone.
absl::Status checkOneTask(const RunFlags &flags) {
  if (flags.maxRestarts > 0)
    return absl::InvalidArgumentError(
        "--max_restarts is for a run whose tasks graphrun starts all here, and the environment names one task: leave "
        "it out, or have what starts this task start it again");
  if (flags.evaluator)
    return absl::InvalidArgumentError(
        "--evaluator is for a run whose tasks graphrun starts all here, and the environment names one task: leave it "
        "out, and start graphrun model.plan --job_name evaluator --checkpoint_dir DIR beside them");
  return absl::OkStatus();
}

} // namespace

absl::StatusOr<uint32_t> taskNumber(const plan::Plan &plan, const std::string &job,
                                    uint32_t index) {
  return plan::findTask(plan, job, index, "--job_name", "--task_index");
}

/// "worker:1 is 10.0.0.5:2222", the first task that is not on this machine's loopback; "" if all
/// are.
std::string foreignTask(const cluster::ResolvedAddresses &resolved) {
  for (const auto &[job, addresses] : resolved.addresses)
    for (size_t i = 0; i < addresses.size(); ++i)
      if (!cluster::isLoopbackAddress(addresses[i]))
        return absl::StrCat(job, ":", i, " is ", addresses[i]);
  return "";
}

absl::StatusOr<ProcessRole> decideRole(RunInvocation &in) {
  const RunFlags &flags = in.flags;
  const plan::Plan &plan = in.plan.plan;
  if (isEvaluator(plan, flags.jobName))
    return ProcessRole::Evaluator;
  GRAPHC_RETURN_IF_ERROR(checkCommand(in));
  if (in.launched)
    return ProcessRole::LaunchedTask;
  if (!flags.master.empty() && in.credentials.ok())
    return ProcessRole::Client;
  GRAPHC_RETURN_IF_ERROR(findTask(in));
  if (in.task && isEvaluator(plan, in.task->job))
    return ProcessRole::Evaluator;
  if (!in.credentials.ok())
    return ProcessRole::UnreachableTask;
  if (in.task) {
    if (!in.check)
      GRAPHC_RETURN_IF_ERROR(checkOneTask(flags));
    return ProcessRole::Task;
  }
  if (std::string foreign = foreignTask(in.addresses); !foreign.empty() && !flags.local)
    return absl::InvalidArgumentError(absl::StrCat(
        "the cluster names another machine (", foreign,
        "): give --local to start every task on this one, or --job_name and --task_index "
        "to run one task here (docs/multi-host.md)"));
  if (plan::allTasks(plan).size() == 1 &&
      (in.check || (flags.maxRestarts == 0 && !flags.evaluator)))
    return ProcessRole::SingleTask;
  if (flags.evaluator)
    GRAPHC_RETURN_IF_ERROR(checkEvaluator(plan, flags));
  return ProcessRole::Launcher;
}

} // namespace graphc::graphrun
