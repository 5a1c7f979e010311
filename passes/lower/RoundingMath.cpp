#include "passes/lower/RoundingMath.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <cmath>
#include <limits>

using namespace mlir;
using arith::CmpFPredicate;
using arith::CmpIPredicate;

namespace graphc {

/// Below 2^mantissa an addition of that number leaves no fraction; from there on every float is
/// whole.
Value RoundMath::roundEven(Value x) {
  Value magic = constant(isDouble ? 0x1p52 : 0x1p23), a = absolute(x);
  Value rounded = withSignOf(sub(add(a, magic), magic), x);
  return select(below(a, magic), rounded, x);
}

Value RoundMath::floor(Value x) {
  Value near = roundEven(x);
  Value lower = select(below(x, near), sub(near, constant(1.0)), near);
  return select(equal(x, near), x, lower);
}

Value RoundMath::ceil(Value x) {
  Value near = roundEven(x);
  Value higher = withSignOf(absolute(select(below(near, x), add(near, constant(1.0)), near)), x);
  return select(equal(x, near), x, higher);
}

RoundMath::Split RoundMath::normalized(Value x) {
  int64_t mantissaBits = isDouble ? 52 : 23, bias = isDouble ? 1023 : 127;
  // Subnormal numbers are scaled up first.
  Value tiny = below(x, constant(isDouble ? 2.2250738585072014e-308 : 1.1754943508222875e-38));
  Value number = bits(select(tiny, mul(x, constant(std::ldexp(1.0, int(mantissaBits) + 2))), x));
  Value exponent = arith::ShRUIOp::create(builder, loc, number, integer(mantissaBits));
  exponent = arith::SubIOp::create(builder, loc, exponent,
                                   select(tiny, integer(bias + mantissaBits + 2), integer(bias)));
  Value low =
      arith::AndIOp::create(builder, loc, number, integer((int64_t(1) << mantissaBits) - 1));
  Value mantissa = fromBits(arith::OrIOp::create(builder, loc, low, integer(bias << mantissaBits)));
  return {mantissa, exponent};
}

/// Long division, 24 bits of the quotient at a time: the rest times 2^24 minus such a part of the
/// quotient times the divisor is a rest again, and nothing of it is rounded. The divisor is split
/// so that both products are exact; its upper part is not below it, so that the first difference is
/// no longer than a float.
Value RoundMath::wideRemainder(Value x, Value y) {
  constexpr int64_t kStep = 24;
  Value a = absolute(x), b = absolute(y);
  Value infinity = constant(std::numeric_limits<double>::infinity());
  Value ordinary = arith::AndIOp::create(builder, loc, below(a, infinity), below(constant(0.0), b));
  ordinary = arith::AndIOp::create(builder, loc, ordinary, below(b, infinity));
  // Where there is nothing to divide, numbers that end the loop at once.
  Value divides = arith::AndIOp::create(builder, loc, ordinary, compare(CmpFPredicate::OGE, a, b));
  Split dividend = normalized(select(divides, a, constant(1.0))),
        divisor = normalized(select(divides, b, constant(1.0)));
  Value distance = arith::SubIOp::create(builder, loc, dividend.exponent, divisor.exponent);
  Value rounded =
      arith::AddIOp::create(builder, loc, bits(divisor.mantissa), integer((int64_t(1) << 27) - 1));
  Value high = fromBits(arith::AndIOp::create(builder, loc, rounded, integer(-(int64_t(1) << 27))));
  Value low = sub(divisor.mantissa, high);

  Type narrow = withElement(type, builder.getI32Type());
  auto loop = scf::WhileOp::create(
      builder, loc, TypeRange{type, integerType}, ValueRange{dividend.mantissa, distance},
      [&](OpBuilder &inner, Location, ValueRange carried) {
        RoundMath math(inner, loc, type);
        Value rest = carried[0], left = carried[1];
        Value step = arith::MinSIOp::create(inner, loc, left, math.integer(kStep));
        Value power = arith::ShLIOp::create(
            inner, loc, arith::AddIOp::create(inner, loc, step, math.integer(1023)),
            math.integer(52));
        Value scaled = math.mul(rest, math.fromBits(power));
        Value quotient =
            arith::FPToSIOp::create(inner, loc, narrow, math.div(scaled, divisor.mantissa));
        quotient = arith::SIToFPOp::create(inner, loc, type, quotient);
        Value next = math.sub(math.sub(scaled, math.mul(quotient, high)), math.mul(quotient, low));
        // The quotient was rounded up to a whole number.
        next = math.select(math.below(next, math.constant(0.0)), math.add(next, divisor.mantissa),
                           next);
        left = arith::SubIOp::create(inner, loc, left, step);
        Value more = arith::CmpIOp::create(inner, loc, CmpIPredicate::sgt, left, math.integer(0));
        scf::ConditionOp::create(inner, loc, math.anyElement(more), ValueRange{next, left});
      },
      [&](OpBuilder &inner, Location, ValueRange carried) {
        scf::YieldOp::create(inner, loc, carried);
      });
  Value rest = withSignOf(scale(loop.getResult(0), divisor.exponent), x);
  Value result = select(divides, rest, x);
  // By an infinite divisor a finite number is itself; what is not ordinary else is NaN.
  Value whole = arith::AndIOp::create(builder, loc, below(a, infinity), equal(b, infinity));
  Value kept = arith::OrIOp::create(builder, loc, ordinary, whole);
  return select(kept, result, constant(std::numeric_limits<double>::quiet_NaN()));
}

Value RoundMath::remainder(Value x, Value y) {
  if (isDouble)
    return wideRemainder(x, y);
  // The remainder of two f32 is one.
  Type wide = withElement(type, builder.getF64Type());
  Value rest = RoundMath(builder, loc, wide)
                   .wideRemainder(arith::ExtFOp::create(builder, loc, wide, x),
                                  arith::ExtFOp::create(builder, loc, wide, y));
  return arith::TruncFOp::create(builder, loc, type, rest);
}

} // namespace graphc
