#include "runtime/observe/StatsFile.h"

#include "runtime/common/base/File.h"
#include "runtime/observe/JsonNumber.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdio>
#include <numeric>

namespace graphc::observe {

void StalenessStats::add(uint64_t itsWorst, std::span<const uint64_t> itsSteps, uint64_t itsWaits) {
  worst = std::max(worst, itsWorst);
  waits += itsWaits;
  steps.resize(itsSteps.size());
  for (size_t i = 0; i < steps.size(); ++i)
    steps[i] += itsSteps[i];
}
using Json = nlohmann::ordered_json;

std::string toJson(const TaskStats &stats) {
  Json json;
  json["steps"] = stats.steps;
  json["first_step_s"] = number(stats.firstStepSeconds);
  json["step_ms"] = {{"median", number(stats.times.quantileMs(0.5))},
                     {"p99", number(stats.times.quantileMs(0.99))},
                     {"min", number(stats.times.minimumMs())}};
  json["steps_per_s"] =
      number(stats.seconds > 0 ? static_cast<double>(stats.steps) / stats.seconds : 0);
  json["bytes_sent"] = stats.bytesSent;
  json["bytes_received"] = stats.bytesReceived;
  json["control_bytes"] = stats.controlBytes;
  json["arena_bytes_touched"] = stats.arenaBytesTouched;
  json["rss_bytes"] = stats.residentBytes;
  if (!stats.algorithms.empty())
    json["algorithms"] = stats.algorithms;
  if (!stats.dropped.empty()) {
    json["dropped"] = std::accumulate(stats.dropped.begin(), stats.dropped.end(), uint64_t(0));
    json["dropped_by_replica"] = stats.dropped;
  }
  if (stats.staleness) {
    Json ahead = Json::object();
    for (size_t i = 0; i < stats.staleness->steps.size(); ++i)
      if (uint64_t steps = stats.staleness->steps[i])
        ahead[std::to_string(i)] = steps;
    json["staleness"] = {
        {"max", stats.staleness->worst}, {"steps_ahead", ahead}, {"waits", stats.staleness->waits}};
  }
  return json.dump();
}

absl::Status writeStats(const std::string &path, const std::map<std::string, std::string> &tasks,
                        const FinalResults &results, const std::optional<TraceSummary> &trace) {
  Json json;
  json["tasks"] = Json::object();
  for (const auto &[name, stats] : tasks)
    json["tasks"][name] = Json::parse(stats, nullptr, /*allow_exceptions=*/false);
  json["final"] = Json::object();
  if (results.loss)
    json["final"]["loss"] = number(*results.loss);
  for (const auto &[name, value] : results.metrics)
    json["final"][name] = number(value);
  if (trace)
    json["trace"] = Json::parse(toJson(*trace));
  std::string text = json.dump(2) + "\n";
  if (path == "-") {
    std::fwrite(text.data(), 1, text.size(), stdout);
    return absl::OkStatus();
  }
  return base::writeFileAtomic(path, text);
}

} // namespace graphc::observe
