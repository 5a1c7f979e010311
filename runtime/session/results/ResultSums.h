//===- ResultSums.h - sums of metrics and losses over the tasks' answers ------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_SESSION_RESULTS_RESULTSUMS_H
#define GRAPHC_RUNTIME_SESSION_RESULTS_RESULTSUMS_H

#include "runtime/service/service.pb.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace graphc::session {

struct ResultSum {
  double sum = 0;
  int64_t count = 0; ///< how many were added
  void add(double more, int64_t of) {
    sum += more;
    count += of;
  }
  std::optional<double> mean() const {
    return count > 0 ? std::optional(sum / static_cast<double>(count)) : std::nullopt;
  }
};
/// By name of a metric.
using ResultSums = std::map<std::string, ResultSum>;

/// By name, of those of which something was counted; `before`: what each name begins with.
std::vector<std::pair<std::string, double>> meansOf(const ResultSums &sums,
                                                    const std::string &before);

/// Of the same, for people: "test accuracy 0.875  (10,000 samples)".
std::vector<std::string> metricLines(const ResultSums &sums, const std::string &before);

/// Of an evaluation.
void addMetrics(const service::Done &answer, ResultSums &sums);

/// What a run of a phase gave, by all tasks' answers.
struct PhaseResult {
  uint64_t steps = 0;
  bool stopped = false;
  /// of a training: a loss was no number, where that is no failure; of the earliest step of all
  std::string notFinite;
  uint64_t notFiniteStep = 0; ///< that step, from 1; 0: there was none
  ResultSums metrics; ///< of an evaluation
  /// update tickets of a training: by lane that takes them; asynchronous: by worker
  std::vector<uint64_t> tickets;
};
PhaseResult resultOf(const std::vector<service::Done> &answers, bool trains);

/// Of a training, phase after phase. What counts is the last epoch.
class TrainedSums {
public:
  /// `epoch`: the one that all of it belongs to; none: as the answer says. Tasks whose steps nobody
  /// counts together count epochs of their own, and what each did last is of the epoch in which all
  /// of them end.
  void add(const service::Done &answer, std::optional<uint64_t> epoch);

  std::optional<double> loss() const { return loss_.of.mean(); }
  /// What that is the mean of, and which epoch's.
  const ResultSum &lossSum() const { return loss_.of; }
  uint64_t lossEpoch() const { return loss_.epoch; }
  /// Those of which something was counted.
  ResultSums metrics() const;

private:
  struct LastEpoch {
    uint64_t epoch = 0;
    ResultSum of;
    void add(uint64_t epoch, double sum, int64_t count);
  };
  LastEpoch loss_;
  std::map<std::string, LastEpoch> metrics_;
};

} // namespace graphc::session
#endif
