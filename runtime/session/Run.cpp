#include "runtime/session/Run.h"

#include "runtime/base/Status.h"
#include "runtime/base/Text.h"
#include "runtime/plan/Certificate.h"
#include "runtime/plan/Types.h"
#include "runtime/plan/Verify.h"
#include "runtime/service/Secret.h"
#include "runtime/session/Arguments.h"
#include "runtime/session/LoneRun.h"
#include "runtime/session/TaskThreads.h"

#include "absl/strings/str_cat.h"

#include <algorithm>

namespace graphc::session {
namespace {

absl::StatusOr<DriverOptions> makeDriverOptions(const RunOptions &options) {
  DriverOptions driver;
  driver.entry = options.entry;
  driver.epochs = options.epochs;
  driver.steps = options.steps;
  driver.evalEveryEpochs = options.evalEveryEpochs;
  driver.checkpointDirectory = options.checkpointDirectory;
  driver.checkpoint = options.checkpoint;
  driver.newAlgorithms = options.newAlgorithms;
  driver.saveEverySteps = options.saveEverySteps;
  driver.saveEverySeconds = options.saveEverySeconds;
  driver.dumpDirectory = options.dumpDirectory;
  driver.fetches = options.fetches;
  driver.run = absl::StrCat("here-", service::randomHex(16));
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
  driver.hangs.reportAfter = std::min(driver.hangs.reportAfter, options.deadline / 4);
  return driver;
}

/// As graphrun does with a plan file; and the plan has no other task.
absl::Status checkLonePlan(const plan::Plan &plan, const DriverOptions &options) {
  GRAPHC_RETURN_IF_ERROR(plan::verifyPlan(plan));
  GRAPHC_RETURN_IF_ERROR(plan::checkCertificate(plan).status());
  if (size_t tasks = plan::allTasks(plan).size(); tasks != 1)
    return absl::InvalidArgumentError(
        absl::StrCat("the plan of ", plan.model(), " has ", tasks,
                     " tasks, and one process runs a plan of one; graphrun starts a process for each"));
  return Driver::validate(plan, options);
}

/// Every argument has a value of its size, and every value an argument.
absl::Status checkFed(const plan::Plan &plan, const RunOptions &options) {
  const std::map<std::string, Argument> arguments = argumentsOf(plan, options.entry);
  std::vector<std::string> names;
  for (const auto &[name, argument] : arguments)
    names.push_back(name);
  for (const auto &[name, bytes] : options.feeds) {
    auto argument = arguments.find(name);
    if (argument == arguments.end())
      return absl::InvalidArgumentError(
          absl::StrCat("feed ", name, ": the plan has no argument of this name", base::didYouMean(name, names)));
    if (bytes.size() != plan::tensorBytes(argument->second.type).value_or(0))
      return absl::InvalidArgumentError(absl::StrCat(
          "feed ", name, ": expected ", plan::typeText(argument->second.type), ", found ", bytes.size(), " bytes"));
  }
  for (const auto &[name, argument] : arguments)
    if (!argument.function.empty() && !options.feeds.contains(name))
      return absl::InvalidArgumentError(absl::StrCat(argument.function, " has the argument ", name, " : ",
                                                     plan::typeText(argument.type), ", which is not fed"));
  return absl::OkStatus();
}

/// Any step may be asked for any result of the phases that are stepped.
absl::Status letStep(const plan::Plan &plan, Stepping &stepping, DriverOptions &driven) {
  stepping.role = roleOf(driven.entry);
  driven.initialized = stepping.initialized;
  driven.endAsked = stepping.endAsked;
  driven.fetches.clear();
  for (const plan::Phase &phase : plan.phases()) {
    if (phase.role() != stepping.role)
      continue;
    if (phase.ends_by_end_of_stream())
      return absl::UnimplementedError(absl::StrCat("a session takes steps that all replicas make together; those of ",
                                                   phase.name(), " wait for nobody; graphc::run runs it"));
    const std::vector<std::string> names = resultsOf(plan, phase);
    driven.fetches.insert(driven.fetches.end(), names.begin(), names.end());
  }
  return absl::OkStatus();
}

} // namespace

absl::StatusOr<RunResult> run(const plan::Plan &plan, const RunOptions &options) {
  GRAPHC_ASSIGN_OR_RETURN(std::string bytes, plan::encodePlan(plan));
  GRAPHC_ASSIGN_OR_RETURN(plan::LoadedPlan loaded, plan::decodePlan(bytes, plan.model()));
  return run(loaded, options);
}

absl::StatusOr<RunResult> run(const plan::LoadedPlan &loaded, const RunOptions &options) {
  return runLone(loaded, options, nullptr);
}

absl::StatusOr<RunResult> runLone(const plan::LoadedPlan &loaded, const RunOptions &options, Stepping *stepping) {
  const plan::Plan &plan = loaded.plan;
  GRAPHC_ASSIGN_OR_RETURN(DriverOptions driven, makeDriverOptions(options));
  GRAPHC_RETURN_IF_ERROR(checkLonePlan(plan, driven));
  GRAPHC_RETURN_IF_ERROR(checkFed(plan, options));
  const std::string name = plan::taskText(plan, plan::allTasks(plan).front());
  const uint64_t incarnation = service::randomIncarnation();
  RunResult result;
  if (stepping)
    GRAPHC_RETURN_IF_ERROR(letStep(plan, *stepping, driven));
  FetchCollector fetches(plan, driven.fetches, [&](const FetchedTensor &value) {
    if (stepping)
      stepping->fetched(value);
    if (std::find(options.fetches.begin(), options.fetches.end(), value.name) == options.fetches.end())
      return; // the stepper's alone
    if (options.fetched)
      options.fetched(value);
    else
      result.fetches.push_back(value);
  });

  service::Coordinator::Options coordinated;
  coordinated.fingerprint = loaded.fingerprint;
  coordinated.taskNames = {name};
  coordinated.lostAfter = TaskThreads::kLostAfter;
  coordinated.stragglerDeadline = options.deadline;
  coordinated.announce = driven.log;
  coordinated.fetched = [&](const service::Fetched &value) { return fetches.add(value); };
  service::Coordinator coordinator(std::move(coordinated));

  TaskOptions own;
  own.transport.incarnation = incarnation;
  own.data = options.data;
  own.feeds = options.feeds;
  own.intraOpThreads = options.intraOpThreads ? options.intraOpThreads : std::max(1u, plan.intra_op_threads());
  own.deadline = options.deadline;
  own.reportAfter = std::min(own.reportAfter, own.deadline / 4);
  own.log = own.warn = driven.log;
  own.stepping = stepping;
  Driver driver(loaded, coordinator, std::move(driven));
  auto link = std::make_shared<service::LocalLink>(coordinator, 0);
  TaskSession session(loaded, std::move(own), *link);
  TaskThreads::End end;
  {
    TaskThreads threads({name, name, session, *link, &driver, &coordinator, options.stop, {}});
    end = threads.run([&] { return link->join(introduce(loaded, 0, "", incarnation, "")); });
  }
  if (end.failure)
    return end.failure->status;
  GRAPHC_RETURN_IF_ERROR(end.driven);
  result.steps = driver.globalStep();
  result.loss = driver.results().loss;
  result.metrics = driver.results().metrics;
  result.endedEarly = driver.results().endedEarly;
  return result;
}

} // namespace graphc::session
