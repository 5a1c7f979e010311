//===- PrometheusText.cpp - a run's status as Prometheus reads it -----------------------------===//
//
// The text exposition format, version 0.0.4. Names and units as
// https://prometheus.io/docs/practices/naming/ has them: counters end in _total, times are seconds
// since 1970, so that ages are `time() - …`.
//
//===------------------------------------------------------------------------------------------===//
#include "runtime/observe/ProcessInfo.h"
#include "runtime/observe/RunStatus.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

#include <cmath>
#include <sys/resource.h>

namespace graphc::observe {
namespace {
/// "{task=\"/job:worker/task:1\"}".
std::string labels(std::initializer_list<std::pair<const char *, std::string>> pairs) {
  std::string text;
  for (const auto &[name, value] : pairs) {
    absl::StrAppend(&text, text.empty() ? "{" : ",", name, "=\"");
    for (char c : value)
      if (c == '\n')
        text += "\\n";
      else
        text += c == '"' || c == '\\' ? std::string{'\\', c} : std::string(1, c);
    text += '"';
  }
  return text.empty() ? text : text + "}";
}

std::string valueText(double value) {
  return std::isnan(value)   ? "NaN"
         : std::isinf(value) ? (value > 0 ? "+Inf" : "-Inf")
                             : absl::StrFormat("%.17g", value);
}

/// Families one after the other; those without a sample are left out.
class Families {
public:
  Families &family(const char *name, const char *type, const char *help) {
    name_ = name;
    header_ = absl::StrCat("# HELP ", name, " ", help, "\n# TYPE ", name, " ", type, "\n");
    return *this;
  }
  Families &add(double value, const std::string &labels = "") {
    absl::StrAppend(&text_, header_, name_, labels, " ", valueText(value), "\n");
    header_.clear();
    return *this;
  }
  Families &add(uint64_t value, const std::string &labels = "") {
    absl::StrAppend(&text_, header_, name_, labels, " ", value, "\n");
    header_.clear();
    return *this;
  }
  std::string text() const { return text_; }

private:
  const char *name_ = "";
  std::string header_, text_;
};

double unixSeconds(absl::Time time) { return absl::ToDoubleSeconds(time - absl::UnixEpoch()); }

void addRun(const RunStatus &status, Families &to) {
  to.family("graphc_run_info", "gauge", "What runs; the value is always 1.")
      .add(uint64_t(1), labels({{"model", status.model},
                                {"strategy", status.strategy},
                                {"entry", status.entry},
                                {"fingerprint", status.fingerprint},
                                {"version", status.version}}));
  to.family("graphc_run_state", "gauge", "1 for what the run does now, 0 for the others.");
  for (const char *state : kRunStates)
    to.add(uint64_t(status.state == state), labels({{"state", state}}));
  to.family("graphc_run_start_time_seconds", "gauge",
            "When the chief's process was started, in seconds since 1970.")
      .add(unixSeconds(status.started));
  if (const std::optional<ProgressSnapshot> &progress = status.progress) {
    to.family("graphc_step_total", "counter",
              "Steps of training made, counted from the very first (asynchronous: updates).")
        .add(progress->step);
    to.family("graphc_step_target", "gauge", "Steps of training to be made in all.")
        .add(progress->steps);
    to.family("graphc_steps_per_second", "gauge", "Rate of the cluster's steps.")
        .add(progress->stepsPerSecond);
    if (progress->epochs)
      to.family("graphc_epoch", "gauge",
                "Pass over the data in which the training is, counted from 1.")
          .add(progress->epoch);
    if (progress->loss)
      to.family("graphc_loss", "gauge", "Mean loss over the epoch so far, of all replicas.")
          .add(*progress->loss);
    to.family("graphc_metric_value", "gauge",
              "Metrics of the last evaluation, and (train) of the last epoch.");
    for (const auto &[name, value] : progress->metrics)
      to.add(value, labels({{"metric", name}}));
  }
  to.family("graphc_restarts_total", "counter",
            "How often the launcher has started all tasks again.")
      .add(uint64_t(status.restarts));
  to.family("graphc_warnings_total", "counter", "Warnings that the chief has printed.")
      .add(status.warned);
  to.family("graphc_checkpoints_saved_total", "counter",
            "Checkpoints that this process has committed.")
      .add(status.saved);
  if (status.checkpoint) {
    to.family("graphc_checkpoint_step", "gauge", "Step of the newest checkpoint.")
        .add(status.checkpoint->step);
    to.family("graphc_checkpoint_timestamp_seconds", "gauge",
              "When the newest checkpoint was made, in seconds since 1970.")
        .add(unixSeconds(status.checkpoint->at));
  }
  if (status.maxStaleness)
    to.family("graphc_max_staleness_steps", "gauge",
              "The strategy's bound of graphc_task_staleness_steps.")
        .add(*status.maxStaleness);
}

void addTasks(const RunStatus &status, Families &to) {
  to.family("graphc_task_info", "gauge",
            "Each task of the plan, with its devices and its process; the value is always 1.");
  for (const TaskStatus &task : status.tasks)
    to.add(uint64_t(1), labels({{"task", task.name},
                                {"devices", absl::StrJoin(task.devices, ",")},
                                {"host", task.host},
                                {"pid", absl::StrCat(task.pid)}}));
  to.family("graphc_task_up", "gauge", "1 where the task has joined and is heard, else 0.");
  for (const TaskStatus &task : status.tasks)
    to.add(uint64_t(task.pid != 0 && task.state != "silent"), labels({{"task", task.name}}));
  const auto known = [&](const char *name, const char *kind, const char *help, auto value) {
    to.family(name, kind, help);
    for (const TaskStatus &task : status.tasks)
      if (const auto of = value(task))
        to.add(*of, labels({{"task", task.name}}));
  };
  known("graphc_task_step_total", "counter", "Steps of training, as the task counts them.",
        [](const TaskStatus &task) { return task.step; });
  known("graphc_task_steps_per_second", "gauge", "Rate of the task's own steps.",
        [](const TaskStatus &task) {
          return task.step ? std::optional(task.stepsPerSecond) : std::nullopt;
        });
  known("graphc_task_lag_steps", "gauge",
        "Steps that the task is behind the first of those that compute gradients.",
        [](const TaskStatus &task) { return task.lag; });
  known("graphc_task_staleness_steps", "gauge",
        "Steps that the task is ahead of the last one, where tasks share no step.",
        [](const TaskStatus &task) { return task.staleness; });
  known("graphc_task_heartbeat_timestamp_seconds", "gauge",
        "When the task was heard last, in seconds since 1970.", [](const TaskStatus &task) {
          return task.heard ? std::optional(unixSeconds(*task.heard)) : std::nullopt;
        });
}

/// Under the names that every client library of Prometheus has.
void addProcess(const RunStatus &status, Families &to) {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  auto of = [](const timeval &time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  to.family("process_cpu_seconds_total", "counter", "User and system time of the chief's process.")
      .add(of(used.ru_utime) + of(used.ru_stime));
  to.family("process_resident_memory_bytes", "gauge", "Resident memory of the chief's process.")
      .add(residentBytes());
  to.family("process_start_time_seconds", "gauge",
            "When the chief's process was started, in seconds since 1970.")
      .add(unixSeconds(status.started));
}
} // namespace

std::string toPrometheus(const RunStatus &status) {
  Families families;
  addRun(status, families);
  addTasks(status, families);
  addProcess(status, families);
  return families.text();
}

} // namespace graphc::observe
