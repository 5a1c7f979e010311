#include "runtime/executor/LaneRunner.h"

#include "runtime/common/base/Mutex.h"
#include "runtime/common/base/StartThread.h"

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"

#include <thread>
#include <vector>

namespace graphc::executor {
namespace {

/// The first failure of a set of lanes, and who hears of it.
class FirstFailure {
public:
  explicit FirstFailure(const LaneRunOptions &options) : options_(options) {}

  void report(const Lane &lane, const absl::Status &status) {
    bool first;
    {
      base::MutexLock lock(mutex_);
      first = failure_.ok();
      // A lane that was aborted only heard of another's failure.
      if (first || (absl::IsAborted(failure_) && !absl::IsAborted(status)))
        failure_ = status;
    }
    if (first && options_.onFailure)
      options_.onFailure(lane, status);
  }
  absl::Status status() {
    base::MutexLock lock(mutex_);
    return failure_;
  }

private:
  const LaneRunOptions &options_;
  base::Mutex mutex_;
  absl::Status failure_ ABSL_GUARDED_BY(mutex_);
};

/// Watches one lane's waits. The clock is read only after a wait() that brought nothing.
class WaitWatch {
public:
  WaitWatch(const Lane &lane, const LaneRunOptions &options) : lane_(lane), options_(options) {}

  /// The lane is blocked: how it has to end, or OK to wait on.
  absl::Status blocked() {
    Lane::Progress progress = lane_.progress();
    if (!waiting_ || !(progress == at_)) {
      at_ = progress;
      waiting_ = true;
      last_ = absl::InfinitePast();
      return absl::OkStatus();
    }
    absl::Time now = absl::Now();
    if (last_ == absl::InfinitePast()) {
      waited_ = absl::ZeroDuration();
      nextReport_ = options_.reportAfter;
    } else {
      // A slice that took much longer than it should: this process itself was stopped (Ctrl-Z, a
      // sleeping machine).
      waited_ += std::min(now - last_, absl::Seconds(2));
    }
    last_ = now;
    if (waited_ >= options_.deadline)
      return absl::DeadlineExceededError(absl::StrCat(lane_.describeWait(),
                                                      ", for more than the deadline of ",
                                                      absl::FormatDuration(options_.deadline)));
    if (waited_ >= nextReport_) {
      nextReport_ = nextReport_ * 2;
      if (options_.onWait)
        options_.onWait({&lane_, lane_.describeWait(), waited_});
    }
    return absl::OkStatus();
  }

  /// How long to sleep at most: no longer than to the next report or the deadline.
  absl::Duration slice() const {
    constexpr absl::Duration most = absl::Milliseconds(100);
    absl::Duration limit = std::min(options_.reportAfter, options_.deadline);
    return std::max(std::min(most, limit), absl::Microseconds(100));
  }

  /// What it waits for next is another wait, also where the lane begins a step again.
  void movedOn() { waiting_ = false; }

private:
  const Lane &lane_;
  const LaneRunOptions &options_;
  Lane::Progress at_;
  bool waiting_ = false;
  absl::Time last_ = absl::InfinitePast(); ///< when blocked() looked last
  absl::Duration waited_, nextReport_;
};

/// One lane on this thread: it runs until it has to wait, and waits a slice at a time, so that a
/// long wait is reported and ends.
void runLane(Lane &lane, const LaneRunOptions &options, FirstFailure &failure) {
  if (options.onStart)
    options.onStart(lane);
  WaitWatch watch(lane, options);
  const absl::Duration slice = watch.slice();
  for (;;) {
    const LaneState state = lane.run();
    if (options.parking && (state == LaneState::StepDone || state == LaneState::Blocked) &&
        options.parking->isAsked(lane.info().instance)) {
      if (state == LaneState::StepDone)
        lane.rests();
      options.parking->stand(&lane, lane.info().instance);
      watch.movedOn();
      continue;
    }
    switch (state) {
    case LaneState::StepDone:
      break;
    case LaneState::PhaseEnded:
      return;
    case LaneState::Failed:
      failure.report(lane, lane.status());
      return;
    case LaneState::Blocked:
      if (absl::Status status = lane.waitsForStepper() ? absl::OkStatus() : watch.blocked();
          !status.ok()) {
        failure.report(lane, status);
        return;
      }
      lane.wait(slice);
      break;
    }
  }
}

} // namespace

absl::Status runLanes(std::span<const std::unique_ptr<Lane>> lanes, const LaneRunOptions &options) {
  FirstFailure failure(options);
  auto run = [&](Lane &lane) {
    runLane(lane, options, failure);
    if (options.parking)
      options.parking->ended(&lane);
  };
  std::vector<std::thread> threads;
  for (size_t i = 1; i < lanes.size(); ++i) {
    Lane &lane = *lanes[i];
    absl::StatusOr<std::thread> started = base::startThread("a lane's", [&] { run(lane); });
    if (started.ok())
      threads.push_back(*std::move(started));
    else
      failure.report(lane, started.status());
    if (!started.ok() && options.parking)
      options.parking->ended(&lane);
  }
  if (!lanes.empty())
    run(*lanes[0]);
  for (std::thread &thread : threads)
    thread.join();
  return failure.status();
}

bool becomeIdle(std::span<const std::unique_ptr<Lane>> lanes, absl::Duration limit) {
  const absl::Time end = absl::Now() + limit;
  for (const auto &lane : lanes)
    while (!lane->isIdle()) {
      if (absl::Now() >= end)
        return false;
      absl::SleepFor(absl::Milliseconds(1));
    }
  return true;
}

} // namespace graphc::executor
