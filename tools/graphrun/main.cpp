// graphrun: runs a plan. A function for each subcommand and for each role that a process has in a
// run (ProcessRole.h).
#include "runtime/api/RankRendezvous.h"
#include "runtime/common/base/CpuFeatures.h"
#include "runtime/common/base/File.h"
#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/base/TextUtils.h"
#include "runtime/common/cluster/TaskAddresses.h"
#include "runtime/common/plan/MemoryRequirements.h"
#include "runtime/common/plan/PlanTypes.h"
#include "runtime/common/plan/VerifyCommit.h"
#include "runtime/device/MachineDevices.h"
#include "runtime/launch/GpuAssignment.h"
#include "runtime/launch/TaskLauncher.h"
#include "runtime/service/RunSecret.h"
#include "tools/graphrun/CalibrateCommand.h"
#include "tools/graphrun/CertsCommand.h"
#include "tools/graphrun/EvaluatorMain.h"
#include "tools/graphrun/ExplainCommand.h"
#include "tools/graphrun/ExportedPlan.h"
#include "tools/graphrun/ProcessRole.h"
#include "tools/graphrun/ServerCommand.h"
#include "tools/graphrun/TaskMain.h"
#include "tools/graphrun/check/CheckCommand.h"
#include "tools/graphrun/show/ShowCommand.h"
#include "tools/graphrun/status/StatusCommand.h"
#include "tools/graphrun/submit/SubmitCommand.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

#include <csignal>
#include <cstdlib>
#include <exception>
#include <fcntl.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <system_error>
#include <unistd.h>

namespace {
using namespace graphc;

int usageError(const absl::Status &status) {
  std::fprintf(stderr, "graphrun: %s\n", base::describe(status).c_str());
  return 2;
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

session::RendezvousOptions meetingOptions(const graphrun::RunFlags &flags) {
  session::RendezvousOptions options;
  options.jobDirectory = flags.jobDirectory;
  options.joinDeadline = absl::Seconds(flags.joinSeconds.value_or(graphrun::kJoinSeconds));
  options.log = [](const std::string &line) {
    std::fprintf(stderr, "graphrun: %s\n", line.c_str());
  };
  return options;
}

void take(session::RankRendezvous meeting, graphrun::TaskSetup *setup) {
  setup->addresses = std::move(meeting.addresses);
  setup->identity = std::move(meeting.identity);
  setup->listenerFd = meeting.listener.release();
  setup->folder = std::move(meeting.folder);
}

/// One task by hand, or of another launcher (`rank`): addresses, and what the others know it by:
/// its certificate or a secret.
absl::StatusOr<graphrun::TaskSetup>
setUpByHand(const plan::Plan &plan, const graphrun::RunFlags &flags,
            const cluster::ResolvedAddresses &resolved, const cluster::TaskRef &task,
            const std::optional<cluster::LauncherRank> &rank,
            std::shared_ptr<const tls::TlsCredentials> credentials, bool check) {
  graphrun::TaskSetup setup;
  GRAPHC_ASSIGN_OR_RETURN(setup.task, graphrun::taskNumber(plan, task.job, task.index));
  if (plan::allTasks(plan).size() == 1)
    return setup;
  if (rank && resolved.addresses.empty()) {
    setup.run = absl::StrCat("rank-", service::randomHex(16));
    if (rank->oneHost)
      GRAPHC_RETURN_IF_ERROR(shareGpusOfHost(plan, setup.task));
    GRAPHC_ASSIGN_OR_RETURN(session::RankRendezvous meeting,
                            session::meet(plan, setup.task, *rank, meetingOptions(flags)));
    take(std::move(meeting), &setup);
    return setup;
  }
  if (resolved.addresses.empty()) {
    std::string flagsNeeded;
    for (const plan::Job &job : plan.jobs())
      absl::StrAppend(&flagsNeeded, " --", job.name(), "_hosts localhost:PORT",
                      job.tasks() > 1 ? ",…" : "");
    return absl::InvalidArgumentError(
        absl::StrCat("one task alone needs the addresses of all:", flagsNeeded,
                     ", or --cluster FILE, or TF_CONFIG"));
  }
  if (std::string foreign = graphrun::foreignTask(resolved);
      !foreign.empty() && !credentials && flags.jobDirectory.empty())
    return absl::InvalidArgumentError(absl::StrCat(
        foreign, ", which is not this machine's loopback: ", graphrun::kNeedsTls,
        "; in a folder that all of them see --job_dir DIR makes such files for one run"));
  for (const plan::Job &job : plan.jobs()) {
    const std::vector<std::string> &of = resolved.addresses.at(job.name());
    setup.addresses.insert(setup.addresses.end(), of.begin(), of.end());
  }
  // Names this run's shared memory and tells its data streams from another run's; the chief's
  // counts.
  setup.run = absl::StrCat("by-hand-", service::randomHex(16));
  if (!flags.jobDirectory.empty()) {
    session::RankRendezvous meeting;
    meeting.addresses = setup.addresses;
    GRAPHC_RETURN_IF_ERROR(session::enterJobFolder(
        plan, setup.task, rank ? rank->run : session::jobFolderOf(setup.addresses),
        meetingOptions(flags), &meeting));
    take(std::move(meeting), &setup);
    return setup;
  }
  if (check && credentials) // a certificate of another host is one of the things that it tells
    setup.identity.credentials = std::move(credentials);
  else
    GRAPHC_RETURN_IF_ERROR(graphrun::identify(
        std::move(credentials), plan::taskText(plan, plan::allTasks(plan)[setup.task]),
        setup.addresses[setup.task], &setup));
  return setup;
}

/// The chief of waiting servers. They know the cluster's addresses, this process its own.
absl::StatusOr<graphrun::TaskSetup>
setUpClient(const plan::Plan &plan, const graphrun::RunFlags &flags,
            std::shared_ptr<const tls::TlsCredentials> credentials) {
  graphrun::TaskSetup setup;
  GRAPHC_ASSIGN_OR_RETURN(std::string address, graphrun::parseMaster(flags.master));
  if (!cluster::isLoopbackAddress(address) && !credentials)
    return absl::InvalidArgumentError(absl::StrCat(
        "--master ", flags.master, ": not this machine's loopback; ", graphrun::kNeedsTls));
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
  GRAPHC_RETURN_IF_ERROR(graphrun::identify(std::move(credentials),
                                            plan::taskText(plan, plan.chief()), address, &setup));
  return setup;
}

/// This process is one task.
int runTask(const graphrun::RunInvocation &in, const absl::StatusOr<graphrun::TaskSetup> &setup) {
  if (!setup.ok()) {
    // a chief that does not come, a port that somebody has, are no mistake of the command line
    const int status = usageError(setup.status());
    return absl::IsUnavailable(setup.status()) ? 1 : status;
  }
  return in.check ? graphrun::checkTask(in.flags, in.plan, *setup, in.wrong)
                  : graphrun::runTask(in.flags, in.plan, *setup);
}

int runLaunchedTask(const graphrun::RunInvocation &in) {
  const launch::LaunchContext &context = *in.launched;
  device::setFirstDevice(device::gpuKind(), context.firstGpu);
  auto number =
      graphrun::taskNumber(in.plan.plan, in.flags.jobName, in.flags.taskIndex.value_or(0));
  if (!number.ok())
    return usageError(number.status());
  return runTask(in, graphrun::TaskSetup{.task = *number,
                                         .addresses = context.addresses,
                                         .identity = {context.secret, nullptr},
                                         .run = context.run,
                                         .reportFd = context.reportFd,
                                         .listenerFd = context.listenerFd,
                                         .restarts = context.restarts,
                                         .session = context.session,
                                         .words = context.wordsFd < 0
                                                      ? nullptr
                                                      : std::make_shared<launch::LauncherMessages>(
                                                            base::UniqueFd(context.wordsFd)),
                                         .programFd = context.programFd});
}

void printSource(const graphrun::RunInvocation &in) {
  std::fprintf(stderr, "graphrun: this is %s, as %s says\n", in.task->str().c_str(),
               in.flags.clusterFile.empty() ? "TF_CONFIG" : in.flags.clusterFile.c_str());
}

int runEvaluator(const graphrun::RunInvocation &in) {
  if (in.launched) {
    device::setFirstDevice(device::gpuKind(), in.launched->firstGpu);
    launch::LauncherMessages launcher{base::UniqueFd(in.launched->wordsFd)};
    return graphrun::evaluate(in.check, in.flags, in.plan.plan, &launcher);
  }
  if (in.flags.jobName.empty() && graphrun::checkEvaluator(in.plan.plan, in.flags).ok())
    printSource(in);
  return graphrun::evaluate(in.check, in.flags, in.plan.plan, /*launcher=*/nullptr);
}

void printRank(const graphrun::RunInvocation &in) {
  if (in.rank)
    std::fprintf(stderr, "graphrun: %s\n",
                 session::describe(in.plan.plan, in.flags.rankOrder, *in.rank).c_str());
}

int runTaskByHand(const graphrun::RunInvocation &in) {
  printRank(in);
  if (!in.rank && in.flags.jobName.empty())
    printSource(in);
  for (const std::string &note : in.addresses.notes)
    std::fprintf(stderr, "graphrun: %s\n", note.c_str());
  return runTask(in, setUpByHand(in.plan.plan, in.flags, in.addresses, *in.task, in.rank,
                                 *in.credentials, in.check));
}

int checkUnreachableTask(const graphrun::RunInvocation &in) {
  printRank(in);
  const plan::Plan &plan = in.plan.plan;
  auto number = in.task ? graphrun::taskNumber(plan, in.task->job, in.task->index)
                        : absl::StatusOr<uint32_t>(plan::taskNumber(plan, plan.chief()));
  if (!number.ok())
    return runTask(in, number.status());
  graphrun::TaskSetup alone;
  alone.task = *number;
  return runTask(in, alone);
}

/// Whoever has set these expects them to decide something.
void printUnused(const graphrun::RunInvocation &in) {
  for (const std::string &note : in.addresses.notes) {
    if (absl::StartsWith(note, "addresses "))
      std::fprintf(
          stderr, "graphrun: no task is named, so every task starts here and the %s are not used\n",
          note.c_str());
    else
      std::fprintf(stderr, "graphrun: %s\n", note.c_str());
  }
  if (*in.credentials)
    std::fprintf(
        stderr,
        "graphrun: every task runs on this machine: they speak over Unix sockets, and the certificates "
        "are not used\n");
  if (!in.flags.jobDirectory.empty())
    std::fprintf(stderr, "graphrun: every task runs on this machine: --job_dir is not used\n");
}

int runSingleTask(const graphrun::RunInvocation &in) {
  printUnused(in);
  return runTask(in, graphrun::TaskSetup{});
}

int launchAll(int argc, char **argv, const graphrun::RunInvocation &in) {
  printUnused(in);
  const graphrun::RunFlags &flags = in.flags;
  const plan::Plan &plan = in.plan.plan;
  const bool check = in.check;
  launch::LaunchOptions options;
  options.check = check;
  options.wrong = in.wrong;
  options.checkpointDirectory = flags.checkpointDirectory;
  options.dumpDirectory = check ? "" : flags.dumpDirectory;
  options.logFile = flags.logFile;
  if (!check)
    options.joinLimit = absl::Seconds(flags.joinSeconds.value_or(graphrun::kLaunchedJoinSeconds)) +
                        graphrun::kJoinSlack;
  options.maxRestarts = check ? 0 : flags.maxRestarts;
  options.fromMemory = plan::recoversFromMemory(plan) && plan::allTasks(plan).size() > 1;
  options.evaluator = flags.evaluator && !check;
  options.arguments.assign(argv + 1, argv + argc);
  // Every task takes this process's plan: one from a pipe is gone, and a file may be another by
  // now.
  auto text = plan::encodePlan(plan);
  auto planFd = text.ok() ? base::sealedMemfd("plan", *text) : text.status();
  if (!planFd.ok())
    return usageError(planFd.status());
  options.planFd = planFd->get();
  for (const plan::Task &task : plan::allTasks(plan)) {
    const std::string &job = plan.jobs(static_cast<int>(task.job())).name();
    options.tasks.push_back(
        {plan::taskText(plan, task), absl::StrCat(job, ":", task.index()), job, task.index()});
    options.tasks.back().memory = plan::needText(plan::hostNeed(plan, task));
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
  return launch::TaskLauncher(std::move(options)).run();
}

using Subcommand = int (*)(int argc, char **argv);
/// Those with a command line of their own; `argv[0]` is the word.
constexpr std::pair<std::string_view, Subcommand> kSubcommands[] = {
    {"certs", graphrun::makeCertificates},
    {"explain", graphrun::explainFailure},
    {"show", graphrun::show},
    {"status", graphrun::showStatus},
    {"submit", graphrun::submit},
    {"calibrate", graphrun::calibrate},
};

/// The plan of the command line or the launch context, with a remedy where it is something else.
absl::StatusOr<plan::LoadedPlan> loadPlan(const graphrun::RunFlags &flags,
                                          const std::optional<launch::LaunchContext> &launched) {
  auto plan =
      plan::loadPlan(launched ? absl::StrCat("/proc/self/fd/", launched->planFd) : flags.plan);
  if (launched)
    close(launched->planFd);
  if (std::string hint = plan.ok() ? "" : graphrun::hintOfFile(flags.plan); !hint.empty())
    return absl::InvalidArgumentError(hint);
  if (absl::IsNotFound(plan.status()))
    return absl::NotFoundError(absl::StrCat(
        plan.status().message(),
        "; graphc writes plans: graphc --partition cluster.json model.mlir -o ", flags.plan));
  return plan;
}

int run(int argc, char **argv) {
  const std::string_view word = argc > 1 ? argv[1] : "";
  for (const auto &[name, command] : kSubcommands)
    if (word == name)
      return command(argc - 1, argv + 1);
  if (const auto &limit = base::maxCpuLevel(); !limit.ok())
    return usageError(limit.status());
  auto launched = launch::takeLaunchContext();
  if (!launched.ok())
    return usageError(launched.status());
  if (!*launched && graphrun::isServerCommand(argc, argv))
    return graphrun::runServer(argc, argv);
  const bool check = word == "check";
  auto parsed = graphrun::parseFlags(
      argc - check, argv + check, check ? graphrun::CommandKind::Check : graphrun::CommandKind::Run,
      launched->has_value());
  if (!parsed.ok())
    return usageError(parsed.status());
  if (parsed->exitStatus)
    return *parsed->exitStatus;
  if (parsed->flags.plan.empty())
    return usageError(absl::InvalidArgumentError("which plan? its name is empty (see --help)"));
  if (absl::Status exported = *launched ? absl::OkStatus() : graphrun::useExport(parsed->flags);
      !exported.ok())
    return usageError(exported);
  auto plan = loadPlan(parsed->flags, *launched);
  if (!plan.ok())
    return usageError(plan.status());
  graphrun::RunInvocation in{
      .flags = parsed->flags, .plan = *plan, .check = check, .launched = *std::move(launched)};
  if (in.launched)
    in.wrong = in.launched->wrong;
  absl::StatusOr<graphrun::ProcessRole> role = graphrun::decideRole(in);
  if (!role.ok())
    return usageError(role.status());
  switch (*role) {
  case graphrun::ProcessRole::LaunchedTask:
    return runLaunchedTask(in);
  case graphrun::ProcessRole::Evaluator:
    return runEvaluator(in);
  case graphrun::ProcessRole::Client:
    return runTask(in, setUpClient(plan->plan, in.flags, *in.credentials));
  case graphrun::ProcessRole::Task:
    return runTaskByHand(in);
  case graphrun::ProcessRole::SingleTask:
    return runSingleTask(in);
  case graphrun::ProcessRole::UnreachableTask:
    return checkUnreachableTask(in);
  case graphrun::ProcessRole::Launcher:
    return launchAll(argc, argv, in);
  }
  return 1;
}

constexpr char kNoThread[] =
    "cannot start a thread: too many processes or too little memory (see ulimit -u and -v)";

// Threads that cannot start and memory that runs out reach us as exceptions, on whatever thread:
// one line instead of an abort.
[[noreturn]] void onUncaught() {
  const char *what = "it threw something unknown";
  std::string text;
  try {
    if (std::exception_ptr error = std::current_exception())
      std::rethrow_exception(error);
  } catch (const std::bad_alloc &) {
    what = "out of memory";
  } catch (const std::system_error &error) {
    text = error.code() == std::errc::resource_unavailable_try_again ? kNoThread : error.what();
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
    // the launcher has three pipes and three sockets a task, a chief two streams a task
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
  }
}
} // namespace

// What the linker calls instead of pthread_create (--wrap, CMakeLists.txt) in all that is linked
// into graphrun, which is gRPC; this project's own threads are std::thread's, in a library of
// their own. gRPC 1.51 goes on without a thread that the system refuses, and then waits for it for
// ever.
// NOLINTBEGIN(bugprone-reserved-identifier): the linker's names
extern "C" int __real_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *),
                                     void *);
extern "C" int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                                     void *(*work)(void *), void *argument) {
  const int error = __real_pthread_create(thread, attributes, work, argument);
  if (error) {
    std::fprintf(stderr, "graphrun: gRPC %s\n", kNoThread);
    std::fflush(nullptr);
    _exit(1);
  }
  return error;
}
// NOLINTEND(bugprone-reserved-identifier)

int main(int argc, char **argv) {
  prepareProcess();
  return run(argc, argv);
}
