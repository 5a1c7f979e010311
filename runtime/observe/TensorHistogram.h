//===- TensorHistogram.h - how the elements of a tensor are spread ------------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_OBSERVE_TENSORHISTOGRAM_H
#define GRAPHC_RUNTIME_OBSERVE_TENSORHISTOGRAM_H

#include <cstdint>
#include <vector>

namespace graphc::observe {

/// TensorFlow's buckets, which TensorBoard draws: on both sides of zero limits from 1e-12 to 1e20,
/// each 1.1 times the one before.
class TensorHistogram {
public:
  /// What is no finite number is only counted.
  void add(double value);

  struct Bucket {
    double limit = 0; ///< the first value behind it
    double count = 0;
  };
  /// In order, empty ones that follow each other as one; one at least.
  std::vector<Bucket> buckets() const;

  uint64_t count() const { return count_; } ///< of finite values
  uint64_t notFinite() const { return notFinite_; }
  double min() const { return min_; } ///< 0 where nothing is counted, as the others
  double max() const { return max_; }
  double sum() const { return sum_; }
  double sumOfSquares() const { return squares_; }
  double mean() const;
  double standardDeviation() const; ///< of all of them, no sample's

private:
  uint64_t count_ = 0, notFinite_ = 0;
  double min_ = 0, max_ = 0, sum_ = 0, squares_ = 0;
  std::vector<uint64_t> counts_; ///< by bucket; empty: nothing was added
};

} // namespace graphc::observe
#endif
