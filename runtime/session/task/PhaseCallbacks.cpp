#include "runtime/session/task/PhaseCallbacks.h"

#include "runtime/common/base/MonotonicClock.h"
#include "runtime/common/plan/PlanTypes.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace graphc::session {
namespace {
bool isFloatScalar(const plan::Program &program, const plan::Port &port) {
  const plan::TensorType &type = program.buffers(static_cast<int>(port.buffer())).type();
  return (type.dtype() == plan::F32 || type.dtype() == plan::F64) && plan::elementCount(type) == 1u;
}

double readScalar(const void *data, plan::DataType type) {
  switch (type) {
  case plan::F32:
    return *static_cast<const float *>(data);
  case plan::F64:
    return *static_cast<const double *>(data);
  case plan::I64:
    return static_cast<double>(*static_cast<const int64_t *>(data));
  case plan::I32:
    return *static_cast<const int32_t *>(data);
  default:
    return 0;
  }
}
} // namespace

int lossFetch(const plan::Program &program) {
  int first = -1;
  for (int i = 0; i < program.fetches_size(); ++i)
    if (isFloatScalar(program, program.fetches(i))) {
      if (program.fetches(i).name() == "loss")
        return i;
      if (first < 0)
        first = i;
    }
  return first;
}

bool ReportSchedule::wants(uint64_t made) {
  if (everySteps_)
    return made == 1 || made % everySteps_ == 0;
  if (!everyNs_)
    return false;
  const int64_t now = base::nowNanoseconds();
  if (last_ && now - last_ < everyNs_)
    return false;
  last_ = now;
  return true;
}

PhaseCallbacks::PhaseCallbacks(const plan::Plan &plan, const plan::Task &task, const PhaseRun &run,
                               data::PhaseBatches *batches, Options options)
    : run_(run), batches_(batches), options_(std::move(options)),
      tickets_(executor::makeTickets(plan, &task, run.phase, run.steps,
                                     [this] { return stopRequested(); })) {
  const plan::Phase &phase = plan.phases(static_cast<int>(run.phase));
  bool trains = phase.role() == plan::TRAIN;
  shared_ = !phase.ends_by_end_of_stream();
  offsets_.resize(static_cast<size_t>(plan.programs_size()));
  for (uint32_t index : phase.programs()) {
    const plan::Program &program = plan.programs(static_cast<int>(index));
    offsets_[index] = records_.size();
    for (uint32_t instance = 0; instance < program.instances(); ++instance) {
      records_.emplace_back();
      if (!plan::sameTask(plan::instanceTask(plan, program, instance), task))
        continue;
      auto record = std::make_unique<LaneRecord>();
      record->program = &program;
      record->trains = trains;
      record->loss = trains ? lossFetch(program) : -1;
      if (record->loss >= 0) {
        const plan::Port &loss = program.fetches(record->loss);
        record->lossType = program.buffers(static_cast<int>(loss.buffer())).type().dtype();
        record->lossParts = loss.micro_batches();
      }
      for (const plan::Port &fetch : program.fetches())
        record->wanted.push_back(options_.wantsFetch && options_.wantsFetch(fetch.name()));
      record->metrics.resize(static_cast<size_t>(program.metrics_size()));
      if (options_.reports)
        record->schedule =
            &options_.schedules->try_emplace({index, instance}, ReportSchedule(*options_.reports))
                 .first->second;
      record->reports = record->schedule && (program.metrics_size() || program.fetches_size());
      if (record->reports)
        record->schedule->unreported.resize(record->metrics.size());
      records_.back() = std::move(record);
    }
  }
}

uint64_t PhaseCallbacks::epochOf(uint64_t step) const {
  return run_.walk.samples ? run_.walk.after(run_.position, step) / run_.walk.samples : 0;
}

/// Where replicas share no step, a server's lanes wait for none of them: each serves one, or all.
executor::StepwiseGate *PhaseCallbacks::gate(const executor::LaneInfo &lane) {
  const bool computes =
      lane.program->feeds_size() || lane.program->fetches_size() || lane.program->metrics_size();
  return shared_ || computes ? options_.gate : nullptr;
}

absl::Status PhaseCallbacks::feed(const executor::LaneInfo &lane, uint64_t step,
                                  std::span<void *const> feeds) {
  for (int i = 0; i < lane.program->feeds_size(); ++i) {
    // the session checked that it is there
    const std::string &value = options_.feeds.at(lane.program->feeds(i).name());
    std::memcpy(feeds[static_cast<size_t>(i)], value.data(), value.size());
  }
  return absl::OkStatus();
}

absl::Status PhaseCallbacks::nextBatch(const executor::LaneInfo &lane, uint64_t step,
                                       const plan::Instruction::NextBatch &instruction,
                                       std::span<void *const> buffers, uint8_t *valid) {
  return batches_->next(lane.instance, instruction, buffers, valid);
}

bool PhaseCallbacks::stopRequested() const {
  return notFinite_.load(std::memory_order_relaxed) ||
         (options_.stopRequested && options_.stopRequested());
}

/// On the lane of the chief's first instance, at the start of each step: is it the last?
executor::ControlMessage PhaseCallbacks::decide(const executor::LaneInfo &lane, uint64_t step) {
  const bool last = step + 1 >= run_.steps;
  ReportSchedule *schedule = record(lane).schedule;
  const bool report = schedule && schedule->wants(run_.firstStep + step + 1);
  if (last)
    return {executor::ControlAction::EndPhase, executor::EndReason::Finished, step, report};
  if (stopRequested()) {
    stopped_ = true;
    return {executor::ControlAction::EndPhase, executor::EndReason::Stop, step, report};
  }
  return {executor::ControlAction::Continue, executor::EndReason::None, step, report};
}

/// A loss that is no number ends the run here, with the step and the lane that made it, or asks for
/// its end; it is counted nowhere.
absl::Status PhaseCallbacks::addLoss(LaneRecord &record, const executor::LaneInfo &lane,
                                     uint64_t step, const void *value) {
  double loss = readScalar(value, record.lossType);
  if (record.lossParts > 1)
    loss /= record.lossParts;
  if (!std::isfinite(loss)) {
    const uint64_t number = run_.firstStep + step + 1;
    std::string what =
        absl::StrCat(record.program->fetches(record.loss).name(), " is ",
                     std::isnan(loss) ? "NaN" : "infinite", " at step ", number, " on ", lane.name);
    if (!options_.nanStops)
      return absl::FailedPreconditionError(absl::StrCat(
          what,
          "; try a smaller learning rate, or look for a logarithm of 0 or a division by 0 in the model, for NaN in "
          "the data, or for labels that are none of its classes"));
    if (!record.notFinite.step)
      record.notFinite = {std::move(what), number};
    notFinite_.store(true, std::memory_order_relaxed);
    return absl::OkStatus();
  }
  record.lossOfEpoch.sum += loss;
  ++record.lossOfEpoch.count;
  record.lossSoFar.set({record.epoch, record.lossOfEpoch});
  return absl::OkStatus();
}

/// Where the step is the first of an epoch, what was summed is of the one before.
void PhaseCallbacks::beginEpoch(LaneRecord &record, uint64_t step) const {
  if (step >= record.epochFrom && step < record.epochEnds)
    return;
  const data::StreamWalk &walk = run_.walk;
  const uint64_t epoch = epochOf(step);
  record.epochFrom = step;
  record.epochEnds = walk.samples ? step + walk.stepsTo(walk.after(run_.position, step),
                                                        (epoch + 1) * walk.samples)
                                  : UINT64_MAX;
  if (epoch == record.epoch)
    return;
  record.epoch = epoch;
  record.lossOfEpoch = {};
  std::fill(record.metrics.begin(), record.metrics.end(), MetricTotal());
}

/// On the lane's thread, while its frame still holds the step: metrics are added, results sent, the
/// loss looked at.
absl::Status PhaseCallbacks::stepDone(const executor::LaneInfo &lane,
                                      const executor::StepResults &results) {
  LaneRecord &one = record(lane);
  one.times.add(results.nanoseconds);
  if (one.trains)
    beginEpoch(one, results.step);
  for (size_t i = 0; i < one.metrics.size(); ++i) {
    const plan::Metric &metric = one.program->metrics(static_cast<int>(i));
    plan::DataType type = one.program->buffers(static_cast<int>(metric.sum())).type().dtype();
    const double sum = readScalar(results.metricSums[i], type);
    const int64_t count = *static_cast<const int64_t *>(results.metricCounts[i]);
    one.metrics[i].sum += sum;
    one.metrics[i].count += count;
    if (one.reports) {
      one.schedule->unreported[i].sum += sum;
      one.schedule->unreported[i].count += count;
    }
  }
  if (const bool wanted =
          one.reports &&
          (shared_ ? results.report : one.schedule->wants(run_.firstStep + results.step + 1));
      wanted || (one.reports && shared_ && results.last))
    report(one, lane, results, /*rest=*/!wanted);
  for (size_t i = 0; i < one.wanted.size(); ++i)
    if (const uint64_t step = run_.firstStep + results.step;
        one.wanted[i] &&
        (!options_.wantsNow ||
         options_.wantsNow(one.program->fetches(static_cast<int>(i)).name(), step)))
      options_.fetched(lane, static_cast<uint32_t>(i), step, results.fetches[i]);
  absl::Status status;
  if (one.loss >= 0)
    status = addLoss(one, lane, results.step, results.fetches[static_cast<size_t>(one.loss)]);
  one.steps.store(results.step + 1, std::memory_order_release);
  if (options_.firstStepDone && !first_.load(std::memory_order_relaxed) && !first_.exchange(true))
    options_.firstStepDone();
  return status;
}

/// All results of the step, and metrics since the last report, on their way to the chief. Behind a
/// rest these go on.
void PhaseCallbacks::report(LaneRecord &record, const executor::LaneInfo &lane,
                            const executor::StepResults &results, bool rest) const {
  service::Report report;
  report.set_rest(rest);
  for (int i = 0; i < record.program->fetches_size(); ++i) {
    const plan::Buffer &buffer =
        record.program->buffers(static_cast<int>(record.program->fetches(i).buffer()));
    report.add_values(results.fetches[static_cast<size_t>(i)], buffer.bytes());
  }
  for (MetricTotal &total : record.schedule->unreported) {
    service::Report::Counted &counted = *report.add_metrics();
    counted.set_sum(total.sum);
    counted.set_count(total.count);
    if (!rest)
      total = {};
  }
  options_.reported(lane, run_.firstStep + results.step, std::move(report));
}

PhaseCallbacks::Progress PhaseCallbacks::progress() const {
  Progress sum;
  sum.tickets = tickets_ ? tickets_->taken() : 0;
  sum.notFinite = notFinite_.load(std::memory_order_relaxed);
  for (const auto &record : records_) {
    if (!record)
      continue;
    sum.steps = std::max(sum.steps, record->steps.load(std::memory_order_acquire));
    const RunningLoss::Value now = record->lossSoFar.get();
    if (now.loss.count == 0 || (shared_ && now.epoch < sum.lossEpoch))
      continue;
    if (shared_ && now.epoch > sum.lossEpoch)
      sum.lossSum = 0, sum.lossCount = 0;
    sum.lossEpoch = std::max(sum.lossEpoch, now.epoch);
    sum.lossSum += now.loss.sum;
    sum.lossCount += now.loss.count;
  }
  return sum;
}

void PhaseCallbacks::answer(service::Done &done) const {
  done.set_stopped(stopped());
  if (const NotFinite first = notFinite(); first.step) {
    done.set_not_finite(first.text);
    done.set_not_finite_step(first.step);
  }
  if (tickets_)
    for (uint64_t taken : tickets_->takenByInstance())
      done.add_tickets(taken);
  for (auto &[epoch, loss] : losses()) {
    service::EpochSum &sum = *done.add_losses();
    sum.set_epoch(epoch);
    sum.set_loss(loss.sum);
    sum.set_count(loss.count);
  }
  for (auto &[key, total] : metrics()) {
    service::MetricSum &sum = *done.add_metrics();
    sum.set_name(key.first);
    sum.set_epoch(key.second);
    sum.set_sum(total.sum);
    sum.set_count(total.count);
  }
}

std::map<uint64_t, EpochLoss> PhaseCallbacks::losses() const {
  std::map<uint64_t, EpochLoss> sums;
  for (const auto &record : records_)
    if (record && record->lossOfEpoch.count) {
      sums[record->epoch].sum += record->lossOfEpoch.sum;
      sums[record->epoch].count += record->lossOfEpoch.count;
    }
  return sums;
}

std::map<std::pair<std::string, uint64_t>, MetricTotal> PhaseCallbacks::metrics() const {
  std::map<std::pair<std::string, uint64_t>, MetricTotal> sums;
  for (const auto &record : records_)
    for (size_t i = 0; record && i < record->metrics.size(); ++i) {
      MetricTotal &total =
          sums[{record->program->metrics(static_cast<int>(i)).name(), record->epoch}];
      total.sum += record->metrics[i].sum;
      total.count += record->metrics[i].count;
    }
  return sums;
}

PhaseCallbacks::NotFinite PhaseCallbacks::notFinite() const {
  NotFinite first;
  for (const auto &record : records_)
    if (record && record->notFinite.step && (!first.step || record->notFinite.step < first.step))
      first = record->notFinite;
  return first;
}

std::optional<executor::StalenessCounts> PhaseCallbacks::staleness() const {
  return tickets_ ? std::optional(tickets_->staleness()) : std::nullopt;
}

observe::StepTimes PhaseCallbacks::times() const {
  observe::StepTimes all;
  for (const auto &record : records_)
    if (record)
      all.merge(record->times);
  return all;
}

} // namespace graphc::session
