#include "runtime/session/hangs/ExplainRecordings.h"

#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/base/TextUtils.h"
#include "runtime/common/plan/PlanSketch.h"
#include "runtime/common/plan/PlanTypes.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include <algorithm>
#include <optional>

namespace graphc::session {
namespace {

class Run {
public:
  absl::Status read(const FailureFiles &files) {
    service::Sketch sketch;
    if (!sketch.ParseFromString(files.sketch) || !plan_.ParseFromString(sketch.plan()))
      return absl::InvalidArgumentError(
          absl::StrCat(FlightRecorder::kSketch, ": it is no sketch of a plan"));
    GRAPHC_RETURN_IF_ERROR(base::annotate(plan::checkSketch(plan_), FlightRecorder::kSketch));
    for (const plan::Task &task : plan::allTasks(plan_))
      names_.push_back(plan::taskText(plan_, task));
    found_.resize(names_.size());
    for (const auto &[file, bytes] : files.recordings) {
      absl::StatusOr<service::Recording> recording = decodeRecording(bytes);
      const std::string shown = base::foreignText(file, 200);
      if (!recording.ok())
        left_.push_back(absl::StrCat(shown, ": ", recording.status().message()));
      else if (recording->self().fingerprint() != sketch.fingerprint() ||
               recording->self().task() >= names_.size() ||
               names_[recording->self().task()] != recording->self().name())
        left_.push_back(absl::StrCat(shown, ": it is of another plan"));
      else
        take(shown, *std::move(recording));
    }
    keepOneRun();
    if (std::none_of(found_.begin(), found_.end(), [](auto &one) { return one.has_value(); }))
      return absl::NotFoundError(absl::StrCat("no recording of a task is there",
                                              left_.empty() ? "" : "; " + left_.front()));
    return absl::OkStatus();
  }

  std::vector<std::string> lines(size_t events) {
    const std::vector<WatchedTask> tasks = watched();
    const std::optional<WaitCause> cause = findCause(plan_, tasks, absl::Seconds(1));
    const std::string said = told();
    if (!said.empty())
      say(absl::StrCat("cause: ", said));
    else if (!cause)
      say(absl::StrCat(
          "cause: unknown: no task has said why it ended, and none has waited for another for long; the run "
          "was ended from outside, or goes on"));
    if (cause)
      say(absl::StrCat(said.empty() ? "cause: " : "by the recordings: ", cause->sentence()));
    if (cause && cause->chain.size() > 1) {
      say("who waited for whom:");
      for (size_t i = 0; i < cause->chain.size(); ++i)
        say(absl::StrCat("  ", std::string(2 * std::min<size_t>(i, 20), ' '), cause->chain[i]));
    }
    say("tasks:");
    for (uint32_t task = 0; task < names_.size(); ++task)
      describe(task, tasks[task], events);
    for (const std::string &left : left_)
      say("left out: " + left);
    return std::move(lines_);
  }

private:
  /// Names in a sketch may be anybody's.
  void say(const std::string &line) { lines_.push_back(base::foreignText(line)); }

  void take(const std::string &file, service::Recording recording) {
    std::optional<service::Recording> &there = found_[recording.self().task()];
    newest_ = std::max(newest_, recording.time_us());
    if (there && there->time_us() >= recording.time_us())
      left_.push_back(absl::StrCat(file, ": there is a newer one of ", recording.self().name()));
    else
      there = std::move(recording);
  }

  /// That of the newest recording.
  void keepOneRun() {
    std::string run;
    for (const auto &one : found_)
      if (one && one->time_us() == newest_)
        run = one->run();
    for (auto &one : found_)
      if (one && one->run() != run && !run.empty() && !one->run().empty()) {
        left_.push_back(absl::StrCat(one->self().name(), ": it is of an earlier run"));
        one.reset();
      }
  }

  absl::Duration before(int64_t time) const { // other machines' clocks may be off
    return std::max(absl::FromUnixMicros(newest_) - absl::FromUnixMicros(time),
                    absl::ZeroDuration());
  }

  std::vector<WatchedTask> watched() const {
    std::vector<WatchedTask> tasks(names_.size());
    for (uint32_t task = 0; task < names_.size(); ++task) {
      const std::optional<service::Recording> &recording = found_[task];
      tasks[task].silent = recording ? before(recording->time_us()) : absl::InfiniteDuration();
      if (!recording)
        continue;
      tasks[task].process =
          absl::StrCat("process ", recording->self().pid(), " on ", recording->self().host());
      for (const service::LanePosition &place : recording->lanes())
        if (std::optional<StandingLane> lane = fromProto(plan_, task, place))
          tasks[task].lanes.push_back(*lane);
    }
    return tasks;
  }

  /// The words of the run itself: the chief knows best what came first, then who failed by itself,
  /// then what anybody heard.
  std::string told() const {
    const uint32_t chief = plan::taskNumber(plan_, plan_.chief());
    if (found_[chief] && !found_[chief]->failure().empty())
      return found_[chief]->failure();
    for (bool secondary : {false, true})
      for (const auto &one : found_)
        if (one && !one->failure().empty() && one->secondary() == secondary)
          return secondary ? absl::StrCat("as ", one->self().name(), " heard: ", one->failure())
                           : absl::StrCat(one->self().name(), ": ", one->failure());
    return "";
  }

  void describe(uint32_t task, const WatchedTask &watched, size_t events) {
    const std::optional<service::Recording> &recording = found_[task];
    if (!recording)
      return say(absl::StrCat("  ", names_[task], ": has left no recording"));
    const absl::Duration silent = watched.silent;
    say(absl::StrCat("  ", names_[task], " (", watched.process, ")",
                     silent > kSilent
                         ? absl::StrCat(", silent for the last ",
                                        absl::FormatDuration(absl::Trunc(silent, absl::Seconds(1))))
                         : "",
                     recording->failure().empty() ? ", has not said why it ended"
                                                  : absl::StrCat(": ", recording->failure())));
    for (const StandingLane &lane : watched.lanes)
      say(absl::StrCat("    ", plan::laneText(plan_, lane.place.lane), " ",
                       plan::placeText(plan_, lane.place), ", for ",
                       absl::FormatDuration(absl::Trunc(lane.stood, absl::Milliseconds(100)))));
    const int count = recording->events_size();
    const int first = count - static_cast<int>(std::min(events, static_cast<size_t>(count)));
    if (first < count && recording->events_before() + static_cast<uint64_t>(first) > 0)
      say(absl::StrCat("    events, the last ", count - first, " of ",
                       recording->events_before() + static_cast<uint64_t>(count), ":"));
    for (int i = first; i < count; ++i)
      describe(task, recording->events(i));
  }

  void describe(uint32_t task, const service::Recording::Event &event) {
    const std::string when =
        absl::StrFormat("    -%.6f s ", absl::ToDoubleSeconds(before(event.time_us())));
    if (!event.has_place())
      return say(absl::StrCat(when, event.text()));
    std::optional<StandingLane> lane = fromProto(plan_, task, event.place());
    if (!lane)
      return;
    const std::string name = plan::laneText(plan_, lane->place.lane);
    say(lane->place.doing == plan::LaneActivity::Between
            ? absl::StrCat(when, name, " has ended step ", plan::stepNumber(lane->place))
            : absl::StrCat(when, name, " ", plan::placeText(plan_, lane->place)));
  }

  plan::Plan plan_;
  std::vector<std::string> names_;
  std::vector<std::optional<service::Recording>> found_; ///< by task
  std::vector<std::string> left_, lines_;
  int64_t newest_ = 0; ///< when the last of them was written
};

} // namespace

absl::StatusOr<std::vector<std::string>> explain(const FailureFiles &files, size_t events) {
  Run run;
  GRAPHC_RETURN_IF_ERROR(run.read(files));
  return run.lines(events);
}

} // namespace graphc::session
