#include "tools/graphrun/status/StatusText.h"
#include "tools/graphrun/show/ShowReaders.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace graphc::graphrun {
namespace {
using Json = nlohmann::ordered_json;

std::string rateText(double rate) {
  return rate > 0 ? absl::StrFormat("%.*f", rate < 10 ? 2 : 0, rate) : "-";
}
template <class T> std::string orNone(const std::optional<T> &value) {
  return value ? absl::StrCat(*value) : "-";
}

std::string checkpointText(const observe::RunStatus &status) {
  if (!status.checkpoint)
    return status.checkpointDirectory.empty() ? "none (no --checkpoint_dir)" : "none yet";
  return absl::StrCat("step ", status.checkpoint->step, ", ",
                      observe::durationText(status.now - status.checkpoint->at), " ago");
}
} // namespace

std::string statusText(const observe::RunStatus &status, const std::string &where) {
  Json json = {
      {"run", absl::StrCat(status.model, ", ", status.strategy, ", --entry ", status.entry,
                           ", process ", status.pid, " on ", status.host)},
      {"state", absl::StrCat(status.state, ", for ",
                             observe::durationText(status.now - status.started), " in all")}};
  if (status.progress) {
    observe::ProgressSnapshot progress = *status.progress;
    json["training"] = observe::formatProgress(progress, /*barWidth=*/0);
  }
  json["last checkpoint"] = checkpointText(status);
  if (!status.checkpointDirectory.empty())
    json["checkpoints in"] = status.checkpointDirectory;
  json["restarts"] = status.restarts;
  if (status.maxStaleness)
    json["staleness at most"] = absl::StrCat(*status.maxStaleness, " steps");
  json["asked at"] = where;
  json["tasks"] = Json::array();
  for (const observe::TaskStatus &task : status.tasks)
    json["tasks"].push_back(
        {{"task", task.name},
         {"devices", task.devices},
         {"process", task.pid ? absl::StrCat(task.pid, " on ", task.host) : "-"},
         {"state", task.state},
         {"step", orNone(task.step)},
         {"steps/s", rateText(task.stepsPerSecond)},
         {"behind", orNone(task.lag)},
         {"ahead", orNone(task.staleness)},
         {"heartbeat", task.heard ? absl::StrFormat("%.1f s ago",
                                                    absl::ToDoubleSeconds(status.now - *task.heard))
                                  : "-"}});
  std::string text = shownText(json);
  if (status.warned) {
    absl::StrAppend(&text, "\nwarnings (", status.warned, ")\n");
    for (const observe::RunStatus::Warning &warning : status.warnings)
      absl::StrAppend(&text, "  ", observe::durationText(status.now - warning.at),
                      " ago: ", warning.text, "\n");
  }
  return text;
}

std::string listText(const std::vector<FoundRun> &runs) {
  Json list = Json::array();
  for (const FoundRun &run : runs) {
    const observe::RunStatus &status = run.status;
    const auto &progress = status.progress;
    list.push_back(
        {{"process", status.launcher.value_or(status.pid)},
         {"model", status.model},
         {"strategy", status.strategy},
         {"tasks", status.tasks.size()},
         {"state", status.state},
         {"step", progress ? absl::StrCat(progress->step, "/", progress->steps) : "-"},
         {"steps/s", progress ? rateText(progress->stepsPerSecond) : "-"},
         {"loss", progress && progress->loss ? absl::StrFormat("%.4g", *progress->loss) : "-"},
         {"for", observe::durationText(status.now - status.started)},
         {"last checkpoint", checkpointText(status)}});
  }
  return shownText({{"runs", list}}).substr(1); // without the empty line before a table
}

} // namespace graphc::graphrun
