//===- StepwiseGate.h - where the lanes of a task wait before each step -------------*- C++ -*-===//
//
// For a run whose steps somebody else takes one by one (api/Session.h). All lanes of the task stand
// before the same step, nothing of it done; the stepper opens the gate for one step and waits until
// they stand before the next one. So between two steps every update of the step before is made,
// nothing is under way, and the phase can end right there. Runs that nobody steps have no gate.
//
// Two may have a say: the stepper of this process, and the chief's, whose step permits come from
// another one. A step is made that both allow.
//
// Threads: each lane asks by a turn of its own; one thread steps; grant(), abort() and ended() are
// any thread's. A step takes the mutex once a lane.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_EXECUTOR_STEPWISEGATE_H
#define GRAPHC_RUNTIME_EXECUTOR_STEPWISEGATE_H

#include "runtime/common/base/Mutex.h"
#include "runtime/transport/SpinThenPark.h"
#include "runtime/transport/Transport.h"

#include "absl/status/status.h"

#include <atomic>
#include <cstdint>

namespace graphc::executor {

class StepwiseGate {
public:
  enum class Answer : uint8_t {
    Open,
    Wait,
    Ended, ///< no step more: the phase ends before this one
    Aborted, ///< see status()
  };

  /// What one lane waits on.
  class Turn final : public transport::Port {
  public:
    explicit Turn(StepwiseGate *gate) : gate_(gate) {}
    /// Whether there is a gate; else nothing else is called.
    explicit operator bool() const { return gate_; }
    /// May the lane begin this step of the phase?
    Answer ask(uint64_t step);
    void wait(absl::Duration timeout) override;
    absl::Status status() const override { return gate_->status(); }

  private:
    StepwiseGate *const gate_;
    uint64_t step_ = 0; ///< of the last question
    bool arrived_ = false; ///< counted as waiting before it
    transport::SpinThenPark park_;
  };

  /// Of the session, before the lanes of a phase run: so many, and the number of their first step
  /// over all phases. With 0 lanes: none yet.
  void begin(uint64_t firstStep, size_t lanes);
  /// Of the session, once the lanes of the phase have ended, after so many steps.
  void finish(uint64_t steps) { made_.store(first_.load() + steps, std::memory_order_release); }

  // Of the chief's step permits, where they count.
  void awaitGrants() { granted_.store(0, std::memory_order_release); } ///< before the first begin()
  /// So many steps may be made over all phases.
  void grant(uint64_t steps);
  /// None comes behind those that were granted.
  void endGrants();

  // Of the thread that steps.
  /// The lanes may make one step more. Only while all of them wait.
  void open();
  /// Waits until every lane waits before a step that may not begin yet. False: no lane comes any
  /// more.
  bool awaitLanes();
  /// The lanes end the phase where they stand, and those of later phases before their first step.
  void end();
  /// Nobody steps here any more: the lanes go on without.
  void free();

  /// No lane comes any more: the run is over.
  void close();
  bool closed() const {
    base::MutexLock lock(mutex_);
    return closed_;
  }
  /// Ends all waits of lanes. The first status wins.
  void abort(const absl::Status &why);
  bool ended() const {
    return ended_.load(std::memory_order_acquire) || grantsEnded_.load(std::memory_order_acquire);
  }
  bool aborted() const { return aborted_.load(std::memory_order_acquire); }
  /// Steps that the stepper has opened the gate for; all of them are made once awaitLanes() has
  /// returned true.
  uint64_t permitted() const { return permitted_.load(std::memory_order_acquire); }
  /// Steps made in the phases that have ended.
  uint64_t made() const { return made_.load(std::memory_order_acquire); }

private:
  Answer answer(uint64_t step) const;
  void arrive();
  absl::Status status() const;
  void wakeLanes();
  void wakeStepper();

  static constexpr uint64_t kAll = UINT64_MAX;
  std::atomic<uint64_t> first_{0}, permitted_{0}, granted_{kAll}, made_{0};
  std::atomic<bool> ended_{false}, grantsEnded_{false}, aborted_{false};
  std::atomic<uint32_t> opened_{0}; ///< changes whenever a lane should ask again; lanes sleep on it
  /// changes whenever the stepper should look again; it sleeps on it
  std::atomic<uint32_t> arrivals_{0};
  transport::SpinThenPark park_; ///< the stepper's
  mutable base::Mutex mutex_; ///< a leaf
  bool begun_ ABSL_GUARDED_BY(mutex_) = false, closed_ ABSL_GUARDED_BY(mutex_) = false;
  size_t lanes_ ABSL_GUARDED_BY(mutex_) = 0, waiting_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::Status why_ ABSL_GUARDED_BY(mutex_);
};

} // namespace graphc::executor
#endif
