#include "runtime/observe/TraceSummary.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include <nlohmann/json.hpp>

#include <algorithm>

namespace graphc::observe {
namespace {

std::string percent(double share) {
  return share > 0 && share < 0.005 ? "< 1 %" : absl::StrFormat("%.0f %%", share * 100);
}

std::string milliseconds(double ms) {
  return ms < 100 ? absl::StrFormat("%.3g ms", ms) : absl::StrFormat("%.0f ms", ms);
}

/// The longest first; what is below a percent of the step is not said.
std::string waitsForText(const TraceSummary::Task &task) {
  std::vector<std::pair<double, std::string>> peers;
  for (const auto &[peer, seconds] : task.waitsFor)
    if (task.share(seconds) >= 0.005)
      peers.emplace_back(seconds, peer);
  std::sort(peers.rbegin(), peers.rend());
  constexpr size_t kShown = 4;
  std::string text;
  for (size_t i = 0; i < std::min(kShown, peers.size()); ++i)
    absl::StrAppend(&text, i ? ", " : "", peers[i].second, " ",
                    percent(task.share(peers[i].first)));
  if (peers.size() > kShown)
    absl::StrAppend(&text, ", ", peers.size() - kShown, " more");
  return text;
}

} // namespace

std::vector<std::string> toTable(const TraceSummary &summary) {
  std::vector<std::vector<std::string>> rows = {
      {"task", "step", "kernels", "library", "messages", "data", "waits", "of them for"}};
  for (const TraceSummary::Task &task : summary.tasks)
    if (task.steps)
      rows.push_back({task.name, milliseconds(task.stepMs()), percent(task.share(task.kernels)),
                      percent(task.share(task.library)), percent(task.share(task.messages)),
                      percent(task.share(task.data)), percent(task.share(task.waits)),
                      waitsForText(task)});
  std::vector<size_t> widths(rows.front().size());
  for (const auto &row : rows)
    for (size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], row[i].size());
  std::vector<std::string> lines;
  for (const auto &row : rows) {
    std::string line = " ";
    for (size_t i = 0; i + 1 < row.size(); ++i)
      absl::StrAppend(&line, row[i], std::string(widths[i] - row[i].size() + 2, ' '));
    absl::StrAppend(&line, row.back());
    lines.push_back(line.substr(0, line.find_last_not_of(' ') + 1));
  }
  return lines;
}

std::string toJson(const TraceSummary &summary) {
  nlohmann::ordered_json json = {
      {"slices", summary.slices}, {"messages", summary.messages}, {"lost", summary.lost}};
  json["tasks"] = nlohmann::ordered_json::object();
  for (const TraceSummary::Task &task : summary.tasks) {
    nlohmann::ordered_json &one = json["tasks"][task.name];
    one = {{"steps", task.steps},
           {"step_ms", task.stepMs()},
           {"kernels", task.share(task.kernels)},
           {"library", task.share(task.library)},
           {"messages", task.share(task.messages)},
           {"data", task.share(task.data)},
           {"waits", task.share(task.waits)},
           {"waits_for", nlohmann::ordered_json::object()}};
    for (const auto &[peer, seconds] : task.waitsFor)
      one["waits_for"][peer] = task.share(seconds);
  }
  return json.dump();
}

} // namespace graphc::observe
