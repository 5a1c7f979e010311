#include "runtime/api/TaskRendezvous.h"

#include "runtime/api/RankRendezvous.h"
#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/plan/PlanTypes.h"
#include "runtime/service/RunSecret.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include <cstdlib>

namespace graphc::session {
namespace {
constexpr char kScheme[] = "grpc://";

absl::StatusOr<uint32_t> numberOf(const plan::Plan &plan, const std::string &job, uint32_t index) {
  return plan::findTask(plan, job, index, "jobName", "taskIndex");
}

/// Job → addresses, and which task this is where TF_CONFIG or a launcher says so.
absl::StatusOr<cluster::ResolvedAddresses> resolve(const plan::Plan &plan,
                                                   const ClusterOptions &options,
                                                   std::optional<cluster::LauncherRank> *rank) {
  cluster::AddressSources sources;
  sources.flags = options.hosts;
  if (const char *environment = std::getenv("TF_CONFIG");
      environment && *environment && options.hosts.empty())
    sources.environment = environment;
  GRAPHC_ASSIGN_OR_RETURN(cluster::ResolvedAddresses resolved,
                          cluster::resolveAddresses(jobsOf(plan), sources));
  if (resolved.addresses.empty() && options.jobName.empty()) {
    GRAPHC_ASSIGN_OR_RETURN(*rank, rankOf(plan, options.rankOrder));
    if (*rank) {
      resolved.task = (*rank)->task;
      resolved.addresses = (*rank)->addresses;
    }
  }
  if (resolved.addresses.empty() && !*rank)
    return absl::InvalidArgumentError(absl::StrCat(
        "the plan of ", plan.model(), " has ", plan::allTasks(plan).size(),
        " tasks, and nothing says where the others are: ClusterOptions::graphrun starts them here, "
        "ClusterOptions::master is the client of servers that wait, ClusterOptions::hosts or TF_CONFIG has "
        "their addresses, or srun, mpirun, torchrun or a JobSet starts all of them",
        resolved.notes.empty() ? ""
                               : absl::StrCat(" (", absl::StrJoin(resolved.notes, "; "), ")")));
  return resolved;
}

/// Its certificate, or without one the user's secret, which is for this machine's loopback alone.
absl::Status identify(const plan::Plan &plan, const ClusterOptions &options, TaskPlace *place) {
  const tls::CredentialFiles &files = options.tls;
  if (!files.certificate.empty() || !files.key.empty() || !files.authority.empty()) {
    GRAPHC_ASSIGN_OR_RETURN(auto credentials, tls::TlsCredentials::load(files));
    GRAPHC_RETURN_IF_ERROR(credentials->checkOwn(
        plan::taskText(plan, plan::allTasks(plan)[place->task]), place->addresses[place->task]));
    place->identity.credentials = std::move(credentials);
    return absl::OkStatus();
  }
  for (const std::string &address : place->addresses)
    if (!address.empty() && !cluster::isLoopbackAddress(address))
      return absl::InvalidArgumentError(absl::StrCat(
          address, " is not this machine's loopback: tasks on other machines need mutual TLS; give "
                   "ClusterOptions::tls (graphrun certs makes the files) or jobDirectory"));
  GRAPHC_ASSIGN_OR_RETURN(place->identity.secret, service::userSecret());
  return absl::OkStatus();
}
} // namespace

std::vector<cluster::PlanJob> jobsOf(const plan::Plan &plan) {
  std::vector<cluster::PlanJob> jobs;
  for (const plan::Job &job : plan.jobs())
    jobs.push_back({job.name(), job.tasks()});
  return jobs;
}

absl::StatusOr<TaskPlace> findPlace(const plan::Plan &plan, const ClusterOptions &options) {
  TaskPlace place;
  const std::vector<plan::Task> tasks = plan::allTasks(plan);
  const uint32_t chief = plan::taskNumber(plan, plan.chief());
  place.task = chief;
  if (tasks.size() == 1)
    return place;
  if (!options.graphrun.empty() && !options.master.empty())
    return absl::InvalidArgumentError(
        "ClusterOptions::graphrun starts the other tasks, and ClusterOptions::master says "
        "that they wait as servers; give one of them");
  std::optional<cluster::ResolvedAddresses> resolved;
  if (options.graphrun.empty() && options.master.empty()) {
    GRAPHC_ASSIGN_OR_RETURN(resolved, resolve(plan, options, &place.rank));
  }
  if (!options.jobName.empty()) {
    GRAPHC_ASSIGN_OR_RETURN(place.task, numberOf(plan, options.jobName, options.taskIndex));
  } else if (resolved && resolved->task) {
    GRAPHC_ASSIGN_OR_RETURN(place.task, numberOf(plan, resolved->task->job, resolved->task->index));
  }
  place.chief = place.task == chief;
  if (!resolved && !place.chief)
    return absl::InvalidArgumentError(
        absl::StrCat("with ClusterOptions::", options.master.empty() ? "graphrun" : "master",
                     " this is the chief, ", plan::taskText(plan, tasks[chief]), ", and not ",
                     plan::taskText(plan, tasks[place.task]), "; leave jobName out"));
  if (!options.graphrun.empty()) {
    place.others = TaskPlace::Others::StartedHere;
    return place;
  }
  if (resolved) {
    place.others = TaskPlace::Others::ByHand;
    for (const plan::Job &job : plan.jobs())
      if (auto of = resolved->addresses.find(job.name()); of != resolved->addresses.end())
        place.addresses.insert(place.addresses.end(), of->second.begin(), of->second.end());
    if (place.addresses.empty() || !options.jobDirectory.empty())
      return place; // it meets the others first
  } else {
    place.others = TaskPlace::Others::Servers;
    place.addresses.resize(tasks.size());
    const std::string address =
        options.master.starts_with(kScheme) ? options.master.substr(sizeof kScheme - 1) : "";
    if (absl::Status status = cluster::checkAddress(address); !status.ok())
      return absl::InvalidArgumentError(
          absl::StrCat("ClusterOptions::master ", options.master, ": expected grpc://HOST:PORT"));
    place.addresses[chief] = address;
  }
  GRAPHC_RETURN_IF_ERROR(identify(plan, options, &place));
  return place;
}

absl::Status meet(const plan::Plan &plan, const ClusterOptions &options,
                  const std::function<void(const std::string &)> &log, TaskPlace *place) {
  const RendezvousOptions how = {options.jobDirectory, options.joinDeadline, log};
  RankRendezvous meeting;
  if (place->rank)
    log(describe(plan, options.rankOrder, *place->rank));
  if (place->addresses.empty()) {
    GRAPHC_ASSIGN_OR_RETURN(meeting, meet(plan, place->task, *place->rank, how));
  } else if (!options.jobDirectory.empty()) {
    meeting.addresses = place->addresses;
    GRAPHC_RETURN_IF_ERROR(enterJobFolder(
        plan, place->task, place->rank ? place->rank->run : jobFolderOf(place->addresses), how,
        &meeting));
  } else {
    return absl::OkStatus();
  }
  place->addresses = std::move(meeting.addresses);
  place->identity = std::move(meeting.identity);
  place->listener = std::move(meeting.listener);
  place->folder = std::move(meeting.folder);
  return absl::OkStatus();
}

} // namespace graphc::session
