#include "runtime/api/TaskRun.h"

#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/base/TextUtils.h"
#include "runtime/common/base/Version.h"
#include "runtime/common/plan/LivenessCertificate.h"
#include "runtime/common/plan/PlanTypes.h"
#include "runtime/common/plan/VerifyPlan.h"
#include "runtime/observe/ProcessInfo.h"
#include "runtime/service/RunSecret.h"
#include "runtime/session/results/PlanArguments.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"

#include <algorithm>
#include <iterator>
#include <unistd.h>

namespace graphc::session {
namespace {
/// For the other tasks to end by themselves, behind a run that ended well, and behind another.
constexpr absl::Duration kEndGrace = absl::Seconds(5), kGrace = absl::Milliseconds(1500);
/// A process that was killed is known to be a little later than its streams break.
constexpr absl::Duration kDeathKnown = absl::Milliseconds(500);

absl::StatusOr<DriverOptions> makeDriverOptions(const RunOptions &options) {
  DriverOptions driver;
  driver.entry = options.entry;
  driver.epochs = options.epochs;
  driver.steps = options.steps;
  driver.evalEveryEpochs = options.evalEveryEpochs;
  driver.evaluates = options.evaluates;
  if (!options.evaluates && options.evalEveryEpochs)
    return absl::InvalidArgumentError(
        "evaluates = false and evalEveryEpochs contradict each other; give one of them");
  driver.checkpointDirectory = options.checkpointDirectory;
  driver.checkpoint = options.checkpoint;
  driver.initFrom = options.initFrom;
  driver.newAlgorithms = options.newAlgorithms;
  driver.saveEverySteps = options.saveEverySteps;
  driver.saveEverySeconds = options.saveEverySeconds;
  driver.dumpDirectory = options.dumpDirectory;
  driver.fetches = options.fetches;
  driver.log = options.log ? options.log : [](const std::string &) {};
  driver.print = [](const std::string &) {}; // the same is in RunResult
  driver.keepCheckpoints = options.keepCheckpoints;
  driver.nanStops = options.nanStops;
  if (!options.earlyStop.empty()) {
    if (!options.evalEveryEpochs)
      return absl::InvalidArgumentError("earlyStop needs evalEveryEpochs: it looks at evaluations");
    GRAPHC_ASSIGN_OR_RETURN(driver.earlyStop, EarlyStop::parse(options.earlyStop));
  }
  driver.logEverySteps = options.logEverySteps;
  driver.show = [log = driver.log](const observe::ProgressSnapshot &snapshot) {
    if (snapshot.logged.value_or(false))
      log(observe::formatProgress(snapshot, /*barWidth=*/0));
  };
  driver.hangs.wait = driver.hangs.task = options.deadline;
  driver.hangs.reportAfter = executor::firstReport(options.deadline);
  driver.transport = options.cluster.transport;
  return driver;
}

/// Every argument has a value of its size, and every value an argument.
absl::Status checkFed(const plan::Plan &plan, const RunOptions &options) {
  const std::map<std::string, PlanArgument> arguments = argumentsOf(plan, options.entry);
  std::vector<std::string> names;
  for (const auto &[name, argument] : arguments)
    names.push_back(name);
  for (const auto &[name, bytes] : options.feeds) {
    auto argument = arguments.find(name);
    if (argument == arguments.end())
      return absl::InvalidArgumentError(absl::StrCat(
          "feed ", name, ": the plan has no argument of this name", base::didYouMean(name, names),
          names.empty() ? "; it has none" : absl::StrCat("; it has ", absl::StrJoin(names, ", "))));
    if (bytes.size() != plan::tensorBytes(argument->second.type).value_or(0))
      return absl::InvalidArgumentError(absl::StrCat("feed ", name, ": expected ",
                                                     plan::typeText(argument->second.type),
                                                     ", found ", bytes.size(), " bytes"));
  }
  for (const auto &[name, argument] : arguments)
    if (!argument.function.empty() && !options.feeds.contains(name))
      return absl::InvalidArgumentError(absl::StrCat(argument.function, " has the argument ", name,
                                                     " : ", plan::typeText(argument.type),
                                                     ", which is not fed"));
  return absl::OkStatus();
}

/// A step of this plan is taken by all replicas together.
bool sharesSteps(const plan::Plan &plan, plan::Role role) {
  return std::none_of(plan.phases().begin(), plan.phases().end(), [role](const plan::Phase &phase) {
    return phase.role() == role && phase.ends_by_end_of_stream();
  });
}
} // namespace

std::string TaskRun::name() const { return plan::taskText(plan(), tasks_[place_.task]); }
std::string TaskRun::chiefName() const { return plan::taskText(plan(), plan().chief()); }

absl::StatusOr<std::unique_ptr<TaskRun>>
TaskRun::create(const plan::LoadedPlan &loaded, const RunOptions &options, StepwiseRun *stepping) {
  std::unique_ptr<TaskRun> run(new TaskRun(loaded, options, stepping));
  GRAPHC_RETURN_IF_ERROR(run->check());
  if (run->alone())
    run->run_ = absl::StrCat("here-", service::randomHex(16));
  else
    GRAPHC_RETURN_IF_ERROR(run->meet());
  if (run->place_.chief)
    run->makeMaster();
  if (!run->alone())
    GRAPHC_RETURN_IF_ERROR(run->listen());
  run->makeSession();
  base::MutexLock lock(run->mutex_);
  run->live_ = true;
  return run;
}

TaskRun::~TaskRun() {
  tearDown();
  others_.reset(); // whose thread looks at what is declared behind it
}

/// As graphrun does with a plan file and its command line.
absl::Status TaskRun::check() {
  GRAPHC_RETURN_IF_ERROR(plan::verifyPlan(plan()));
  GRAPHC_RETURN_IF_ERROR(plan::checkCertificate(plan()).status());
  GRAPHC_ASSIGN_OR_RETURN(driven_, makeDriverOptions(options_));
  GRAPHC_ASSIGN_OR_RETURN(place_, findPlace(plan(), options_.cluster));
  GRAPHC_RETURN_IF_ERROR(MasterDriver::validate(plan(), driven_));
  if (options_.maxRestarts > 0 && place_.chief &&
      (driven_.checkpointDirectory.empty() || driven_.entry != "train"))
    return absl::InvalidArgumentError(
        "maxRestarts needs checkpointDirectory and the entry train: a run that has lost a "
        "task goes on from its last checkpoint");
  GRAPHC_RETURN_IF_ERROR(checkFed(plan(), options_));
  if (!options_.feeds.empty() && place_.others == TaskPlace::Others::StartedHere)
    return absl::UnimplementedError(
        "feeds do not reach the tasks that a program starts (ClusterOptions::graphrun); start "
        "them by hand, with graphrun's --feed");
  return letStep();
}

/// Any step may be asked for any result of the phases that are stepped.
absl::Status TaskRun::letStep() {
  if (!stepping_)
    return absl::OkStatus();
  stepping_->role = roleOf(driven_.entry);
  stepping_->own = !place_.chief || !sharesSteps(plan(), stepping_->role);
  driven_.initialized = stepping_->initialized;
  driven_.endAsked = stepping_->endAsked;
  if (stepping_->own)
    return absl::OkStatus();
  driven_.stepped = stepping_->role;
  driven_.fetches.clear();
  for (const plan::Phase &phase : plan().phases())
    if (phase.role() == stepping_->role)
      for (const std::string &name : resultsOf(plan(), phase))
        if (std::find(driven_.fetches.begin(), driven_.fetches.end(), name) ==
            driven_.fetches.end())
          driven_.fetches.push_back(name);
  return absl::OkStatus();
}

std::map<std::string, size_t> TaskRun::steppedResults() const {
  std::map<std::string, size_t> results;
  for (const plan::Phase &phase : plan().phases()) {
    if (phase.role() != stepping_->role)
      continue;
    for (uint32_t index : phase.programs()) {
      const plan::Program &program = plan().programs(static_cast<int>(index));
      bool here = !stepping_->own;
      for (uint32_t instance = 0; instance < program.instances(); ++instance)
        here |= plan::sameTask(plan::instanceTask(plan(), program, instance), tasks_[place_.task]);
      for (const plan::Port &fetch : program.fetches())
        results[fetch.name()] += here;
    }
  }
  std::erase_if(results, [](const auto &result) { return result.second == 0; });
  return results;
}

absl::Status TaskRun::meet() {
  service::silenceGrpc();
  run_ = absl::StrCat("program-", service::randomHex(16));
  if (place_.others == TaskPlace::Others::StartedHere)
    return startOthers();
  if (place_.others == TaskPlace::Others::ByHand)
    return session::meet(plan(), options_.cluster, driven_.log, &place_);
  GRAPHC_ASSIGN_OR_RETURN(offer_.file, plan::encodePlan(plan()));
  offer_.run = run_;
  offer_.entry = options_.entry;
  for (const plan::Job &job : plan().jobs()) {
    service::JobSize &size = offer_.jobs.emplace_back();
    size.set_name(job.name());
    size.set_tasks(job.tasks());
  }
  offer_.client.set_pid(getpid());
  offer_.client.set_host(observe::hostName());
  offer_.client.set_model(plan().model());
  return absl::OkStatus();
}

absl::Status TaskRun::startOthers() {
  launch::ChildTasks::Options others;
  others.graphrun = options_.cluster.graphrun;
  others.own = place_.task;
  others.log = options_.log;
  others.died = [this](uint32_t task, int64_t pid, const std::string &how, bool killed) {
    base::MutexLock lock(mutex_);
    if (live_)
      coordinator_->abort({plan::taskText(plan(), tasks_[task]), observe::hostName(), pid,
                           absl::UnavailableError(absl::StrCat("process ", pid, " ", how)),
                           killed});
    return live_;
  };
  const std::string folder = options_.data.planDir.empty() ? "." : options_.data.planDir;
  others.arguments = {
      absl::StrCat(folder, "/", plan().model().substr(plan().model().rfind('/') + 1), ".plan"),
      "--entry=" + options_.entry,
      absl::StrCat("--deadline=", absl::ToDoubleSeconds(options_.deadline)),
      absl::StrCat("--join_deadline=", absl::ToDoubleSeconds(options_.cluster.joinDeadline))};
  if (!options_.data.dataDir.empty())
    others.arguments.push_back("--data_dir=" + options_.data.dataDir);
  if (options_.intraOpThreads)
    others.arguments.push_back(absl::StrCat("--intra_op_threads=", options_.intraOpThreads));
  GRAPHC_ASSIGN_OR_RETURN(others_, launch::ChildTasks::start(loaded_, std::move(others)));
  place_.addresses = others_->addresses();
  place_.identity.secret = others_->secret();
  run_ = others_->run();
  return absl::OkStatus();
}

/// A result that is whole, on the chief.
void TaskRun::take(const FetchedTensor &value) {
  if (stepping_ && !stepping_->own)
    stepping_->fetched(value);
  if (std::find(options_.fetches.begin(), options_.fetches.end(), value.name) ==
      options_.fetches.end())
    return; // the stepper's alone
  if (options_.fetched)
    options_.fetched(value);
  else
    kept_.push_back(value);
}

void TaskRun::makeMaster() {
  fetches_ = std::make_unique<FetchCollector>(plan(), driven_.fetches,
                                              [this](const FetchedTensor &value) { take(value); });
  service::TaskCoordinator::Options options;
  options.fingerprint = loaded_.fingerprint;
  options.version = base::version();
  for (const plan::Task &task : tasks_)
    options.taskNames.push_back(plan::taskText(plan(), task));
  options.lostAfter = TaskThreads::kLostAfter;
  options.stragglerDeadline = options_.deadline;
  options.joinDeadline = options_.cluster.joinDeadline;
  options.announce = driven_.log;
  options.silence = [this](uint32_t task, const service::TaskSnapshot &heard) {
    return lastSeenText(plan(), watchedTask(plan(), task, heard));
  };
  options.fetched = [this](const service::Fetched &value) { return fetches_->add(value); };
  coordinator_ = std::make_unique<service::TaskCoordinator>(std::move(options));
  driven_.run = run_;
  driver_ = std::make_unique<MasterDriver>(loaded_, *coordinator_, driven_);
}

absl::Status TaskRun::listen() {
  if (place_.chief)
    master_ = std::make_unique<service::MasterService>(
        *coordinator_, place_.others == TaskPlace::Others::Servers ? &offer_ : nullptr,
        place_.addresses, service::mostWholeBytes(plan()));
  // where the others go on without a stopped worker, a connection outlasts the stop
  for (const plan::Phase &phase : plan().phases())
    if (phase.ends_by_end_of_stream())
      place_.identity.silence = options_.deadline + transport::kSilence;
  service::TaskServer::Options options;
  options.address = place_.addresses[place_.task];
  options.listener = others_ ? others_->takeListener() : std::move(place_.listener);
  options.identity = place_.identity;
  options.mostConnections = service::TaskServer::Options::connectionsOf(tasks_.size());
  GRAPHC_ASSIGN_OR_RETURN(server_, service::TaskServer::start(std::move(options), {master_.get()}));
  return absl::OkStatus();
}

void TaskRun::makeSession() {
  TaskOptions own;
  own.task = place_.task;
  own.transport.incarnation = incarnation_;
  own.transport.identity = place_.identity;
  own.transport.data = server_ ? &server_->data() : nullptr;
  own.data = options_.data;
  own.feeds = options_.feeds;
  own.intraOpThreads =
      options_.intraOpThreads ? options_.intraOpThreads : std::max(1u, plan().intra_op_threads());
  own.deadline = options_.deadline;
  own.reportAfter = executor::firstReport(own.deadline);
  own.log = own.warn = driven_.log;
  own.stepping = stepping_;
  service::ControlLink *link = nullptr;
  if (place_.chief) {
    local_ = std::make_shared<service::LocalLink>(*coordinator_, place_.task);
    link = local_.get();
  } else {
    const std::string &address = place_.addresses[plan::taskNumber(plan(), plan().chief())];
    stream_ = std::make_shared<service::StreamLink>(service::TaskDialer(address, place_.identity),
                                                    chiefName(), address);
    link = stream_.get();
  }
  session_ = std::make_unique<OrderExecutor>(loaded_, std::move(own), *link);
}

absl::Status TaskRun::join() {
  const service::Hello hello =
      introduce(loaded_, place_.task, place_.addresses.empty() ? "" : place_.addresses[place_.task],
                incarnation_, base::version());
  return local_ ? local_->join(hello)
                : stream_->open(hello, absl::Now() + options_.cluster.joinDeadline, driven_.log);
}

absl::StatusOr<RunResult> TaskRun::run() {
  TaskThreads::End end;
  service::ControlLink &link = local_ ? static_cast<service::ControlLink &>(*local_) : *stream_;
  {
    TaskThreads threads({name(),
                         chiefName(),
                         *session_,
                         link,
                         driver_.get(),
                         coordinator_.get(),
                         options_.stop,
                         {}});
    end = threads.run([this] { return join(); });
  }
  const bool wasStopped = session_->wasStopped();
  absl::Status status = end.failure ? end.failure->status : end.driven;
  lost_ = end.failure && end.failure->lost;
  met_ = place_.chief || link.heard() != absl::InfiniteFuture();
  isTakenApart_ = session_->isTakenApart();
  if (end.failure && !end.failure->secondary && !alone() &&
      !absl::StartsWith(status.message(), name()))
    status = base::annotate(status, name());
  if (lost_ && others_)
    if (const std::string how = others_->deathOf(end.failure->suspect, kDeathKnown); !how.empty())
      status = absl::Status(status.code(), absl::StrCat(status.message(), "; it ", how));
  if (status.ok() && driver_) {
    result_.steps = driver_->globalStep();
    result_.loss = driver_->results().loss;
    result_.metrics = driver_->results().metrics;
    result_.endedEarly = driver_->results().endedEarly;
  } else if (status.ok()) {
    result_.steps = stepping_ ? stepping_->gate.made() : 0;
    if (wasStopped)
      status = absl::CancelledError("the run was stopped, as asked");
  }
  tearDown();
  if (others_)
    others_->finish(status.ok() || absl::IsCancelled(status) ? kEndGrace : kGrace);
  GRAPHC_RETURN_IF_ERROR(status);
  return std::move(result_);
}

std::optional<LostRun> TaskRun::loss(const absl::Status &why) const {
  if (!lost_)
    return std::nullopt;
  if (!isTakenApart_) { // memory and ports are still held
    if (options_.maxRestarts > 0)
      say("this run does not begin again in this process, of which another one still holds buffers");
    return std::nullopt;
  }
  return LostRun{why, place_.chief, met_};
}

/// Results come one behind the other, those of evaluations between those of steps: what came behind
/// the checkpoint is at the end.
void TaskRun::moveFetches(std::vector<FetchedTensor> &to) {
  auto isStep = [this](const FetchedTensor &value) {
    return plan().phases(static_cast<int>(value.phase)).role() == plan::TRAIN;
  };
  auto first = std::find_if(kept_.begin(), kept_.end(), isStep);
  auto end = to.end();
  if (first != kept_.end() && first->task.empty())
    end = std::find_if(to.begin(), to.end(), [&](const FetchedTensor &before) {
      return isStep(before) && before.step >= first->step;
    });
  if (!kept_.empty() && !isStep(kept_.front()))
    while (end != to.begin() && !isStep(*std::prev(end)))
      --end;
  to.erase(end, to.end());
  std::move(kept_.begin(), kept_.end(), std::back_inserter(to));
  kept_.clear();
}

/// Data streams, the control stream, the server; who of the session comes later finds nothing.
void TaskRun::tearDown() {
  {
    base::MutexLock lock(mutex_);
    live_ = false;
  }
  const bool isHeld = session_ && !session_->isTakenApart();
  if (!isHeld)
    session_.reset();
  if (stream_)
    stream_->close();
  if (master_)
    master_->close();
  if (server_)
    server_->shutdown();
  if (isHeld) { // on purpose: gRPC may call it as long as this process lives
    (void)session_.release();
    (void)server_.release();
    (void)coordinator_.release();
    new auto(std::make_pair(stream_, local_));
  }
  server_.reset();
  if (place_.folder)
    place_.folder->remove();
}

void TaskRun::permit(uint64_t steps, const std::set<std::string> &wanted, bool end) {
  service::ToTask::StepPermit permit;
  permit.set_steps(steps);
  permit.set_end(end);
  for (size_t i = 0; i < driven_.fetches.size(); ++i)
    if (wanted.contains(driven_.fetches[i]))
      permit.add_fetches(static_cast<uint32_t>(i));
  base::MutexLock lock(mutex_);
  if (live_ && !alone())
    coordinator_->permit(permit);
}

void TaskRun::askForEnd() {
  base::MutexLock lock(mutex_);
  if (live_)
    session_->askForEnd();
}

void TaskRun::fail(const absl::Status &why) {
  base::MutexLock lock(mutex_);
  if (live_)
    session_->fail({why, false, ""});
}

} // namespace graphc::session
