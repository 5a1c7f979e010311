#include "runtime/api/RankRendezvous.h"

#include "runtime/api/TaskRendezvous.h"
#include "runtime/common/base/Sha256.h"
#include "runtime/common/base/Socket.h"
#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/base/TextUtils.h"
#include "runtime/common/plan/PlanTypes.h"
#include "runtime/observe/ProcessInfo.h"
#include "runtime/service/RunSecret.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"

#include <algorithm>
#include <unistd.h>

namespace graphc::session {
namespace {
cluster::TaskRef chiefOf(const plan::Plan &plan) {
  return {plan.jobs(static_cast<int>(plan.chief().job())).name(), plan.chief().index()};
}

std::vector<cluster::PlanJob> jobsInOrder(const plan::Plan &plan,
                                          const std::vector<std::string> &order) {
  std::vector<cluster::PlanJob> jobs = jobsOf(plan);
  auto place = [&](const cluster::PlanJob &job) {
    return std::find(order.begin(), order.end(), job.name);
  };
  if (!order.empty())
    std::sort(jobs.begin(), jobs.end(),
              [&](const auto &a, const auto &b) { return place(a) < place(b); });
  return jobs;
}
} // namespace

absl::Status checkRankOrder(const plan::Plan &plan, const std::vector<std::string> &order) {
  std::vector<std::string> names;
  for (const plan::Job &job : plan.jobs())
    names.push_back(job.name());
  std::vector<std::string> sorted = order;
  std::sort(sorted.begin(), sorted.end());
  std::sort(names.begin(), names.end());
  if (!order.empty() && sorted != names)
    return absl::InvalidArgumentError(
        absl::StrCat("--rank_order ", absl::StrJoin(order, ","),
                     ": expected each job of the plan once: ", absl::StrJoin(names, ", ")));
  return absl::OkStatus();
}

absl::StatusOr<std::optional<cluster::LauncherRank>> rankOf(const plan::Plan &plan,
                                                            const std::vector<std::string> &order) {
  GRAPHC_RETURN_IF_ERROR(checkRankOrder(plan, order));
  cluster::EnvironmentVariables environment;
  for (char **one = environ; *one; ++one) {
    std::string_view text = *one;
    if (size_t equals = text.find('='); equals != std::string_view::npos)
      environment.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return cluster::rankOf(environment, observe::hostName(), jobsInOrder(plan, order), chiefOf(plan));
}

std::string describe(const plan::Plan &plan, const std::vector<std::string> &order,
                     const cluster::LauncherRank &rank) {
  const cluster::TaskRef chief = chiefOf(plan);
  std::string text =
      absl::StrCat("this is ", rank.task.str(), ", rank ", rank.rank, " of ", rank.launcher);
  if (rank.task == chief && plan::allTasks(plan).size() > 1)
    absl::StrAppend(&text, ": ",
                    cluster::describeRanks(cluster::tasksByRank(jobsInOrder(plan, order), chief)));
  return text;
}

absl::StatusOr<RankRendezvous> meet(const plan::Plan &plan, uint32_t task,
                                    const cluster::LauncherRank &rank,
                                    const RendezvousOptions &options) {
  const uint32_t chief = plan::taskNumber(plan, plan.chief());
  RankRendezvous meeting;
  meeting.addresses.assign(plan::allTasks(plan).size(), "");
  if (!options.jobDirectory.empty()) {
    GRAPHC_RETURN_IF_ERROR(enterJobFolder(plan, task, rank.run, options, &meeting));
    return meeting;
  }
  if (!rank.oneHost)
    return absl::InvalidArgumentError(absl::StrCat(
        rank.launcher,
        " has processes on several hosts, which need mutual TLS and have to find each other; give "
        "--job_dir DIR, a folder of yours (mode 0700) that all of them see"));
  meeting.addresses[chief] = absl::StrCat("127.0.0.1:", rank.port);
  if (task == chief) {
    auto listeners = base::listenTcp(meeting.addresses[chief], /*everyInterface=*/false);
    if (!listeners.ok())
      return absl::UnavailableError(
          absl::StrCat("cannot listen on ", meeting.addresses[chief], ", where the tasks of ",
                       rank.launcher, " look for the chief: ", listeners.status().message(),
                       "; another start has another port"));
    meeting.listener = std::move(listeners->front());
  } else {
    GRAPHC_ASSIGN_OR_RETURN(auto listener, base::listenAtAnyPort(/*everyInterface=*/false));
    meeting.addresses[task] = absl::StrCat("127.0.0.1:", listener.second);
    meeting.listener = std::move(listener.first);
  }
  auto secret = service::startSecret(rank.run);
  if (!secret.ok())
    return base::annotate(secret.status(), service::kNoSecret);
  meeting.identity.secret = *std::move(secret);
  return meeting;
}

absl::Status enterJobFolder(const plan::Plan &plan, uint32_t task, const std::string &run,
                            const RendezvousOptions &options, RankRendezvous *meeting) {
  const uint32_t chief = plan::taskNumber(plan, plan.chief());
  std::vector<std::string> names;
  for (const plan::Task &one : plan::allTasks(plan))
    names.push_back(plan::taskText(plan, one));
  std::string &address = meeting->addresses[task];
  if (address.empty()) {
    GRAPHC_ASSIGN_OR_RETURN(std::string host, base::ownAddress(observe::hostName()));
    GRAPHC_ASSIGN_OR_RETURN(auto listener, base::listenAtAnyPort(/*everyInterface=*/true));
    address = base::joinAddress(host, listener.second);
    meeting->listener = std::move(listener.first);
  }
  tls::CredentialFiles files;
  if (task == chief) {
    auto folder = tls::JobFolder::make({options.jobDirectory, run, names, names[chief], address});
    if (!folder.ok())
      return base::annotate(folder.status(), "--job_dir");
    meeting->folder = *std::move(folder);
    files = meeting->folder->files();
  } else {
    auto admitted =
        tls::askChief({options.jobDirectory, run, names[task], base::splitAddress(address).first,
                       names[chief], absl::Now() + options.joinDeadline, options.log});
    if (!admitted.ok())
      return base::annotate(admitted.status(), "--job_dir");
    files = admitted->files;
    if (meeting->addresses[chief].empty())
      meeting->addresses[chief] = admitted->chief;
  }
  GRAPHC_ASSIGN_OR_RETURN(meeting->identity.credentials, tls::TlsCredentials::load(files));
  return meeting->identity.credentials->checkOwn(names[task], address);
}

std::string jobFolderOf(const std::vector<std::string> &addresses) {
  return absl::StrCat("by-hand-",
                      base::toHex(base::sha256(absl::StrJoin(addresses, ","))).substr(0, 12));
}

} // namespace graphc::session
