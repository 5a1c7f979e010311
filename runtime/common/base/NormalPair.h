//===- NormalPair.h - normal values from words, in one code for all who compute them ----------===//
//
// Box and Muller, on numbers of this process (PhiloxRandom.h: initial values) or on values of a
// compiled kernel (dialects/graph/ops/RandomOps.cpp: draws of a model). Only arithmetic and sqrt of
// IEEE 754 in f64 and polynomials of our own, in one order, so that all have the same bits.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_COMMON_BASE_NORMALPAIR_H
#define GRAPHC_RUNTIME_COMMON_BASE_NORMALPAIR_H

#include <utility>

namespace graphc::base {

/// `Machine` has Real, a number in f64 with + - * / by each other and by doubles, and
///   split(x): of x > 0 the mantissa in [1, 2) and the exponent;
///   truncate(x): of x >= 0 what is before the point; sqrt(x); negate(x);
///   isAbove(x, double) and is(x, double), of which select(condition, a, b) takes.
template <typename Machine> struct NormalPair {
  using Real = typename Machine::Real;
  Machine &m;

  /// Natural logarithm of x in (0, 1]: x = m 2^e with m in [sqrt(1/2), sqrt(2)), log m = 2
  /// atanh((m-1)/(m+1)). |error| < 2e-15.
  Real logarithm(Real x) {
#pragma STDC FP_CONTRACT OFF
    auto [mantissa, exponent] = m.split(x);
    auto isLarge = m.isAbove(mantissa, 1.4142135623730951);
    mantissa = m.select(isLarge, mantissa * 0.5, mantissa);
    exponent = m.select(isLarge, exponent + 1.0, exponent);
    Real s = (mantissa - 1.0) / (mantissa + 1.0), z = s * s;
    Real p = z * (1.0 / 21) + 1.0 / 19;
    for (int k = 17; k >= 1; k -= 2)
      p = p * z + 1.0 / k;
    return exponent * 0.6931471805599453 + s * 2.0 * p;
  }

  /// sin and cos of 2 pi t for t in [0, 1): reduced to an octant, Taylor there. |error| < 1e-15.
  std::pair<Real, Real> sinCosTurn(Real t) {
#pragma STDC FP_CONTRACT OFF
    Real quarter = m.truncate(t * 4.0 + 0.5); // nearest multiple of a quarter turn
    Real x = (t - quarter * 0.25) * 6.283185307179586, z = x * x;
    auto series = [&](int last) {
      Real sum = 1.0 - z / ((last - 1.0) * last);
      for (int k = last - 4; k >= 0; k -= 2)
        sum = 1.0 - z / ((k + 1.0) * (k + 2.0)) * sum;
      return sum;
    };
    Real s = series(17) * x, c = series(16);
    // 0 and 4 are one
    auto first = m.is(quarter, 1), second = m.is(quarter, 2), third = m.is(quarter, 3);
    Real minusS = m.negate(s), minusC = m.negate(c);
    return {m.select(first, c, m.select(second, minusS, m.select(third, minusC, s))),
            m.select(first, minusS, m.select(second, minusC, m.select(third, s, c)))};
  }

  /// Two independent values from two numbers that are uniform in [0, 1).
  std::pair<Real, Real> of(Real radial, Real turn) {
#pragma STDC FP_CONTRACT OFF
    Real radius = m.sqrt(logarithm(1.0 - radial) * -2.0);
    auto [sine, cosine] = sinCosTurn(turn);
    return {radius * cosine, radius * sine};
  }
};

} // namespace graphc::base
#endif
