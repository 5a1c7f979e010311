#include "runtime/session/progress/TrainingProgress.h"

#include <algorithm>
#include <utility>

namespace graphc::session {

void TrainingProgress::begin(const TrainingSteps &trainingSteps, uint64_t step, absl::Time now) {
  base::MutexLock lock(mutex_);
  trainingSteps_ = trainingSteps;
  step_ = ratedStep_ = loggedStep_ = step;
  ratedAt_ = loggedAt_ = now;
  highest_ = 0;
  rate_ = 0;
  loss_ = {};
  lossEpoch_ = 0;
  trained_.clear();
  evaluated_.clear();
}

void TrainingProgress::beginPhase(uint64_t generation, uint64_t step, bool asynchronous) {
  base::MutexLock lock(mutex_);
  running_ = generation;
  step_ = step;
  asynchronous_ = asynchronous;
}

void TrainingProgress::endPhase() {
  base::MutexLock lock(mutex_);
  running_ = 0;
}

void TrainingProgress::trained(uint64_t step, uint64_t epoch, const ResultSum &loss,
                               Metrics metrics) {
  base::MutexLock lock(mutex_);
  step_ = step;
  loss_ = loss;
  lossEpoch_ = epoch;
  trained_ = std::move(metrics);
}

void TrainingProgress::evaluated(Metrics metrics) {
  base::MutexLock lock(mutex_);
  evaluated_ = std::move(metrics);
}

/// Of the epoch in which the training is: what phases that have ended gave, and what the running
/// one has given. Where tasks share no step each counts epochs of its own, and what each tells is
/// of the one in which it is.
ResultSum TrainingProgress::lossSoFar(const service::ClusterProgress &progress,
                                      uint64_t epoch) const {
  ResultSum running;
  uint64_t latest = 0;
  for (const service::Progress &task : progress.tasks) {
    if (!running_ || task.loss_count() == 0 || (!asynchronous_ && task.loss_epoch() < latest))
      continue;
    if (!asynchronous_ && task.loss_epoch() > latest)
      running = {};
    latest = std::max(latest, task.loss_epoch());
    running.add(task.loss_sum(), static_cast<int64_t>(task.loss_count()));
  }
  if (running.count == 0)
    return loss_;
  if (lossEpoch_ == (asynchronous_ ? epoch : latest))
    running.add(loss_.sum, loss_.count);
  return running;
}

/// Whether a multiple of `logEvery_` was passed since the last snapshot that is logged; the rate of
/// that one is since then.
void TrainingProgress::count(observe::ProgressSnapshot &snapshot, absl::Time now) {
  snapshot.logged = snapshot.step / logEvery_ > loggedStep_ / logEvery_;
  if (!*snapshot.logged)
    return;
  const double seconds = absl::ToDoubleSeconds(now - loggedAt_);
  if (seconds > 0)
    snapshot.stepsPerSecond = static_cast<double>(snapshot.step - loggedStep_) / seconds;
  loggedStep_ = snapshot.step;
  loggedAt_ = now;
}

/// The next line: how far the cluster is since the last one.
observe::ProgressSnapshot TrainingProgress::take(const service::ClusterProgress &progress,
                                                 absl::Time now) {
  uint64_t inPhase = 0;
  for (size_t i = 0; i < progress.tasks.size(); ++i) {
    if (asynchronous_)
      inPhase = std::max<uint64_t>(inPhase, progress.tasks[i].tickets());
    else if (i == chief_)
      inPhase = progress.tasks[i].steps();
  }
  observe::ProgressSnapshot snapshot;
  snapshot.steps = trainingSteps_.total;
  // A task that has ended the phase before the others reports no step any more.
  highest_ = std::clamp(step_ + (running_ ? inPhase : 0), std::min(highest_, snapshot.steps),
                        snapshot.steps);
  snapshot.step = highest_;
  if (trainingSteps_.samples && trainingSteps_.samplesPerStep) {
    snapshot.epochs =
        trainingSteps_.epochOf(trainingSteps_.total ? trainingSteps_.total - 1 : 0) + 1;
    snapshot.epoch = trainingSteps_.epochOf(snapshot.step ? snapshot.step - 1 : 0) + 1;
  }
  double seconds = absl::ToDoubleSeconds(now - ratedAt_);
  if (snapshot.step > ratedStep_ && seconds > 0.05) {
    double rate = static_cast<double>(snapshot.step - ratedStep_) / seconds;
    rate_ = rate_ == 0 ? rate : 0.7 * rate_ + 0.3 * rate;
    ratedAt_ = now;
    ratedStep_ = snapshot.step;
  }
  snapshot.stepsPerSecond = rate_;
  if (logEvery_)
    count(snapshot, now);
  snapshot.loss =
      lossSoFar(progress, trainingSteps_.epochOf(snapshot.step ? snapshot.step - 1 : 0)).mean();
  snapshot.metrics = trained_;
  snapshot.metrics.insert(snapshot.metrics.end(), evaluated_.begin(), evaluated_.end());
  return snapshot;
}

void TrainingProgress::showLast(const service::ClusterProgress &progress, absl::Time now) {
  base::MutexLock showing(showing_);
  observe::ProgressSnapshot snapshot;
  {
    base::MutexLock lock(mutex_);
    snapshot = take(progress, now);
    // all of it took less than a rate is taken over
    if (snapshot.stepsPerSecond == 0 && now > ratedAt_)
      snapshot.stepsPerSecond =
          static_cast<double>(snapshot.step - ratedStep_) / absl::ToDoubleSeconds(now - ratedAt_);
  }
  snapshot.last = true;
  show_(snapshot);
}

std::optional<observe::ProgressSnapshot>
TrainingProgress::takeRunning(uint64_t generation, const service::ClusterProgress &progress,
                              absl::Time now) {
  base::MutexLock lock(mutex_);
  return generation && generation == running_ ? std::optional(take(progress, now)) : std::nullopt;
}

void TrainingProgress::showRunning(uint64_t generation, const service::ClusterProgress &progress,
                                   absl::Time now) {
  if (!showing_.try_lock())
    return;
  if (std::optional<observe::ProgressSnapshot> snapshot = takeRunning(generation, progress, now))
    show_(*snapshot);
  showing_.unlock();
}

} // namespace graphc::session
