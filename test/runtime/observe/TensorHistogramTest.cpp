#include "runtime/observe/TensorHistogram.h"

#include <gtest/gtest.h>

#include <cfloat>
#include <cmath>

namespace graphc::observe {
namespace {

TEST(TensorHistogram, CountsWhatLiesBelowEachLimit) {
  TensorHistogram histogram;
  for (double value : {-2.0, 0.0, 0.0, 1.0, 1e30})
    histogram.add(value);
  double counted = 0, before = -DBL_MAX;
  bool emptyBefore = false;
  for (const TensorHistogram::Bucket &bucket : histogram.buckets()) {
    EXPECT_TRUE(bucket.limit > before || bucket.limit == -DBL_MAX) << bucket.limit;
    EXPECT_FALSE(emptyBefore && bucket.count == 0)
        << "two empty ones in a row, up to " << bucket.limit;
    emptyBefore = bucket.count == 0;
    for (double value : {-2.0, 0.0, 1.0, 1e30})
      if (bucket.count && value >= before && value < bucket.limit) {
        EXPECT_EQ(bucket.count, value == 0.0 ? 2 : 1) << value;
        counted += bucket.count;
      }
    before = bucket.limit;
  }
  EXPECT_EQ(counted, 5);
  EXPECT_EQ(before, DBL_MAX);
}

/// TensorFlow's: a tenth more from limit to limit, the same on both sides of zero.
TEST(TensorHistogram, HasTensorFlowsLimits) {
  TensorHistogram histogram;
  histogram.add(1e-12);
  EXPECT_DOUBLE_EQ(histogram.buckets()[1].limit, 1.1e-12)
      << "behind one empty bucket for all below";
  TensorHistogram negative;
  negative.add(-1e-12);
  EXPECT_DOUBLE_EQ(negative.buckets()[1].limit, 0)
      << "-1e-12 is a limit, and the first of its bucket";
  TensorHistogram empty;
  ASSERT_EQ(empty.buckets().size(), 1u);
  EXPECT_EQ(empty.buckets()[0].count, 0);
}

TEST(TensorHistogram, KnowsMomentsAndWhatIsNoNumber) {
  TensorHistogram histogram;
  for (double value : {1.0, 2.0, 6.0, std::nan(""), HUGE_VAL, -HUGE_VAL})
    histogram.add(value);
  EXPECT_EQ(histogram.count(), 3u);
  EXPECT_EQ(histogram.notFinite(), 3u);
  EXPECT_EQ(histogram.min(), 1);
  EXPECT_EQ(histogram.max(), 6);
  EXPECT_EQ(histogram.sum(), 9);
  EXPECT_EQ(histogram.sumOfSquares(), 41);
  EXPECT_EQ(histogram.mean(), 3);
  EXPECT_DOUBLE_EQ(histogram.standardDeviation(), std::sqrt(14.0 / 3));
  EXPECT_EQ(TensorHistogram().mean(), 0);
}

} // namespace
} // namespace graphc::observe
