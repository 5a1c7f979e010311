#include "runtime/common/base/OpCount.h"

#include <gtest/gtest.h>

namespace graphc::base {
namespace {

TEST(OpCount, SumsAndProductsSaturate) {
  EXPECT_EQ(addOps(2, 3), 5u);
  EXPECT_EQ(addOps(kMostOpsCounted - 1, 1), kMostOpsCounted);
  EXPECT_EQ(addOps(kMostOpsCounted, kMostOpsCounted), kMostOpsCounted);
  EXPECT_EQ(multiplyOps({}), 1u);
  EXPECT_EQ(multiplyOps({3, 5, 7}), 105u);
  EXPECT_EQ(multiplyOps({kMostOpsCounted, 1}), kMostOpsCounted);
  EXPECT_EQ(multiplyOps({uint64_t(1) << 32, uint64_t(1) << 30}), uint64_t(1) << 62);
  EXPECT_EQ(multiplyOps({uint64_t(1) << 32, uint64_t(1) << 32}), kMostOpsCounted);
  EXPECT_EQ(multiplyOps({8, uint64_t(1) << 31, uint64_t(1) << 30}), kMostOpsCounted);
  EXPECT_EQ(multiplyOps({UINT64_MAX, UINT64_MAX, 0}), 0u);
}

} // namespace
} // namespace graphc::base
