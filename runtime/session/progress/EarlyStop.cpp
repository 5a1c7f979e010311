#include "runtime/session/progress/EarlyStop.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace graphc::session {
namespace {
template <size_t N>
bool hasOneOf(const std::string &name, const std::array<const char *, N> &words) {
  const std::string lower = absl::AsciiStrToLower(name);
  return std::any_of(words.begin(), words.end(),
                     [&](const char *word) { return absl::StrContains(lower, word); });
}

/// Whether larger is better; nothing where the name does not say.
std::optional<bool> largerIsBetter(const std::string &name) {
  static constexpr std::array kSmaller = {"loss", "error", "perplexity", "entropy"};
  static constexpr std::array kLarger = {"accuracy", "precision", "recall", "auc", "f1", "score"};
  const bool smaller = hasOneOf(name, kSmaller), larger = hasOneOf(name, kLarger);
  return smaller == larger ? std::nullopt : std::optional(larger);
}
} // namespace

absl::StatusOr<EarlyStop> EarlyStop::parse(const std::string &text) {
  const std::vector<std::string> parts = absl::StrSplit(text, ':');
  uint32_t patience = 0;
  if (parts.size() < 2 || parts.size() > 3 || parts[0].empty() ||
      !absl::SimpleAtoi(parts[1], &patience) || patience == 0 ||
      (parts.size() == 3 && parts[2] != "min" && parts[2] != "max"))
    return absl::InvalidArgumentError(absl::StrCat(
        "--early_stop ", text,
        ": expected METRIC:PATIENCE or METRIC:PATIENCE:min|max, as accuracy:3; PATIENCE is how many "
        "evaluations without a better one, 1 or more"));
  const std::optional<bool> larger =
      parts.size() == 3 ? parts[2] == "max" : largerIsBetter(parts[0]);
  if (!larger)
    return absl::InvalidArgumentError(absl::StrCat(
        "--early_stop ", text, ": the name ", parts[0],
        " does not say whether higher or lower is better; give ", text, ":max or ", text, ":min"));
  return EarlyStop(parts[0], patience, *larger);
}

absl::StatusOr<EarlyStop> EarlyStop::watch(const std::string &flag, const std::string &metric,
                                           const std::string &better) {
  const std::optional<bool> larger =
      better.empty() ? largerIsBetter(metric) : std::optional(better == "max");
  if (!larger)
    return absl::InvalidArgumentError(
        absl::StrCat(flag, ": the name ", metric,
                     " does not say whether higher or lower is better; give --export best:", metric,
                     ":max or --export best:", metric, ":min"));
  return EarlyStop(metric, std::nullopt, *larger);
}

void EarlyStop::evaluated(uint64_t step, const std::map<std::string, double> &means) {
  auto found = means.find(metric_);
  const double value = found == means.end() ? std::nan("") : found->second;
  if (!std::isnan(value) && (!best_ || (larger_ ? value > best_->value : value < best_->value))) {
    best_ = {value, step};
    without_ = 0;
  } else {
    ++without_;
  }
}

std::string EarlyStop::describeBest() const {
  return best_ ? absl::StrFormat("%s %.6g", metric_, best_->value) : "";
}

std::string EarlyStop::describe() const {
  return absl::StrCat(
      metric_, " has not become better in ", without_, " evaluation", without_ == 1 ? "" : "s",
      best_ ? absl::StrFormat(", since %.6g at step %d", best_->value, best_->step) : "");
}

} // namespace graphc::session
