#include "runtime/session/master/StatusCollector.h"

#include "runtime/common/plan/PlanTypes.h"
#include "runtime/observe/ProcessInfo.h"

#include "absl/time/clock.h"

#include <algorithm>
#include <cmath>
#include <unistd.h>

namespace graphc::session {
namespace {
/// Rates are over a second at least: other tasks' heartbeats come once a second.
constexpr absl::Duration kPaceOver = absl::Milliseconds(900);

/// The order's, as observe::kRunStates has it; null: it goes on as it was.
const char *stateOf(const service::Order &order, plan::Role role) {
  switch (order.kind_case()) {
  case service::Order::kPrepare:
  case service::Order::kConnect:
    return "preparing";
  case service::Order::kCopy:
  case service::Order::kInitialize:
    return "initializing";
  case service::Order::kBegin:
    return role == plan::TRAIN ? "training" : role == plan::EVAL ? "evaluating" : "predicting";
  case service::Order::kSave:
    return "saving";
  case service::Order::kDump:
    return "writing";
  case service::Order::kEnd:
    return "ending";
  default:
    return nullptr;
  }
}
} // namespace

StatusCollector::StatusCollector(const plan::LoadedPlan &plan, About about)
    : plan_(plan.plan), fingerprint_(plan.fingerprint), about_(std::move(about)),
      started_(absl::Now() - absl::Seconds(observe::secondsSinceProcessStart())),
      tasks_(plan::allTasks(plan_)), replica_(tasks_.size(), false), paces_(tasks_.size()) {
  for (uint32_t replica = 0; replica < plan_.replicas().size(); ++replica)
    if (std::optional<plan::Task> task = plan::replicaTask(plan_, replica))
      replica_[plan::taskNumber(plan_, *task)] = true;
  for (const plan::Program &program : plan_.programs())
    for (const plan::Instruction &instruction : program.instructions())
      if (instruction.has_ticket() && instruction.ticket().has_max_staleness())
        maxStaleness_ = instruction.ticket().max_staleness();
}

void StatusCollector::ordered(const service::Order &order) {
  base::MutexLock lock(mutex_);
  doing_.begun = true;
  const bool begins =
      order.has_begin() && order.begin().phase() < static_cast<uint32_t>(plan_.phases_size());
  const plan::Phase *phase =
      begins ? &plan_.phases(static_cast<int>(order.begin().phase())) : nullptr;
  if (const char *state = stateOf(order, phase ? phase->role() : plan::TRAIN))
    doing_.state = state;
  if (order.has_run()) { // what was heard before is of an earlier phase
    doing_.phase = doing_.next;
    for (Pace &pace : paces_) {
      pace.since = absl::Now();
      pace.sinceSteps = 0;
    }
    return;
  }
  if (doing_.phase) // what ran has ended
    for (Pace &pace : paces_) {
      if (doing_.trains && doing_.apart)
        pace.before += pace.steps;
      pace.steps = 0;
    }
  doing_.phase.reset();
  if (!phase)
    return;
  doing_.next = order.begin().phase();
  doing_.firstStep = order.begin().first_step();
  doing_.trains = phase->role() == plan::TRAIN;
  doing_.apart = phase->ends_by_end_of_stream();
}

void StatusCollector::shown(const observe::ProgressSnapshot &snapshot) {
  base::MutexLock lock(mutex_);
  shown_ = snapshot;
}

void StatusCollector::warned(const std::string &line, absl::Time now) {
  base::MutexLock lock(mutex_);
  ++warned_;
  warnings_.push_back({now, line});
  if (warnings_.size() > kWarnings)
    warnings_.pop_front();
}

/// What a heartbeat has brought of a phase of training: how far the task is, and how fast it goes.
void StatusCollector::follow(Pace &pace, const service::TaskSnapshot &heard, absl::Time now) {
  const absl::Time at = now - heard.silent;
  // a task that has ended the phase tells none any more
  pace.steps = std::max<uint64_t>(pace.steps, heard.progress.steps());
  if (at - pace.since < kPaceOver)
    return;
  pace.rate = static_cast<double>(pace.steps - std::min(pace.steps, pace.sinceSteps)) /
              absl::ToDoubleSeconds(at - pace.since);
  pace.since = at;
  pace.sinceSteps = pace.steps;
}

observe::TaskStatus StatusCollector::describe(uint32_t task, const service::TaskSnapshot &heard,
                                              absl::Time now) {
  observe::TaskStatus status;
  status.name = plan::taskText(plan_, tasks_[task]);
  status.devices = plan::devicesOf(plan_, tasks_[task]);
  if (heard.hello.name().empty()) {
    status.state = heard.away ? "restarting" : "waiting";
    return status;
  }
  status.host = heard.hello.host();
  status.pid = heard.hello.pid();
  status.heard = now - heard.silent;
  bool runs = false;
  if (doing_.phase)
    for (uint32_t program : plan_.phases(static_cast<int>(*doing_.phase)).programs())
      runs |= plan::lanesOn(plan_, plan_.programs(static_cast<int>(program)), tasks_[task]) > 0;
  status.state = heard.away                    ? "restarting"
                 : heard.silent > kSilentAfter ? "silent"
                 : runs                        ? "running"
                                               : "idle";
  if (!doing_.trains)
    return status;
  Pace &pace = paces_[task];
  if (doing_.phase && runs) {
    follow(pace, heard, now);
    status.stepsPerSecond = pace.rate;
  }
  if (doing_.apart)
    status.step = pace.before + pace.steps;
  else
    status.step =
        std::max(doing_.firstStep + pace.steps, !doing_.phase && shown_ ? shown_->step : 0);
  return status;
}

/// Where replicas share no step: how far each is behind the first of them and ahead of the last. A
/// heartbeat is up to a second old, so each is taken to have gone on since as fast as before. Where
/// they share each step none is a whole one behind.
void StatusCollector::compare(const std::vector<service::TaskSnapshot> &heard,
                              std::vector<observe::TaskStatus> &tasks) const {
  if (!doing_.phase || !doing_.trains || !doing_.apart)
    return;
  std::vector<std::pair<size_t, double>> now;
  for (size_t i = 0; i < tasks.size(); ++i)
    if (replica_[i] && tasks[i].step)
      now.emplace_back(i, static_cast<double>(*tasks[i].step) +
                              (tasks[i].state == "silent"
                                   ? 0
                                   : paces_[i].rate * absl::ToDoubleSeconds(heard[i].silent)));
  if (now.empty())
    return;
  auto [last, first] = std::minmax_element(now.begin(), now.end(),
                                           [](auto &a, auto &b) { return a.second < b.second; });
  for (auto [i, steps] : now) {
    // A bound that every replica keeps is better known than what was made of two heartbeats.
    tasks[i].lag = std::min(static_cast<uint64_t>(std::llround(first->second - steps)),
                            maxStaleness_.value_or(UINT64_MAX));
    tasks[i].staleness = std::min(static_cast<uint64_t>(std::llround(steps - last->second)),
                                  maxStaleness_.value_or(UINT64_MAX));
  }
}

observe::RunStatus StatusCollector::look(const service::TaskCoordinator &coordinator,
                                         const ChiefCheckpoints::Known &checkpoints,
                                         absl::Time now) {
  const std::vector<service::TaskSnapshot> heard = coordinator.heard(now); // before our own lock
  const uint32_t chief = plan::taskNumber(plan_, plan_.chief());
  observe::RunStatus status;
  status.model = plan_.model();
  status.strategy = plan::strategyText(plan_);
  status.entry = about_.entry;
  status.fingerprint = fingerprint_;
  status.version = about_.version;
  status.pid = getpid();
  status.launcher = about_.launcher;
  status.host = observe::hostName();
  status.task = plan::taskText(plan_, tasks_[chief]);
  status.now = now;
  status.started = started_;
  status.restarts = about_.restarts;
  status.checkpointDirectory = about_.checkpointDirectory;
  if (checkpoints.step)
    status.checkpoint = {*checkpoints.step, checkpoints.at};
  status.saved = checkpoints.saved;
  status.maxStaleness = maxStaleness_;
  base::MutexLock lock(mutex_);
  status.state = doing_.state;
  status.progress = shown_;
  status.warnings.assign(warnings_.begin(), warnings_.end());
  status.warned = warned_;
  for (uint32_t task = 0; task < tasks_.size() && task < heard.size(); ++task)
    status.tasks.push_back(describe(task, heard[task], now));
  compare(heard, status.tasks);
  return status;
}

} // namespace graphc::session
