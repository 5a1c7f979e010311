//===- SineCosineMath.h - sine and cosine from additions and multiplications --------*- C++ -*-===//
#ifndef GRAPHC_PASSES_LOWER_SINECOSINEMATH_H
#define GRAPHC_PASSES_LOWER_SINECOSINEMATH_H

#include "passes/lower/FloatMath.h"

namespace graphc {

/// Of f32 they are computed in f64 and rounded once.
class CircleMath : FloatMath {
public:
  using FloatMath::FloatMath;

  mlir::Value sine(mlir::Value x) { return circle(x, /*quarter=*/0); }
  mlir::Value cosine(mlir::Value x) { return circle(x, /*quarter=*/1); }

private:
  using Value = mlir::Value;
  /// x = (turns + rest) · π/2 for the number of quarter turns modulo 4, |rest| at most a little
  /// more than a half.
  struct Angle {
    Value turns; ///< a whole number, as a float
    Pair rest; ///< in radians
  };

  /// The sine of x + quarter · π/2.
  Value circle(Value x, int quarter);
  Angle reduceSmall(Value x); ///< 0 ≤ x < kSmall
  Angle reduceAny(Value x); ///< 0 ≤ x < ∞
  Value nearest(Value x); ///< the nearest whole number, of one below 2^51
  Pair times(Pair a, double high, double low);
};

} // namespace graphc
#endif
