#include "tools/graphrun/Ranks.h"

#include "runtime/base/Socket.h"
#include "runtime/base/Status.h"
#include "runtime/device/Machine.h"
#include "runtime/observe/ProcessInfo.h"
#include "runtime/plan/Types.h"
#include "runtime/service/Secret.h"
#include "runtime/session/TaskPlace.h"
#include "tools/graphrun/GpuShares.h"

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"

#include <unistd.h>

namespace graphc::graphrun {
namespace {
cluster::TaskRef chiefOf(const plan::Plan &plan) {
  return {plan.jobs(static_cast<int>(plan.chief().job())).name(), plan.chief().index()};
}

/// Each task of this machine has GPUs of its own, where there are enough.
absl::Status shareGpusOfHost(const plan::Plan &plan, uint32_t task) {
  std::vector<std::string> labels;
  for (const plan::Task &one : plan::allTasks(plan))
    labels.push_back(absl::StrCat(plan.jobs(static_cast<int>(one.job())).name(), ":", one.index()));
  GRAPHC_ASSIGN_OR_RETURN(GpuShares shares, shareGpus(plan, labels));
  device::setFirstDevice(device::gpuKind(), shares.firsts[task]);
  return absl::OkStatus();
}
} // namespace

absl::StatusOr<std::optional<cluster::Rank>> rankOf(const plan::Plan &plan) {
  cluster::Environment environment;
  for (char **one = environ; *one; ++one) {
    std::string_view text = *one;
    if (size_t equals = text.find('='); equals != std::string_view::npos)
      environment.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return cluster::rankOf(environment, observe::hostName(), session::jobsOf(plan), chiefOf(plan));
}

std::string describe(const plan::Plan &plan, const cluster::Rank &rank) {
  const cluster::TaskRef chief = chiefOf(plan);
  std::string text = absl::StrCat("this is ", rank.task.str(), ", rank ", rank.rank, " of ", rank.launcher);
  if (rank.task == chief && plan::allTasks(plan).size() > 1)
    absl::StrAppend(&text, ": ", cluster::describeRanks(cluster::tasksByRank(session::jobsOf(plan), chief)));
  return text;
}

absl::Status meet(const plan::Plan &plan, const Flags &flags, const cluster::Rank &rank, TaskSetup *setup) {
  const uint32_t chief = plan::taskNumber(plan, plan.chief());
  setup->addresses.assign(plan::allTasks(plan).size(), "");
  setup->run = absl::StrCat("rank-", service::randomHex(16));
  if (rank.oneHost)
    GRAPHC_RETURN_IF_ERROR(shareGpusOfHost(plan, setup->task));
  if (!flags.jobDirectory.empty())
    return enterJobFolder(plan, flags, rank.run, setup);
  if (!rank.oneHost)
    return absl::InvalidArgumentError(absl::StrCat(
        rank.launcher, " has processes on several hosts, which need mutual TLS and have to find each other; give "
                       "--job_dir DIR, a folder of yours (mode 0700) that all of them see"));
  setup->addresses[chief] = absl::StrCat("127.0.0.1:", rank.port);
  if (setup->task == chief) {
    auto listeners = base::listenTcp(setup->addresses[chief], /*everyInterface=*/false);
    if (!listeners.ok())
      return absl::UnavailableError(absl::StrCat("cannot listen on ", setup->addresses[chief], ", where the tasks of ",
                                                 rank.launcher, " look for the chief: ", listeners.status().message(),
                                                 "; another start has another port"));
    setup->listenerFd = listeners->front().release();
  } else {
    GRAPHC_ASSIGN_OR_RETURN(auto listener, base::listenAtAnyPort(/*everyInterface=*/false));
    setup->addresses[setup->task] = absl::StrCat("127.0.0.1:", listener.second);
    setup->listenerFd = listener.first.release();
  }
  auto secret = service::startSecret(rank.run);
  if (!secret.ok())
    return base::annotate(secret.status(), kNoSecret);
  setup->identity.secret = *std::move(secret);
  return absl::OkStatus();
}

absl::Status enterJobFolder(const plan::Plan &plan, const Flags &flags, const std::string &run, TaskSetup *setup) {
  const uint32_t chief = plan::taskNumber(plan, plan.chief());
  std::vector<std::string> names;
  for (const plan::Task &task : plan::allTasks(plan))
    names.push_back(plan::taskText(plan, task));
  std::string &address = setup->addresses[setup->task];
  if (address.empty()) {
    GRAPHC_ASSIGN_OR_RETURN(std::string host, base::ownAddress(observe::hostName()));
    GRAPHC_ASSIGN_OR_RETURN(auto listener, base::listenAtAnyPort(/*everyInterface=*/true));
    address = base::joinAddress(host, listener.second);
    setup->listenerFd = listener.first.release();
  }
  tls::Files files;
  if (setup->task == chief) {
    auto folder = tls::JobFolder::make({flags.jobDirectory, run, names, names[chief], address});
    if (!folder.ok())
      return base::annotate(folder.status(), "--job_dir");
    setup->folder = *std::move(folder);
    files = setup->folder->files();
  } else {
    auto say = [](const std::string &line) { std::fprintf(stderr, "graphrun: %s\n", line.c_str()); };
    auto admitted =
        tls::askChief({flags.jobDirectory, run, names[setup->task], base::splitAddress(address).first, names[chief],
                       absl::Now() + absl::Seconds(flags.joinSeconds.value_or(kJoinSeconds)), say});
    if (!admitted.ok())
      return base::annotate(admitted.status(), "--job_dir");
    files = admitted->files;
    if (setup->addresses[chief].empty())
      setup->addresses[chief] = admitted->chief;
  }
  GRAPHC_ASSIGN_OR_RETURN(setup->identity.credentials, tls::Credentials::load(files));
  return setup->identity.credentials->checkOwn(names[setup->task], address);
}

} // namespace graphc::graphrun
