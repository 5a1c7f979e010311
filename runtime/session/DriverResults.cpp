// The driver's part of what comes out: evaluations, predictions, metrics, the progress line.
#include "runtime/session/Driver.h"

#include "runtime/base/Status.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"

#include <algorithm>
#include <utility>

namespace graphc::session {
namespace {
void printMetric(const DriverOptions &options, const std::string &name, double value, int64_t samples) {
  options.print(
      absl::StrFormat("%s %.6g  (%s samples)", name, value, observe::withThousands(static_cast<uint64_t>(samples))));
}
} // namespace

/// The metrics of training functions: of the last epoch, as the loss is.
void Driver::noteTrained() {
  base::MutexLock lock(mutex_);
  shown_.trained.clear();
  for (auto &[name, epochs] : trainMetrics_) {
    epochs.erase(epochs.begin(), std::prev(epochs.end()));
    if (Sum sum = epochs.rbegin()->second; sum.second > 0)
      shown_.trained.emplace_back("train " + name, sum.first / static_cast<double>(sum.second));
  }
}

void Driver::printTrained() {
  for (const auto &[name, epochs] : trainMetrics_) {
    Sum sum = epochs.rbegin()->second;
    if (sum.second > 0)
      printMetric(options_, "train " + name,
                  results_.metrics["train " + name] = sum.first / static_cast<double>(sum.second), sum.second);
  }
}

/// Batches that do not divide a data set run over its end into its beginning.
void Driver::remarkOverlap(uint32_t phase, uint64_t steps) const {
  const plan::Phase &one = plan_.phases(static_cast<int>(phase));
  const std::vector<data::Stream> streams = data::streamsOf(plan_, phase);
  uint64_t samples = samplesOf(phase), taken = streams.empty() ? 0 : walksOf(phase, streams).front().after(0, steps);
  if (samples && !streams.front().padded && taken > samples)
    options_.log(
        absl::StrCat(one.name(), ": ", taken - samples, " of the ", samples, " samples of data set ",
                     plan_.datasets(static_cast<int>(one.dataset())).name(), " are taken twice, since steps of ",
                     one.samples_per_step(),
                     " do not divide it; next_batch with pad_last and its mask in graph.metric take each once"));
}

/// Who reads results of a model that was never trained should know.
void Driver::remarkUntrained() const {
  bool trains = std::any_of(plan_.variables().begin(), plan_.variables().end(),
                            [](const plan::Variable &one) { return one.trainable(); });
  if (trains && !restored_)
    options_.log(absl::StrCat("--entry ", options_.entry,
                              " without --checkpoint_dir: every variable has its initial value, nothing is trained"));
}

/// One pass over the phase's data set where it has one, from its first sample; the metrics of all tasks are added.
absl::Status Driver::evaluate(uint32_t phase, bool final) {
  const plan::Phase &one = plan_.phases(static_cast<int>(phase));
  uint64_t samples = samplesOf(phase), steps = 1;
  if (options_.entry == "eval" && options_.steps)
    steps = *options_.steps;
  else if (one.samples_per_step() && samples)
    steps = (samples + one.samples_per_step() - 1) / one.samples_per_step();
  if (final)
    remarkOverlap(phase, steps);
  GRAPHC_ASSIGN_OR_RETURN(PhaseResult result, runPhase(phase, steps, {}));
  if (result.stopped) { // what it has of some of the samples is no result
    std::string how = absl::StrCat("stopped in the evaluation, at step ", result.steps, " of ", steps, ", as asked");
    if (!final) {
      options_.log(how);
      return absl::OkStatus();
    }
    if (std::exchange(lineDue_, false))
      showNow(true);
    printTrained();
    return absl::CancelledError(absl::StrCat(how, "; it has no result"));
  }
  std::vector<std::pair<std::string, double>> evaluated;
  for (auto &[name, total] : result.metrics)
    if (total.second > 0) {
      evaluated.emplace_back(name, total.first / static_cast<double>(total.second));
      results_.metrics[name] = evaluated.back().second;
    }
  {
    base::MutexLock lock(mutex_);
    shown_.evaluated = evaluated;
  }
  if (std::exchange(lineDue_, false) || !final)
    showNow(true);
  if (final) {
    printTrained();
    for (auto &[name, value] : evaluated)
      printMetric(options_, "test " + name, value, result.metrics[name].second);
  }
  return stopRequested_ && final ? absl::CancelledError("stopped behind the evaluation, as asked") : absl::OkStatus();
}

/// One step, whose results are printed.
absl::Status Driver::predict(uint32_t phase) {
  const plan::Phase &one = plan_.phases(static_cast<int>(phase));
  uint64_t samples = samplesOf(phase);
  uint64_t steps = options_.steps                      ? *options_.steps
                   : samples && one.samples_per_step() ? (samples + one.samples_per_step() - 1) / one.samples_per_step()
                                                       : 1;
  GRAPHC_ASSIGN_OR_RETURN(PhaseResult result, runPhase(phase, steps, {}));
  return result.stopped
             ? absl::CancelledError(absl::StrCat("stopped at step ", result.steps, " of ", steps, ", as asked"))
             : absl::OkStatus();
}

void Driver::showNow(bool last) {
  service::ClusterProgress progress = coordinator_.clusterProgress();
  uint64_t inPhase = 0, lossCount = 0;
  double lossSum = 0;
  for (size_t i = 0; i < progress.tasks.size(); ++i) {
    if (async_)
      inPhase = std::max<uint64_t>(inPhase, progress.tasks[i].tickets());
    else if (i == chief_)
      inPhase = progress.tasks[i].steps();
    lossSum += progress.tasks[i].loss_sum();
    lossCount += progress.tasks[i].loss_count();
  }
  observe::ProgressSnapshot snapshot;
  snapshot.step = step_ + (training_ ? inPhase : 0);
  snapshot.steps = schedule_.total;
  snapshot.last = last;
  {
    // A task that has ended the phase before the others reports no step any more.
    base::MutexLock lock(mutex_);
    snapshot.step = shown_.highest =
        std::clamp(snapshot.step, std::min(shown_.highest, snapshot.steps), snapshot.steps);
  }
  if (schedule_.samples && schedule_.samplesPerStep) {
    snapshot.epochs = schedule_.epochOf(schedule_.total ? schedule_.total - 1 : 0) + 1;
    snapshot.epoch = schedule_.epochOf(snapshot.step ? snapshot.step - 1 : 0) + 1;
  }
  {
    base::MutexLock lock(mutex_);
    absl::Time now = absl::Now();
    double seconds = absl::ToDoubleSeconds(now - shown_.at);
    if (snapshot.step > shown_.step && seconds > 0.05) {
      double rate = static_cast<double>(snapshot.step - shown_.step) / seconds;
      shown_.rate = shown_.rate == 0 ? rate : 0.7 * shown_.rate + 0.3 * rate;
      shown_.at = now;
      shown_.step = snapshot.step;
    }
    if (lossCount > shown_.lossCount) {
      shown_.loss = (lossSum - shown_.lossSum) / static_cast<double>(lossCount - shown_.lossCount);
      shown_.lossSum = lossSum;
      shown_.lossCount = lossCount;
    }
    snapshot.stepsPerSecond = shown_.rate;
    snapshot.loss = last && results_.loss ? results_.loss : shown_.loss;
    snapshot.metrics = shown_.trained;
    snapshot.metrics.insert(snapshot.metrics.end(), shown_.evaluated.begin(), shown_.evaluated.end());
  }
  // One at a time and none behind the last; what shows is a leaf that calls nothing back.
  base::MutexLock lock(showing_);
  if (last || training_)
    options_.show(snapshot);
}

} // namespace graphc::session
