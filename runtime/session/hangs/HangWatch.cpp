#include "runtime/session/hangs/HangWatch.h"

#include "runtime/common/plan/PlanTypes.h"
#include "runtime/observe/ProcessInfo.h"

#include "absl/strings/str_cat.h"

#include <algorithm>

namespace graphc::session {
namespace {
constexpr absl::Duration kLook = absl::Seconds(1);
/// Each task tells where its lanes are once a second: what it told last may for so long be of when
/// another was not back.
constexpr absl::Duration kSettles = absl::Seconds(4);
} // namespace

WatchedTask watchedTask(const plan::Plan &plan, uint32_t number,
                        const service::TaskSnapshot &heard) {
  WatchedTask task;
  if (!heard.hello.name().empty())
    task.process = absl::StrCat("process ", heard.hello.pid(), " on ", heard.hello.host());
  task.silent = heard.silent;
  task.straggler = heard.straggler;
  task.away = heard.away || heard.back < kSettles;
  task.stopped = heard.silent > kSilent / 2 && heard.hello.host_id() == observe::hostId() &&
                 observe::isStopped(heard.hello.pid());
  for (const service::LanePosition &place : heard.progress.lanes())
    if (std::optional<StandingLane> lane = fromProto(plan, number, place))
      task.lanes.push_back(*lane);
  return task;
}

/// What has stood still for longer than it may.
std::optional<WaitCause> HangWatch::overdue(std::span<const WatchedTask> tasks) const {
  std::optional<WaitCause> cause = findCause(plan_, tasks, limits_.wait);
  const absl::Duration grace = std::max(limits_.wait, limits_.task);
  if (cause && cause->kind == CauseKind::Silent && tasks[*cause->task].straggler &&
      cause->waited < grace)
    cause = findCause(plan_, tasks, grace); // who waits so long for another one?
  if (cause) {
    absl::StrAppend(&cause->text, ", longer than --wait_deadline (",
                    absl::FormatDuration(limits_.wait), ")");
    return cause;
  }
  for (uint32_t number = 0; number < tasks.size(); ++number)
    for (const StandingLane &lane : tasks[number].lanes)
      if (lane.place.doing == plan::LaneActivity::Works && lane.stood >= limits_.task &&
          tasks[number].silent <= kSilent) {
        WaitCause slow;
        slow.kind = CauseKind::Slow;
        slow.task = number;
        slow.name = plan::taskText(plan_, plan::allTasks(plan_)[number]);
        slow.text = absl::StrCat(
            plan::laneText(plan_, lane.place.lane), " ", plan::placeText(plan_, lane.place),
            " for ", absl::FormatDuration(absl::Trunc(lane.stood, absl::Seconds(1))),
            ", longer than --deadline (", absl::FormatDuration(limits_.task), ")");
        slow.waited = lane.stood;
        return slow;
      }
  return std::nullopt;
}

std::optional<service::RootCause> HangWatch::look(const service::TaskCoordinator &coordinator,
                                                  absl::Time now) {
  if (now - looked_ < kLook)
    return std::nullopt;
  looked_ = now;
  return judge(coordinator.heard(now));
}

std::optional<service::RootCause> HangWatch::judge(std::span<const service::TaskSnapshot> heard) {
  std::vector<WatchedTask> tasks;
  absl::Duration longest;
  // Who has waited for a task that was lost waits anew for the process that takes its place.
  absl::Duration anew = absl::InfiniteDuration();
  for (const service::TaskSnapshot &task : heard)
    anew = std::min(anew, task.back);
  for (uint32_t number = 0; number < heard.size(); ++number) {
    tasks.push_back(watchedTask(plan_, number, heard[number]));
    for (StandingLane &lane : tasks.back().lanes) {
      lane.stood = std::min(lane.stood, anew);
      if (lane.place.doing != plan::LaneActivity::Between &&
          (lane.place.doing != plan::LaneActivity::Works || lane.stood >= limits_.task))
        longest = std::max(longest, lane.stood);
    }
  }
  if (longest < std::min({limits_.reportAfter, limits_.wait, limits_.task})) {
    nextReport_ = limits_.reportAfter;
    return std::nullopt;
  }
  const std::optional<WaitCause> overdue = this->overdue(tasks);
  const std::optional<WaitCause> cause =
      overdue ? overdue : findCause(plan_, tasks, limits_.reportAfter);
  if (!cause)
    return std::nullopt;
  if (overdue || longest >= nextReport_) {
    while (longest >= nextReport_)
      nextReport_ = nextReport_ * 2;
    say_(absl::StrCat("a wait lasts: ", cause->sentence()));
    for (size_t i = 0; cause->chain.size() > 2 && i < cause->chain.size(); ++i)
      say_(absl::StrCat(i == 0 ? "  " : "  … ", cause->chain[i]));
  }
  if (!overdue)
    return std::nullopt;
  service::RootCause root;
  root.task = overdue->name;
  if (overdue->task) {
    root.host = heard[*overdue->task].hello.host();
    root.pid = heard[*overdue->task].hello.pid();
  }
  root.status = absl::DeadlineExceededError(overdue->text);
  root.lost = overdue->kind == CauseKind::Silent || overdue->kind == CauseKind::Lost ||
              overdue->kind == CauseKind::Cycle;
  return root;
}

} // namespace graphc::session
