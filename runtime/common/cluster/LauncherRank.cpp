#include "runtime/common/cluster/LauncherRank.h"

#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/base/TextUtils.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"

#include <algorithm>

namespace graphc::cluster {
namespace {
/// Below the ports that the kernel gives to outgoing connections, and below Kubernetes' NodePorts.
constexpr uint32_t kFirstPort = 20000, kPorts = 10000;

constexpr char kInteractiveStep[] = "4294967290"; // SLURM_INTERACTIVE_STEP

/// A port that follows from the name of the start (FNV-1a).
uint16_t portOf(std::string_view run) {
  uint32_t hash = 2166136261u;
  for (char c : run)
    hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return static_cast<uint16_t>(kFirstPort + hash % kPorts);
}

/// What a launcher calls a start, as a part of a file's name.
std::string plain(std::string text) {
  for (char &c : text)
    if (!absl::ascii_isalnum(static_cast<unsigned char>(c)) && c != '.' && c != '-' && c != '_')
      c = '_';
  return text.substr(0, 100);
}

std::string tasksText(const std::vector<PlanJob> &plan) {
  return absl::StrJoin(plan, ", ", [](std::string *out, const PlanJob &job) {
    absl::StrAppend(out, job.tasks, " ", job.name, job.tasks == 1 ? " task" : " tasks");
  });
}

std::string label(const TaskRef &task) { return absl::StrCat(task.job, ":", task.index); }

class Launchers {
public:
  Launchers(const EnvironmentVariables &environment, std::string_view hostName,
            const std::vector<PlanJob> &plan, const TaskRef &chief)
      : environment_(environment), hostName_(hostName), plan_(plan), chief_(chief) {}

  absl::StatusOr<std::optional<LauncherRank>> ask() const {
    if (has({"RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"}))
      return torchrun();
    if (has({"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"}))
      return openMpi();
    // Only in a step: a batch script has a rank too, its own, and starts its steps itself; so does
    // salloc's shell, a step by name.
    if (has({"SLURM_JOB_ID", "SLURM_STEP_ID", "SLURM_PROCID"}) &&
        text("SLURM_STEP_ID") != kInteractiveStep)
      return slurm();
    if (has({"JOB_COMPLETION_INDEX"}))
      return jobSet();
    return std::nullopt;
  }

private:
  std::string text(std::string_view name) const {
    auto found = environment_.find(name);
    return found == environment_.end() ? "" : found->second;
  }
  bool has(std::initializer_list<std::string_view> names) const {
    return std::all_of(names.begin(), names.end(),
                       [this](std::string_view name) { return !text(name).empty(); });
  }
  absl::StatusOr<uint32_t> number(std::string_view name) const {
    uint32_t value = 0;
    if (std::string found = text(name);
        found.size() > 9 || !std::all_of(found.begin(), found.end(), absl::ascii_isdigit) ||
        !absl::SimpleAtoi(found, &value))
      return absl::InvalidArgumentError(absl::StrCat(base::view(name), "=",
                                                     base::quoteJson(found.substr(0, 40)),
                                                     ": expected a whole number"));
    return value;
  }

  /// Fills in the rank that `rankName` has, of as many as `sizeName` says.
  absl::StatusOr<std::optional<LauncherRank>> ranked(LauncherRank rank, std::string_view rankName,
                                                     std::string_view sizeName,
                                                     std::string_view remedy,
                                                     std::string_view behind = "") const {
    GRAPHC_ASSIGN_OR_RETURN(rank.rank, number(rankName));
    GRAPHC_ASSIGN_OR_RETURN(uint32_t size, number(sizeName));
    const std::vector<TaskRef> tasks = tasksByRank(plan_, chief_);
    if (size != tasks.size())
      return absl::FailedPreconditionError(absl::StrCat(
          rank.launcher, " has ", size, size == 1 ? " process" : " processes", " (",
          base::view(sizeName), "), but the plan was compiled for ", tasks.size(),
          tasks.size() == 1 ? " task" : " tasks", " (", tasksText(plan_), "); ", base::view(remedy),
          tasks.size(), base::view(behind),
          ", compile the model again, or give --local to start every task in each process"));
    if (rank.rank >= size)
      return absl::InvalidArgumentError(absl::StrCat(base::view(rankName), "=", rank.rank,
                                                     ": expected a number below ",
                                                     base::view(sizeName), "=", size));
    rank.task = tasks[rank.rank];
    rank.run = plain(std::move(rank.run));
    if (rank.port == 0)
      rank.port = portOf(rank.run);
    return rank;
  }

  absl::StatusOr<std::optional<LauncherRank>> torchrun() const {
    LauncherRank rank;
    std::string id = text("TORCHELASTIC_RUN_ID"), master = text("MASTER_ADDR"),
                port = text("MASTER_PORT");
    rank.launcher = absl::StrCat("torchrun's run ", id.empty() ? "" : absl::StrCat(id, " "), "at ",
                                 master, ":", port);
    rank.run = absl::StrCat("torchrun-", id, "-", master, "-", port, "-",
                            text("TORCHELASTIC_RESTART_COUNT"));
    GRAPHC_ASSIGN_OR_RETURN(uint32_t number, this->number("MASTER_PORT"));
    if (number == 0 || number > 65535)
      return absl::InvalidArgumentError(
          absl::StrCat("MASTER_PORT=", number, ": expected a port from 1 to 65535"));
    rank.oneHost = has({"LOCAL_WORLD_SIZE"}) ? text("LOCAL_WORLD_SIZE") == text("WORLD_SIZE")
                                             : isLoopbackAddress(absl::StrCat(master, ":", port));
    // torchrun's agent itself may listen at this port.
    if (absl::AsciiStrToLower(text("TORCHELASTIC_USE_AGENT_STORE")) != "true")
      rank.port = static_cast<uint16_t>(number);
    return ranked(std::move(rank), "RANK", "WORLD_SIZE",
                  "start it with torchrun --nproc_per_node ");
  }

  absl::StatusOr<std::optional<LauncherRank>> openMpi() const {
    std::string job = text("PMIX_NAMESPACE");
    if (job.empty())
      job = text("OMPI_MCA_ess_base_jobid");
    if (job.empty())
      return absl::InvalidArgumentError(
          "OMPI_COMM_WORLD_RANK is set and neither PMIX_NAMESPACE nor OMPI_MCA_ess_base_jobid is: the job has no "
          "name by which its processes could find each other; start them with mpirun, or unset it");
    LauncherRank rank;
    rank.launcher = absl::StrCat("Open MPI's job ", job);
    rank.run = absl::StrCat("mpi-", job);
    rank.oneHost = text("OMPI_COMM_WORLD_LOCAL_SIZE") == text("OMPI_COMM_WORLD_SIZE");
    return ranked(std::move(rank), "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE",
                  "start it with mpirun -n ");
  }

  absl::StatusOr<std::optional<LauncherRank>> slurm() const {
    LauncherRank rank;
    std::string step = absl::StrCat(text("SLURM_JOB_ID"), ".", text("SLURM_STEP_ID"));
    rank.launcher = absl::StrCat("Slurm's step ", step);
    rank.run = absl::StrCat("slurm-", step);
    if (std::string restarts = text("SLURM_RESTART_COUNT"); !restarts.empty())
      absl::StrAppend(&rank.run, "-", restarts);
    rank.oneHost =
        text(has({"SLURM_STEP_NUM_NODES"}) ? "SLURM_STEP_NUM_NODES" : "SLURM_NNODES") == "1";
    // A step of several components of a heterogeneous job numbers and counts its processes through
    // all of them.
    const std::string components = text("SLURM_HET_SIZE");
    return ranked(
        std::move(rank), "SLURM_PROCID",
        has({"SLURM_STEP_NUM_TASKS"}) ? "SLURM_STEP_NUM_TASKS" : "SLURM_NTASKS",
        components.empty() || components == "1"
            ? "start it with srun -n"
            : "start it with srun --het-group and all of the job's components (SLURM_HET_SIZE), which have to have ",
        components.empty() || components == "1" ? "" : " processes");
  }

  /// A pod of a JobSet is called SET-JOB-REPLICA-INDEX, in the domain SET. Another kind of job is
  /// none of ours.
  absl::StatusOr<std::optional<LauncherRank>> jobSet() const {
    GRAPHC_ASSIGN_OR_RETURN(uint32_t index, number("JOB_COMPLETION_INDEX"));
    std::string host(hostName_.substr(0, hostName_.find('.')));
    // What stands before the index is the replica, and before that the job's name.
    std::string own = absl::StrCat("-", index);
    if (!absl::EndsWith(host, own))
      return std::nullopt;
    std::string front = host.substr(0, host.size() - own.size());
    size_t dash = front.find_last_not_of("0123456789");
    if (dash == std::string::npos || dash + 1 == front.size() || front[dash] != '-')
      return std::nullopt;
    std::string replica = front.substr(dash + 1);
    front.resize(dash);
    const PlanJob *job = nullptr;
    for (const PlanJob &one : plan_)
      if (std::string end = absl::StrCat("-", podName(one.name));
          absl::EndsWith(front, end) && front.size() > end.size() &&
          (!job || one.name.size() > job->name.size()))
        job = &one;
    if (!job || replica != "0")
      return absl::FailedPreconditionError(absl::StrCat(
          "JOB_COMPLETION_INDEX=", index, " and the host's name ", host,
          " say that this is a pod of a JobSet, ",
          job ? absl::StrCat("of replica ", replica, " of its job ", podName(job->name),
                             "; expected one replica, with "
                             "parallelism and completions ",
                             job->tasks)
              : absl::StrCat("of a job that the plan has not; it was compiled for ",
                             tasksText(plan_), ", and the replicated jobs have to be called so"),
          ". --local starts every task in each pod"));
    std::string set = front.substr(0, front.size() - podName(job->name).size() - 1);
    LauncherRank rank;
    rank.launcher = absl::StrCat("the JobSet ", set);
    rank.run = plain(absl::StrCat("jobset-", set, text("JOBSET_RESTART_ATTEMPT").empty() ? "" : "-",
                                  text("JOBSET_RESTART_ATTEMPT")));
    if (index >= job->tasks)
      return absl::FailedPreconditionError(absl::StrCat(
          "JOB_COMPLETION_INDEX=", index, " of ", host, ": the plan was compiled for ",
          tasksText(plan_), "; give the replicated job ", podName(job->name),
          " parallelism and completions ", job->tasks, ", or compile the model again"));
    rank.task = {job->name, index};
    const std::vector<TaskRef> tasks = tasksByRank(plan_, chief_);
    rank.rank =
        static_cast<uint32_t>(std::find(tasks.begin(), tasks.end(), rank.task) - tasks.begin());
    for (const PlanJob &one : plan_)
      for (uint32_t i = 0; i < one.tasks; ++i)
        rank.addresses[one.name].push_back(
            absl::StrCat(set, "-", podName(one.name), "-0-", i, ".", set, ":", kPodPort));
    return rank;
  }
  const EnvironmentVariables &environment_;
  const std::string_view hostName_;
  const std::vector<PlanJob> &plan_;
  const TaskRef chief_;
};
} // namespace

std::string podName(const std::string &job) {
  return absl::StrReplaceAll(absl::AsciiStrToLower(job), {{"_", "-"}});
}

absl::StatusOr<std::optional<LauncherRank>> rankOf(const EnvironmentVariables &environment,
                                                   std::string_view hostName,
                                                   const std::vector<PlanJob> &plan,
                                                   const TaskRef &chief) {
  return Launchers(environment, hostName, plan, chief).ask();
}

std::vector<TaskRef> tasksByRank(const std::vector<PlanJob> &plan, const TaskRef &chief) {
  std::vector<TaskRef> tasks = {chief};
  for (const PlanJob &job : plan)
    for (uint32_t i = 0; i < job.tasks; ++i)
      if (TaskRef task{job.name, i}; !(task == chief))
        tasks.push_back(task);
  return tasks;
}

std::string describeRanks(const std::vector<TaskRef> &tasks) {
  std::string text = "rank ";
  for (size_t begin = 0, end = 0; begin < tasks.size(); begin = end) {
    for (end = begin + 1; end < tasks.size() && tasks[end].job == tasks[begin].job &&
                          tasks[end].index == tasks[end - 1].index + 1;)
      ++end;
    absl::StrAppend(&text, begin ? ", " : "", begin);
    if (end - begin == 1)
      absl::StrAppend(&text, " is ", label(tasks[begin]));
    else
      absl::StrAppend(&text, " to ", end - 1, " are ", label(tasks[begin]), " to ",
                      label(tasks[end - 1]));
  }
  return text;
}

} // namespace graphc::cluster
