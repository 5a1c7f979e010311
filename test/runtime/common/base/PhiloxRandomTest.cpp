#include "runtime/common/base/PhiloxRandom.h"

#include <gtest/gtest.h>

#include <cmath>

namespace graphc::base {
namespace {

// Random123's kat_vectors for philox4x32-10.
TEST(Philox, KnownAnswers) {
  EXPECT_EQ(philox4x32({0, 0, 0, 0}, {0, 0}),
            (PhiloxBlock{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox4x32({~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}),
            (PhiloxBlock{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (PhiloxBlock{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Philox, StreamsAndSeedsDiffer) {
  EXPECT_NE(PhiloxGenerator(1, 1).block(0), PhiloxGenerator(1, 2).block(0));
  EXPECT_NE(PhiloxGenerator(1, 1).block(0), PhiloxGenerator(2, 1).block(0));
  EXPECT_EQ(PhiloxGenerator(1, 1).word(6), PhiloxGenerator(1, 1).block(1)[2]);
  EXPECT_NE(streamOf("w1"), streamOf("w2"));
}

// As test/reference/draws.py has them: what a model draws is fixed for good.
TEST(Philox, DrawsOfAModel) {
  EXPECT_EQ(keyOfDraw(7, 3), 0xf50f62d027754cf6u);
  EXPECT_EQ(PhiloxGenerator(keyOfDraw(7, 3), 5).block(2),
            (PhiloxBlock{0xacdfc75a, 0xd080f2ed, 0xfa661d3f, 0x118b45be}));
  EXPECT_NE(keyOfDraw(7, 3), keyOfDraw(3, 7));
}

TEST(Uniform, StaysInside) {
  EXPECT_EQ(uniformFloat(0), 0.0f);
  EXPECT_LT(uniformFloat(~0u), 1.0f);
  EXPECT_LT(uniformDouble(~0u, ~0u), 1.0);
  EXPECT_EQ(uniformInteger(~0u, ~0u, 10), 9u);
  EXPECT_EQ(uniformInteger(0, 0, 10), 0u);
}

TEST(Normal, HasMeanZeroAndDeviationOne) {
  PhiloxGenerator philox(3, 4);
  double sum = 0, squares = 0, fourth = 0;
  constexpr int n = 200000;
  for (int i = 0; i < n / 2; ++i)
    for (double z : normalPair(philox.block(uint64_t(i)))) {
      ASSERT_TRUE(std::isfinite(z));
      sum += z, squares += z * z, fourth += z * z * z * z;
    }
  EXPECT_NEAR(sum / n, 0, 0.01);
  EXPECT_NEAR(squares / n, 1, 0.02);
  EXPECT_NEAR(fourth / n, 3, 0.1);
}

// The polynomials against the C library, whose bits may differ from machine to machine.
TEST(Normal, PolynomialsAreAccurate) {
  PhiloxGenerator philox(5, 6);
  for (uint64_t i = 0; i < 20000; ++i) {
    PhiloxBlock b = philox.block(i);
    double u = 1 - uniformDouble(b[0], b[1]), t = uniformDouble(b[2], b[3]);
    double radius = std::sqrt(-2 * std::log(u)), angle = 2 * 3.14159265358979323846 * t;
    EXPECT_NEAR(normalPair(b)[0], radius * std::cos(angle), 1e-13);
    EXPECT_NEAR(normalPair(b)[1], radius * std::sin(angle), 1e-13);
  }
  EXPECT_TRUE(std::isfinite(normalPair({0, 0, 0, 0})[0])) << "u = 1";
  EXPECT_TRUE(std::isfinite(normalPair({~0u, ~0u, ~0u, ~0u})[0])) << "u = 2^-53";
}

} // namespace
} // namespace graphc::base
