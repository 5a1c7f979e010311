#include "runtime/session/ResultSums.h"

namespace graphc::session {

std::vector<std::pair<std::string, double>> meansOf(const ResultSums &sums, const std::string &before) {
  std::vector<std::pair<std::string, double>> means;
  for (const auto &[name, sum] : sums)
    if (std::optional<double> mean = sum.mean())
      means.emplace_back(before + name, *mean);
  return means;
}

void addMetrics(const service::Done &answer, ResultSums &sums) {
  for (const service::MetricSum &metric : answer.metrics())
    sums[metric.name()].add(metric.sum(), metric.count());
}

void TrainedSums::LastEpoch::add(uint64_t other, double sum, int64_t count) {
  if (other > epoch)
    *this = {other, {}};
  if (other == epoch)
    of.add(sum, count);
}

void TrainedSums::add(const service::Done &answer, std::optional<uint64_t> epoch) {
  for (const service::MetricSum &metric : answer.metrics())
    metrics_[metric.name()].add(epoch.value_or(metric.epoch()), metric.sum(), metric.count());
  for (const service::EpochSum &loss : answer.losses())
    loss_.add(epoch.value_or(loss.epoch()), loss.loss(), static_cast<int64_t>(loss.count()));
}

ResultSums TrainedSums::metrics() const {
  ResultSums counted;
  for (const auto &[name, last] : metrics_)
    if (last.of.count > 0)
      counted[name] = last.of;
  return counted;
}

} // namespace graphc::session
