#include "runtime/observe/RunStatus.h"

#include "runtime/common/base/TextUtils.h"
#include "runtime/observe/JsonNumber.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <cmath>

namespace graphc::observe {
namespace {
using Json = nlohmann::ordered_json;
constexpr size_t kMostTasks = 1 << 16, kMostWarnings = 1024, kMostDevices = 1024;

double sinceEpoch(absl::Time time) { return absl::ToDoubleSeconds(time - absl::UnixEpoch()); }

/// Takes members of one object; the first of a wrong type stays.
class Members {
public:
  explicit Members(const Json &object) : object_(object) {
    if (!object.is_object())
      fail("an object was expected");
  }
  void text(const char *key, std::string &to) {
    if (const Json *found = find(key, [](const Json &j) { return j.is_string(); }))
      to = base::foreignText(found->get<std::string>());
  }
  template <class T> void count(const char *key, T &to) {
    if (const Json *found = find(key, [](const Json &j) { return j.is_number_unsigned(); }))
      to = static_cast<T>(found->get<uint64_t>());
  }
  template <class T> void count(const char *key, std::optional<T> &to) {
    if (T value = 0; find(key, [](const Json &j) { return j.is_number_unsigned(); })) {
      count(key, value);
      to = value;
    }
  }
  /// Null is a number that is none.
  void number(const char *key, std::optional<double> &to) {
    if (const Json *found = find(key, [](const Json &j) { return j.is_number(); }))
      to = found->get<double>();
    else if (object_.is_object() && object_.contains(key) && object_[key].is_null())
      to = std::nan("");
  }
  void number(const char *key, double &to) {
    std::optional<double> value;
    number(key, value);
    to = value.value_or(to);
  }
  void time(const char *key, absl::Time &to) {
    double value = -1;
    number(key, value);
    if (value >= 0 && value < 1e12)
      to = absl::UnixEpoch() + absl::Seconds(value);
  }
  void time(const char *key, std::optional<absl::Time> &to) {
    if (absl::Time value = absl::UnixEpoch();
        find(key, [](const Json &j) { return j.is_number(); })) {
      time(key, value);
      to = value;
    }
  }
  const Json *array(const char *key, size_t most) {
    const Json *found = find(key, [](const Json &j) { return j.is_array(); });
    if (found && found->size() > most)
      fail(absl::StrCat(key, " has more than ", most, " elements"));
    return found && found->size() <= most ? found : nullptr;
  }
  const Json *object(const char *key) {
    return find(key, [](const Json &j) { return j.is_object(); });
  }
  void fail(const std::string &why) { status_.Update(absl::InvalidArgumentError(why)); }
  void take(const absl::Status &status) { status_.Update(status); }
  absl::Status status() const { return status_; }

private:
  template <class Is> const Json *find(const char *key, Is is) {
    if (!object_.is_object() || !object_.contains(key) || object_[key].is_null())
      return nullptr;
    if (is(object_[key]))
      return &object_[key];
    fail(absl::StrCat("\"", key, "\" is of another type"));
    return nullptr;
  }
  const Json &object_;
  absl::Status status_;
};

Json jsonOf(const TaskStatus &task) {
  Json json = {{"name", task.name},
               {"state", task.state},
               {"devices", task.devices},
               {"host", task.host},
               {"pid", task.pid}};
  if (task.step)
    json["step"] = *task.step;
  json["steps_per_second"] = number(task.stepsPerSecond);
  if (task.lag)
    json["lag_steps"] = *task.lag;
  if (task.staleness)
    json["staleness_steps"] = *task.staleness;
  if (task.heard)
    json["last_heartbeat"] = sinceEpoch(*task.heard);
  return json;
}

absl::StatusOr<TaskStatus> taskOf(const Json &json) {
  TaskStatus task;
  Members members(json);
  members.text("name", task.name);
  members.text("state", task.state);
  members.text("host", task.host);
  members.count("pid", task.pid);
  members.count("step", task.step);
  members.number("steps_per_second", task.stepsPerSecond);
  members.count("lag_steps", task.lag);
  members.count("staleness_steps", task.staleness);
  members.time("last_heartbeat", task.heard);
  if (const Json *devices = members.array("devices", kMostDevices))
    for (const Json &device : *devices)
      task.devices.push_back(device.is_string() ? base::foreignText(device.get<std::string>())
                                                : "");
  return members.status().ok() ? absl::StatusOr<TaskStatus>(task) : members.status();
}
} // namespace

std::string durationText(absl::Duration duration) {
  const int64_t all = std::max<int64_t>(0, absl::ToInt64Seconds(duration));
  if (all < 60)
    return absl::StrCat(all, " s");
  if (all < 3600)
    return absl::StrCat(all / 60, " min");
  return absl::StrCat(all / 3600, " h",
                      all % 3600 / 60 ? absl::StrCat(" ", all % 3600 / 60, " min") : "");
}

std::string toJson(const RunStatus &status) {
  Json json = {{"format", RunStatus::kFormat},  {"model", status.model},
               {"strategy", status.strategy},   {"entry", status.entry},
               {"state", status.state},         {"fingerprint", status.fingerprint},
               {"version", status.version},     {"host", status.host},
               {"task", status.task},           {"pid", status.pid},
               {"now", sinceEpoch(status.now)}, {"started", sinceEpoch(status.started)},
               {"restarts", status.restarts}};
  if (status.launcher)
    json["launcher_pid"] = *status.launcher;
  if (status.progress)
    json["progress"] = Json::parse(toJson(*status.progress));
  if (!status.checkpointDirectory.empty())
    json["checkpoint_dir"] = status.checkpointDirectory;
  if (status.checkpoint)
    json["checkpoint"] = {
        {"step", status.checkpoint->step},
        {"time", sinceEpoch(status.checkpoint->at)},
        {"age_seconds", absl::ToDoubleSeconds(status.now - status.checkpoint->at)}};
  json["checkpoints_saved"] = status.saved;
  if (status.maxStaleness)
    json["max_staleness"] = *status.maxStaleness;
  json["tasks"] = Json::array();
  for (const TaskStatus &task : status.tasks)
    json["tasks"].push_back(jsonOf(task));
  json["warnings_total"] = status.warned;
  json["warnings"] = Json::array();
  for (const RunStatus::Warning &warning : status.warnings)
    json["warnings"].push_back({{"time", sinceEpoch(warning.at)}, {"text", warning.text}});
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

absl::StatusOr<RunStatus> runStatusFromJson(const std::string &text) {
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded())
    return absl::InvalidArgumentError("no JSON");
  Members members(json);
  int format = 0;
  members.count("format", format);
  if (members.status().ok() && format != RunStatus::kFormat)
    members.fail(
        absl::StrCat("its format is ", format, ", and this graphrun reads ", RunStatus::kFormat));
  RunStatus status;
  for (auto [key, to] :
       {std::pair("model", &status.model), std::pair("strategy", &status.strategy),
        std::pair("entry", &status.entry), std::pair("state", &status.state),
        std::pair("fingerprint", &status.fingerprint), std::pair("version", &status.version),
        std::pair("host", &status.host), std::pair("task", &status.task),
        std::pair("checkpoint_dir", &status.checkpointDirectory)})
    members.text(key, *to);
  members.count("pid", status.pid);
  members.count("launcher_pid", status.launcher);
  members.count("restarts", status.restarts);
  members.count("checkpoints_saved", status.saved);
  members.count("max_staleness", status.maxStaleness);
  members.count("warnings_total", status.warned);
  members.time("now", status.now);
  members.time("started", status.started);
  if (const Json *progress = members.object("progress")) {
    absl::StatusOr<ProgressSnapshot> read =
        progressFromJson(progress->dump(-1, ' ', false, Json::error_handler_t::replace));
    members.take(read.status());
    if (read.ok()) {
      for (auto &[name, value] : read->metrics)
        name = base::foreignText(name);
      status.progress = *std::move(read);
    }
  }
  if (const Json *checkpoint = members.object("checkpoint")) {
    Members of(*checkpoint);
    RunStatus::Checkpoint &to = status.checkpoint.emplace();
    of.count("step", to.step);
    of.time("time", to.at);
    members.take(of.status());
  }
  if (const Json *tasks = members.array("tasks", kMostTasks))
    for (const Json &one : *tasks) {
      absl::StatusOr<TaskStatus> task = taskOf(one);
      members.take(task.status());
      if (task.ok())
        status.tasks.push_back(*std::move(task));
    }
  if (const Json *warnings = members.array("warnings", kMostWarnings))
    for (const Json &one : *warnings) {
      Members of(one);
      RunStatus::Warning &warning = status.warnings.emplace_back();
      of.time("time", warning.at);
      of.text("text", warning.text);
      members.take(of.status());
    }
  return members.status().ok() ? absl::StatusOr<RunStatus>(std::move(status)) : members.status();
}

} // namespace graphc::observe
