#include "runtime/api/TaskThreads.h"

#include "runtime/common/base/StartThread.h"
#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/plan/PlanTypes.h"
#include "runtime/observe/ProcessInfo.h"

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"

#include <algorithm>
#include <unistd.h>

namespace graphc::session {

service::Hello introduce(const plan::LoadedPlan &plan, uint32_t task, const std::string &address,
                         uint64_t incarnation, const std::string &version) {
  service::Hello hello;
  hello.set_task(task);
  hello.set_name(plan::taskText(plan.plan, plan::allTasks(plan.plan)[task]));
  hello.set_fingerprint(plan.fingerprint);
  hello.set_incarnation(incarnation);
  hello.set_pid(getpid());
  hello.set_host(observe::hostName());
  hello.set_host_id(observe::hostId());
  hello.set_address(address);
  hello.set_version(version);
  return hello;
}

TaskThreads::~TaskThreads() {
  stopHeartbeat();
  if (driving_.joinable())
    driving_.join();
}

/// The heartbeat lives while the task joins, too, so a stop is heard meanwhile. On the chief the
/// driver has a thread beside the session's.
TaskThreads::End TaskThreads::run(const std::function<absl::Status()> &join,
                                  std::optional<std::chrono::seconds> clearUp) {
  auto start = [&](std::thread &thread, const char *whose,
                   std::function<void()> work) -> absl::Status {
    GRAPHC_ASSIGN_OR_RETURN(thread, base::startThread(whose, std::move(work)));
    return absl::OkStatus();
  };
  absl::Status status = start(heartbeat_, "the heartbeat's", [this] { heartbeat(); });
  if (status.ok())
    status = join();
  if (status.ok() && parts_.driver)
    status = start(driving_, "the master's", [this] {
      driven_ = parts_.driver->run();
      drove_.set_value();
    });
  if (!status.ok())
    return {TaskFailure{status, false, ""}, absl::OkStatus()};
  std::optional<TaskFailure> failure = parts_.session.run();
  // After a failure the driver clears up, unless it hangs on a file.
  if (failure && driving_.joinable() && clearUp &&
      drove_.get_future().wait_for(*clearUp) != std::future_status::ready)
    return {verdict(*failure), absl::OkStatus(), /*isLeftBehind=*/true};
  if (driving_.joinable())
    driving_.join();
  stopHeartbeat();
  if (failure)
    return {verdict(*failure), absl::OkStatus()};
  // This session may have answered the last order when another task is lost that has not.
  if (std::optional<service::RootCause> cause =
          parts_.coordinator ? parts_.coordinator->rootCause() : std::nullopt;
      !driven_.ok() && cause && cause->lost)
    return {verdict({driven_, true, cause->task}), absl::OkStatus()};
  return {std::nullopt, driven_};
}

/// The heartbeat's thread: hands on stop requests, tells the master how far this task is, and looks
/// for silence: on the chief that of the tasks, elsewhere that of the chief. A stop is told at
/// once, what else there is once a second.
void TaskThreads::heartbeat() {
  absl::Time last = absl::Now(), awake = last, told = absl::InfinitePast();
  bool stopTold = false;
  for (absl::Duration pause; !endsWithin(pause); pause = parts_.every) {
    absl::Time now = absl::Now();
    if (now - last > parts_.lostAfter / 2)
      awake = now; // this process itself was stopped, and heard nobody meanwhile
    last = now;
    if (parts_.stopAsked && parts_.stopAsked()) {
      parts_.session.requestStop();
      // nothing began yet: nothing to end in good order
      if (!parts_.driver && !parts_.stopsInOrder && parts_.link.heard() == absl::InfiniteFuture())
        parts_.link.lost(absl::CancelledError("stopped while waiting for the chief, as asked"));
    }
    heedLoss();
    service::FromTask message;
    *message.mutable_progress() = parts_.session.progress();
    const bool stops = message.progress().stop_requested() || message.progress().not_finite() ||
                       message.progress().end_asked();
    if (parts_.driver || now - told >= parts_.beat || stops != stopTold) {
      told = now;
      stopTold = stops;
      parts_.link.send(std::move(message));
    }
    if (std::optional<TaskFailure> failure = parts_.session.failedBefore(now - parts_.stuckAfter);
        failure && parts_.stuck)
      parts_.stuck(verdict(*failure));
    if (parts_.driver)
      parts_.driver->heartbeat();
    else if (now - std::max(parts_.link.heard(), awake) > parts_.lostAfter)
      parts_.link.lost(chiefSilent(parts_.lostAfter));
  }
}

/// What the chief would say as well, unless it is itself the one that is lost. Who has not heard of
/// it yet has nothing to leave in good order.
void TaskThreads::heedLoss() {
  std::optional<service::RootCause> cause = parts_.lost ? parts_.lost() : std::nullopt;
  if (!cause)
    return;
  if (parts_.coordinator)
    return parts_.coordinator->abort(*std::move(cause));
  const absl::Status why = absl::UnavailableError(cause->describe());
  if (parts_.link.heard() == absl::InfiniteFuture() && parts_.stuck)
    parts_.stuck({why, /*secondary=*/true, cause->task, /*lost=*/true});
  parts_.link.lost(why);
}

bool TaskThreads::endsWithin(absl::Duration pause) {
  base::MutexLock lock(mutex_);
  return heartbeatEnd_.waitFor(
      mutex_, pause, [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return heartbeatEnds_; });
}

void TaskThreads::stopHeartbeat() {
  {
    base::MutexLock lock(mutex_);
    heartbeatEnds_ = true;
    heartbeatEnd_.notifyAll();
  }
  if (heartbeat_.joinable())
    heartbeat_.join();
}

absl::Status TaskThreads::chiefSilent(absl::Duration since) const {
  return absl::UnavailableError(absl::StrCat("the chief ", parts_.chief, " did not answer for ",
                                             absl::FormatDuration(since),
                                             parts_.session.stateOf(parts_.chief)));
}

/// The master knows best what came first.
TaskFailure TaskThreads::verdict(TaskFailure failure) const {
  if (!parts_.coordinator) {
    // a chief that is frozen has no word, and who noticed it first has gone, which is not the cause
    absl::Duration silent = absl::Now() - parts_.link.heard();
    if (absl::Status word = parts_.link.ended(); failure.secondary && absl::IsAborted(word))
      failure.status = word; // however long the chief had been silent before
    else if (failure.secondary && silent > parts_.lostAfter / 2)
      failure.status = chiefSilent(absl::Trunc(silent, absl::Seconds(1)));
    failure.lost = failure.secondary && (parts_.link.ended().ok() || parts_.link.endedByLoss());
    return failure;
  }
  std::optional<service::RootCause> cause = parts_.coordinator->rootCause();
  if (!cause)
    return failure;
  bool own = cause->task == parts_.task;
  return {own ? cause->status : absl::Status(cause->status.code(), cause->describe()), !own,
          cause->task, !own && cause->lost};
}

} // namespace graphc::session
