//===- OpCount.h - numbers of arithmetic operations, which do not wrap --------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_COMMON_BASE_OPCOUNT_H
#define GRAPHC_RUNTIME_COMMON_BASE_OPCOUNT_H

#include <algorithm>
#include <cstdint>
#include <initializer_list>

namespace graphc::base {

/// Counts saturate here, at the largest number that an i64 attribute holds.
inline constexpr uint64_t kMostOpsCounted = INT64_MAX;

/// `a` + `b`, at most kMostOpsCounted; neither is more.
constexpr uint64_t addOps(uint64_t a, uint64_t b) { return std::min(a + b, kMostOpsCounted); }

/// The product, at most kMostOpsCounted.
constexpr uint64_t multiplyOps(std::initializer_list<uint64_t> factors) {
  uint64_t product = 1;
  for (uint64_t factor : factors)
    if (factor == 0)
      return 0;
  for (uint64_t factor : factors)
    product = product > kMostOpsCounted / factor ? kMostOpsCounted : product * factor;
  return product;
}

} // namespace graphc::base
#endif
