#include "runtime/executor/StepwiseGate.h"

#include <climits>

namespace graphc::executor {
namespace {
constexpr absl::Duration kLook = absl::Seconds(1); ///< a sleeper looks again so often, woken or not

/// Sleeps on `word`, which was `before` when there was nothing to do.
void sleepOn(const std::atomic<uint32_t> &word, uint32_t before, absl::Duration timeout,
             transport::SpinThenPark &park) {
  if (!park.await([&] { return word.load(std::memory_order_acquire) != before; }, timeout))
    base::futexWait(&word, before, absl::ToInt64Nanoseconds(timeout), base::FutexScope::Process);
}
} // namespace

StepwiseGate::Answer StepwiseGate::Turn::ask(uint64_t step) {
  step_ = step;
  const Answer answer = gate_->answer(step);
  if (answer != Answer::Wait) {
    arrived_ = false;
  } else if (!arrived_) {
    arrived_ = true;
    gate_->arrive();
  }
  return answer;
}

void StepwiseGate::Turn::wait(absl::Duration timeout) {
  const uint32_t before = gate_->opened_.load(std::memory_order_acquire);
  if (gate_->answer(step_) == Answer::Wait) // not opened since the question
    sleepOn(gate_->opened_, before, timeout, park_);
}

StepwiseGate::Answer StepwiseGate::answer(uint64_t step) const {
  if (aborted_.load(std::memory_order_acquire))
    return Answer::Aborted;
  const uint64_t number = first_.load(std::memory_order_relaxed) + step;
  // The ends are read first: a step that was opened or granted before is then certainly seen.
  const bool ended = ended_.load(std::memory_order_acquire),
             grantsEnded = grantsEnded_.load(std::memory_order_acquire);
  const bool permitted = number < permitted_.load(std::memory_order_acquire),
             granted = number < granted_.load(std::memory_order_acquire);
  if (permitted && granted)
    return Answer::Open;
  return (!permitted && ended) || (!granted && grantsEnded) ? Answer::Ended : Answer::Wait;
}

void StepwiseGate::begin(uint64_t firstStep, size_t lanes) {
  base::MutexLock lock(mutex_);
  if (!begun_ && permitted_.load(std::memory_order_relaxed) != kAll)
    permitted_.store(firstStep, std::memory_order_release);
  if (!begun_)
    made_.store(firstStep, std::memory_order_release);
  begun_ = true;
  first_.store(firstStep, std::memory_order_release);
  lanes_ = lanes;
  waiting_ = 0;
}

void StepwiseGate::grant(uint64_t steps) {
  if (steps <= granted_.load(std::memory_order_relaxed))
    return;
  granted_.store(steps, std::memory_order_release);
  wakeLanes();
}

void StepwiseGate::endGrants() {
  grantsEnded_.store(true, std::memory_order_release);
  wakeLanes();
}

void StepwiseGate::free() {
  permitted_.store(kAll, std::memory_order_release);
  wakeLanes();
}

void StepwiseGate::arrive() {
  {
    base::MutexLock lock(mutex_);
    if (++waiting_ != lanes_)
      return;
  }
  wakeStepper();
}

void StepwiseGate::open() {
  {
    base::MutexLock lock(mutex_);
    waiting_ = 0;
  }
  permitted_.fetch_add(1, std::memory_order_acq_rel);
  wakeLanes();
}

bool StepwiseGate::awaitLanes() {
  for (;;) {
    const uint32_t before = arrivals_.load(std::memory_order_acquire);
    {
      base::MutexLock lock(mutex_);
      if (closed_)
        return false;
      if (lanes_ && waiting_ == lanes_)
        return true;
    }
    sleepOn(arrivals_, before, kLook, park_);
  }
}

void StepwiseGate::end() {
  ended_.store(true, std::memory_order_release);
  wakeLanes();
}

void StepwiseGate::close() {
  {
    base::MutexLock lock(mutex_);
    closed_ = true;
  }
  wakeStepper();
}

void StepwiseGate::abort(const absl::Status &why) {
  {
    base::MutexLock lock(mutex_);
    why_.Update(why);
  }
  aborted_.store(true, std::memory_order_release);
  wakeLanes();
}

absl::Status StepwiseGate::status() const {
  base::MutexLock lock(mutex_);
  return why_;
}

void StepwiseGate::wakeLanes() {
  opened_.fetch_add(1, std::memory_order_acq_rel);
  base::futexWake(&opened_, INT_MAX, base::FutexScope::Process);
}

void StepwiseGate::wakeStepper() {
  arrivals_.fetch_add(1, std::memory_order_acq_rel);
  base::futexWake(&arrivals_, 1, base::FutexScope::Process);
}

} // namespace graphc::executor
