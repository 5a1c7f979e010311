#include "tools/graphrun/TaskMain.h"
#include "runtime/launch/RejoinReports.h"
#include "runtime/launch/StopSignals.h"
#include "runtime/launch/TaskOutput.h"
#include "tools/graphrun/ChiefOutputs.h"
#include "tools/graphrun/FeedFlags.h"
#include "tools/graphrun/status/StatusServer.h"

#include "runtime/common/base/File.h"
#include "runtime/common/base/Mutex.h"
#include "runtime/common/base/ProcessDeadline.h"
#include "runtime/common/base/ProcessLog.h"
#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/base/Version.h"
#include "runtime/common/plan/PlanTypes.h"
#include "runtime/common/plan/VerifyCommit.h"
#include "runtime/observe/ProcessInfo.h"
#include "runtime/service/PlanFetch.h"
#include "runtime/service/RunSecret.h"
#include "runtime/service/TaskServer.h"
#include "runtime/session/master/StatusCollector.h"
#include "runtime/session/task/OrderExecutor.h"

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

namespace graphc::graphrun {
namespace {
constexpr absl::Duration kReach = absl::Seconds(1);
constexpr std::chrono::seconds kClearUp(3);
/// A launcher waits for a minute at most before it begins the next session, and may itself be
/// stopped for a while.
constexpr absl::Duration kNextSession = absl::Minutes(10);

/// GRAPHC_TEST_DELAY_US="worker:1=2000,worker:2=0": how late this task's sends begin
/// (session/peers/DelayTransport.h).
absl::Duration testDelay(const std::string &label) {
  const char *text = std::getenv("GRAPHC_TEST_DELAY_US");
  std::vector<std::string> entries = absl::StrSplit(text ? text : "", ',');
  for (const std::string &entry : entries) {
    std::vector<std::string> parts = absl::StrSplit(entry, '=');
    int64_t us = 0;
    if (parts.size() == 2 && parts[0] == label && absl::SimpleAtoi(parts[1], &us))
      return absl::Microseconds(us);
  }
  return absl::ZeroDuration();
}

bool isFile(const std::string &path) {
  struct stat info{};
  return stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode);
}

/// Everything that lives as long as this task does, in the order in which it must go.
class TaskProcess {
public:
  TaskProcess(const RunFlags &flags, const plan::LoadedPlan &plan, const TaskSetup &setup,
              std::shared_ptr<data::DatasetCache> datasets,
              std::shared_ptr<session::KeptState> kept)
      : flags_(flags), loaded_(plan), plan_(plan.plan), setup_(setup),
        datasets_(std::move(datasets)), kept_(std::move(kept)),
        output_(setup.reportFd, [this] { return launch::stopAsked() || failing_; }),
        tasks_(plan::allTasks(plan_)), name_(plan::taskText(plan_, tasks_[setup.task])),
        incarnation_(service::randomIncarnation()) {
    const plan::Task &self = tasks_[setup.task];
    label_ = absl::StrCat(plan_.jobs(static_cast<int>(self.job())).name(), ":", self.index());
    chief_ = plan::sameTask(self, plan_.chief());
  }
  ~TaskProcess() {
    status_.reset(); // it asks the others
    threads_.reset();
    session_.reset();
    link_->close();
    if (master_)
      master_->close();
    if (server_)
      server_->shutdown();
    recorder_.reset(); // it warns on the board
  }

  /// The exit status. None: the session has lost another task, and once this object is gone the
  /// process may join the next.
  std::optional<int> run() {
    link_ = std::make_shared<NoLink>(); // so that every path may close it
    if (absl::Status status = setUp(); !status.ok())
      return fail({status, false, ""});
    threads_ = std::make_unique<session::TaskThreads>(session::TaskThreads::Parts{
        name_, plan::taskText(plan_, plan_.chief()), *session_, *link_, driver_.get(),
        coordinator_.get(), launch::stopAsked,
        [this](const session::TaskFailure &failure) { fail(failure); },
        [this]() -> std::optional<service::RootCause> {
          if (launch::hasEnded(setup_.programFd))
            return service::RootCause{"the program that has started this", "", 0,
                                      absl::UnavailableError("it has ended"), /*lost=*/true};
          std::optional<launch::SessionLost> lost =
              setup_.words ? setup_.words->lost(setup_.session) : std::nullopt;
          if (!lost)
            return std::nullopt;
          return service::RootCause{lost->task, "", 0, absl::UnavailableError(lost->why),
                                    /*lost=*/true};
        },
        mayGoOnFromMemory()});
    session::TaskThreads::End end = threads_->run([this] { return join(); }, kClearUp);
    if (end.failure && setup_.words && end.failure->lost && !end.isLeftBehind &&
        session_->isTakenApart() && !launch::stopAsked()) {
      record(*end.failure, say(*end.failure));
      return std::nullopt;
    }
    if (end.failure) // also where the driver hangs on a file: then the process ends without it
      return fail(*end.failure);
    const absl::Status &driven = end.driven;
    // after the end: a file of --stats that cannot be written, or a stop that was asked for
    if (!driven.ok())
      return fail({driven, false, ""});
    if (!driver_ && setup_.reportFd < 0 && session_->wasStopped()) {
      // under a launcher the chief's status counts
      output_.log("the run was stopped, as asked");
      if (recorder_)
        recorder_->drop();
      return 1;
    }
    if (!output_.wroteAll())
      return fail(
          {absl::DataLossError("some results could not be written to standard output"), false, ""});
    if (recorder_)
      recorder_->drop();
    return 0;
  }

private:
  struct NoLink final : service::ControlLink {
    void send(service::FromTask) override {}
    void close() override {}
  };

  absl::Status setUp() {
    base::LogOptions log;
    log.file = flags_.logFile;
    log.task = label_;
    GRAPHC_RETURN_IF_ERROR(base::initializeLog(log));
    session::TaskOptions options;
    GRAPHC_ASSIGN_OR_RETURN(options.feeds, readFeeds(plan_, flags_));
    bool alone = tasks_.size() == 1;
    if (chief_) {
      makeMaster();
      absl::Status shown = showStatus();
      if (!shown.ok() && setup_.session > 1) // it was shown before, and training goes on
        warn(absl::StrCat(base::describe(shown), "; this run's status is not shown any more"));
      else
        GRAPHC_RETURN_IF_ERROR(shown);
    }
    if (!alone) {
      service::silenceGrpc();
      if (setup_.client) {
        GRAPHC_ASSIGN_OR_RETURN(offer_, makeOffer(flags_, plan_, setup_.run));
      }
      if (chief_)
        master_ = std::make_unique<service::MasterService>(
            *coordinator_, setup_.client ? &offer_ : nullptr, setup_.addresses,
            service::mostWholeBytes(plan_));
      const std::string &address = setup_.addresses[setup_.task];
      auto server = service::TaskServer::start(serverOptions(), {master_.get()});
      if (!server.ok() && setup_.client)
        if (auto there = service::TaskDialer(address, setup_.identity).connect(kReach); there.ok())
          if (std::string other = service::describeClient(*there); !other.empty())
            return absl::ResourceExhaustedError(absl::StrCat("the cluster is busy: its client at ",
                                                             address, " is ", other,
                                                             "; start again when that has ended"));
      GRAPHC_RETURN_IF_ERROR(server.status());
      server_ = *std::move(server);
    }
    if (chief_) {
      local_ = std::make_shared<service::LocalLink>(*coordinator_, setup_.task);
      link_ = local_;
    } else {
      const uint32_t chief = plan::taskNumber(plan_, plan_.chief());
      stream_ = std::make_shared<service::StreamLink>(
          service::TaskDialer(setup_.addresses[chief], identity()),
          plan::taskText(plan_, plan_.chief()), setup_.reportFd < 0 ? setup_.addresses[chief] : "");
      link_ = stream_;
    }
    if (!flags_.failureDirectory.empty()) {
      GRAPHC_ASSIGN_OR_RETURN(recorder_, session::FlightRecorder::open(
                                             flags_.failureDirectory, loaded_, hello(),
                                             [this](const std::string &line) { warn(line); }));
      options.recorder = recorder_.get();
    }
    options.task = setup_.task;
    options.transport.identity = identity();
    options.transport.incarnation = incarnation_;
    options.transport.data = server_ ? &server_->data() : nullptr;
    options.transport.sendDelay = testDelay(label_);
    options.datasets = datasets_;
    options.kept = kept_;
    options.intraOpThreads = flags_.intraOpThreads.value_or(std::max(1u, plan_.intra_op_threads()));
    options.deadline = waitDeadline();
    options.reportAfter = executor::firstReport(options.deadline);
    options.log = [this](const std::string &line) { output_.log(line); };
    options.warn = [this](const std::string &line) { warn(line); };
    session_ = std::make_unique<session::OrderExecutor>(loaded_, std::move(options), *link_);
    return absl::OkStatus();
  }

  void warn(const std::string &line) {
    output_.warn(line);
    if (board_)
      board_->warned(line, absl::Now());
  }

  /// What this run is doing, to whoever may ask.
  absl::Status showStatus() {
    std::shared_ptr<const tls::TlsCredentials> credentials = setup_.identity.credentials;
    if (!credentials && !flags_.statusAddress.empty()) {
      // all tasks are here and need none, but who asks may be elsewhere
      GRAPHC_ASSIGN_OR_RETURN(credentials, credentialsOf(flags_));
    }
    GRAPHC_ASSIGN_OR_RETURN(status_, StatusServer::start(flags_, std::move(credentials), [this] {
                              return board_->look(*coordinator_, driver_->checkpoints(),
                                                  absl::Now());
                            }));
    if (!status_->url().empty())
      output_.log(absl::StrCat("status at ", status_->url()));
    base::logger().debug("status at {}", status_->socket());
    return absl::OkStatus();
  }

  bool mayGoOnFromMemory() const { return setup_.session > 1 && plan::recoversFromMemory(plan_); }
  absl::Duration waitDeadline() const {
    return flags_.waitSeconds ? absl::Seconds(*flags_.waitSeconds) : deadline();
  }
  absl::Duration deadline() const {
    return absl::Seconds(flags_.deadlineSeconds.value_or(kDeadlineSeconds));
  }
  absl::Duration joinDeadline() const {
    return absl::Seconds(
        flags_.joinSeconds.value_or(setup_.reportFd >= 0 ? kLaunchedJoinSeconds : kJoinSeconds));
  }
  /// Of a connection: where the others go on without a stopped worker, it has to outlast the stop.
  absl::Duration silence() const {
    for (const plan::Phase &phase : plan_.phases())
      if (phase.ends_by_end_of_stream())
        return deadline() + transport::kSilence;
    return transport::kSilence;
  }

  service::TaskIdentity identity() const {
    service::TaskIdentity own = setup_.identity;
    own.silence = silence();
    return own;
  }
  service::TaskServer::Options serverOptions() const {
    service::TaskServer::Options options;
    options.address = setup_.addresses[setup_.task];
    options.listener = // of which a later session makes use as well
        base::UniqueFd(setup_.words ? fcntl(setup_.listenerFd, F_DUPFD_CLOEXEC, 0)
                                    : setup_.listenerFd);
    options.identity = identity();
    options.mostConnections = service::TaskServer::Options::connectionsOf(tasks_.size());
    return options;
  }

  void makeMaster() {
    service::TaskCoordinator::Options options;
    options.fingerprint = loaded_.fingerprint;
    options.version = base::version();
    options.session = setup_.session;
    for (const plan::Task &task : tasks_)
      options.taskNames.push_back(plan::taskText(plan_, task));
    options.lostAfter = session::TaskThreads::kLostAfter;
    options.stragglerDeadline = deadline();
    options.joinDeadline = joinDeadline();
    session::StatusCollector::About about;
    about.entry = flags_.entry;
    about.version = base::version();
    about.restarts = setup_.session ? static_cast<uint32_t>(setup_.session - 1) : setup_.restarts;
    if (setup_.reportFd >= 0)
      about.launcher = getppid();
    if (!flags_.checkpointDirectory.empty())
      about.checkpointDirectory =
          std::filesystem::absolute(flags_.checkpointDirectory).lexically_normal().native();
    board_ = std::make_unique<session::StatusCollector>(loaded_, std::move(about));
    options.announce = [this](const std::string &line) {
      output_.log(line);
      if (board_->begun()) // before, everybody waits for those who come late
        board_->warned(line, absl::Now());
    };
    options.silence = [this](uint32_t task, const service::TaskSnapshot &heard) {
      return session::lastSeenText(plan_, session::watchedTask(plan_, task, heard));
    };
    session::DriverOptions driver = driverOptions(flags_);
    outputs_ = std::make_unique<ChiefOutputs>(
        plan_, flags_, driver,
        ChiefOutputs::Sinks{[this](const std::string &line) { output_.print(line); },
                            [this](const std::string &line) { output_.log(line); }});
    options.fetched = [this](const service::Fetched &value) {
      return value.has_report() ? driver_->reported(value) : outputs_->add(value);
    };
    coordinator_ = std::make_unique<service::TaskCoordinator>(std::move(options));
    driver.run = setup_.run;
    driver.mayGoOnFromMemory = mayGoOnFromMemory();
    driver.hangs.wait = waitDeadline();
    driver.hangs.task = deadline();
    driver.hangs.reportAfter = executor::firstReport(driver.hangs.wait);
    driver.show = [this](const observe::ProgressSnapshot &snapshot) {
      board_->shown(snapshot);
      output_.show(snapshot);
    };
    driver.returns = setup_.words ? launch::returnsByLauncher(setup_.reportFd, joinDeadline())
                                  : session::RejoinOptions();
    driver.ordered = [this](const service::Order &order) { board_->ordered(order); };
    driver.print = [this](const std::string &line) { output_.print(line); };
    driver.log = [this](const std::string &line) { output_.log(line); };
    driver.warn = [this](const std::string &line) {
      output_.log(line);
      board_->warned(line, absl::Now());
    };
    driver_ = std::make_unique<session::MasterDriver>(loaded_, *coordinator_, std::move(driver));
  }

  service::Hello hello() const {
    service::Hello hello = session::introduce(
        loaded_, setup_.task, setup_.addresses.empty() ? "" : setup_.addresses[setup_.task],
        incarnation_, base::version());
    hello.set_session(setup_.session);
    return hello;
  }

  absl::Status join() {
    GRAPHC_RETURN_IF_ERROR(
        local_ ? local_->join(hello())
               : stream_->open(hello(), absl::Now() + joinDeadline(),
                               [this](const std::string &line) { output_.log(line); }));
    output_.joined(setup_.session);
    return absl::OkStatus();
  }

  /// On the session's thread, or on the heartbeat's where that one never comes back.
  [[noreturn]] int fail(const session::TaskFailure &failure) {
    if (failing_.exchange(true))
      _exit(failure.lost ? launch::kPeerLost : 1); // it hangs in what follows
    const std::string message = say(failure);
    base::endProcessSoon(failure.lost ? launch::kPeerLost : 1);
    record(failure, message);
    // The others must hear why; then the process ends without taking itself apart, since a peer
    // that hangs may keep gRPC from letting go of buffers for ever.
    if (master_)
      master_->close();
    if (server_)
      server_->shutdown();
    if (setup_.folder)
      setup_.folder->remove();
    base::logger().flush();
    std::fflush(nullptr);
    _exit(failure.lost ? launch::kPeerLost : 1);
  }

  /// The message, which has been reported.
  std::string say(const session::TaskFailure &failure) {
    std::string message = base::describe(failure.status);
    if (setup_.reportFd < 0 && tasks_.size() > 1 && !failure.secondary &&
        message.rfind(name_, 0) != 0)
      message = absl::StrCat(name_, ": ", message);
    output_.error({name_, message, failure.secondary, failure.lost});
    return message;
  }

  void record(const session::TaskFailure &failure, const std::string &message) {
    if (recorder_ && absl::IsCancelled(failure.status))
      recorder_->drop(); // stopped as asked
    else if (recorder_)
      recorder_->keep(message, failure.secondary);
  }

  const RunFlags &flags_;
  const plan::LoadedPlan &loaded_;
  const plan::Plan &plan_;
  const TaskSetup &setup_;
  const std::shared_ptr<data::DatasetCache> datasets_;
  const std::shared_ptr<session::KeptState> kept_;
  launch::TaskOutput output_;
  const std::vector<plan::Task> tasks_;
  const std::string name_;
  const uint64_t incarnation_;
  std::string label_;
  bool chief_ = false;
  std::atomic<bool> failing_{false};

  std::unique_ptr<session::FlightRecorder> recorder_; ///< with --failure_dir
  std::unique_ptr<ChiefOutputs> outputs_; ///< the chief's
  std::unique_ptr<service::TaskCoordinator> coordinator_;
  std::unique_ptr<session::MasterDriver> driver_;
  std::unique_ptr<session::StatusCollector> board_; ///< the chief's
  std::unique_ptr<StatusServer> status_; ///< the chief's
  service::PlanOffer offer_; ///< with --master
  std::unique_ptr<service::MasterService> master_;
  std::unique_ptr<service::TaskServer> server_;
  std::shared_ptr<service::LocalLink> local_;
  std::shared_ptr<service::StreamLink> stream_;
  std::shared_ptr<service::ControlLink> link_;
  std::unique_ptr<session::OrderExecutor> session_;
  std::unique_ptr<session::TaskThreads> threads_;
};
} // namespace

absl::StatusOr<std::shared_ptr<const tls::TlsCredentials>> credentialsOf(const RunFlags &flags) {
  if (flags.tls.certificate.empty() && flags.tls.key.empty() && flags.tls.authority.empty())
    return nullptr;
  return tls::TlsCredentials::load(flags.tls);
}

absl::Status identify(std::shared_ptr<const tls::TlsCredentials> credentials,
                      const std::string &task, const std::string &address, TaskSetup *setup) {
  if (credentials) {
    GRAPHC_RETURN_IF_ERROR(credentials->checkOwn(task, address));
    setup->identity.credentials = std::move(credentials);
    return absl::OkStatus();
  }
  absl::StatusOr<std::string> secret = service::userSecret();
  if (!secret.ok())
    return base::annotate(secret.status(), service::kNoSecret);
  setup->identity.secret = *std::move(secret);
  return absl::OkStatus();
}

data::DatasetSearchPath dataSearch(const RunFlags &flags) {
  data::DatasetSearchPath search;
  search.dataDir = flags.dataDirectory;
  search.useCache = flags.dataCacheMb > 0;
  if (search.useCache) // without a cache the default bounds what is decoded into memory
    search.cacheLimit = flags.dataCacheMb << 20;
  // A task that a program has started is told where the plan would lie; a pipe lies nowhere.
  struct stat info{};
  const bool isPipe = absl::StartsWith(flags.plan, "/dev/") ||
                      absl::StartsWith(flags.plan, "/proc/") ||
                      (stat(flags.plan.c_str(), &info) == 0 && !S_ISREG(info.st_mode));
  size_t slash = isPipe ? std::string::npos : flags.plan.rfind('/');
  search.planDir = slash == std::string::npos ? "." : flags.plan.substr(0, slash);
  return search;
}

// The file as it is, so that its digest, the plan's fingerprint, is the servers' too.
absl::StatusOr<service::PlanOffer> makeOffer(const RunFlags &flags, const plan::Plan &plan,
                                             const std::string &run) {
  service::PlanOffer offer;
  // One that is no file was read already, and is gone.
  GRAPHC_ASSIGN_OR_RETURN(
      offer.file, isFile(flags.plan)
                      ? base::readFile(flags.plan, plan::maxPlanBytes + plan::planHeaderBytes)
                      : plan::encodePlan(plan));
  offer.run = run;
  offer.entry = flags.entry;
  for (const plan::Job &job : plan.jobs()) {
    service::JobSize &size = offer.jobs.emplace_back();
    size.set_name(job.name());
    size.set_tasks(job.tasks());
  }
  offer.client.set_pid(getpid());
  offer.client.set_host(observe::hostName());
  offer.client.set_model(plan.model());
  return offer;
}

session::DriverOptions driverOptions(const RunFlags &flags) {
  session::DriverOptions options;
  options.entry = flags.entry;
  options.epochs = flags.epochs;
  options.steps = flags.steps;
  options.evalEveryEpochs = flags.evalEveryEpochs;
  options.saveEverySeconds = flags.saveCheckpointSecs;
  options.saveEverySteps = flags.saveCheckpointSteps;
  options.keepCheckpoints = flags.keepCheckpointMax;
  options.nanStops = flags.nan == "stop";
  options.earlyStop = flags.earlyStop;
  options.evaluates = !flags.noEval;
  options.exportBest = flags.exportBest;
  options.logEverySteps = flags.logStepCountSteps.value_or(0);
  options.checkpointDirectory = flags.checkpointDirectory;
  options.initFrom = flags.initFrom;
  options.newAlgorithms = flags.newAlgorithms;
  options.exportDirectory = flags.exportDirectory;
  options.dumpDirectory = flags.dumpDirectory;
  options.statsFile = flags.statsFile;
  options.traceFile = flags.traceFile;
  options.profileSteps = flags.profileSteps;
  options.fetches = flags.fetches;
  options.fetchFiles = flags.fetchFiles;
  for (const auto &[name, file] : flags.fetchFiles)
    options.fetches.push_back(name);
  if (!flags.historyFile.empty() || !flags.summaryFolder.empty()) {
    options.reports.everySeconds = flags.saveSummariesSeconds;
    if (!flags.saveSummariesSeconds)
      options.reports.everySteps = flags.saveSummariesSteps.value_or(kSaveSummariesSteps);
  }
  options.fileDeadline =
      flags.deadlineSeconds ? absl::Seconds(*flags.deadlineSeconds) : options.fileDeadline;
  options.transport = flags.transport;
  return options;
}

int runTask(const RunFlags &flags, const plan::LoadedPlan &plan, const TaskSetup &setup) {
  launch::takeStopSignals(/*launched=*/setup.reportFd >= 0);
  // "| head -1" ends a lone task as it ends the launcher; one of several goes on, since the others
  // count on it.
  signal(SIGPIPE, plan::allTasks(plan.plan).size() == 1 ? SIG_DFL : SIG_IGN);
  TaskSetup now = setup;
  const auto datasets = std::make_shared<data::DatasetCache>(plan.plan, dataSearch(flags));
  const auto kept = std::make_shared<session::KeptState>();
  while (true) {
    if (std::optional<int> status = TaskProcess(flags, plan, now, datasets, kept).run())
      return *status;
    base::logger().flush();
    std::fflush(nullptr);
    const std::string left = launch::encodeLeft(now.session) + "\n";
    // A launcher that has gone is seen by next().
    (void)base::writeAll(now.reportFd, left.data(), left.size(), "the launcher");
    std::optional<launch::NextSession> next =
        now.words->next(now.session, absl::Now() + kNextSession);
    if (!next)
      return launch::kPeerLost;
    now.session = next->session;
    now.run = next->run;
  }
}

} // namespace graphc::graphrun
