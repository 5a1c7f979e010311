//===- RoundingMath.h - whole numbers and remainders from additions and multiplications -------===//
//
// All of it is exact, so how it is done changes no bit. CPUs without instructions for it would call
// libm.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_PASSES_LOWER_ROUNDINGMATH_H
#define GRAPHC_PASSES_LOWER_ROUNDINGMATH_H

#include "passes/lower/FloatMath.h"

namespace graphc {

class RoundMath : FloatMath {
public:
  using FloatMath::FloatMath;

  mlir::Value floor(mlir::Value x);
  mlir::Value ceil(mlir::Value x);
  mlir::Value roundEven(mlir::Value x);
  /// C's fmod.
  mlir::Value remainder(mlir::Value x, mlir::Value y);

private:
  using Value = mlir::Value;
  /// A positive number as mantissa · 2^exponent, the mantissa in [1, 2), the exponent an integer.
  Split normalized(Value x);
  Value wideRemainder(Value x, Value y);
};

} // namespace graphc
#endif
