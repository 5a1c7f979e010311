//===- EarlyStop.h - training ends where evaluations get no better ------------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_SESSION_PROGRESS_EARLYSTOP_H
#define GRAPHC_RUNTIME_SESSION_PROGRESS_EARLYSTOP_H

#include "absl/status/statusor.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace graphc::session {

/// --early_stop METRIC:PATIENCE[:min|max]. Plain numbers; ChiefEarlyStop.h keeps them from one run
/// to the next.
class EarlyStop {
public:
  /// Without a direction the name says it: a loss, error or perplexity is better when smaller, an
  /// accuracy or the like when larger.
  static absl::StatusOr<EarlyStop> parse(const std::string &text);

  const std::string &metric() const { return metric_; }
  /// An evaluation's means. Equal to the best, or no number, is no better.
  void evaluated(uint64_t step, const std::map<std::string, double> &means);
  /// The last one was the best until now.
  bool isBest() const { return best_ && without_ == 0; }
  /// Nothing before the first evaluation that gave a number.
  std::optional<uint64_t> bestStep() const {
    return best_ ? std::optional(best_->step) : std::nullopt;
  }
  /// So many evaluations in a row were no better that training ends.
  bool isOver() const { return without_ >= patience_; }
  /// "accuracy has not become better in 3 evaluations, since 0.8912 at step 4000"
  std::string describe() const;

private:
  struct Best {
    double value = 0;
    uint64_t step = 0;
  };
  EarlyStop(std::string metric, uint32_t patience, bool larger)
      : metric_(std::move(metric)), patience_(patience), larger_(larger) {}

  std::string metric_;
  uint32_t patience_;
  bool larger_; ///< is better
  std::optional<Best> best_;
  uint32_t without_ = 0; ///< evaluations since the best
};

} // namespace graphc::session
#endif
