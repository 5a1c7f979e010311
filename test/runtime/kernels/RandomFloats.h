//===- RandomFloats.h - the operands of the kernels' tests --------------------------*- C++ -*-===//
#ifndef GRAPHC_TEST_RUNTIME_KERNELS_RANDOMFLOATS_H
#define GRAPHC_TEST_RUNTIME_KERNELS_RANDOMFLOATS_H

#include <cstdint>
#include <random>

namespace graphc::kernels {

/// Draws uniformly from [-1, 1]. std::uniform_real_distribution computes a long double logarithm
/// for each number, which was three quarters of the time of the products' tests.
class RandomFloats {
public:
  explicit RandomFloats(uint32_t seed) : random_(seed) {}

  float draw() { return float(int32_t(random_())) * 0x1p-31f; }

private:
  std::mt19937 random_;
};

} // namespace graphc::kernels

#endif
