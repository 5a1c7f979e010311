#include "runtime/session/results/ResultSums.h"

#include "runtime/common/base/TextUtils.h"
#include "runtime/observe/ProgressLine.h"

#include "absl/strings/str_format.h"

#include <algorithm>

namespace graphc::session {

std::vector<std::pair<std::string, double>> meansOf(const ResultSums &sums,
                                                    const std::string &before) {
  std::vector<std::pair<std::string, double>> means;
  for (const auto &[name, sum] : sums)
    if (std::optional<double> mean = sum.mean())
      means.emplace_back(before + name, *mean);
  return means;
}

std::vector<std::string> metricLines(const ResultSums &sums, const std::string &before) {
  std::vector<std::string> lines;
  for (const auto &[name, sum] : sums)
    if (std::optional<double> mean = sum.mean())
      lines.push_back(absl::StrFormat("%s%s %.6g  (%s samples)", before, name, *mean,
                                      observe::withThousands(static_cast<uint64_t>(sum.count))));
  return lines;
}

void addMetrics(const service::Done &answer, ResultSums &sums) {
  for (const service::MetricSum &metric : answer.metrics())
    sums[metric.name()].add(metric.sum(), metric.count());
}

PhaseResult resultOf(const std::vector<service::Done> &answers, bool trains) {
  PhaseResult result;
  for (const service::Done &done : answers) {
    result.stopped |= done.stopped();
    const uint64_t step = done.not_finite_step();
    if (step && (!result.notFiniteStep || step < result.notFiniteStep)) {
      result.notFinite = base::foreignText(done.not_finite());
      result.notFiniteStep = step;
    }
    result.steps = std::max(result.steps, done.steps());
    if (done.tickets_size())
      result.tickets.assign(done.tickets().begin(), done.tickets().end());
    if (!trains)
      addMetrics(done, result.metrics);
  }
  return result;
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
