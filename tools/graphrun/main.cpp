// graphrun: runs a plan. This file decides what this process is: the launcher of all tasks, or one task.
#include "runtime/api/Ranks.h"
#include "runtime/api/TaskPlace.h"
#include "runtime/common/base/Cpu.h"
#include "runtime/common/base/File.h"
#include "runtime/common/base/Sha256.h"
#include "runtime/common/base/Status.h"
#include "runtime/common/base/Text.h"
#include "runtime/common/cluster/Address.h"
#include "runtime/common/plan/Types.h"
#include "runtime/common/plan/VerifyCommit.h"
#include "runtime/device/Machine.h"
#include "runtime/launch/GpuShares.h"
#include "runtime/launch/Launcher.h"
#include "runtime/service/Secret.h"
#include "tools/graphrun/Calibrate.h"
#include "tools/graphrun/Certs.h"
#include "tools/graphrun/EvaluatorMain.h"
#include "tools/graphrun/Explain.h"
#include "tools/graphrun/ExportedPlan.h"
#include "tools/graphrun/Feeds.h"
#include "tools/graphrun/Server.h"
#include "tools/graphrun/TaskMain.h"
#include "tools/graphrun/check/Check.h"
#include "tools/graphrun/check/CheckFiles.h"
#include "tools/graphrun/show/Show.h"
#include "tools/graphrun/status/Status.h"
#include "tools/graphrun/status/StatusServer.h"
#include "tools/graphrun/submit/Submit.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include <csignal>
#include <cstdlib>
#include <exception>
#include <fcntl.h>
#include <filesystem>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace {
using namespace graphc;

int usageError(const absl::Status &status) {
  std::fprintf(stderr, "graphrun: %s\n", base::describe(status).c_str());
  return 2;
}

absl::StatusOr<cluster::ResolvedAddresses> addressesOf(const plan::Plan &plan, const graphrun::Flags &flags) {
  cluster::AddressSources sources;
  sources.flags = flags.hosts;
  if (!flags.clusterFile.empty()) {
    GRAPHC_ASSIGN_OR_RETURN(sources.file, cluster::readClusterFile(flags.clusterFile));
  }
  if (const char *environment = std::getenv("TF_CONFIG"); environment && *environment)
    sources.environment = environment;
  return cluster::resolveAddresses(session::jobsOf(plan), sources);
}

/// A TF_CONFIG that names this process's task, and is not used, is a mistake and no wish to start the others here.
absl::Status checkEnvironment(const cluster::ResolvedAddresses &resolved) {
  const char *text = std::getenv("TF_CONFIG");
  for (const std::string &note : resolved.notes)
    if (absl::StartsWith(note, "TF_CONFIG") && text && absl::StrContains(text, "\"task\""))
      return absl::InvalidArgumentError(absl::StrCat(
          note, "; it names this process's task, so the others are not started: mend it, unset it, or give "
                "--local or --job_name"));
  return absl::OkStatus();
}

/// "worker:1 is 10.0.0.5:2222", the first task that is not on this machine's loopback; "" where there is none.
std::string foreignTask(const cluster::ResolvedAddresses &resolved) {
  for (const auto &[job, addresses] : resolved.addresses)
    for (size_t i = 0; i < addresses.size(); ++i)
      if (!cluster::isLoopbackAddress(addresses[i]))
        return absl::StrCat(job, ":", i, " is ", addresses[i]);
  return "";
}

absl::StatusOr<uint32_t> taskNumber(const plan::Plan &plan, const std::string &job, uint32_t index) {
  return plan::findTask(plan, job, index, "--job_name", "--task_index");
}

/// Each task of this machine has GPUs of its own, where there are enough.
absl::Status shareGpusOfHost(const plan::Plan &plan, uint32_t task) {
  std::vector<std::string> labels;
  for (const plan::Task &one : plan::allTasks(plan))
    labels.push_back(absl::StrCat(plan.jobs(static_cast<int>(one.job())).name(), ":", one.index()));
  GRAPHC_ASSIGN_OR_RETURN(launch::GpuShares shares, launch::shareGpus(plan, labels));
  device::setFirstDevice(device::gpuKind(), shares.firsts[task]);
  return absl::OkStatus();
}

session::MeetingOptions meetingOptions(const graphrun::Flags &flags) {
  session::MeetingOptions options;
  options.jobDirectory = flags.jobDirectory;
  options.joinDeadline = absl::Seconds(flags.joinSeconds.value_or(graphrun::kJoinSeconds));
  options.log = [](const std::string &line) { std::fprintf(stderr, "graphrun: %s\n", line.c_str()); };
  return options;
}

void take(session::Meeting meeting, graphrun::TaskSetup *setup) {
  setup->addresses = std::move(meeting.addresses);
  setup->identity = std::move(meeting.identity);
  setup->listenerFd = meeting.listener.release();
  setup->folder = std::move(meeting.folder);
}

/// One task by hand, or of another launcher (`rank`): addresses, and what the others know it by: its certificate or a secret.
absl::StatusOr<graphrun::TaskSetup> setUpByHand(const plan::Plan &plan, const graphrun::Flags &flags,
                                                const cluster::ResolvedAddresses &resolved,
                                                const cluster::TaskRef &task, const std::optional<cluster::Rank> &rank,
                                                std::shared_ptr<const tls::Credentials> credentials, bool check) {
  graphrun::TaskSetup setup;
  GRAPHC_ASSIGN_OR_RETURN(setup.task, taskNumber(plan, task.job, task.index));
  if (plan::allTasks(plan).size() == 1)
    return setup;
  if (rank && resolved.addresses.empty()) {
    setup.run = absl::StrCat("rank-", service::randomHex(16));
    if (rank->oneHost)
      GRAPHC_RETURN_IF_ERROR(shareGpusOfHost(plan, setup.task));
    GRAPHC_ASSIGN_OR_RETURN(session::Meeting meeting, session::meet(plan, setup.task, *rank, meetingOptions(flags)));
    take(std::move(meeting), &setup);
    return setup;
  }
  if (resolved.addresses.empty()) {
    std::string flagsNeeded;
    for (const plan::Job &job : plan.jobs())
      absl::StrAppend(&flagsNeeded, " --", job.name(), "_hosts localhost:PORT", job.tasks() > 1 ? ",…" : "");
    return absl::InvalidArgumentError(
        absl::StrCat("one task alone needs the addresses of all:", flagsNeeded, ", or --cluster FILE, or TF_CONFIG"));
  }
  if (std::string foreign = foreignTask(resolved); !foreign.empty() && !credentials && flags.jobDirectory.empty())
    return absl::InvalidArgumentError(
        absl::StrCat(foreign, ", which is not this machine's loopback: ", graphrun::kNeedsTls,
                     "; in a folder that all of them see --job_dir DIR makes such files for one run"));
  for (const plan::Job &job : plan.jobs()) {
    const std::vector<std::string> &of = resolved.addresses.at(job.name());
    setup.addresses.insert(setup.addresses.end(), of.begin(), of.end());
  }
  // Names this run's shared memory and tells its data streams from another run's; the chief's counts.
  setup.run = absl::StrCat("by-hand-", service::randomHex(16));
  if (!flags.jobDirectory.empty()) {
    session::Meeting meeting;
    meeting.addresses = setup.addresses;
    GRAPHC_RETURN_IF_ERROR(session::enterJobFolder(
        plan, setup.task, rank ? rank->run : session::jobFolderOf(setup.addresses), meetingOptions(flags), &meeting));
    take(std::move(meeting), &setup);
    return setup;
  }
  if (check && credentials) // a certificate of another host is one of the things that it tells
    setup.identity.credentials = std::move(credentials);
  else
    GRAPHC_RETURN_IF_ERROR(graphrun::identify(std::move(credentials),
                                              plan::taskText(plan, plan::allTasks(plan)[setup.task]),
                                              setup.addresses[setup.task], &setup));
  return setup;
}

/// The chief of waiting servers. They know the cluster's addresses, this process its own.
absl::StatusOr<graphrun::TaskSetup> setUpClient(const plan::Plan &plan, const graphrun::Flags &flags,
                                                std::shared_ptr<const tls::Credentials> credentials) {
  graphrun::TaskSetup setup;
  GRAPHC_ASSIGN_OR_RETURN(std::string address, graphrun::parseMaster(flags.master));
  if (!cluster::isLoopbackAddress(address) && !credentials)
    return absl::InvalidArgumentError(
        absl::StrCat("--master ", flags.master, ": not this machine's loopback; ", graphrun::kNeedsTls));
  std::vector<plan::Task> tasks = plan::allTasks(plan);
  if (tasks.size() == 1)
    return absl::InvalidArgumentError(absl::StrCat(
        "--master ", flags.master, ": the plan has one task, ", plan::taskText(plan, tasks.front()),
        ", which is this process, and no server would have work; leave --master out, or compile for more tasks"));
  setup.task = plan::taskNumber(plan, plan.chief());
  setup.addresses.resize(tasks.size());
  setup.addresses[setup.task] = address;
  setup.client = true;
  setup.run = absl::StrCat("client-", service::randomHex(16));
  GRAPHC_RETURN_IF_ERROR(
      graphrun::identify(std::move(credentials), plan::taskText(plan, plan.chief()), address, &setup));
  return setup;
}

int launchAll(int argc, char **argv, const graphrun::Flags &flags, const plan::Plan &plan, bool check,
              std::vector<std::string> wrong) {
  launch::LaunchOptions options;
  options.check = check;
  options.wrong = std::move(wrong);
  options.checkpointDirectory = flags.checkpointDirectory;
  options.dumpDirectory = check ? "" : flags.dumpDirectory;
  options.logFile = flags.logFile;
  options.maxRestarts = check ? 0 : flags.maxRestarts;
  options.fromMemory = plan::recoversFromMemory(plan) && plan::allTasks(plan).size() > 1;
  options.evaluator = flags.evaluator && !check;
  options.arguments.assign(argv + 1, argv + argc);
  // Every task takes this process's plan: one from a pipe is gone, and a file may be another by now.
  auto text = plan::encodePlan(plan);
  auto planFd = text.ok() ? base::sealedMemfd("plan", *text) : text.status();
  if (!planFd.ok())
    return usageError(planFd.status());
  fcntl(planFd->get(), F_SETFD, 0);
  options.planFd = planFd->get();
  for (const plan::Task &task : plan::allTasks(plan)) {
    const std::string &job = plan.jobs(static_cast<int>(task.job())).name();
    options.tasks.push_back({plan::taskText(plan, task), absl::StrCat(job, ":", task.index()), job, task.index()});
  }
  options.chief = plan::taskNumber(plan, plan.chief());
  std::vector<std::string> labels;
  for (const launch::LaunchedTask &task : options.tasks)
    labels.push_back(task.label);
  if (auto shares = launch::shareGpus(plan, labels); shares.ok()) {
    if (!shares->said.empty() && !check)
      std::fprintf(stderr, "graphrun: %s\n", shares->said.c_str());
    for (size_t task = 0; task < labels.size(); ++task)
      options.tasks[task].firstGpu = shares->firsts[task];
  } else if (!check) { // whose tasks say it themselves
    std::fprintf(stderr, "graphrun: %s\n", base::describe(shares.status()).c_str());
    return 1;
  }
  return launch::Launcher(std::move(options)).run();
}

/// This process is one task; `wrong`: what is known to be wrong already, for a check.
int runOrCheck(bool check, const graphrun::Flags &flags, const plan::LoadedPlan &plan,
               const absl::StatusOr<graphrun::TaskSetup> &setup, std::vector<std::string> wrong) {
  if (!setup.ok()) { // a chief that does not come, a port that somebody has, are no mistake of the command line
    const int status = usageError(setup.status());
    return absl::IsUnavailable(setup.status()) ? 1 : status;
  }
  return check ? graphrun::checkTask(flags, plan, *setup, std::move(wrong)) : graphrun::runTask(flags, plan, *setup);
}

int run(int argc, char **argv) {
  if (argc > 1 && std::string_view(argv[1]) == "certs")
    return graphrun::makeCertificates(argc - 1, argv + 1);
  if (argc > 1 && std::string_view(argv[1]) == "explain")
    return graphrun::explainFailure(argc - 1, argv + 1);
  if (argc > 1 && std::string_view(argv[1]) == "show")
    return graphrun::show(argc - 1, argv + 1);
  if (argc > 1 && std::string_view(argv[1]) == "status")
    return graphrun::showStatus(argc - 1, argv + 1);
  if (argc > 1 && std::string_view(argv[1]) == "submit")
    return graphrun::submit(argc - 1, argv + 1);
  if (const auto &limit = base::maxCpuLevel(); !limit.ok())
    return usageError(limit.status());
  auto launched = launch::takeLaunchContext();
  if (!launched.ok())
    return usageError(launched.status());
  if (!*launched && graphrun::isServerCommand(argc, argv))
    return graphrun::runServer(argc, argv);
  bool check = argc > 1 && std::string_view(argv[1]) == "check";
  auto parsed = graphrun::parseFlags(argc - check, argv + check,
                                     check ? graphrun::Command::Check : graphrun::Command::Run, launched->has_value());
  if (!parsed.ok())
    return usageError(parsed.status());
  if (parsed->exitStatus)
    return *parsed->exitStatus;
  if (parsed->flags.plan.empty())
    return usageError(absl::InvalidArgumentError("which plan? its name is empty (see --help)"));
  if (absl::Status exported = *launched ? absl::OkStatus() : graphrun::useExport(parsed->flags); !exported.ok())
    return usageError(exported);
  const graphrun::Flags &flags = parsed->flags;
  auto plan = plan::loadPlan(*launched ? absl::StrCat("/proc/self/fd/", (*launched)->planFd) : flags.plan);
  if (std::string hint = graphrun::hintOfFile(flags.plan); !plan.ok() && !hint.empty())
    return usageError(absl::InvalidArgumentError(hint));
  if (absl::IsNotFound(plan.status()))
    return usageError(absl::NotFoundError(absl::StrCat(
        plan.status().message(), "; graphc writes plans: graphc --partition cluster.json model.mlir -o ", flags.plan)));
  if (!plan.ok())
    return usageError(plan.status());
  if (*launched)
    close((*launched)->planFd);
  if (*launched && graphrun::isEvaluator(plan->plan, flags.jobName)) {
    device::setFirstDevice(device::gpuKind(), (*launched)->firstGpu);
    launch::LauncherWords launcher{base::UniqueFd((*launched)->wordsFd)};
    return graphrun::evaluate(check, flags, plan->plan, &launcher);
  }
  if (graphrun::isEvaluator(plan->plan, flags.jobName))
    return graphrun::evaluate(check, flags, plan->plan, /*launcher=*/nullptr);
  absl::Status valid = session::Driver::validate(plan->plan, graphrun::driverOptions(flags));
  if (!valid.ok())
    return usageError(valid);
  if (!*launched && !check)
    if (absl::Status status =
            graphrun::checkStatusFlags(flags, !flags.tls.certificate.empty() || !flags.jobDirectory.empty());
        !status.ok())
      return usageError(status);
  std::vector<std::string> wrong; // a check says everything, a run the first
  if (!*launched)
    if (absl::Status files = graphrun::checkFiles(plan->plan, flags, check); !files.ok()) {
      if (!check)
        return usageError(files);
      wrong.push_back(base::describe(files));
    }
  if (*launched) {
    const launch::LaunchContext &context = **launched;
    device::setFirstDevice(device::gpuKind(), context.firstGpu);
    auto number = taskNumber(plan->plan, flags.jobName, flags.taskIndex.value_or(0));
    if (!number.ok())
      return usageError(number.status());
    return runOrCheck(check, flags, *plan,
                      graphrun::TaskSetup{.task = *number,
                                          .addresses = context.addresses,
                                          .identity = {context.secret, nullptr},
                                          .run = context.run,
                                          .reportFd = context.reportFd,
                                          .listenerFd = context.listenerFd,
                                          .restarts = context.restarts,
                                          .session = context.session,
                                          .words = context.wordsFd < 0 ? nullptr
                                                                       : std::make_shared<launch::LauncherWords>(
                                                                             base::UniqueFd(context.wordsFd)),
                                          .programFd = context.programFd},
                      context.wrong);
  }
  auto credentials = graphrun::credentialsOf(flags);
  if (!credentials.ok()) {
    if (!check)
      return usageError(credentials.status());
    wrong.push_back(base::describe(credentials.status()));
  }
  if (!flags.master.empty() && credentials.ok())
    return runOrCheck(check, flags, *plan, setUpClient(plan->plan, flags, *credentials), wrong);
  auto resolved = addressesOf(plan->plan, flags);
  if (!resolved.ok())
    return usageError(resolved.status());
  std::optional<cluster::TaskRef> task = flags.local ? std::nullopt : resolved->task;
  if (!flags.jobName.empty())
    task = cluster::TaskRef{flags.jobName, flags.taskIndex.value_or(0)};
  const auto sayWho = [&] {
    std::fprintf(stderr, "graphrun: this is %s, as %s says\n", task->str().c_str(),
                 flags.clusterFile.empty() ? "TF_CONFIG" : flags.clusterFile.c_str());
  };
  if (task && graphrun::isEvaluator(plan->plan, task->job)) {
    if (flags.jobName.empty() && graphrun::checkEvaluator(plan->plan, flags).ok())
      sayWho();
    return graphrun::evaluate(check, flags, plan->plan, /*launcher=*/nullptr);
  }
  std::optional<cluster::Rank> rank; // where no flag, no file and no TF_CONFIG says who this is
  if (!task && !flags.local) {
    if (absl::Status named = checkEnvironment(*resolved); !named.ok())
      return usageError(named);
    auto launcher = session::rankOf(plan->plan, flags.rankOrder);
    if (!launcher.ok())
      return usageError(launcher.status());
    rank = *std::move(launcher);
    if (rank && flags.maxRestarts > 0 && !check)
      return usageError(absl::InvalidArgumentError(
          absl::StrCat("--max_restarts is for a run whose tasks graphrun starts all here, and this is a process of ",
                       rank->launcher, "; graphrun submit prints how that begins again")));
  }
  if (rank) {
    std::fprintf(stderr, "graphrun: %s\n", session::describe(plan->plan, flags.rankOrder, *rank).c_str());
    task = rank->task;
    if (resolved->addresses.empty())
      resolved->addresses = rank->addresses;
  }
  if (!credentials.ok()) { // nobody can be reached: the check is of this machine alone
    graphrun::TaskSetup alone;
    auto number = task ? taskNumber(plan->plan, task->job, task->index)
                       : absl::StatusOr<uint32_t>(plan::taskNumber(plan->plan, plan->plan.chief()));
    alone.task = number.value_or(0);
    return runOrCheck(check, flags, *plan, number.ok() ? absl::StatusOr<graphrun::TaskSetup>(alone) : number.status(),
                      wrong);
  }
  if (task && flags.maxRestarts > 0 && !check)
    return usageError(absl::InvalidArgumentError(
        "--max_restarts is for a run whose tasks graphrun starts all here, and the environment names one task: leave "
        "it out, or have what starts this task start it again"));
  if (task && flags.evaluator && !check)
    return usageError(absl::InvalidArgumentError(
        "--evaluator is for a run whose tasks graphrun starts all here, and the environment names one task: leave it "
        "out, and start graphrun model.plan --job_name evaluator --checkpoint_dir DIR beside them"));
  if (task) {
    if (!rank && flags.jobName.empty())
      sayWho();
    for (const std::string &note : resolved->notes)
      std::fprintf(stderr, "graphrun: %s\n", note.c_str());
    return runOrCheck(check, flags, *plan, setUpByHand(plan->plan, flags, *resolved, *task, rank, *credentials, check),
                      wrong);
  }
  if (std::string foreign = foreignTask(*resolved); !foreign.empty() && !flags.local)
    return usageError(absl::InvalidArgumentError(
        absl::StrCat("the cluster names another machine (", foreign,
                     "): give --local to start every task on this one, or --job_name and --task_index "
                     "to run one task here (docs/multi-host.md)")));
  // Whoever sets these expects them to decide something.
  for (const std::string &note : resolved->notes) {
    if (absl::StartsWith(note, "addresses ")) {
      std::fprintf(stderr, "graphrun: no task is named, so every task starts here and the %s are not used\n",
                   note.c_str());
      continue;
    }
    std::fprintf(stderr, "graphrun: %s\n", note.c_str());
  }
  if (*credentials)
    std::fprintf(stderr,
                 "graphrun: every task runs on this machine: they speak over Unix sockets, and the certificates "
                 "are not used\n");
  if (!flags.jobDirectory.empty())
    std::fprintf(stderr, "graphrun: every task runs on this machine: --job_dir is not used\n");
  if (plan::allTasks(plan->plan).size() == 1 && (check || (flags.maxRestarts == 0 && !flags.evaluator)))
    return runOrCheck(check, flags, *plan, graphrun::TaskSetup{}, wrong);
  if (flags.evaluator)
    if (absl::Status status = graphrun::checkEvaluator(plan->plan, flags); !status.ok())
      return usageError(status);
  return launchAll(argc, argv, flags, plan->plan, check, std::move(wrong));
}

// Threads that cannot start and memory that runs out reach us as exceptions, on whatever thread: one line instead of an abort.
[[noreturn]] void onUncaught() {
  const char *what = "it threw something unknown";
  std::string text;
  try {
    if (std::exception_ptr error = std::current_exception())
      std::rethrow_exception(error);
  } catch (const std::bad_alloc &) {
    what = "out of memory";
  } catch (const std::system_error &error) {
    text = error.code() == std::errc::resource_unavailable_try_again
               ? "cannot start a thread: too many processes or too little memory (see ulimit -u and -v)"
               : error.what();
    what = text.c_str();
  } catch (const std::exception &error) {
    what = error.what();
  } catch (...) {
  }
  std::fprintf(stderr, "graphrun: %s\n", what);
  std::fflush(nullptr);
  _exit(1);
}

void prepareProcess() {
  std::set_terminate(onUncaught);
  prctl(PR_SET_NAME, "graphrun"); // a task is executed as /proc/self/exe and would be called "exe"
  signal(SIGXFSZ, SIG_IGN); // a write beyond ulimit -f becomes an error with the file's name
  // A descriptor closed by the caller (>&-) would be given to the next file that we open.
  for (int fd = open("/dev/null", O_RDWR); fd >= 0; fd = open("/dev/null", O_RDWR))
    if (fd > STDERR_FILENO) {
      close(fd);
      break;
    }
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < files.rlim_max) {
    files.rlim_cur =
        files.rlim_max; // the launcher has three pipes and three sockets a task, a chief two streams a task
    setrlimit(RLIMIT_NOFILE, &files);
  }
}
} // namespace

int main(int argc, char **argv) {
  prepareProcess();
  if (argc > 1 && std::string_view(argv[1]) == "calibrate")
    return graphc::graphrun::calibrate(argc - 1, argv + 1);
  return run(argc, argv);
}
