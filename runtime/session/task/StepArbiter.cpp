#include "runtime/session/task/StepArbiter.h"

#include "runtime/executor/ControlMessage.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <utility>

namespace graphc::session {

void StepArbiter::prepare(const service::Order::Prepare &order) {
  base::MutexLock lock(mutex_);
  fetches_.assign(order.fetches().begin(), order.fetches().end());
  if (!order.has_stepped())
    return;
  stepped_ = static_cast<plan::Role>(order.stepped()); // OrderValidator.h has looked at it
  if (takesAll())
    return;
  if (!stepping_)
    gate_.free(); // of a stepper; the step permits count
  gate().awaitGrants();
}

absl::Status StepArbiter::permit(const service::ToTask::StepPermit &permit) {
  if (takesAll()) // its own
    return absl::OkStatus();
  {
    base::MutexLock lock(mutex_);
    if (!stepped_ || permit.steps() > executor::kMostSteps)
      return absl::InvalidArgumentError(
          absl::StrCat("the chief permits ", permit.steps(),
                       " steps, which it cannot; use the same graphrun for all"));
    std::set<std::string> wanted;
    for (uint32_t index : permit.fetches()) {
      if (index >= fetches_.size() || permit.steps() == 0)
        return absl::InvalidArgumentError(absl::StrCat("the chief's session wants result ", index,
                                                       " of ", fetches_.size(), " of step ",
                                                       permit.steps()));
      wanted.insert(fetches_[index]);
    }
    wanted_.clear(); // what was wanted before has come: the chief's session waits for it
    if (!wanted.empty())
      wanted_[permit.steps() - 1] = std::move(wanted);
  }
  gate().grant(permit.steps());
  if (permit.end())
    gate().endGrants();
  return absl::OkStatus();
}

/// Of a phase that is stepped. The chief's command line wants its results of every step; its
/// session, here or there, those that it names.
bool StepArbiter::wantsThere(const std::string &name, uint64_t step) {
  if (takesAll())
    return stepping_->wants(name);
  base::MutexLock lock(mutex_);
  if (!stepped_)
    return std::find(fetches_.begin(), fetches_.end(), name) != fetches_.end();
  auto found = wanted_.find(step);
  return found != wanted_.end() && found->second.contains(name);
}

void StepArbiter::direct(const plan::Phase &phase, PhaseCallbacks::Options &host) {
  const bool here = isSteppedHere(phase);
  if (here || isPermitted(phase))
    host.gate = &gate();
  std::set<std::string> fetches; // that may go to the chief
  {
    base::MutexLock lock(mutex_);
    wanted_.clear();
    if (!stepped_ || stepped_ == phase.role()) // else it is an evaluation in between
      fetches.insert(fetches_.begin(), fetches_.end());
  }
  if (fetches.empty() && !here)
    return;
  host.untaken = &link_.backlog();
  host.wantsFetch = [fetches, here](const std::string &name) {
    return here || fetches.contains(name);
  };
  host.fetched = [this](const executor::LaneInfo &lane, uint32_t fetch, uint64_t step,
                        const void *data) { link_.send(fetchedMessage(lane, fetch, step, data)); };
  if (!host.gate)
    return;
  // Whoever steps names what it wants of each step.
  host.wantsNow = [this, here](const std::string &name, uint64_t step) {
    return (here && wantsHere(name)) || wantsThere(name, step);
  };
  host.fetched = [this, here](const executor::LaneInfo &lane, uint32_t fetch, uint64_t step,
                              const void *data) {
    const std::string &name = lane.program->fetches(static_cast<int>(fetch)).name();
    if (here && wantsHere(name))
      stepping_->results.add(lane, fetch, step, data);
    if (wantsThere(name, step))
      link_.send(fetchedMessage(lane, fetch, step, data));
  };
}

/// Where replicas share no step, those of this task are counted by themselves.
void StepArbiter::begin(const plan::Phase &phase, uint64_t firstStep, size_t lanes) {
  if (isSteppedHere(phase) || isPermitted(phase))
    gate().begin(phase.ends_by_end_of_stream() ? gate().made() : firstStep, lanes);
  if (isSteppedHere(phase) && stepping_->own && stepping_->initialized &&
      !std::exchange(begun_, true))
    stepping_->initialized(firstStep, restoredFrom_);
}

void StepArbiter::finish(const plan::Phase &phase, uint64_t steps) {
  if (isSteppedHere(phase))
    gate().finish(steps);
}

} // namespace graphc::session
