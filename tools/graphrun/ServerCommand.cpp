#include "tools/graphrun/ServerCommand.h"
#include "tools/graphrun/TaskMain.h"

#include "runtime/common/base/File.h"
#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/base/Version.h"
#include "runtime/common/cluster/TaskAddresses.h"
#include "runtime/common/plan/PlanFile.h"
#include "runtime/common/plan/VerifyPlan.h"
#include "runtime/launch/StopSignals.h"
#include "runtime/service/PlanFetch.h"
#include "runtime/service/RunSecret.h"
#include "runtime/service/TaskServer.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"

#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace graphc::graphrun {
namespace {
constexpr absl::Duration kAnnounceEvery = absl::Minutes(1);
/// How long the connected client may take to hand its plan out.
constexpr absl::Duration kFetchLimit = absl::Minutes(5);
/// How long a run's process looks for the client that has just handed the plan out.
constexpr char kJoinDeadline[] = "--join_deadline=15";

int usageError(const absl::Status &status) {
  std::fprintf(stderr, "graphrun server: %s\n", base::describe(status).c_str());
  return 2;
}

/// The cluster of the command line: file, else the environment, else --JOB_hosts.
absl::StatusOr<cluster::ClusterConfig> clusterOf(const RunFlags &flags) {
  if (!flags.clusterFile.empty())
    return cluster::readClusterFile(flags.clusterFile);
  if (const char *text = std::getenv("TF_CONFIG"); text && *text && flags.hosts.empty()) {
    absl::StatusOr<cluster::ClusterConfig> config = cluster::parseTfConfig(text);
    if (config.ok()) // as a plan with a chief has it; which plan comes the server does not know
      cluster::renameMaster(*config);
    return config;
  }
  if (flags.hosts.empty())
    return absl::InvalidArgumentError(
        "which cluster? give --cluster FILE, TF_CONFIG, or --JOB_hosts of every job");
  cluster::ClusterConfig config;
  config.file = "the command line";
  for (const auto &[job, addresses] : flags.hosts) {
    cluster::JobConfig &one = config.jobs.emplace_back();
    one.name = job;
    one.tasks = static_cast<uint32_t>(addresses.size());
    one.addresses = addresses;
  }
  return config;
}

/// SIGTERM, SIGINT, SIGHUP and the end of a child, taken one by one where the server waits; it has
/// no handler.
class Signals {
public:
  Signals() {
    sigemptyset(&set_);
    for (int signal : {SIGTERM, SIGINT, SIGCHLD})
      sigaddset(&set_, signal);
    if (launch::hangupStops())
      sigaddset(&set_, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &set_, &before_); // gRPC's threads inherit it
  }
  /// The next signal within `limit`, or 0.
  int next(absl::Duration limit) const {
    timespec time = absl::ToTimespec(limit);
    int signal = sigtimedwait(&set_, nullptr, &time);
    return signal > 0 ? signal : 0;
  }
  /// For a child between fork and exec.
  void restore() const { sigprocmask(SIG_SETMASK, &before_, nullptr); }

private:
  sigset_t set_{}, before_{};
};

class Server {
public:
  Server(const RunFlags &flags, cluster::ClusterConfig config, cluster::TaskRef self,
         std::vector<std::string> arguments)
      : flags_(flags), config_(std::move(config)), self_(std::move(self)), chief_(config_.chief()),
        arguments_(std::move(arguments)) {}

  int run() {
    if (absl::Status status = setUp(); !status.ok())
      return usageError(status);
    while (true) {
      std::optional<service::FetchedPlan> plan = waitForPlan();
      if (!plan)
        end();
      say(absl::StrCat(plan->check ? "checks " : "runs ", plan->client.model(), " for process ",
                       plan->client.pid(), " on ", plan->client.host()));
      lastRun_ = plan->run;
      absl::StatusOr<int> status = runPlan(*plan);
      if (!status.ok())
        say(absl::StrCat("could not run it: ", base::describe(status.status())));
      if (status.ok() && *status == 0)
        say(absl::StrCat(plan->check ? "the check" : "the run", " has finished"));
      if (stops_ > 0) // whose run may have failed because of it
        end();
      if (status.ok() && *status != 0)
        say(absl::StrCat(plan->check ? "the check" : "the run",
                         " has failed or was stopped (exit status ", *status, ")"));
    }
  }

private:
  std::string addressOf(const cluster::TaskRef &task) const {
    return config_.findJob(task.job)->addresses[task.index];
  }
  void say(const std::string &line) const {
    std::fprintf(stderr, "graphrun server %s: %s\n", self_.str().c_str(), line.c_str());
  }

  absl::Status setUp() {
    service::silenceGrpc();
    GRAPHC_ASSIGN_OR_RETURN(credentials_, credentialsOf(flags_));
    for (const cluster::JobConfig &job : config_.jobs)
      for (const std::string &address : job.addresses)
        if (!credentials_ && !cluster::isLoopbackAddress(address))
          return absl::InvalidArgumentError(absl::StrCat(
              job.name, " is at ", address, ", which is not this machine's loopback: ", kNeedsTls));
    TaskSetup setup;
    GRAPHC_RETURN_IF_ERROR(identify(credentials_, self_.str(), addressOf(self_), &setup));
    identity_ = setup.identity;
    for (const cluster::JobConfig &job : config_.jobs) {
      service::JobSize &size = *request_.add_jobs();
      size.set_name(job.name);
      size.set_tasks(job.tasks);
    }
    request_.set_task(self_.str());
    request_.set_version(base::version());
    // The port belongs to the runs; that it can be had is seen now and not when a client waits.
    service::TaskServer::Options options;
    options.address = addressOf(self_);
    options.identity = identity_;
    return service::TaskServer::start(std::move(options), {}).status();
  }

  /// The next client's plan; none where the server was told to stop.
  std::optional<service::FetchedPlan> waitForPlan() {
    service::TaskDialer dialer(addressOf(chief_), identity_);
    std::string stranger;
    absl::Time announceAt = absl::InfinitePast();
    std::string refused;
    while (true) {
      if (stopped(absl::ZeroDuration()))
        return std::nullopt;
      if (absl::Time now = absl::Now(); now >= announceAt) {
        absl::Status reached = dialer.reach(absl::Seconds(1));
        // as where there is no client
        bool why = !reached.ok() && reached.message() != "Connection refused";
        say(absl::StrCat("waits for a client, ", chief_.str(), " at ", addressOf(chief_),
                         why ? "; " : "", why ? reached.message() : ""));
        announceAt = now + kAnnounceEvery;
      }
      auto channel = dialer.connect(absl::Milliseconds(100));
      if (absl::IsUnauthenticated(channel.status())) {
        // gets neither a word from here nor is heeded
        if (std::string why = base::describe(channel.status()); why != stranger)
          say(absl::StrCat("no client at ", addressOf(chief_), ": ", stranger = why));
        if (stopped(absl::Milliseconds(500)))
          return std::nullopt;
      }
      if (!channel.ok())
        continue;
      request_.set_last_run(lastRun_);
      absl::StatusOr<service::FetchedPlan> plan =
          service::fetchPlan(*channel, chief_.str(), request_, kFetchLimit);
      if (plan.ok())
        return *std::move(plan);
      // What a client says while it ends; the reason was said before.
      bool ending = absl::IsAlreadyExists(plan.status()) || absl::IsUnavailable(plan.status()) ||
                    absl::IsCancelled(plan.status());
      if (std::string why = base::describe(plan.status()); !ending && why != refused) {
        say(absl::StrCat("the client at ", addressOf(chief_),
                         " has no work for this server: ", why));
        refused = why;
      }
      if (stopped(absl::Milliseconds(ending ? 20 : 500)))
        return std::nullopt;
    }
  }

  /// Sleeps for `pause`; whether the server was told to stop.
  bool stopped(absl::Duration pause) {
    for (int signal = signals_.next(pause); signal; signal = signals_.next(absl::ZeroDuration()))
      stops_ += signal != SIGCHLD;
    return stops_ > 0;
  }

  absl::StatusOr<int> runPlan(const service::FetchedPlan &fetched) {
    GRAPHC_ASSIGN_OR_RETURN(plan::LoadedPlan plan,
                            plan::decodePlan(fetched.file, "the client's plan"));
    if (absl::Status status = plan::verifyPlan(plan.plan); !status.ok())
      return base::annotate(status, "the client's plan");
    GRAPHC_ASSIGN_OR_RETURN(base::UniqueFd file, base::sealedMemfd("plan", fetched.file));
    std::vector<std::string> arguments = {"graphrun"};
    if (fetched.check)
      arguments.push_back("check");
    arguments.push_back(absl::StrCat("/proc/self/fd/", file.get()));
    arguments.insert(arguments.end(), arguments_.begin(), arguments_.end());
    if (flags_.jobName.empty()) { // TF_CONFIG's task
      arguments.push_back(absl::StrCat("--job_name=", self_.job));
      arguments.push_back(absl::StrCat("--task_index=", self_.index));
    }
    arguments.push_back(absl::StrCat("--entry=", fetched.entry));
    arguments.push_back(kJoinDeadline);
    std::vector<char *> argv;
    for (std::string &argument : arguments)
      argv.push_back(argument.data());
    argv.push_back(nullptr);
    fcntl(file.get(), F_SETFD, 0);
    pid_t parent = getpid(), child = fork();
    if (child < 0)
      return base::errnoStatus("cannot start a process for the run", errno);
    if (child == 0) { // only what is safe between fork and exec
      signals_.restore();
      // a killed server takes its run along, so that the client hears of it
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (getppid() != parent)
        _exit(1);
      execv("/proc/self/exe", argv.data());
      _exit(127);
    }
    return wait(child);
  }

  /// Until the run's process has ended; a stop is passed on, a second one kills.
  int wait(pid_t child) {
    int status = 0;
    while (waitpid(child, &status, WNOHANG) != child)
      // SIGHUP: told of by kernel and shell
      if (int signal = signals_.next(absl::Seconds(1));
          signal == SIGTERM || signal == SIGINT || (signal == SIGHUP && stops_ == 0)) {
        say(stops_ == 0 ? "stopping the run at its next step" : "stopping at once");
        killed_ |= stops_ > 0;
        kill(child, stops_++ == 0 ? SIGTERM : SIGKILL);
      }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

  /// gRPC's threads end some time after its last user has, and must not find OpenSSL's and gRPC's
  /// static objects taken apart: the process goes at once. What it had to write is written.
  [[noreturn]] void end() const {
    say("shut down as asked");
    std::fflush(nullptr);
    _exit(killed_ ? 1 : 0);
  }

  const RunFlags &flags_;
  const cluster::ClusterConfig config_;
  const cluster::TaskRef self_, chief_;
  const std::vector<std::string> arguments_; ///< of the command line, for the runs
  const Signals signals_;
  std::shared_ptr<const tls::TlsCredentials> credentials_;
  service::TaskIdentity identity_;
  std::string lastRun_;
  service::PlanRequest request_;
  int stops_ = 0; ///< how often it was told to stop
  bool killed_ = false; ///< a run, since it was told so twice
};

absl::StatusOr<cluster::TaskRef> selfOf(const RunFlags &flags,
                                        const cluster::ClusterConfig &config) {
  if (flags.jobName.empty() && !config.task)
    return absl::InvalidArgumentError("which task? give --job_name and --task_index");
  cluster::TaskRef self = flags.jobName.empty()
                              ? *config.task
                              : cluster::TaskRef{flags.jobName, flags.taskIndex.value_or(0)};
  const cluster::JobConfig *job = config.findJob(self.job);
  if (!job || self.index >= job->tasks)
    return absl::InvalidArgumentError(absl::StrCat(
        "there is no ", self.str(), " in ", config.file, "; it has ",
        job ? absl::StrCat(job->tasks, " tasks of this job, counted from 0") : "no such job"));
  for (const cluster::JobConfig &one : config.jobs)
    if (one.addresses.empty())
      return absl::InvalidArgumentError(
          absl::StrCat(config.file, " has no addresses for job ", one.name,
                       "; a server needs those of its cluster: [\"localhost:2222\", …]"));
  if (self == config.chief())
    return absl::InvalidArgumentError(absl::StrCat(
        self.str(),
        " is the chief of this cluster, which is the client's place: graphrun model.plan "
        "--master grpc://",
        job->addresses[self.index]));
  return self;
}
} // namespace

bool isServerCommand(int argc, char **argv) {
  return argc > 1 && std::string_view(argv[1]) == "server";
}

absl::StatusOr<std::string> parseMaster(const std::string &url) {
  constexpr char kScheme[] = "grpc://";
  if (!absl::StartsWith(url, kScheme))
    return absl::InvalidArgumentError(
        absl::StrCat("--master ", url, ": expected grpc://host:port"));
  std::string address = url.substr(sizeof kScheme - 1);
  if (absl::Status status = cluster::checkAddress(address); !status.ok())
    return base::annotate(status, "--master");
  return address;
}

int runServer(int argc, char **argv) {
  std::vector<char *> own = {argv[0]};
  own.insert(own.end(), argv + 2, argv + argc);
  auto parsed = parseFlags(static_cast<int>(own.size()), own.data(), CommandKind::Server);
  if (!parsed.ok())
    return usageError(parsed.status());
  if (parsed->exitStatus)
    return *parsed->exitStatus;
  const RunFlags &flags = parsed->flags;
  auto config = clusterOf(flags);
  if (!config.ok())
    return usageError(config.status());
  auto self = selfOf(flags, *config);
  if (!self.ok())
    return usageError(self.status());
  std::vector<std::string> arguments(argv + 2, argv + argc);
  return Server(flags, *std::move(config), *std::move(self), std::move(arguments)).run();
}

} // namespace graphc::graphrun
