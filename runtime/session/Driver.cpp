#include "runtime/session/Driver.h"

#include "runtime/base/Status.h"
#include "runtime/base/Text.h"
#include "runtime/checkpoint/Npy.h"
#include "runtime/plan/Types.h"
#include "runtime/session/Answers.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"

#include <algorithm>

namespace graphc::session {
namespace {
constexpr absl::Duration kSetUpDeadline = absl::Seconds(60);
/// A big checkpoint on a slow disk.
constexpr absl::Duration kSaveDeadline = absl::Minutes(30);

std::string hintOfEntries(const plan::Plan &plan) {
  std::vector<std::string> entries;
  for (const plan::Phase &phase : plan.phases())
    entries.push_back(phase.role() == plan::TRAIN ? "train" : phase.role() == plan::EVAL ? "eval" : "predict");
  return absl::StrJoin(entries, ", ");
}

plan::Role roleOf(const std::string &entry) {
  return entry == "train" ? plan::TRAIN : entry == "eval" ? plan::EVAL : plan::PREDICT;
}
} // namespace

Driver::Driver(const plan::LoadedPlan &plan, service::Coordinator &coordinator, DriverOptions options)
    : plan_(plan.plan), coordinator_(coordinator), options_(std::move(options)) {
  std::vector<plan::Task> tasks = plan::allTasks(plan_);
  coordinator_.use(std::make_shared<RunAnswers>(plan_));
  while (chief_ < tasks.size() && !plan::sameTask(tasks[chief_], plan_.chief()))
    ++chief_;
}

absl::Status Driver::validate(const plan::Plan &plan, const DriverOptions &options) {
  const plan::Phase *phase = nullptr;
  for (const plan::Phase &one : plan.phases())
    if (one.role() == roleOf(options.entry))
      phase = &one;
  if (!phase)
    return absl::InvalidArgumentError(absl::StrCat("--entry ", options.entry, ": the plan of ", plan.model(),
                                                   " has no such function; it has ", hintOfEntries(plan)));
  if (options.epochs && phase->samples_per_step() == 0)
    return absl::InvalidArgumentError(
        absl::StrCat("--epochs: ", phase->name(), " reads no data set, so it has no epochs; use --steps"));
  if (!options.dumpDirectory.empty()) {
    std::map<std::string, std::string> files;
    for (const plan::Variable &variable : plan.variables()) {
      const std::string &name = plan::modelName(variable);
      auto [other, isNew] = files.try_emplace(checkpoint::npyFileName(name), name);
      if (!isNew && other->second != name) // parts of one variable share a file
        return absl::InvalidArgumentError(absl::StrCat("--dump_variables: @\"", other->second, "\" and @\"", name,
                                                       "\" would both be ", other->first,
                                                       "; rename one of them in the model"));
    }
  }
  std::vector<std::string> names;
  for (uint32_t index : phase->programs())
    for (const plan::Port &fetch : plan.programs(static_cast<int>(index)).fetches())
      names.push_back(fetch.name());
  for (const std::string &fetch : options.fetches)
    if (std::find(names.begin(), names.end(), fetch) == names.end())
      return absl::InvalidArgumentError(absl::StrCat("--fetch ", fetch, ": ", phase->name(), " has no such result",
                                                     base::didYouMean(fetch, names), names.empty() ? "" : "; it has ",
                                                     absl::StrJoin(names, ", ")));
  return absl::OkStatus();
}

std::optional<uint32_t> Driver::phaseOf(plan::Role role) const {
  for (int i = 0; i < plan_.phases_size(); ++i)
    if (plan_.phases(i).role() == role)
      return static_cast<uint32_t>(i);
  return std::nullopt;
}

uint64_t Driver::samplesOf(uint32_t phase) const {
  const plan::Phase &one = plan_.phases(static_cast<int>(phase));
  auto found = one.samples_per_step() ? samples_.find(one.dataset()) : samples_.end();
  return found == samples_.end() ? 0 : found->second;
}

absl::StatusOr<std::vector<service::Done>> Driver::order(service::Order order, absl::Duration deadline) {
  return coordinator_.order(std::move(order), absl::Now() + deadline);
}

/// The master's thread: the whole script. Where it fails without a task's failure, it tells the tasks why.
absl::Status Driver::run() {
  absl::Status status = script();
  if (!status.ok() && !coordinator_.rootCause()) // not a task's failure: tell them why it is over
    coordinator_.abort({plan::taskText(plan_, plan_.chief()), "", 0, status});
  directory_.reset(); // its lock goes with the run
  return status;
}

Driver::FileWork::FileWork(Driver &driver, std::string what) : driver_(driver) {
  base::MutexLock lock(driver_.mutex_);
  driver_.working_ = Driver::Working{std::move(what), absl::Now()};
}
Driver::FileWork::~FileWork() {
  base::MutexLock lock(driver_.mutex_);
  driver_.working_.reset();
}

/// Files of the chief that neither come nor fail, as on a network's disk that is away, have nobody else to find them.
void Driver::watchFiles() {
  std::optional<Working> working;
  {
    base::MutexLock lock(mutex_);
    working = working_;
  }
  if (working && absl::Now() - working->since > options_.fileDeadline)
    coordinator_.abort({plan::taskText(plan_, plan_.chief()), "", 0,
                        absl::DeadlineExceededError(absl::StrCat(working->what, " takes longer than ",
                                                                 absl::FormatDuration(options_.fileDeadline)))});
}

/// All tasks come; prepare: each makes its variables and listens; connect: each connects to all, and tells the sizes of its data;
/// initialize or restore; then train, evaluate or predict; dump, end, release. Each order waits for every task's answer.
absl::Status Driver::script() {
  GRAPHC_RETURN_IF_ERROR(coordinator_.waitForAll());
  joined_ = true;
  service::Order prepare, connect;
  for (const service::Peer &peer : coordinator_.peers())
    *prepare.mutable_prepare()->add_peers() = peer;
  prepare.mutable_prepare()->set_transport(options_.transport);
  prepare.mutable_prepare()->set_run(options_.run);
  prepare.mutable_prepare()->mutable_fetches()->Assign(options_.fetches.begin(), options_.fetches.end());
  GRAPHC_ASSIGN_OR_RETURN(std::vector<service::Done> prepared, order(std::move(prepare), kSetUpDeadline));
  connect.mutable_connect();
  for (const service::Done &task : prepared)
    connect.mutable_connect()->add_paths(task.path());
  GRAPHC_ASSIGN_OR_RETURN(std::vector<service::Done> connected, order(std::move(connect), kSetUpDeadline));
  GRAPHC_RETURN_IF_ERROR(compareDatasets(connected));
  GRAPHC_RETURN_IF_ERROR(initialize());
  initialized_ = true;

  uint32_t phase = *phaseOf(roleOf(options_.entry)); // validate() found it
  absl::Status status;
  if (options_.entry == "train") {
    status = train(phase);
    std::optional<uint32_t> evaluation = phaseOf(plan::EVAL);
    if (status.ok() && evaluation)
      status = evaluate(*evaluation, /*final=*/true);
    else if (status.ok())
      printTrained();
  } else if (remarkUntrained(); options_.entry == "eval") {
    status = evaluate(phase, /*final=*/true);
  } else {
    status = predict(phase);
  }
  if (!status.ok() && !absl::IsCancelled(status))
    return status;
  GRAPHC_RETURN_IF_ERROR(finish(/*stopped=*/!status.ok()));
  return status;
}

// Workers take turns in one stream of samples. One with fewer of them would run out first, or train on others than the rest
// believe.
absl::Status Driver::compareDatasets(const std::vector<service::Done> &connected) {
  std::vector<plan::Task> tasks = plan::allTasks(plan_);
  std::map<uint32_t, size_t> first; // by data set: the task that told its size first
  for (size_t i = 0; i < connected.size(); ++i)
    for (const service::DatasetSize &size : connected[i].datasets()) {
      auto [other, isNew] = first.try_emplace(size.dataset(), i);
      uint64_t &samples = samples_.try_emplace(size.dataset(), size.samples()).first->second;
      if (samples != size.samples())
        return absl::FailedPreconditionError(absl::StrCat(
            "data set ", plan_.datasets(static_cast<int>(size.dataset())).name(), " has ", samples, " samples on ",
            plan::taskText(plan_, tasks[other->second]), " and ", size.samples(), " on ",
            plan::taskText(plan_, tasks[i]), "; all workers take turns in one stream, so give them the same files"));
    }
  return absl::OkStatus();
}

/// After the last phase: dump where asked, then `end`, whose answers are the tasks' statistics; `release` lets them go.
absl::Status Driver::finish(bool stopped) {
  if (!options_.dumpDirectory.empty()) {
    service::Order dump;
    dump.mutable_dump()->set_directory(options_.dumpDirectory);
    GRAPHC_RETURN_IF_ERROR(order(std::move(dump), kSaveDeadline).status());
  }
  service::Order end;
  end.mutable_end()->set_stopped(stopped);
  GRAPHC_ASSIGN_OR_RETURN(std::vector<service::Done> ended, order(std::move(end), kSetUpDeadline));
  std::vector<plan::Task> tasks = plan::allTasks(plan_);
  for (size_t i = 0; i < ended.size(); ++i)
    stats_[plan::taskText(plan_, tasks[i])] = ended[i].stats();
  coordinator_.release();
  FileWork work(*this, absl::StrCat("writing --stats ", options_.statsFile));
  return options_.statsFile.empty() ? absl::OkStatus() : observe::writeStats(options_.statsFile, stats_, results_);
}

// Asynchronous workers and backup workers: the phase's other tasks do not wait for them. The chief's own silence is everybody's, and
// whoever stores variables is needed.
std::vector<bool> Driver::stragglersOf(const plan::Phase &phase) const {
  std::vector<bool> stragglers;
  for (const plan::Task &task : plan::allTasks(plan_))
    stragglers.push_back(phase.ends_by_end_of_stream() && !plan::sameTask(task, plan_.chief()) &&
                         std::none_of(plan_.variables().begin(), plan_.variables().end(),
                                      [&](const plan::Variable &one) { return plan::stores(plan_, one, task); }));
  return stragglers;
}

/// How each stream of the phase advances a step: samples of the data set, samples taken, whether the last batch is padded.
std::vector<data::Walk> Driver::walksOf(uint32_t phase, const std::vector<data::Stream> &streams) const {
  std::vector<data::Walk> walks;
  for (const data::Stream &stream : streams) {
    auto samples = samples_.find(stream.dataset);
    walks.push_back({samples == samples_.end() ? 0 : samples->second, stream.perStep, stream.padded});
  }
  return walks;
}

/// Where each stream was left, in samples: under whatever strategy that was. What a checkpoint does not tell (of an earlier version, or
/// since the model was changed) is where the stream before of the same data set is, with which it was one if their batches were of one
/// size, or follows from the steps.
std::vector<uint64_t> Driver::positionsOf(uint32_t phase, const std::vector<data::Stream> &streams,
                                          const std::vector<data::Walk> &walks) const {
  std::vector<uint64_t> positions;
  for (size_t i = 0; i < streams.size(); ++i) {
    if (std::optional<uint64_t> known = data::positionIn(positions_, plan_, phase, streams, i)) {
      positions.push_back(*known);
      continue;
    }
    if (i == 0) {
      positions.push_back(restored_ ? walks[i].after(0, step_) : 0);
      continue;
    }
    size_t before = i;
    while (before > 0 && streams[before - 1].dataset != streams[i].dataset)
      --before;
    positions.push_back(before > 0 && restored_ ? positions[before - 1]
                                                : walks[i].after(0, walks[0].stepsTo(0, positions[0])));
  }
  return positions;
}

/// `begin` makes every task ready for so many steps from these positions; `run` lets the lanes go and comes back when the phase has
/// ended everywhere, by its steps or a stop; the answers' sums are added up.
absl::StatusOr<Driver::PhaseResult> Driver::runPhase(uint32_t phase, uint64_t steps,
                                                     const std::vector<uint64_t> &positions) {
  const plan::Phase &one = plan_.phases(static_cast<int>(phase));
  service::Order begin, run;
  begin.mutable_begin()->set_epoch(++epoch_);
  begin.mutable_begin()->set_phase(phase);
  begin.mutable_begin()->set_first_step(one.role() == plan::TRAIN ? step_.load() : 0);
  begin.mutable_begin()->set_steps(steps);
  begin.mutable_begin()->set_epoch_samples(samplesOf(phase));
  for (size_t i = 0; i < positions.size(); ++i)
    if (i == 0)
      begin.mutable_begin()->set_position(positions[i]);
    else
      begin.mutable_begin()->add_other_positions(positions[i]);
  GRAPHC_RETURN_IF_ERROR(order(std::move(begin), kSetUpDeadline).status());
  if (one.role() == plan::TRAIN) {
    base::MutexLock lock(mutex_);
    shown_.lossSum = 0;
    shown_.lossCount = 0;
  }
  coordinator_.allowStragglers(stragglersOf(one));
  async_ = one.ends_by_end_of_stream();
  training_ = one.role() == plan::TRAIN;
  running_ = epoch_;
  run.mutable_run();
  auto ended = order(std::move(run));
  coordinator_.allowStragglers({});
  running_ = 0;
  training_ = false;
  if (!ended.ok())
    return ended.status();
  PhaseResult result;
  for (const service::Done &done : *ended) {
    result.stopped |= done.stopped();
    result.steps = std::max(result.steps, done.steps());
  }
  // Tasks whose steps nobody counts together count epochs of their own. What each did last is of the epoch in which all of them end.
  const uint64_t last = schedule_.epochOf(step_ + std::max<uint64_t>(1, result.steps) - 1);
  for (const service::Done &done : *ended) {
    for (const service::MetricSum &metric : done.metrics()) {
      Sum &sum = one.role() == plan::TRAIN
                     ? trainMetrics_[metric.name()][one.ends_by_end_of_stream() ? last : metric.epoch()]
                     : result.metrics[metric.name()];
      sum.first += metric.sum();
      sum.second += metric.count();
    }
    for (const service::EpochSum &loss : done.losses()) {
      Sum &sum = losses_[one.ends_by_end_of_stream() ? last : loss.epoch()];
      sum.first += loss.loss();
      sum.second += static_cast<int64_t>(loss.count());
    }
  }
  if (one.role() == plan::TRAIN && !losses_.empty() && losses_.rbegin()->second.second) {
    base::MutexLock lock(
        mutex_); // a short phase ends between two heartbeats; its epoch's mean is what there is to show
    if (!shown_.loss || shown_.lossCount == 0)
      shown_.loss = losses_.rbegin()->second.first / static_cast<double>(losses_.rbegin()->second.second);
  }
  if (one.role() == plan::TRAIN) {
    step_ += result.steps;
    noteTrained();
  }
  return result;
}

/// The training phase again and again, from one pause of the schedule to the next: checkpoint, evaluation, end.
absl::Status Driver::train(uint32_t phase) {
  const plan::Phase &one = plan_.phases(static_cast<int>(phase));
  schedule_.samples = samplesOf(phase);
  const std::vector<data::Stream> streams = data::streamsOf(plan_, phase);
  const std::vector<data::Walk> walks = walksOf(phase, streams);
  std::vector<uint64_t> positions = positionsOf(phase, streams, walks);
  positions_.clear(); // what the checkpoint has of other streams is of a model that was
  schedule_.samplesPerStep = one.samples_per_step();
  schedule_.padded = !streams.empty() && streams.front().padded;
  schedule_.firstStep = step_;
  schedule_.position = positions.empty() ? 0 : positions.front();
  schedule_.evalEvery = phaseOf(plan::EVAL) ? options_.evalEveryEpochs : std::nullopt;
  if (!options_.checkpointDirectory.empty()) {
    schedule_.saveEvery = options_.saveEverySteps;
    schedule_.saveEveryEpoch = !options_.saveEverySeconds;
  }
  schedule_.total = options_.steps      ? *options_.steps
                    : schedule_.samples ? schedule_.stepsOf(options_.epochs.value_or(1))
                                        : 1;
  if (step_ >= schedule_.total) {
    options_.log(absl::StrCat("nothing to train: the run is at step ", step_.load(), " and ", schedule_.total,
                              options_.steps
                                  ? " were asked for (--steps counts from the very first)"
                                  : " make the epochs asked for (--epochs counts samples from the very first)"));
    return absl::OkStatus();
  }
  {
    base::MutexLock lock(mutex_);
    shown_ = {};
    shown_.at = absl::Now();
    shown_.step = step_;
    savedAt_ = absl::Now();
  }
  while (step_ < schedule_.total) {
    Schedule::Pause pause = schedule_.next(step_);
    uint64_t before = step_;
    saveDue_ = false;
    GRAPHC_ASSIGN_OR_RETURN(PhaseResult result, runPhase(phase, pause.step - step_, positions));
    for (size_t i = 0; i < streams.size(); ++i) {
      positions[i] = walks[i].after(positions[i], step_ - before);
      positions_[data::streamName(plan_, phase, streams, i)] = positions[i];
    }
    if (step_ == before && !result.stopped)
      return absl::InternalError(absl::StrCat("phase ", one.name(), " ended without a step at step ", before));
    const bool reached = step_ >= pause.step, saves = !options_.checkpointDirectory.empty();
    if (saves && (saveDue_ || (pause.save && reached)))
      GRAPHC_RETURN_IF_ERROR(save());
    if (pause.evaluate && reached && step_ < schedule_.total && !stopRequested_)
      GRAPHC_RETURN_IF_ERROR(evaluate(*phaseOf(plan::EVAL), /*final=*/false));
    if (stopRequested_ && step_ < schedule_.total) {
      if (saves)
        GRAPHC_RETURN_IF_ERROR(save());
      showNow(true);
      return absl::CancelledError(absl::StrCat(
          "stopped at step ", step_.load(), " of ", schedule_.total, " as asked; ",
          saves ? absl::StrCat("start again with --checkpoint_dir ", options_.checkpointDirectory, " to go on")
                : "nothing was saved, since there is no --checkpoint_dir"));
    }
  }
  if (!losses_.empty() && losses_.rbegin()->second.second)
    results_.loss = losses_.rbegin()->second.first / static_cast<double>(losses_.rbegin()->second.second);
  lineDue_ = schedule_.evalEvery.has_value();
  if (!lineDue_)
    showNow(true);
  return absl::OkStatus();
}

/// On the heartbeat thread: asks the coordinator to look after the tasks, hears of stop requests, and ends the running phase where one is
/// there or a checkpoint is due.
void Driver::heartbeat() {
  coordinator_.heartbeat(absl::Now(), globalStep());
  watchFiles();
  service::ClusterProgress progress = coordinator_.clusterProgress();
  if (progress.stopRequested && !stopRequested_.exchange(true)) {
    if (!initialized_) { // nothing began yet: nothing to end in good order
      coordinator_.abort({plan::taskText(plan_, plan_.chief()), "", 0,
                          absl::CancelledError(joined_ ? "stopped before the first step, as asked"
                                                       : "stopped while waiting for the other tasks, as asked")});
      return;
    }
    options_.log("stopping at the next step");
  }
  // First the phase: should another begin meanwhile, this one is asked to end in vain.
  const uint64_t phase = running_;
  const bool trains = training_;
  if (trains && options_.saveEverySeconds) {
    base::MutexLock lock(mutex_);
    if (absl::Now() - savedAt_ >= absl::Seconds(*options_.saveEverySeconds))
      saveDue_ = true;
  }
  if (phase && (stopRequested_ || (trains && saveDue_)))
    coordinator_.requestStop(phase);
  if (trains)
    showNow(false);
}

} // namespace graphc::session
