#include "passes/lower/FloatMath.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"

#include <cmath>
#include <limits>

using namespace mlir;
using arith::CmpFPredicate;
using arith::CmpIPredicate;

namespace graphc {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Type FloatMath::withElement(Type like, Type element) {
  if (auto vector = dyn_cast<VectorType>(like))
    return VectorType::get(vector.getShape(), element);
  return element;
}

FloatMath::FloatMath(OpBuilder &builder, Location loc, Type type)
    : builder(builder), loc(loc), type(type), isDouble(getElementTypeOrSelf(type).isF64()) {
  integerType = withElement(type, builder.getIntegerType(isDouble ? 64 : 32));
}

Value FloatMath::add(Value a, Value b) { return arith::AddFOp::create(builder, loc, a, b); }
Value FloatMath::sub(Value a, Value b) { return arith::SubFOp::create(builder, loc, a, b); }
Value FloatMath::mul(Value a, Value b) { return arith::MulFOp::create(builder, loc, a, b); }
Value FloatMath::div(Value a, Value b) { return arith::DivFOp::create(builder, loc, a, b); }
Value FloatMath::negate(Value a) { return arith::NegFOp::create(builder, loc, a); }

Value FloatMath::constant(double value) {
  TypedAttr attribute = FloatAttr::get(getElementTypeOrSelf(type), value);
  if (auto vector = dyn_cast<VectorType>(type))
    attribute = DenseElementsAttr::get(vector, ArrayRef<Attribute>{attribute});
  return arith::ConstantOp::create(builder, loc, attribute);
}

Value FloatMath::integer(int64_t value) {
  TypedAttr attribute = IntegerAttr::get(getElementTypeOrSelf(integerType), value);
  if (auto vector = dyn_cast<VectorType>(integerType))
    attribute = DenseElementsAttr::get(vector, ArrayRef<Attribute>{attribute});
  return arith::ConstantOp::create(builder, loc, attribute);
}

Value FloatMath::bits(Value x) { return arith::BitcastOp::create(builder, loc, integerType, x); }
Value FloatMath::fromBits(Value x) { return arith::BitcastOp::create(builder, loc, type, x); }

Value FloatMath::select(Value condition, Value a, Value b) {
  return arith::SelectOp::create(builder, loc, condition, a, b);
}

Value FloatMath::compare(CmpFPredicate predicate, Value a, Value b) {
  return arith::CmpFOp::create(builder, loc, predicate, a, b);
}

Value FloatMath::anyElement(Value condition) {
  if (!isa<VectorType>(condition.getType()))
    return condition;
  return vector::ReductionOp::create(builder, loc, vector::CombiningKind::OR, condition);
}

Value FloatMath::absolute(Value x) {
  int64_t everythingButSign = isDouble ? INT64_MAX : INT32_MAX;
  return fromBits(arith::AndIOp::create(builder, loc, bits(x), integer(everythingButSign)));
}

Value FloatMath::withSignOf(Value magnitude, Value x) {
  int64_t signBit = isDouble ? INT64_MIN : INT32_MIN;
  Value sign = arith::AndIOp::create(builder, loc, bits(x), integer(signBit));
  return fromBits(arith::OrIOp::create(builder, loc, bits(magnitude), sign));
}

Value FloatMath::polynomial(Value x, ArrayRef<double> coefficients) {
  Value sum = constant(coefficients.front());
  for (double coefficient : coefficients.drop_front())
    sum = add(mul(sum, x), constant(coefficient));
  return sum;
}

/// A NaN passes unchanged.
Value FloatMath::clamp(Value x, double low, double high) {
  x = select(below(x, constant(low)), constant(low), x);
  return select(below(constant(high), x), constant(high), x);
}

/// In two steps, because 2^n itself may overflow or be subnormal where the product is not.
Value FloatMath::scale(Value x, Value n) {
  int64_t mantissaBits = isDouble ? 52 : 23, bias = isDouble ? 1023 : 127;
  auto power = [&](Value exponent) {
    Value biased = arith::AddIOp::create(builder, loc, exponent, integer(bias));
    return fromBits(arith::ShLIOp::create(builder, loc, biased, integer(mantissaBits)));
  };
  Value half = arith::ShRSIOp::create(builder, loc, n, integer(1));
  Value rest = arith::SubIOp::create(builder, loc, n, half);
  return mul(mul(x, power(half)), power(rest));
}

/// exp(x) = 2^n · exp(r), n = round(x / ln 2), r = x - n ln 2 with ln 2 in two parts. Adding 1.5 ·
/// 2^mantissa rounds to the nearest integer and leaves it in the low bits of the sum.
FloatMath::Power FloatMath::splitPower(Value x) {
  Value magic = constant(isDouble ? 6755399441055744.0 : 12582912.0);
  Value shifted = add(mul(x, constant(1.44269504088896340736)), magic);
  Value n = sub(shifted, magic);
  Value nInteger = arith::SubIOp::create(builder, loc, bits(shifted), bits(magic));
  if (isDouble) {
    Value r = sub(sub(x, mul(n, constant(6.93145751953125E-1))),
                  mul(n, constant(1.42860682030941723212E-6)));
    Value r2 = mul(r, r);
    Value p = mul(r, polynomial(r2, {1.26177193074810590878E-4, 3.02994407707441961300E-2,
                                     9.99999999999999999910E-1}));
    Value q = polynomial(
        r2, {3.00198505138664455042E-6, 2.52448340349684104192E-3, 2.27265548208155028766E-1, 2.0});
    Value quotient = div(p, sub(q, p));
    return {add(quotient, quotient), nInteger};
  }
  Value r = sub(sub(x, mul(n, constant(0.693359375))), mul(n, constant(-2.12194440e-4)));
  Value p = polynomial(r, {1.9875691500E-4, 1.3981999507E-3, 8.3334519073E-3, 4.1665795894E-2,
                           1.6666665459E-1, 5.0000001201E-1});
  return {add(mul(p, mul(r, r)), r), nInteger};
}

Value FloatMath::exp(Value x) {
  Power power = splitPower(isDouble ? clamp(x, -746.0, 710.0) : clamp(x, -104.0, 89.0));
  return select(isNaN(x), x, scale(add(power.minusOne, constant(1.0)), power.n));
}

/// exp(x) - 1 = 2^n · (exp(r) - 1 + 1 - 2^-n): near 0, where n is 0, nothing is cancelled.
Value FloatMath::expMinusOne(Value x) {
  Power power = splitPower(isDouble ? clamp(x, -40.0, 710.0) : clamp(x, -20.0, 89.0));
  int64_t mantissaBits = isDouble ? 52 : 23, bias = isDouble ? 1023 : 127;
  // Above n = 64 the power is nothing beside 1.
  Value n = arith::MinSIOp::create(builder, loc, power.n, integer(64));
  Value exponent = arith::SubIOp::create(builder, loc, integer(bias), n);
  Value back = fromBits(arith::ShLIOp::create(builder, loc, exponent, integer(mantissaBits)));
  Value result = scale(add(power.minusOne, sub(constant(1.0), back)), power.n);
  return select(arith::OrIOp::create(builder, loc, isNaN(x), equal(x, constant(0.0))), x, result);
}

FloatMath::Split FloatMath::splitExponent(Value x) {
  int64_t mantissaBits = isDouble ? 52 : 23;
  // Subnormal numbers are scaled up first.
  Value tiny = below(x, constant(isDouble ? 2.2250738585072014e-308 : 1.1754943508222875e-38));
  Value scaled = select(tiny, mul(x, constant(std::ldexp(1.0, int(mantissaBits) + 2))), x);
  Value correction = select(tiny, constant(-double(mantissaBits + 2)), constant(0.0));
  // Subtracting sqrt(1/2)'s bits puts the step between two exponents at sqrt(1/2) instead of 1.
  int64_t offset = isDouble ? 0x3FE6A09E667F3BCDll : 0x3F3504F3ll;
  Value moved = arith::SubIOp::create(builder, loc, bits(scaled), integer(offset));
  Value exponent = arith::ShRSIOp::create(builder, loc, moved, integer(mantissaBits));
  int64_t mantissaMask = (int64_t(1) << mantissaBits) - 1;
  Value low = arith::AndIOp::create(builder, loc, moved, integer(mantissaMask));
  Value mantissa = fromBits(arith::AddIOp::create(builder, loc, low, integer(offset)));
  Value asFloat = arith::SIToFPOp::create(builder, loc, type, exponent);
  return {mantissa, add(asFloat, correction)};
}

/// log of zero, negative numbers, infinity and NaN.
Value FloatMath::logSpecial(Value x, Value result) {
  result = select(equal(x, constant(kInfinity)), x, result);
  result = select(equal(x, constant(0.0)), constant(-kInfinity), result);
  result =
      select(below(x, constant(0.0)), constant(std::numeric_limits<double>::quiet_NaN()), result);
  return select(isNaN(x), x, result);
}

Value FloatMath::log(Value x) {
  Split split = splitExponent(x);
  Value f = sub(split.mantissa, constant(1.0)), k = split.exponent;
  if (!isDouble) {
    Value z = mul(f, f);
    Value y = mul(mul(polynomial(f, {7.0376836292E-2, -1.1514610310E-1, 1.1676998740E-1,
                                     -1.2420140846E-1, 1.4249322787E-1, -1.6668057665E-1,
                                     2.0000714765E-1, -2.4999993993E-1, 3.3333331174E-1}),
                      f),
                  z);
    y = add(y, mul(k, constant(-2.12194440e-4)));
    y = sub(y, mul(constant(0.5), z));
    return logSpecial(x, add(add(f, y), mul(k, constant(0.693359375))));
  }
  Value s = div(f, add(constant(2.0), f));
  Value z = mul(s, s);
  Value r = mul(z, polynomial(z, {1.479819860511658591e-01, 1.531383769920937332e-01,
                                  1.818357216161805012e-01, 2.222219843214978396e-01,
                                  2.857142874366239149e-01, 3.999999999940941908e-01,
                                  6.666666666666735130e-01}));
  Value halfSquare = mul(constant(0.5), mul(f, f));
  Value low = add(mul(s, add(halfSquare, r)), mul(k, constant(1.90821492927058770002e-10)));
  Value result = sub(mul(k, constant(6.93147180369123816490e-01)), sub(sub(halfSquare, low), f));
  return logSpecial(x, result);
}

/// With the error of 1 + x: log(1 + x) = log(u) + e / u for 1 + x = u + e.
Value FloatMath::logPlusOne(Value x) {
  Pair sum = twoSum(constant(1.0), x);
  Value logarithm = log(sum.high);
  Value ordinary = arith::AndIOp::create(builder, loc, below(constant(0.0), sum.high),
                                         below(sum.high, constant(kInfinity)));
  Value result = select(ordinary, add(logarithm, div(sum.low, sum.high)), logarithm);
  return select(equal(x, constant(0.0)), x, result);
}

/// Below 1 a polynomial in x², above 1 - exp of a polynomial, which is log(1 - erf(x)). Both are
/// fitted for the least relative error of erf.
Value FloatMath::erf(Value x) {
  Value a = absolute(x), z = mul(x, x), small, exponent;
  Value far = sub(clamp(a, 1.0, isDouble ? 6.0 : 4.0), constant(1.0));
  if (isDouble) {
    small = polynomial(z, {5.9461428575282892926e-11, -1.136617819891126237e-9,
                           1.4658009837284319199e-8, -1.6350044113026288104e-7,
                           1.6460974550230457038e-6, -0.000014925593611363527985,
                           0.00012055331041078708101, -0.00085483269788520873671,
                           0.0052239776247827202951, -0.026866170645073088612,
                           0.1128379167095485869, -0.37612638903183747644, 0.12837916709551257375});
    exponent = polynomial(
        far, {1.0437536979946232238e-12, -2.893113584881996668e-11, 3.6954582216989010204e-10,
              -2.8727643605561593263e-9, 1.4950642087358305706e-8, -5.2162249558810655921e-8,
              9.7834854320863230713e-8, 1.4238344144459843501e-7, -2.0591446667978708293e-6,
              9.6083047343203326815e-6, -0.000027158694782543851584, 0.000026277662504321671232,
              0.00023732255818772440997, -0.0019779025868222125879, 0.010033825377416227313,
              -0.04156109804209076685, -0.8431072563586634006, -2.638967514234788483,
              -1.8496055099332482562});
  } else {
    small = polynomial(z, {7.85794875443e-5, -0.000801137849139, 0.00518845596642, -0.0268538756963,
                           0.112835865781, -0.376126259379, 0.128379165746});
    exponent = polynomial(far, {0.000185951293556, -0.00182781350752, 0.00989346235371,
                                -0.0415024465169, -0.843117829865, -2.63896685911, -1.84960551642});
  }
  Value large = withSignOf(sub(constant(1.0), exp(exponent)), x);
  return select(below(constant(1.0), a), large, add(x, mul(x, small)));
}

bool FloatMath::expands(Operation *op) {
  return isa<math::ExpOp, math::LogOp, math::TanhOp, math::PowFOp, math::ExpM1Op, math::Log1pOp,
             math::ErfOp, math::FloorOp, math::CeilOp, math::RoundEvenOp, arith::RemFOp,
             math::SinOp, math::CosOp>(op);
}

/// Below 0.625 a polynomial in x², above 1 - 2 / (exp(2x) + 1).
Value FloatMath::tanh(Value x) {
  Value a = absolute(x), z = mul(x, x), small;
  if (isDouble) {
    Value p = polynomial(
        z, {-9.64399179425052238628E-1, -9.92877231001918586564E1, -1.61468768441708447952E3});
    Value q = polynomial(
        z, {1.0, 1.12811678491632931402E2, 2.23548839060100448583E3, 4.84406305325125486048E3});
    small = add(x, mul(x, mul(z, div(p, q))));
  } else {
    Value p = polynomial(z, {-5.70498872745E-3, 2.06390887954E-2, -5.37397155531E-2,
                             1.33314422036E-1, -3.33332819422E-1});
    small = add(mul(mul(p, z), x), x);
  }
  Value power = exp(add(a, a));
  Value large = withSignOf(sub(constant(1.0), div(constant(2.0), add(power, constant(1.0)))), x);
  return select(below(constant(0.625), a), large, small);
}

FloatMath::Pair FloatMath::twoSum(Value a, Value b) {
  Value sum = add(a, b);
  Value bPart = sub(sum, a);
  return {sum, add(sub(a, sub(sum, bPart)), sub(b, bPart))};
}

FloatMath::Pair FloatMath::twoProduct(Value a, Value b) {
  auto halve = [&](Value x) -> Pair { // 26 bits each
    Value shifted = mul(x, constant(134217729.0));
    Value high = sub(shifted, sub(shifted, x));
    return {high, sub(x, high)};
  };
  Value product = mul(a, b);
  Pair left = halve(a), right = halve(b);
  Value error = sub(mul(left.high, right.high), product);
  error = add(add(error, mul(left.high, right.low)), mul(left.low, right.high));
  return {product, add(error, mul(left.low, right.low))};
}

/// log(x) = k ln 2 + 2 atanh(s), s = f / (2 + f), with s and the leading terms to twice the
/// precision, so that a power's relative error stays near 1e-15 although its exponent reaches 700.
FloatMath::Pair FloatMath::logPair(Value x) {
  Split split = splitExponent(x);
  Value f = sub(split.mantissa, constant(1.0)), k = split.exponent;
  Pair denominator = twoSum(constant(2.0), f);
  Value s = div(f, denominator.high);
  Pair back = twoProduct(s, denominator.high);
  Value rest = sub(sub(sub(f, back.high), back.low), mul(s, denominator.low));
  Value sLow = div(rest, denominator.high);
  Value z = mul(s, s);
  // 2 atanh(s) = 2s + s z (2/3 + 2/5 z + …): the series itself, exact to 2^-60 of the total for |s|
  // < 0.1716.
  Value tail = constant(2.0 / 27);
  for (int n = 25; n >= 5; n -= 2)
    tail = add(mul(tail, z), constant(2.0 / n));
  // The first term, 2/3 s z, matters to 2^-7 of the total; its constant is split as well.
  Value cubic = mul(s, z);
  Value lowPart = add(mul(cubic, mul(z, tail)), mul(cubic, constant(3.70074341541718826e-17)));
  Pair third = twoProduct(constant(0.66666666666666662966), cubic);
  // The error of s z itself.
  Pair square = twoProduct(s, s);
  Pair cube = twoProduct(s, square.high);
  Value cubeError = add(add(cube.low, mul(s, square.low)), sub(cube.high, cubic));
  lowPart = add(lowPart, add(third.low, mul(constant(2.0 / 3), cubeError)));
  lowPart = add(lowPart, mul(mul(constant(2.0), z), sLow));
  Pair sum = twoSum(mul(k, constant(6.93147180369123816490e-01)), add(s, s));
  Pair withThird = twoSum(sum.high, third.high);
  Value low = add(add(sum.low, withThird.low), add(lowPart, add(sLow, sLow)));
  low = add(low, mul(k, constant(1.90821492927058770002e-10)));
  return twoSum(withThird.high, low);
}

/// The sign of x^y for negative x, NaN where y is no integer; x^0 = 1^y = 1.
Value FloatMath::powSigns(Value x, Value y, Value magnitude) {
  // from here on every float is an even integer
  double exact = isDouble ? 9007199254740992.0 : 16777216.0;
  Value clamped = clamp(select(isNaN(y), constant(0.0), y), -exact, exact);
  Value asInteger = arith::FPToSIOp::create(builder, loc, integerType, clamped);
  Value isInteger = equal(arith::SIToFPOp::create(builder, loc, type, asInteger), clamped);
  Value odd =
      arith::CmpIOp::create(builder, loc, CmpIPredicate::ne,
                            arith::AndIOp::create(builder, loc, asInteger, integer(1)), integer(0));
  odd = arith::AndIOp::create(builder, loc, odd, isInteger);
  Value result = select(odd, withSignOf(magnitude, x), magnitude);
  Value negative = arith::AndIOp::create(builder, loc, below(x, constant(0.0)),
                                         compare(CmpFPredicate::OGT, x, constant(-kInfinity)));
  Value fractional =
      compare(CmpFPredicate::UNE, select(isInteger, constant(0.0), constant(1.0)), constant(0.0));
  result = select(arith::AndIOp::create(builder, loc, negative, fractional),
                  constant(std::numeric_limits<double>::quiet_NaN()), result);
  result = select(arith::OrIOp::create(builder, loc, isNaN(x), isNaN(y)), add(x, y), result);
  Value one = arith::OrIOp::create(builder, loc, equal(y, constant(0.0)), equal(x, constant(1.0)));
  // (-1)^±inf is 1.
  one = arith::OrIOp::create(builder, loc, one,
                             arith::AndIOp::create(builder, loc, equal(x, constant(-1.0)),
                                                   equal(absolute(y), constant(kInfinity))));
  return select(one, constant(1.0), result);
}

Value FloatMath::pow(Value x, Value y) {
  if (!isDouble) {
    Type wide = withElement(type, builder.getF64Type());
    FloatMath math(builder, loc, wide);
    Value a = arith::ExtFOp::create(builder, loc, wide, absolute(x));
    Value power = math.exp(math.mul(arith::ExtFOp::create(builder, loc, wide, y), math.log(a)));
    return powSigns(x, y, arith::TruncFOp::create(builder, loc, type, power));
  }
  Value a = absolute(x);
  // Beyond 1e20 the result is 0, 1 or infinity already; larger factors would overflow inside the
  // exact product.
  Value exponent = clamp(y, -1e20, 1e20);
  Value infinite =
      arith::OrIOp::create(builder, loc, equal(a, constant(0.0)), equal(a, constant(kInfinity)));
  Pair logarithm = logPair(select(infinite, constant(1.0), a));
  Pair product = twoProduct(exponent, logarithm.high);
  Value low = add(product.low, mul(exponent, logarithm.low));
  Value power = exp(product.high);
  Value ordinary = arith::AndIOp::create(builder, loc, below(constant(0.0), power),
                                         below(power, constant(kInfinity)));
  Value finite = select(ordinary, add(power, mul(power, low)), power);
  // 0 and infinity: y decides.
  Value grows =
      compare(CmpFPredicate::OEQ, select(equal(a, constant(0.0)), constant(-1.0), constant(1.0)),
              withSignOf(constant(1.0), y));
  Value extreme = select(grows, constant(kInfinity), constant(0.0));
  return powSigns(x, y, select(infinite, extreme, finite));
}

} // namespace graphc
