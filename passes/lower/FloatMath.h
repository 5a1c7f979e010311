//===- FloatMath.h - exp, log, tanh, erf and power from additions and multiplications ---------===//
//
// Each function emits arith operations for a float (scalar or vector) value. Coefficients and
// reduction schemes are the classical published ones (Cody and Waite; Cephes; Sun's fdlibm), those
// of erf are fitted here. Nothing is contracted, so the result depends on no CPU feature.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_PASSES_LOWER_FLOATMATH_H
#define GRAPHC_PASSES_LOWER_FLOATMATH_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

namespace graphc {

class FloatMath {
public:
  /// Operations of math and arith that have no instruction everywhere; expand-math writes them.
  static bool expands(mlir::Operation *op);

  /// For values of `type`: f32, f64 or a vector of one of them.
  FloatMath(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type type);

  mlir::Value exp(mlir::Value x);
  mlir::Value log(mlir::Value x);
  mlir::Value tanh(mlir::Value x);
  mlir::Value expMinusOne(mlir::Value x);
  mlir::Value logPlusOne(mlir::Value x);
  mlir::Value erf(mlir::Value x);
  mlir::Value pow(mlir::Value x, mlir::Value y);

protected:
  using Value = mlir::Value;
  /// An unevaluated sum high + low, |low| at most half a unit of high.
  struct Pair {
    Value high, low;
  };
  /// x = mantissa · 2^exponent with the mantissa in [sqrt(1/2), sqrt(2)).
  struct Split {
    Value mantissa, exponent; ///< exponent as a float
  };

  static mlir::Type withElement(mlir::Type like, mlir::Type element);

  Value add(Value a, Value b);
  Value sub(Value a, Value b);
  Value mul(Value a, Value b);
  Value div(Value a, Value b);
  Value negate(Value a);
  Value constant(double value);
  Value integer(int64_t value);
  Value bits(Value x); ///< as an integer of the same width
  Value fromBits(Value integer);
  Value select(Value condition, Value a, Value b);
  Value compare(mlir::arith::CmpFPredicate predicate, Value a, Value b);
  Value below(Value a, Value b) { return compare(mlir::arith::CmpFPredicate::OLT, a, b); }
  Value equal(Value a, Value b) { return compare(mlir::arith::CmpFPredicate::OEQ, a, b); }
  Value anyElement(Value condition); ///< of a vector, or the condition itself
  Value isNaN(Value a) { return compare(mlir::arith::CmpFPredicate::UNO, a, a); }
  Value absolute(Value x);
  Value withSignOf(Value magnitude, Value x); ///< the magnitude is not negative
  /// Horner's scheme, highest power first.
  Value polynomial(Value x, llvm::ArrayRef<double> coefficients);
  Value clamp(Value x, double low, double high);
  Value scale(Value x, Value n); ///< x · 2^n for an integer n that may reach the subnormal range
  Pair twoSum(Value a, Value b);
  Pair twoProduct(Value a, Value b); ///< Dekker's, without fma

  mlir::OpBuilder &builder;
  mlir::Location loc;
  mlir::Type type, integerType;
  bool isDouble;

private:
  /// exp(x) = (1 + minusOne) · 2^n, |minusOne| at most √2 - 1, n an integer.
  struct Power {
    Value minusOne, n;
  };

  Power splitPower(Value x); ///< of an x whose power is neither far above all floats nor far below
  Split splitExponent(Value x);
  Value logSpecial(Value x, Value result);
  Pair logPair(Value x); ///< f64: about 60 bits of log(x)
  Value powSigns(Value x, Value y, Value magnitude);
};

} // namespace graphc
#endif
