#include "runtime/observe/TensorHistogram.h"

#include <algorithm>
#include <cfloat>
#include <cmath>

namespace graphc::observe {
namespace {

std::vector<double> makeLimits() {
  std::vector<double> positive;
  for (double limit = 1e-12; limit < 1e20; limit *= 1.1)
    positive.push_back(limit);
  positive.push_back(DBL_MAX);
  std::vector<double> all;
  for (auto limit = positive.rbegin(); limit != positive.rend(); ++limit)
    all.push_back(-*limit);
  all.push_back(0);
  all.insert(all.end(), positive.begin(), positive.end());
  return all;
}

const std::vector<double> &limits() {
  static const std::vector<double> made = makeLimits();
  return made;
}

} // namespace

void TensorHistogram::add(double value) {
  if (!std::isfinite(value)) {
    ++notFinite_;
    return;
  }
  if (counts_.empty())
    counts_.resize(limits().size());
  const auto bucket = std::upper_bound(limits().begin(), limits().end(), value) - limits().begin();
  // DBL_MAX itself is no less than the last limit
  ++counts_[std::min(static_cast<size_t>(bucket), counts_.size() - 1)];
  min_ = count_ ? std::min(min_, value) : value;
  max_ = count_ ? std::max(max_, value) : value;
  sum_ += value;
  squares_ += value * value;
  ++count_;
}

std::vector<TensorHistogram::Bucket> TensorHistogram::buckets() const {
  std::vector<Bucket> found;
  for (size_t i = 0; i < counts_.size(); ++i) {
    const bool empty = counts_[i] == 0;
    if (empty && !found.empty() && found.back().count == 0)
      found.back().limit = limits()[i];
    else
      found.push_back({limits()[i], static_cast<double>(counts_[i])});
  }
  if (found.empty())
    found.push_back({DBL_MAX, 0});
  return found;
}

double TensorHistogram::mean() const { return count_ ? sum_ / static_cast<double>(count_) : 0; }

double TensorHistogram::standardDeviation() const {
  return count_ ? std::sqrt(std::max(0.0, squares_ / static_cast<double>(count_) - mean() * mean()))
                : 0;
}

} // namespace graphc::observe
