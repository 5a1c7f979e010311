//===- PhaseCallbacks.h - what a session does for the lanes of one phase ------------*- C++ -*-===//
//
// Made for one run of one phase on one task. Lanes call it on their own threads; each lane's
// numbers are in a record of its own, which others read through atomics (progress) or after the
// lane was joined (sums).
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_SESSION_TASK_PHASECALLBACKS_H
#define GRAPHC_RUNTIME_SESSION_TASK_PHASECALLBACKS_H

#include "runtime/data/PhaseBatches.h"
#include "runtime/executor/PhaseSetup.h"
#include "runtime/observe/StepTimes.h"
#include "runtime/service/ResultBacklog.h"
#include "runtime/service/service.pb.h"

#include "absl/time/time.h"

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace graphc::session {

/// Sums over the steps of one data epoch.
struct EpochLoss {
  double sum = 0;
  uint64_t count = 0;
};

/// What was added up over some steps.
struct MetricTotal {
  double sum = 0;
  int64_t count = 0;
};

/// Which steps are reported (--save_summaries_steps, --save_summaries_secs).
class ReportSchedule {
public:
  ReportSchedule() = default; ///< none
  explicit ReportSchedule(const service::Order::Begin::Reports &asked)
      : everySteps_(asked.every_steps()),
        everyNs_(static_cast<int64_t>(asked.every_seconds() * 1e9)) {}
  /// `made`: steps, this one among them. Asked once for each, in order. The very first one is
  /// reported in any case.
  bool wants(uint64_t made);

  std::vector<MetricTotal> unreported; ///< metrics since the last report, by metric of the program

private:
  uint64_t everySteps_ = 0;
  int64_t everyNs_ = 0, last_ = 0; ///< of the monotonic clock
};
/// Of the lanes of a task, by program and instance: time and metrics go on from one run of a phase
/// to the next.
using ReportSchedules = std::map<std::pair<uint32_t, uint32_t>, ReportSchedule>;

/// The losses of a lane's epoch so far. One thread writes, any reads; who reads gets what was
/// written together.
class RunningLoss {
public:
  struct Value {
    uint64_t epoch = 0;
    EpochLoss loss;
  };
  void set(const Value &value) {
    const uint32_t version = version_.load(std::memory_order_relaxed);
    version_.store(version + 1, std::memory_order_relaxed); // odd: being written
    std::atomic_thread_fence(std::memory_order_release);
    epoch_.store(value.epoch, std::memory_order_relaxed);
    sum_.store(value.loss.sum, std::memory_order_relaxed);
    count_.store(value.loss.count, std::memory_order_relaxed);
    version_.store(version + 2, std::memory_order_release);
  }
  Value get() const {
    while (true) {
      const uint32_t version = version_.load(std::memory_order_acquire);
      const Value value{
          epoch_.load(std::memory_order_relaxed),
          {sum_.load(std::memory_order_relaxed), count_.load(std::memory_order_relaxed)}};
      std::atomic_thread_fence(std::memory_order_acquire);
      if (version % 2 == 0 && version == version_.load(std::memory_order_relaxed))
        return value;
    }
  }

private:
  std::atomic<uint32_t> version_{0};
  std::atomic<uint64_t> epoch_{0}, count_{0};
  std::atomic<double> sum_{0};
};

struct PhaseRun {
  uint32_t phase = 0;
  uint64_t firstStep = 0; ///< of a lane, counted over the whole training (asynchronous: its share)
  uint64_t stepsBefore = 0; ///< of all lanes together (asynchronous: updates)
  uint64_t steps = 0; ///< planned; asynchronous phases: updates
  uint64_t position = 0; ///< where the stream stands that makes the epochs
  data::StreamWalk walk = {}; ///< of all replicas; no samples: no epochs
};

class PhaseCallbacks final : public executor::LaneCallbacks {
public:
  struct Options {
    std::map<std::string, std::string> feeds; ///< name → bytes, checked
    /// Called on a lane's thread for every fetch that is wanted, after the step.
    std::function<void(const executor::LaneInfo &, uint32_t fetch, uint64_t globalStep,
                       const void *data)>
        fetched;
    std::function<bool(const std::string &name)> wantsFetch; ///< may be empty: none
    std::function<bool(const std::string &name, uint64_t globalStep)>
        wantsNow; ///< of those: asked in each step; may be empty: all
    /// before each step of lanes that share steps, else of those of replicas; null: none
    executor::StepwiseGate *gate = nullptr;
    /// a loss that is no number asks for the end of the phase; else it is its lane's error
    bool nanStops = false;
    /// Which steps `reported` is called for, on each lane's thread that has results or metrics;
    /// absent: none.
    std::optional<service::Order::Begin::Reports> reports;
    ReportSchedules *schedules = nullptr; ///< where there are reports
    std::function<void(const executor::LaneInfo &, uint64_t globalStep, service::Report)> reported;
    /// of what `fetched` and `reported` were given; may be null
    service::ResultBacklog *untaken = nullptr;
    std::function<bool()> stopRequested; ///< cheap; asked once a step by the chief's lane
    std::function<void()> firstStepDone; ///< after the very first step of this run of the phase
  };
  PhaseCallbacks(const plan::Plan &plan, const plan::Task &task, const PhaseRun &run,
                 data::PhaseBatches *batches, Options options);

  absl::Status feed(const executor::LaneInfo &lane, uint64_t step,
                    std::span<void *const> feeds) override;
  uint64_t stepsBefore() const override { return run_.stepsBefore; }
  absl::Status nextBatch(const executor::LaneInfo &lane, uint64_t step,
                         const plan::Instruction::NextBatch &instruction,
                         std::span<void *const> buffers, uint8_t *valid) override;
  executor::ControlMessage decide(const executor::LaneInfo &lane, uint64_t step) override;
  executor::AsyncUpdateTickets *tickets() override { return tickets_.get(); }
  executor::StepwiseGate *gate(const executor::LaneInfo &lane) override;
  transport::Port *untaken(const executor::LaneInfo &) override {
    return options_.untaken && options_.untaken->poll() != transport::PollState::Ready
               ? options_.untaken
               : nullptr;
  }
  absl::Status stepDone(const executor::LaneInfo &lane,
                        const executor::StepResults &results) override;

  struct Progress {
    uint64_t steps = 0; ///< of the lane that is furthest
    uint64_t tickets = 0;
    double lossSum = 0; ///< of the steps that are of the epoch
    uint64_t lossCount = 0, lossEpoch = 0;
    bool notFinite = false; ///< a loss was no number
  };
  /// While the lanes run; a moment's view.
  Progress progress() const;

  // After the lanes were joined.
  /// Into the answer to `run`: whether it was stopped, and what came of losses and metrics.
  void answer(service::Done &done) const;
  /// Of the last epoch that each lane reached, by epoch, 0-based. Where lanes do not wait for each
  /// other each counts its own: the last time that it went through its share of the samples.
  std::map<uint64_t, EpochLoss> losses() const;
  /// By name and epoch: of a phase that trains, of the last epoch that each lane reached; else of
  /// all steps, epoch 0.
  std::map<std::pair<std::string, uint64_t>, MetricTotal> metrics() const;
  observe::StepTimes times() const;
  /// A loss that was no number: "loss is NaN at step 57 on …".
  struct NotFinite {
    std::string text;
    uint64_t step = 0; ///< counted as PhaseRun::firstStep, but from 1; 0: there was none
  };
  /// Of the earliest step in which a lane here saw one.
  NotFinite notFinite() const;
  /// Nothing where no update tickets are given here.
  std::optional<executor::StalenessCounts> staleness() const;
  uint64_t steps() const { return progress().steps; }
  bool stopped() const {
    return stopped_.load() || (tickets_ && tickets_->stopped()) ||
           (options_.gate && options_.gate->ended());
  }
  /// Ends what waits in here; the transports' ports are aborted apart.
  void abort(const absl::Status &why) {
    if (tickets_)
      tickets_->abort(why);
    if (options_.gate)
      options_.gate->abort(why);
  }

private:
  struct alignas(64) LaneRecord {
    const plan::Program *program = nullptr;
    int loss = -1; ///< its fetch, where it has one
    plan::DataType lossType = plan::F32;
    uint32_t lossParts = 1; ///< micro-batches, whose losses the one that is fetched sums
    std::vector<bool> wanted; ///< by fetch
    std::atomic<uint64_t> steps{0};
    RunningLoss lossSoFar;
    bool trains = false;
    uint64_t epoch = 0; ///< of `lossOfEpoch` and, where it trains, of `metrics`
    /// steps from here, and before there, are known to be of it
    uint64_t epochFrom = 0, epochEnds = 0;
    EpochLoss lossOfEpoch;
    NotFinite notFinite; ///< the first one of this lane
    std::vector<MetricTotal> metrics;
    /// where there are reports: of the lane that decides, or of one that shares no step
    ReportSchedule *schedule = nullptr;
    bool reports = false; ///< and it has something to report
    observe::StepTimes times;
  };
  LaneRecord &record(const executor::LaneInfo &lane) {
    return *records_[offsets_[lane.programIndex] + lane.instance];
  }
  uint64_t epochOf(uint64_t step) const;
  void beginEpoch(LaneRecord &record, uint64_t step) const;
  bool stopRequested() const;
  absl::Status addLoss(LaneRecord &record, const executor::LaneInfo &lane, uint64_t step,
                       const void *value);
  void report(LaneRecord &record, const executor::LaneInfo &lane,
              const executor::StepResults &results, bool rest) const;

  const PhaseRun run_;
  data::PhaseBatches *const batches_;
  const Options options_;
  bool shared_ = true; ///< lanes make the same steps
  std::vector<size_t> offsets_; ///< by program
  std::vector<std::unique_ptr<LaneRecord>> records_; ///< null: not of this task
  std::unique_ptr<executor::AsyncUpdateTickets> tickets_; ///< null: given elsewhere
  std::atomic<bool> stopped_{false}, first_{false}, notFinite_{false};
};

/// The fetch that is shown as loss: the one named "loss", else the first floating-point scalar; -1:
/// none.
int lossFetch(const plan::Program &program);

} // namespace graphc::session
#endif
