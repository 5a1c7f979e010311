//===- StatusPage.cpp - a run's status as a page ----------------------------------------------===//
#include "runtime/common/base/TextUtils.h"
#include "runtime/observe/RunStatus.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

namespace graphc::observe {
namespace {
constexpr char kHead[] = R"(<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="refresh" content="2"><meta name="viewport" content="width=device-width">
<style>
body{font:15px/1.5 system-ui,sans-serif;margin:2em auto;max-width:72em;padding:0 1em;color:#222;background:#fff}
h1{font-size:1.3em;margin:0}h2{font-size:1em;margin:1.6em 0 .4em}
p{margin:.2em 0;color:#555}table{border-collapse:collapse;width:100%}
th,td{text-align:left;padding:.25em .8em .25em 0;border-bottom:1px solid #ddd}th{font-weight:600}
td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}
progress{width:100%}.silent,.waiting{color:#a40000}
dl{display:grid;grid-template-columns:max-content auto;gap:.1em 1.2em;margin:1em 0}dt{color:#555}dd{margin:0}
@media(prefers-color-scheme:dark){body{color:#ddd;background:#181818}p,dt{color:#aaa}th,td{border-color:#444}.silent,.waiting{color:#ff7b72}}
</style>
)";

std::string rate(double value) {
  return value > 0 ? absl::StrFormat("%.*f", value < 10 ? 2 : 0, value) : "–";
}
template <class T> std::string orNone(const std::optional<T> &value) {
  return value ? absl::StrCat(*value) : "–";
}

void entry(std::string &page, const char *name, const std::string &value) {
  absl::StrAppend(&page, "<dt>", name, "</dt><dd>", base::escapeHtml(value), "</dd>\n");
}

void addFacts(const RunStatus &status, std::string &page) {
  page += "<dl>\n";
  entry(page, "state", status.state);
  if (const auto &progress = status.progress) {
    entry(page, "step",
          absl::StrCat(withThousands(progress->step), " of ", withThousands(progress->steps)));
    if (progress->epochs)
      entry(page, "epoch",
            absl::StrCat(withThousands(progress->epoch), " of ", withThousands(progress->epochs)));
    entry(page, "steps/s", rate(progress->stepsPerSecond));
    if (progress->loss)
      entry(page, "loss", absl::StrFormat("%.4g", *progress->loss));
    for (const auto &[name, value] : progress->metrics)
      absl::StrAppend(&page, "<dt>", base::escapeHtml(name), "</dt><dd>",
                      absl::StrFormat("%.4g", value), "</dd>\n");
  }
  entry(page, "last checkpoint",
        status.checkpoint ? absl::StrCat("step ", withThousands(status.checkpoint->step), ", ",
                                         durationText(status.now - status.checkpoint->at), " ago")
        : status.checkpointDirectory.empty() ? "none: no --checkpoint_dir"
                                             : "none yet");
  if (!status.checkpointDirectory.empty())
    entry(page, "checkpoints in", status.checkpointDirectory);
  entry(page, "restarts", absl::StrCat(status.restarts));
  if (status.maxStaleness)
    entry(page, "staleness at most", absl::StrCat(*status.maxStaleness, " steps"));
  page += "</dl>\n";
  if (status.progress && status.progress->steps)
    absl::StrAppend(&page, "<progress max=\"", status.progress->steps, "\" value=\"",
                    status.progress->step, "\"></progress>\n");
}

void addTasks(const RunStatus &status, std::string &page) {
  page +=
      "<h2>Tasks</h2>\n<table><tr><th>task<th>devices<th>process<th>state<th class=n>step<th class=n>steps/s<th "
      "class=n>behind"
      "<th class=n>ahead<th class=n>last heartbeat</tr>\n";
  for (const TaskStatus &task : status.tasks)
    absl::StrAppend(
        &page, "<tr><td>", base::escapeHtml(task.name), "<td>",
        base::escapeHtml(absl::StrJoin(task.devices, ", ")), "<td>",
        task.pid ? absl::StrCat(task.pid, " on ", base::escapeHtml(task.host)) : "–",
        "<td class=\"", base::escapeHtml(task.state), "\">", base::escapeHtml(task.state),
        "<td class=n>", task.step ? withThousands(*task.step) : "–", "<td class=n>",
        rate(task.stepsPerSecond), "<td class=n>", orNone(task.lag), "<td class=n>",
        orNone(task.staleness), "<td class=n>",
        task.heard ? absl::StrFormat("%.1f s ago", absl::ToDoubleSeconds(status.now - *task.heard))
                   : "–",
        "</tr>\n");
  page += "</table>\n";
}
} // namespace

std::string toPage(const RunStatus &status) {
  std::string page = absl::StrCat(
      kHead, "<title>", base::escapeHtml(status.model), " – ", base::escapeHtml(status.state),
      "</title></head><body>\n<h1>", base::escapeHtml(status.model), "</h1>\n<p>",
      base::escapeHtml(status.strategy), ", --entry ", base::escapeHtml(status.entry), ", process ",
      status.pid, " on ", base::escapeHtml(status.host), ", for ",
      durationText(status.now - status.started), "</p>\n");
  addFacts(status, page);
  addTasks(status, page);
  if (!status.warnings.empty()) {
    absl::StrAppend(&page, "<h2>Warnings (", status.warned, ")</h2>\n<table>\n");
    for (const RunStatus::Warning &warning : status.warnings)
      absl::StrAppend(&page, "<tr><td>", durationText(status.now - warning.at), " ago<td>",
                      base::escapeHtml(warning.text), "</tr>\n");
    page += "</table>\n";
  }
  return absl::StrCat(
      page, "<p>plan ", base::escapeHtml(status.fingerprint.substr(0, 12)), ", graphrun ",
      base::escapeHtml(status.version),
      "; the same as <a href=\"/status.json\">JSON</a> and <a href=\"/metrics\">metrics</a></p>\n</body></html>\n");
}

} // namespace graphc::observe
