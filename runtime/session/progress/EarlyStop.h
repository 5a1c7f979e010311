//===- EarlyStop.h - training ends where evaluations get no better ------------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_SESSION_PROGRESS_EARLYSTOP_H
#define GRAPHC_RUNTIME_SESSION_PROGRESS_EARLYSTOP_H

#include "absl/status/statusor.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace graphc::session {

/// --export best[:METRIC[:min|max]]: the checkpoint with the best evaluation.
struct BestExport {
  std::string metric; ///< empty: that of --early_stop, or the evaluation's only one
  std::string better; ///< "min", "max", or empty: the metric's name says it
};

/// Compares evaluations by one metric: ends training after a number of them without a better one
/// (--early_stop METRIC:PATIENCE[:min|max]), and knows the best (--export best[:METRIC[:min|max]]).
/// Plain numbers; ChiefEarlyStop.h keeps them from one run to the next.
class EarlyStop {
public:
  /// Without a direction the name says it: a loss, error or perplexity is better when smaller, an
  /// accuracy or the like when larger.
  static absl::StatusOr<EarlyStop> parse(const std::string &text);
  /// Never ends training. `flag` is for messages; without `better` ("min" or "max") the name of the
  /// metric says what is better.
  static absl::StatusOr<EarlyStop> watch(const std::string &flag, const std::string &metric,
                                         const std::string &better);

  const std::string &metric() const { return metric_; }
  /// An evaluation's means. Equal to the best, or no number, is no better.
  void evaluated(uint64_t step, const std::map<std::string, double> &means);
  /// The last one was the best until now.
  bool isBest() const { return best_ && without_ == 0; }
  /// Nothing before the first evaluation that gave a number.
  std::optional<uint64_t> bestStep() const {
    return best_ ? std::optional(best_->step) : std::nullopt;
  }
  bool endsTraining() const { return patience_.has_value(); }
  /// So many evaluations in a row were no better that training ends.
  bool isOver() const { return patience_ && without_ >= *patience_; }
  /// "max" or "min"
  const char *better() const { return larger_ ? "max" : "min"; }
  /// "accuracy 0.8912"; empty before the first evaluation that gave a number.
  std::string describeBest() const;
  /// "accuracy has not become better in 3 evaluations, since 0.8912 at step 4000"
  std::string describe() const;

private:
  struct Best {
    double value = 0;
    uint64_t step = 0;
  };
  EarlyStop(std::string metric, std::optional<uint32_t> patience, bool larger)
      : metric_(std::move(metric)), patience_(patience), larger_(larger) {}

  std::string metric_;
  std::optional<uint32_t> patience_; ///< none: training goes on
  bool larger_; ///< is better
  std::optional<Best> best_;
  uint32_t without_ = 0; ///< evaluations since the best
};

} // namespace graphc::session
#endif
