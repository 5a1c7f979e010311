#include "runtime/session/master/MasterDriver.h"

#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/base/TextUtils.h"
#include "runtime/common/plan/PlanTypes.h"
#include "runtime/executor/PhaseSetup.h"
#include "runtime/session/master/AnswerValidator.h"
#include "runtime/session/master/RequestValidator.h"
#include "runtime/session/peers/AnswerConsistency.h"
#include "runtime/session/progress/ResultRemarks.h"
#include "runtime/session/recovery/MemoryRecovery.h"
#include "runtime/session/results/PlanArguments.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"

#include <algorithm>
#include <utility>

namespace graphc::session {
namespace {
constexpr absl::Duration kSetUpDeadline = absl::Seconds(60);
constexpr absl::Duration kPrepareDeadline =
    absl::Minutes(10); // a GPU's driver compiles code that it has not seen before
} // namespace

MasterDriver::MasterDriver(const plan::LoadedPlan &plan, service::TaskCoordinator &coordinator,
                           DriverOptions options)
    : plan_(plan.plan), coordinator_(coordinator), options_(std::move(options)),
      files_(options_.fileDeadline),
      checkpoints_(plan_, coordinator_, files_,
                   {options_.checkpointDirectory, options_.entry == "train",
                    options_.saveEverySeconds, options_.warner(), options_.keepCheckpoints,
                    options_.checkpoint}),
      earlyStop_(watchedMetric(plan_, options_.earlyStop, options_.exportBest)
                     .value_or(std::nullopt), // validate() has refused what is wrong
                 checkpoints_, files_, options_.warner()),
      progress_(plan::taskNumber(plan_, plan_.chief()), options_.show, options_.logEverySteps),
      trace_(plan, coordinator_, files_, {options_.traceFile, options_.profileSteps, options_.log}),
      export_(plan_, files_, options_.exportDirectory, options_.log, [this] { return goesOn(); }),
      dump_(plan_, files_, options_.dumpDirectory),
      hangs_(plan_, options_.hangs, options_.warner()), records_(plan_, options_.reports),
      returns_(plan_, coordinator_, options_.returns, options_.log) {
  coordinator_.use(std::make_shared<AnswerValidator>(plan_, returns_.hearing(options_.ordered)));
}

/// What the plan alone can refuse, before any task is asked: the entry, epochs, names of dumped
/// files, results.
absl::Status MasterDriver::validate(const plan::Plan &plan, const DriverOptions &options) {
  GRAPHC_ASSIGN_OR_RETURN(const uint32_t number,
                          checkEntry(plan, options.entry, options.epochs.has_value()));
  if (!options.exportDirectory.empty())
    GRAPHC_RETURN_IF_ERROR(checkExport(plan));
  GRAPHC_RETURN_IF_ERROR(watchedMetric(plan, options.earlyStop, options.exportBest).status());
  if (!options.dumpDirectory.empty())
    GRAPHC_RETURN_IF_ERROR(checkDump(plan));
  GRAPHC_RETURN_IF_ERROR(
      checkFetches(plan, plan.phases(static_cast<int>(number)), options.fetches));
  return FetchFiles::check(plan, number, options.fetchFiles);
}

uint64_t MasterDriver::samplesOf(uint32_t phase) const {
  const plan::Phase &one = plan_.phases(static_cast<int>(phase));
  auto found = one.samples_per_step() ? samples_.find(one.dataset()) : samples_.end();
  return found == samples_.end() ? 0 : found->second;
}

uint64_t MasterDriver::stepsOfOnePass(uint32_t phase) const {
  const uint64_t samples = samplesOf(phase),
                 each = plan_.phases(static_cast<int>(phase)).samples_per_step();
  return samples && each ? (samples + each - 1) / each : 1;
}

absl::StatusOr<std::vector<service::Done>> MasterDriver::giveOrder(service::Order order,
                                                                   absl::Duration deadline) {
  return coordinator_.giveOrder(std::move(order), absl::Now() + deadline);
}

/// For what the chief waits for by itself, behind training.
absl::Status MasterDriver::goesOn() const {
  if (std::optional<service::RootCause> cause = coordinator_.rootCause())
    return absl::AbortedError(cause->describe());
  return stopRequested_ ? absl::CancelledError("stopped behind training, as asked")
                        : absl::OkStatus();
}

/// A failure that is no task's: every task hears it from the chief.
void MasterDriver::abort(const absl::Status &why) {
  coordinator_.abort({plan::taskText(plan_, plan_.chief()), "", 0, why});
}

/// The master's thread: the whole script. Where it fails without a task's failure, it tells the
/// tasks why.
absl::Status MasterDriver::run() {
  absl::Status status = script();
  if (!status.ok() && !coordinator_.rootCause()) // not a task's failure: tell them why it is over
    abort(status);
  status.Update(records_.end(status.ok()));
  export_.ended(status);
  dump_.end();
  checkpoints_.close(); // its lock goes with the run
  return status;
}

/// Set up; initialize or restore; then train, evaluate or predict; dump, end, release. Each order
/// waits for every task's answer.
absl::Status MasterDriver::script() {
  GRAPHC_RETURN_IF_ERROR(setUp());
  GRAPHC_RETURN_IF_ERROR(initialize());
  {
    base::MutexLock lock(mutex_);
    stage_.initialized = true;
  }
  uint32_t phase = *plan::phaseOf(plan_, roleOf(options_.entry)); // validate() found it
  GRAPHC_RETURN_IF_ERROR(records_.begin(
      {{restored_.has_value(), step_, step_ / executor::lanesPerUpdate(plan_, phase)},
       samplesOf(phase),
       options_.steps.has_value()}));
  absl::Status status;
  if (options_.entry == "train") {
    status = train(phase);
    if (status.ok() || absl::IsCancelled(status))
      records_.trained();
    if (status.ok())
      GRAPHC_RETURN_IF_ERROR(checkpoints_.finish(step_, options_.steps, options_.epochs));
    std::optional<uint32_t> evaluation = finalEvaluation();
    if (status.ok() && evaluation && !notFinite_)
      status = evaluate(*evaluation, /*final=*/true);
    else if (status.ok())
      printTrained();
    if (status.ok())
      status = exportModel();
  } else if (remark(restored_ || !options_.initFrom.empty()
                        ? ""
                        : remarkUntrained(plan_, options_.entry));
             options_.entry == "eval") {
    status = evaluate(phase, /*final=*/true);
  } else {
    status = predict(phase);
  }
  if (!status.ok() && !absl::IsCancelled(status))
    return status;
  GRAPHC_RETURN_IF_ERROR(finish(/*stopped=*/!status.ok()));
  return status;
}

/// The entry's, and after a training the evaluation.
std::vector<uint32_t> MasterDriver::phasesToRun() const {
  std::vector<uint32_t> phases = {*plan::phaseOf(plan_, roleOf(options_.entry))};
  if (std::optional<uint32_t> evaluation = finalEvaluation())
    phases.push_back(*evaluation);
  return phases;
}

std::optional<uint32_t> MasterDriver::finalEvaluation() const {
  return options_.entry == "train" && options_.evaluates ? plan::phaseOf(plan_, plan::EVAL)
                                                         : std::nullopt;
}

/// The last checkpoint, or the best one, which --nan stop does not spoil.
absl::Status MasterDriver::exportModel() {
  if (!options_.exportBest)
    return export_.write(checkpoints_.newest(), notFinite_);
  const std::string best = earlyStop_.best();
  if (best.empty())
    return absl::FailedPreconditionError(
        absl::StrCat("--export best: ", earlyStop_.describeMissing(), "; nothing is exported"));
  options_.log(absl::StrCat("the best checkpoint is ", best, ": ", earlyStop_.describeBest()));
  return export_.write(best, /*notFinite=*/false);
}

/// All tasks come; prepare: each makes its variables and listens; connect: each connects to all,
/// and tells the sizes of its data.
absl::Status MasterDriver::setUp() {
  GRAPHC_RETURN_IF_ERROR(coordinator_.waitForAll());
  {
    base::MutexLock lock(mutex_);
    stage_.joined = true;
  }
  service::Order prepare, connect;
  service::Order::Prepare &all = *prepare.mutable_prepare();
  for (const service::Peer &peer : coordinator_.peers())
    *all.add_peers() = peer;
  all.set_transport(options_.transport);
  all.set_run(options_.run);
  all.set_nan_stops(options_.nanStops);
  if (options_.stepped)
    all.set_stepped(*options_.stepped);
  all.mutable_fetches()->Assign(options_.fetches.begin(), options_.fetches.end());
  if (hangs_.lanesLimit() != absl::InfiniteDuration())
    all.set_wait_limit_ms(static_cast<uint64_t>(absl::ToInt64Milliseconds(hangs_.lanesLimit())));
  GRAPHC_ASSIGN_OR_RETURN(std::vector<service::Done> prepared,
                          giveOrder(std::move(prepare), kPrepareDeadline));
  GRAPHC_ASSIGN_OR_RETURN(algorithms_, compareAlgorithms(plan_, prepared, options_.newAlgorithms));
  for (const service::Done &task : prepared)
    connect.mutable_connect()->add_paths(task.path());
  for (uint32_t phase : phasesToRun())
    connect.mutable_connect()->add_phases(phase);
  prepared_ = std::move(prepared);
  GRAPHC_ASSIGN_OR_RETURN(std::vector<service::Done> connected,
                          giveOrder(std::move(connect), kSetUpDeadline));
  GRAPHC_ASSIGN_OR_RETURN(samples_, compareDatasets(plan_, connected));
  return absl::OkStatus();
}

/// The chief finds the newest checkpoint, each owner looks whether it sees the same folder, and all
/// initialise or restore.
absl::Status MasterDriver::initialize() {
  const auto ask = [this](service::Order check) {
    return giveOrder(std::move(check), kFileDeadline).status();
  };
  GRAPHC_RETURN_IF_ERROR(dump_.begin(ask));
  service::Order initialize;
  service::Order::Initialize &values = *initialize.mutable_initialize();
  std::optional<checkpoint::CommittedCheckpoint> found;
  if (checkpoints_.wanted()) {
    GRAPHC_ASSIGN_OR_RETURN(found, checkpoints_.open());
  }
  std::optional<service::Held> held;
  if (options_.entry == "train") {
    GRAPHC_ASSIGN_OR_RETURN(
        held,
        goOnFromMemory(
            plan_, prepared_, found ? std::optional(found->manifest.globalStep) : std::nullopt,
            [this](service::Order order, const service::AddOwn &own) {
              return coordinator_.giveOrder(std::move(order), absl::Now() + kFileDeadline, {}, own);
            },
            options_.log, options_.warner()));
  }
  if (held) {
    *values.mutable_held() = *held;
    // Positions in the data go on from the checkpoint's where there is one: it knows what was taken
    // ahead.
    restored_ = found ? std::move(found->manifest)
                      : manifestOf(plan_, *plan::phaseOf(plan_, plan::TRAIN), *held);
    found.reset();
  }
  if (found) {
    values.set_restore_from(found->path);
  } else if (!held) {
    GRAPHC_RETURN_IF_ERROR(checkpoints_.begin(options_.initFrom, values));
  }
  if (found && !options_.newAlgorithms)
    if (std::string warning = goOnBy(found->manifest.algorithms, algorithms_, values);
        !warning.empty())
      options_.warner()(warning);
  checkpoints_.madeBy(algorithms_);
  GRAPHC_ASSIGN_OR_RETURN(std::vector<service::Done> ready,
                          giveOrder(std::move(initialize), kFileDeadline));
  GRAPHC_RETURN_IF_ERROR(compareMirrors(plan_, ready, "at the start"));
  for (const service::Done &done : ready)
    if (done.has_global_step())
      step_ = static_cast<uint64_t>(done.global_step());
  if (found) {
    step_ = found->manifest.globalStep;
    restored_ = std::move(found->manifest);
    options_.log(absl::StrCat("going on from ", found->path));
  }
  if (held)
    step_ = held->step();
  if (options_.initialized)
    options_.initialized(step_, found ? found->path : "");
  return absl::OkStatus();
}

/// The training phase again and again, from one pause to the next: checkpoint, evaluation, end.
absl::Status MasterDriver::train(uint32_t phase) {
  StreamPositions streams(plan_, phase, samples_);
  bool hasPositions = true;
  if (restored_) {
    absl::Status status = streams.restore(*restored_);
    hasPositions = status.ok();
    // --steps needs no positions where training is over. With --epochs they say whether it is.
    if (!hasPositions && !(options_.steps && step_ >= *options_.steps))
      return status;
    streams.advance(step_ - restored_->globalStep); // a state in memory is newer than its positions
  }
  trainingSteps_ = trainingStepsOf(phase, streams);
  GRAPHC_RETURN_IF_ERROR(earlyStop_.begin(step_));
  if (step_ >= trainingSteps_.total) {
    // a run whose last checkpoint a death has cost
    if (hasPositions && restored_ && restored_->globalStep < step_ && checkpoints_.wanted())
      return save(streams);
    options_.log(absl::StrCat(
        "nothing to train: the run is at step ", step_.load(),
        options_.steps
            ? absl::StrCat(" and ", *options_.steps,
                           " were asked for (--steps counts from the very first)")
            : absl::StrCat(", behind the ", options_.epochs.value_or(1),
                           " epochs asked for (--epochs counts samples from the very first)")));
    return absl::OkStatus();
  }
  GRAPHC_RETURN_IF_ERROR(trace_.choose(phase, step_, trainingSteps_.total));
  trainingSteps_.traced = trace_.whole();
  records_.train(trainingSteps_);
  progress_.begin(trainingSteps_, step_, absl::Now());
  checkpoints_.startClock(absl::Now());
  // of a state in memory; a checkpoint's is there already
  if (restored_ && trainingSteps_.savesAtBegin())
    GRAPHC_RETURN_IF_ERROR(save(streams));
  bool ends = false; // before the total
  if (!notFinite_ && earlyStop_.lacks(step_) && trainingSteps_.evaluatesAtBegin())
    GRAPHC_RETURN_IF_ERROR(evaluate(*plan::phaseOf(plan_, plan::EVAL), /*final=*/false));
  if (earlyStop_.isOver()) // an earlier run has found that
    endEarly(earlyStop_.describe());
  while (step_ < trainingSteps_.total && !ends && !notFinite_ && !earlyStop_.isOver()) {
    TrainingSteps::Pause pause = trainingSteps_.next(step_);
    uint64_t before = step_;
    GRAPHC_ASSIGN_OR_RETURN(PhaseResult result, runPhase(phase, pause.step - step_, &streams));
    streams.advance(step_ - before, result.tickets);
    if (streams.takeForgotten())
      options_.warner()(
          "warning: what some workers have taken ahead of others is too much to keep: some samples will be "
          "taken again in this epoch, and some not at all");
    GRAPHC_RETURN_IF_ERROR(trace_.write(step_, /*isLast=*/result.stopped && stopRequested_));
    if (step_ == before && !result.stopped)
      return absl::InternalError(absl::StrCat("phase ",
                                              plan_.phases(static_cast<int>(phase)).name(),
                                              " ended without a step at step ", before));
    if (notFinite_ = !result.notFinite.empty(); notFinite_) {
      endEarly(result.notFinite);
      break;
    }
    const bool reached = step_ >= pause.step, saves = checkpoints_.wanted();
    const bool evaluates =
        pause.evaluate && reached && step_ < trainingSteps_.total && !stopRequested_;
    if (saves && (checkpoints_.due(absl::Now()) || (pause.save && reached) ||
                  (evaluates && earlyStop_.wanted())))
      GRAPHC_RETURN_IF_ERROR(save(streams));
    if (notFinite_)
      break;
    if (evaluates)
      GRAPHC_RETURN_IF_ERROR(evaluate(*plan::phaseOf(plan_, plan::EVAL), /*final=*/false));
    if (stopRequested_ && step_ < trainingSteps_.total) {
      if (saves)
        GRAPHC_RETURN_IF_ERROR(save(streams));
      showLast();
      return absl::CancelledError(absl::StrCat(
          "stopped at step ", step_.load(), " of ", trainingSteps_.total, " as asked; ",
          saves ? absl::StrCat("start again with --checkpoint_dir ", options_.checkpointDirectory,
                               " to go on")
                : "nothing was saved, since there is no --checkpoint_dir"));
    }
    if (const bool over = earlyStop_.isOver();
        step_ < trainingSteps_.total && (over || endAsked())) {
      if (saves)
        GRAPHC_RETURN_IF_ERROR(save(streams));
      endEarly(over ? earlyStop_.describe() : "the end was asked for");
      ends = true;
    }
  }
  results_.loss = trained_.loss();
  const bool isShown = earlyStop_.isOver(); // with the evaluation behind which it ends
  lineDue_ = trainingSteps_.evalEvery && !isShown && !notFinite_;
  if (!lineDue_ && !isShown)
    showLast();
  return absl::OkStatus();
}

/// A checkpoint, unless a finite loss has made a variable no number: then what a loss that is none
/// would do.
absl::Status MasterDriver::save(const StreamPositions &streams) {
  GRAPHC_RETURN_IF_ERROR(checkpoints_.save(step_, streams.byName(), streams.aheadByName()));
  const std::string &why = checkpoints_.notFinite();
  if (notFinite_ = !why.empty(); notFinite_ && options_.nanStops)
    endEarly(why);
  return notFinite_ && !options_.nanStops
             ? absl::FailedPreconditionError(
                   absl::StrCat(why, ", and nothing is saved; try a smaller learning rate"))
             : absl::OkStatus();
}

/// Training ends in good order before its steps are made. What is said last is where its best, or
/// its last good, variables are.
void MasterDriver::endEarly(const std::string &why) {
  std::string kept;
  if (notFinite_)
    kept = checkpoints_.newest().empty()
               ? "; --nan stop: nothing is saved, and no checkpoint was saved before"
               : absl::StrCat("; --nan stop: nothing is saved behind the last checkpoint, ",
                              checkpoints_.newest());
  else if (const std::string best = earlyStop_.best(); !best.empty())
    kept = absl::StrCat("; the best checkpoint is ", best);
  results_.endedEarly = absl::StrCat("training ends at step ", step_.load(), " of ",
                                     trainingSteps_.total, ": ", why, kept);
  options_.log(results_.endedEarly);
}

/// How long to train, and where to pause.
TrainingSteps MasterDriver::trainingStepsOf(uint32_t phase, const StreamPositions &streams) const {
  TrainingSteps trainingSteps;
  trainingSteps.samples = samplesOf(phase);
  trainingSteps.samplesPerStep = plan_.phases(static_cast<int>(phase)).samples_per_step();
  trainingSteps.padded = streams.padded();
  trainingSteps.firstStep = step_;
  trainingSteps.position = streams.first();
  trainingSteps.evalEvery =
      plan::phaseOf(plan_, plan::EVAL) ? options_.evalEveryEpochs : std::nullopt;
  if (checkpoints_.wanted()) {
    trainingSteps.saveEvery = options_.saveEverySteps;
    trainingSteps.saveEveryEpoch = !options_.saveEverySeconds;
  }
  trainingSteps.total = options_.steps          ? *options_.steps
                        : trainingSteps.samples ? trainingSteps.stepsOf(options_.epochs.value_or(1))
                                                : 1;
  return trainingSteps;
}

/// One pass over the phase's data set where it has one, from its first sample; the metrics of all
/// tasks are added.
absl::Status MasterDriver::evaluate(uint32_t phase, bool final) {
  const uint64_t steps =
      options_.entry == "eval" && options_.steps ? *options_.steps : stepsOfOnePass(phase);
  if (final)
    remark(remarkOverlap(plan_, phase, samples_, samplesOf(phase), steps));
  if (options_.entry == "eval")
    GRAPHC_RETURN_IF_ERROR(trace_.choose(phase, 0, steps));
  GRAPHC_ASSIGN_OR_RETURN(PhaseResult result, runPhase(phase, steps, nullptr));
  if (result.stopped) { // what it has of some of the samples is no result
    std::string how = absl::StrCat("stopped in the evaluation, at step ", result.steps, " of ",
                                   steps, ", as asked");
    if (!final) {
      options_.log(how);
      return absl::OkStatus();
    }
    if (std::exchange(lineDue_, false))
      showLast();
    printTrained();
    return absl::CancelledError(absl::StrCat(how, "; it has no result"));
  }
  TrainingProgress::Metrics evaluated = meansOf(result.metrics, "");
  for (auto &[name, mean] : evaluated)
    results_.metrics[name] = mean;
  records_.evaluated(step_, evaluated);
  progress_.evaluated(evaluated);
  if (!final)
    GRAPHC_RETURN_IF_ERROR(earlyStop_.evaluated(step_, results_.metrics));
  if (std::exchange(lineDue_, false) || !final)
    showLast();
  if (final) {
    if (options_.entry == "train")
      earlyStop_.evaluatedLast(step_, results_.metrics);
    printTrained();
    for (const std::string &line : metricLines(result.metrics, "test "))
      options_.print(line);
  }
  return stopRequested_ && final ? absl::CancelledError("stopped behind the evaluation, as asked")
                                 : absl::OkStatus();
}

/// One step, whose results are printed.
absl::Status MasterDriver::predict(uint32_t phase) {
  const uint64_t steps = options_.steps ? *options_.steps : stepsOfOnePass(phase);
  GRAPHC_RETURN_IF_ERROR(trace_.choose(phase, 0, steps));
  GRAPHC_ASSIGN_OR_RETURN(PhaseResult result, runPhase(phase, steps, nullptr));
  return result.stopped ? absl::CancelledError(absl::StrCat("stopped at step ", result.steps,
                                                            " of ", steps, ", as asked"))
                        : absl::OkStatus();
}

/// `begin` makes every task ready for so many steps from where the streams stand (null: from their
/// beginning); `run` lets the lanes go and comes back when the phase has ended everywhere, by its
/// steps or a stop; the answers' sums are added up.
absl::StatusOr<PhaseResult> MasterDriver::runPhase(uint32_t phase, uint64_t steps,
                                                   const StreamPositions *streams) {
  const plan::Phase &one = plan_.phases(static_cast<int>(phase));
  const bool trains = one.role() == plan::TRAIN;
  service::Order begin, run;
  begin.mutable_begin()->set_generation(++generation_);
  begin.mutable_begin()->set_phase(phase);
  begin.mutable_begin()->set_first_step(trains ? step_.load() : 0);
  begin.mutable_begin()->set_steps(steps);
  begin.mutable_begin()->set_epoch_samples(samplesOf(phase));
  if (trains)
    records_.ask(*begin.mutable_begin());
  if (streams)
    streams->tell(*begin.mutable_begin());
  trace_.ask(*begin.mutable_begin());
  returns_.mark(*begin.mutable_begin());
  GRAPHC_RETURN_IF_ERROR(giveOrder(begin, kSetUpDeadline).status());
  returns_.open();
  coordinator_.allowStragglers(plan::stragglers(plan_, one));
  if (trains)
    progress_.beginPhase(generation_, step_, one.ends_by_end_of_stream());
  runs(generation_, trains);
  run.mutable_run();
  auto ended = coordinator_.giveOrder(std::move(run), absl::InfiniteFuture(),
                                      [&] { return returns_.bringBack(samples_); });
  returns_.close();
  coordinator_.allowStragglers({});
  runs(0, trains);
  if (trains)
    progress_.endPhase();
  if (!ended.ok())
    return ended.status();
  trace_.take(begin.begin());
  return addUp(one, *ended);
}

/// What a phase that ended gave, by all tasks' answers.
PhaseResult MasterDriver::addUp(const plan::Phase &phase, const std::vector<service::Done> &ended) {
  const bool trains = phase.role() == plan::TRAIN;
  PhaseResult result = resultOf(ended, trains);
  if (!trains)
    return result;
  std::optional<uint64_t> epoch; // of all of it, where tasks count epochs of their own
  if (phase.ends_by_end_of_stream())
    epoch = trainingSteps_.epochOf(step_ + std::max<uint64_t>(1, result.steps) - 1);
  for (const service::Done &done : ended)
    trained_.add(done, epoch);
  step_ += result.steps;
  progress_.trained(step_, trained_.lossEpoch(), trained_.lossSum(),
                    meansOf(trained_.metrics(), "train "));
  return result;
}

/// After the last phase: dump where asked, then `end`, whose answers are the tasks' statistics;
/// `release` lets them go.
absl::Status MasterDriver::finish(bool stopped) {
  GRAPHC_RETURN_IF_ERROR(trace_.write(step_, /*isLast=*/true)); // of an evaluation, a prediction
  if (!notFinite_)
    GRAPHC_RETURN_IF_ERROR(dump_.write([this](service::Order order) {
      return giveOrder(std::move(order), kFileDeadline).status();
    }));
  service::Order end;
  end.mutable_end()->set_stopped(stopped);
  GRAPHC_ASSIGN_OR_RETURN(std::vector<service::Done> ended,
                          giveOrder(std::move(end), kSetUpDeadline));
  std::vector<plan::Task> tasks = plan::allTasks(plan_);
  std::map<std::string, std::string> stats;
  for (size_t i = 0; i < ended.size(); ++i)
    stats[plan::taskText(plan_, tasks[i])] = ended[i].stats();
  coordinator_.release();
  FileWatchdog::Work work(files_, absl::StrCat("writing --stats ", options_.statsFile));
  return options_.statsFile.empty()
             ? absl::OkStatus()
             : observe::writeStats(options_.statsFile, stats, results_, trace_.summary());
}

/// On the heartbeat thread: asks the coordinator to look after the tasks, hears of stop requests,
/// and ends the running phase where one is there or a checkpoint is due.
void MasterDriver::heartbeat() {
  coordinator_.heartbeat(absl::Now(), globalStep());
  if (absl::Status late = files_.check(absl::Now()); !late.ok())
    abort(late);
  Stage stage; // should another phase begin meanwhile, this one is asked to end in vain
  {
    base::MutexLock lock(mutex_);
    stage = stage_;
  }
  service::ClusterProgress progress = coordinator_.clusterProgress();
  const bool endsInOrder = stage.initialized || options_.mayGoOnFromMemory;
  if (progress.stopRequested && !stopRequested_.exchange(true)) {
    if (!endsInOrder) { // nothing began yet: nothing to end in good order
      abort(absl::CancelledError(stage.joined
                                     ? "stopped before the first step, as asked"
                                     : "stopped while waiting for the other tasks, as asked"));
      return;
    }
    options_.log("stopping at the next step");
  }
  if (!stage.phase)
    return;
  if (std::optional<service::RootCause> hang = hangs_.look(coordinator_, absl::Now()))
    coordinator_.abort(*std::move(hang));
  const bool notFinite =
      options_.nanStops &&
      std::any_of(progress.tasks.begin(), progress.tasks.end(),
                  [](const service::Progress &task) { return task.not_finite(); });
  if (!endAsked_ && std::any_of(progress.tasks.begin(), progress.tasks.end(),
                                [](const service::Progress &task) { return task.end_asked(); }))
    endAsked_ = true;
  if (stopRequested_ || notFinite ||
      (stage.trains && (endAsked() || checkpoints_.due(absl::Now()))))
    coordinator_.requestStop(stage.phase);
  if (stage.trains)
    progress_.showRunning(stage.phase, progress, absl::Now());
}

void MasterDriver::showLast() { progress_.showLast(coordinator_.clusterProgress(), absl::Now()); }

/// The metrics of training functions: of the last epoch, as the loss is.
void MasterDriver::printTrained() {
  for (const auto &[name, sum] : trained_.metrics())
    results_.metrics["train " + name] = *sum.mean();
  for (const std::string &line : metricLines(trained_.metrics(), "train "))
    options_.print(line);
}

} // namespace graphc::session
