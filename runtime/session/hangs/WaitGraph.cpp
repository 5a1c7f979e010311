#include "runtime/session/hangs/WaitGraph.h"

#include "runtime/common/plan/PlanTypes.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace graphc::session {
namespace {
using plan::LaneActivity;
using plan::LaneName;

/// What moves is looked at again within this time.
constexpr absl::Duration kStands = absl::Seconds(1);
/// Of replicas of which some are waited for.
constexpr uint32_t kMostAsked = 4096;

std::string seconds(absl::Duration time) {
  return absl::FormatDuration(absl::Trunc(time, absl::Seconds(1)));
}

bool waits(LaneActivity doing) {
  return doing != LaneActivity::Works && doing != LaneActivity::Between;
}

class WaitGraph {
public:
  WaitGraph(const plan::Plan &plan, std::span<const WatchedTask> tasks)
      : plan_(plan), tasks_(tasks) {
    for (uint32_t task = 0; task < tasks.size(); ++task)
      for (const StandingLane &lane : tasks[task].lanes)
        lanes_.emplace(lane.place.lane, Node{task, &lane});
    for (const plan::Task &task : plan::allTasks(plan))
      names_.push_back(plan::taskText(plan, task));
  }

  std::optional<WaitCause> find(absl::Duration least) {
    std::vector<LaneName> waiting;
    for (const auto &[name, node] : lanes_)
      if (waits(node.lane->place.doing) && node.lane->stood >= least &&
          tasks_[node.task].silent <= kSilent && !isAway(name))
        waiting.push_back(name);
    std::sort(waiting.begin(), waiting.end(), [&](const LaneName &a, const LaneName &b) {
      return std::pair(-lanes_.at(a).lane->stood, a) < std::pair(-lanes_.at(b).lane->stood, b);
    });
    for (const LaneName &from : waiting) {
      path_.clear();
      visited_.clear();
      follow(from);
    }
    return std::move(best_);
  }

private:
  struct Node {
    uint32_t task;
    const StandingLane *lane;
  };

  std::string text(const Node &node) const {
    return absl::StrCat(plan::laneText(plan_, node.lane->place.lane), " ",
                        plan::placeText(plan_, node.lane->place));
  }
  std::string textOf(const LaneName &name) const { return text(lanes_.at(name)); }

  void follow(const LaneName &name) {
    visited_.insert(name);
    path_.push_back(name);
    const Node &node = lanes_.at(name);
    const plan::LanePosition &at = node.lane->place;
    if (path_.size() > 1 && node.lane->stood < kStands) {
      found(CauseKind::Moves, node.task, node.lane->stood,
            [&] { return "gets on, slowly: " + text(node); });
    } else if (at.doing == LaneActivity::Receives || at.doing == LaneActivity::Sends) {
      toPeer(node, plan::otherEnd(plan_, at.channel, at.peer, at.doing == LaneActivity::Sends));
    } else if (at.doing == LaneActivity::Ticket) {
      toPeer(node, {at.lane.program, at.peer});
    } else if (at.doing == LaneActivity::Choice) {
      const uint32_t instances =
          std::min(plan_.channels(static_cast<int>(at.channel)).instances(), kMostAsked);
      for (uint32_t instance = 0; instance < instances; ++instance)
        toPeer(node, plan::otherEnd(plan_, at.channel, instance, false));
    } else {
      ends(node);
    }
    path_.pop_back();
  }

  /// A lane that waits for no other one.
  void ends(const Node &node) {
    const absl::Duration stood = node.lane->stood;
    auto lasts = [&](const char *why) {
      return absl::StrCat(text(node), " for ", seconds(stood), why);
    };
    switch (node.lane->place.doing) {
    case LaneActivity::Reads:
      return found(CauseKind::Data, node.task, stood,
                   [&] { return lasts(": its files do not give it"); });
    case LaneActivity::Device:
      return found(CauseKind::Device, node.task, stood,
                   [&] { return lasts(": its device does not end that work"); });
    case LaneActivity::Results:
      return found(CauseKind::Results, plan::taskNumber(plan_, plan_.chief()), stood,
                   [&] { return "nobody reads what the chief prints: " + lasts(""); });
    case LaneActivity::Between: // where the chief prints its own results
      if (node.task == plan::taskNumber(plan_, plan_.chief()))
        return found(CauseKind::Results, node.task, stood,
                     [&] { return "nobody reads what the chief prints: " + lasts(""); });
      break;
    default:
      break;
    }
    found(CauseKind::Slow, node.task, stood, [&] { return lasts(""); });
  }

  /// Its replica's task is away: it is that one, or serves it and stands until it is back.
  bool isAway(const LaneName &name) const {
    const std::optional<plan::Task> task = plan::replicaTask(plan_, name.instance);
    const uint32_t number = task ? plan::taskNumber(plan_, *task) : UINT32_MAX;
    return number < tasks_.size() && tasks_[number].away;
  }

  void toPeer(const Node &from, const LaneName &name) {
    if (isAway(name))
      return;
    auto there = lanes_.find(name);
    const uint32_t task = plan::taskNumber(
        plan_,
        plan::instanceTask(plan_, plan_.programs(static_cast<int>(name.program)), name.instance));
    if (tasks_[task].silent > kSilent)
      return silent(task);
    if (there == lanes_.end())
      return found(CauseKind::Absent, task, absl::ZeroDuration(), [&] {
        return absl::StrCat(plan::laneText(plan_, name),
                            " does not run: it has ended, or not begun");
      });
    const Node &peer = there->second;
    const plan::LanePosition &at = from.lane->place;
    if (from.lane->stood >= kSilent && plan::hasDone(plan_, at, peer.lane->place).value_or(false))
      return lost(from, peer, CauseKind::Lost);
    if (!visited_.contains(name))
      return follow(name);
    // A choice asks all, of which some have answered and wait for it.
    if (at.doing != LaneActivity::Choice &&
        std::find(path_.begin(), path_.end(), name) != path_.end())
      lost(from, peer, CauseKind::Cycle);
  }

  void silent(uint32_t task) {
    const WatchedTask &one = tasks_[task];
    found(CauseKind::Silent, task, one.silent, [&] {
      return absl::StrCat(
          names_[task], one.process.empty() ? "" : absl::StrCat(" (", one.process, ")"), " ",
          one.silent == absl::InfiniteDuration() ? "has said nothing"
                                                 : "does not answer for " + seconds(one.silent),
          lastSeenText(plan_, one));
    });
  }

  /// Both answer, and what one has sent the other has not.
  void lost(const Node &from, const Node &peer, CauseKind kind) {
    const bool here = from.task == peer.task;
    const std::string between = here ? absl::StrCat("a message within ", names_[from.task])
                                     : absl::StrCat("the connection between ", names_[from.task],
                                                    " and ", names_[peer.task]);
    found(
        kind, std::nullopt, from.lane->stood,
        [&] {
          return absl::StrCat(
              text(from), " for ", seconds(from.lane->stood), ", while ", text(peer),
              kind == CauseKind::Lost ? ", which has done that already"
                                      : ": each waits for the other",
              here
                  ? "; the message is lost"
                  : "; both answer the chief, so that the connection is half open, or something on "
                    "the way drops what it carries");
        },
        between);
  }

  /// Smaller kinds say more; of one kind what has lasted longest, for whoever waits longest for it.
  template <class Text>
  void found(CauseKind kind, std::optional<uint32_t> task, absl::Duration lasted, Text text,
             std::string name = {}) {
    const Node &first = lanes_.at(path_.front());
    if (best_ && std::tuple(kind, -lasted, -first.lane->stood) >=
                     std::tuple(best_->kind, -lasted_, -best_->waited))
      return;
    WaitCause cause;
    cause.kind = kind;
    cause.task = task;
    cause.name = task ? names_[*task] : std::move(name);
    cause.text = text();
    // A lane that is the cause is the last of the path.
    const bool ends = kind == CauseKind::Data || kind == CauseKind::Device ||
                      kind == CauseKind::Slow || kind == CauseKind::Results ||
                      kind == CauseKind::Moves;
    const std::vector<LaneName> waiting(path_.begin(), path_.end() - ends);
    auto waits = [&](const LaneName &lane) {
      return absl::StrCat(textOf(lane), ", for ", seconds(lanes_.at(lane).lane->stood));
    };
    for (const LaneName &lane : waiting)
      cause.chain.push_back(waits(lane));
    cause.chain.push_back(cause.text);
    // The text of those two has it.
    if (!waiting.empty() && kind != CauseKind::Lost && kind != CauseKind::Cycle)
      absl::StrAppend(&cause.text, "; for it ", waits(waiting.back()));
    // What is said behind these words (which deadline it passed) is of the longest wait.
    if (!waiting.empty() &&
        seconds(lanes_.at(waiting.back()).lane->stood) != seconds(first.lane->stood))
      absl::StrAppend(&cause.text, "; for that ", waits(waiting.front()));
    cause.waited = first.lane->stood;
    lasted_ = lasted;
    best_ = std::move(cause);
  }

  const plan::Plan &plan_;
  const std::span<const WatchedTask> tasks_;
  std::vector<std::string> names_; ///< of tasks
  std::map<LaneName, Node> lanes_;
  std::vector<LaneName> path_;
  std::set<LaneName> visited_;
  std::optional<WaitCause> best_;
  absl::Duration lasted_; ///< of best_
};

} // namespace

std::string WaitCause::sentence() const {
  return text.rfind(name, 0) == 0 ? text : absl::StrCat(name, ": ", text);
}

std::optional<WaitCause> findCause(const plan::Plan &plan, std::span<const WatchedTask> tasks,
                                   absl::Duration least) {
  return WaitGraph(plan, tasks).find(least);
}

std::string lastSeenText(const plan::Plan &plan, const WatchedTask &task) {
  std::string text = task.stopped ? absl::StrCat("; it is ", kStopped) : "";
  if (!task.lanes.empty()) {
    const StandingLane &lane = *std::max_element(
        task.lanes.begin(), task.lanes.end(), [](auto &a, auto &b) { return a.stood < b.stood; });
    absl::StrAppend(&text, "; when it was heard last ", plan::laneText(plan, lane.place.lane), " ",
                    plan::placeText(plan, lane.place));
  }
  return text;
}

} // namespace graphc::session
