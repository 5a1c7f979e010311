#include "runtime/session/progress/RunRecords.h"

#include "absl/time/clock.h"

#include <utility>

namespace graphc::session {

RunRecords::RunRecords(const plan::Plan &plan, ReportOptions options)
    : options_(std::move(options)), collector_(plan, [this](observe::StepRecord record, bool rest) {
        take(std::move(record), rest);
      }) {}

absl::Status RunRecords::begin(const RunStart &start) {
  for (TrainingObserver *observer : options_.observers) {
    if (absl::Status status = observer->begin(start); !status.ok())
      return status;
    ++begun_;
  }
  return absl::OkStatus();
}

void RunRecords::train(const TrainingSteps &steps) { steps_ = steps; }

void RunRecords::ask(service::Order::Begin &begin) const {
  if (!options_.everySteps && !options_.everySeconds)
    return;
  begin.mutable_reports()->set_every_steps(options_.everySteps.value_or(0));
  begin.mutable_reports()->set_every_seconds(options_.everySeconds.value_or(0));
}

std::optional<uint64_t> RunRecords::epochOf(uint64_t step) const {
  if (!steps_.samples || !steps_.samplesPerStep)
    return std::nullopt;
  return steps_.epochOf(step ? step - 1 : 0) + 1;
}

/// On any thread, one call at a time.
void RunRecords::take(observe::StepRecord record, bool rest) {
  record.time = absl::Now();
  if (rest)
    rest_ = std::move(record);
  else
    deliver(std::move(record));
}

/// All tasks have answered, so no report is under way.
void RunRecords::trained() {
  if (rest_)
    deliver(*std::exchange(rest_, std::nullopt));
}

void RunRecords::deliver(observe::StepRecord record) {
  rest_.reset();
  if (record.task.empty()) {
    record.epoch = epochOf(record.step);
    const double seconds = absl::ToDoubleSeconds(record.time - at_);
    if (at_ != absl::InfinitePast() && seconds > 0)
      record.scalars.emplace_back("global_step/sec",
                                  static_cast<double>(record.step - step_) / seconds);
    at_ = record.time;
    step_ = record.step;
  }
  for (TrainingObserver *observer : options_.observers)
    observer->record(record);
}

void RunRecords::evaluated(uint64_t step,
                           const std::vector<std::pair<std::string, double>> &metrics) {
  observe::StepRecord record;
  record.phase = "eval";
  record.step = step;
  record.epoch = epochOf(step);
  record.time = absl::Now();
  record.scalars = metrics;
  for (TrainingObserver *observer : options_.observers)
    observer->record(record);
}

absl::Status RunRecords::end(bool complete) {
  absl::Status status;
  for (; begun_; --begun_)
    status.Update(options_.observers[begun_ - 1]->end(complete));
  return status;
}

} // namespace graphc::session
