#include "passes/lower/SineCosineMath.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <array>
#include <cmath>
#include <limits>

using namespace mlir;
using arith::CmpFPredicate;
using arith::CmpIPredicate;

namespace graphc {

/// Below it two products tell how often π/2 is in a number, for all bits that a sine has.
constexpr double kSmall = 1 << 20;

/// The first 1,176 bits of 2/π, 24 in each: enough for the largest f64 (Payne and Hanek).
constexpr std::array<int32_t, 49> kTwoOverPi = {
    0xA2F983, 0x6E4E44, 0x1529FC, 0x2757D1, 0xF534DD, 0xC0DB62, 0x95993C, 0x439041, 0xFE5163,
    0xABDEBB, 0xC561B7, 0x246E3A, 0x424DD2, 0xE00649, 0x2EEA09, 0xD1921C, 0xFE1DEB, 0x1CB129,
    0xA73EE8, 0x8235F5, 0x2EBB44, 0x84E99C, 0x7026B4, 0x5F7E41, 0x3991D6, 0x398353, 0x39F49C,
    0x845F8B, 0xBDF928, 0x3B1FF8, 0x97FFDE, 0x05980F, 0xEF2F11, 0x8B5A0A, 0x6D1F6D, 0x367ECF,
    0x27CB09, 0xB74F46, 0x3F669E, 0x5FEA2D, 0x7527BA, 0xC7EBE5, 0xF17B3D, 0x0739F7, 0x8A5292,
    0xEA6BFB, 0x5FB11F, 0x8D5D08, 0x560330};
/// Of these so many matter to one number.
constexpr int64_t kWindow = 9;

Value CircleMath::nearest(Value x) {
  Value magic = constant(0x1.8p52);
  return sub(add(x, magic), magic);
}

CircleMath::Pair CircleMath::times(Pair a, double high, double low) {
  Pair product = twoProduct(a.high, constant(high));
  Value rest = add(product.low, add(mul(a.high, constant(low)), mul(a.low, constant(high))));
  return twoSum(product.high, rest);
}

/// π/2 in four parts: products of the first three with a number of at most 20 bits are exact (Cody
/// and Waite).
CircleMath::Angle CircleMath::reduceSmall(Value x) {
  Value n = nearest(mul(x, constant(0x1.45f306dc9c883p-1)));
  Value rest = sub(x, mul(n, constant(0x1.921fb544p+0)));
  Pair second = twoSum(rest, mul(n, constant(-0x1.0b4611a6p-34)));
  Pair third = twoSum(second.high, mul(n, constant(-0x1.3198a2ep-69)));
  Value low = add(add(second.low, third.low), mul(n, constant(-0x1.b839a252049c1p-104)));
  return {n, twoSum(third.high, low)};
}

/// x · 2/π modulo 4, from the words of 2/π whose products with x are neither multiples of 4 nor too
/// small to matter (Payne and Hanek). x is cut in two, so that each product is exact; of one below
/// 2^53 the multiples of 4 are taken off, a larger one is such a multiple.
CircleMath::Angle CircleMath::reduceAny(Value x) {
  Value number = bits(x);
  Value exponent = arith::SubIOp::create(
      builder, loc, arith::ShRUIOp::create(builder, loc, number, integer(52)), integer(1023));
  // The first word: those before it times x are multiples of 4.
  Value first = arith::MaxSIOp::create(
      builder, loc, arith::SubIOp::create(builder, loc, exponent, integer(54)), integer(0));
  first = arith::ShRUIOp::create(builder, loc,
                                 arith::MulIOp::create(builder, loc, first, integer(2731)),
                                 integer(16)); // / 24
  SmallVector<Value> words;
  for (int32_t word : kTwoOverPi)
    words.push_back(constant(std::ldexp(double(word), -24)));
  Value zero = constant(0.0);
  for (int64_t shift = 32; shift >= 1; shift /= 2) {
    Value bit = arith::AndIOp::create(builder, loc, first, integer(shift));
    Value moves = arith::CmpIOp::create(builder, loc, CmpIPredicate::ne, bit, integer(0));
    const size_t kept = std::min<size_t>(words.size(), size_t(kWindow + shift - 1));
    SmallVector<Value> moved;
    for (size_t i = 0; i < kept; ++i)
      moved.push_back(select(
          moves, i + size_t(shift) < words.size() ? words[i + size_t(shift)] : zero, words[i]));
    words = std::move(moved);
  }
  // x · 2^(-24 first), which is below 2^79.
  Value down = arith::ShLIOp::create(
      builder, loc, arith::MulIOp::create(builder, loc, first, integer(24)), integer(52));
  Value scaled = fromBits(arith::SubIOp::create(builder, loc, number, down));
  Value high =
      fromBits(arith::AndIOp::create(builder, loc, bits(scaled), integer(-(int64_t(1) << 27))));
  Value low = sub(scaled, high);
  // the nearest multiple of π/2 may leave 2^-61 of it
  Value sum = zero, second = zero, third = zero;
  for (int64_t i = 0; i < kWindow; ++i)
    for (Value part : {high, low}) {
      Value product = mul(mul(part, constant(std::ldexp(1.0, int(-24 * i)))), words[size_t(i)]);
      Value fours = mul(nearest(mul(product, constant(0.25))), constant(4.0));
      Value rest = select(below(product, constant(0x1p53)), sub(product, fours), zero);
      Pair added = twoSum(sum, rest), error = twoSum(second, added.low);
      sum = added.high, second = error.high, third = add(third, error.low);
    }
  Pair total = twoSum(sum, second);
  Value n = nearest(total.high);
  Pair fraction = twoSum(sub(total.high, n), total.low);
  fraction.low = add(fraction.low, third);
  return {n, times(fraction, 0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54)};
}

/// The polynomials are fdlibm's, of the sine and the cosine up to π/4.
Value CircleMath::circle(Value x, int quarter) {
  if (!isDouble) {
    Type wide = withElement(type, builder.getF64Type());
    Value result = CircleMath(builder, loc, wide)
                       .circle(arith::ExtFOp::create(builder, loc, wide, x), quarter);
    return arith::TruncFOp::create(builder, loc, type, result);
  }
  Value a = absolute(x);
  Value isSmall = below(a, constant(kSmall)),
        isFinite = below(a, constant(std::numeric_limits<double>::infinity()));
  Angle angle = reduceSmall(select(isSmall, a, constant(0.0)));
  Value isLarge = arith::AndIOp::create(builder, loc, isFinite,
                                        compare(CmpFPredicate::OGE, a, constant(kSmall)));
  // Rare, and long; whether a neighbour is large changes no bit of a small number.
  auto branch = scf::IfOp::create(
      builder, loc, anyElement(isLarge),
      [&](OpBuilder &inner, Location) {
        CircleMath math(inner, loc, type);
        Angle far = math.reduceAny(math.select(isLarge, a, math.constant(1.0)));
        scf::YieldOp::create(inner, loc,
                             ValueRange{math.select(isLarge, far.turns, angle.turns),
                                        math.select(isLarge, far.rest.high, angle.rest.high),
                                        math.select(isLarge, far.rest.low, angle.rest.low)});
      },
      [&](OpBuilder &inner, Location) {
        scf::YieldOp::create(inner, loc, ValueRange{angle.turns, angle.rest.high, angle.rest.low});
      });
  Value turns = branch.getResult(0), r = branch.getResult(1), tail = branch.getResult(2);

  Value z = mul(r, r);
  Value cube = mul(z, r);
  Value p = polynomial(z, {1.58969099521155010221e-10, -2.50507602534068634195e-08,
                           2.75573137070700676789e-06, -1.98412698298579493134e-04,
                           8.33333333332248946124e-03});
  Value sine = sub(mul(z, sub(mul(constant(0.5), tail), mul(cube, p))), tail);
  sine = sub(r, add(sine, mul(cube, constant(1.66666666666666324348e-01))));
  Value q = mul(z, polynomial(z, {-1.13596475577881948265e-11, 2.08757232129817482790e-09,
                                  -2.75573143513906633035e-07, 2.48015872894767294178e-05,
                                  -1.38888888888741095749e-03, 4.16666666666666019037e-02}));
  Value half = mul(constant(0.5), z), nearOne = sub(constant(1.0), half);
  Value cosine =
      add(nearOne, add(sub(sub(constant(1.0), nearOne), half), sub(mul(z, q), mul(r, tail))));

  // Quarter turns: sine, cosine, -sine, -cosine.
  Type narrow = withElement(type, builder.getI32Type());
  Value number = arith::FPToSIOp::create(builder, loc, narrow, turns);
  auto small = [&](int64_t value) -> Value {
    TypedAttr attribute = builder.getI32IntegerAttr(int32_t(value));
    if (auto vector = dyn_cast<VectorType>(narrow))
      attribute = DenseElementsAttr::get(vector, ArrayRef<Attribute>{attribute});
    return arith::ConstantOp::create(builder, loc, attribute);
  };
  if (quarter)
    number = arith::AddIOp::create(builder, loc, number, small(quarter));
  auto hasBit = [&](int64_t bit) -> Value {
    Value found = arith::AndIOp::create(builder, loc, number, small(bit));
    return arith::CmpIOp::create(builder, loc, CmpIPredicate::ne, found, small(0));
  };
  Value result = select(hasBit(1), cosine, sine);
  result = select(hasBit(2), negate(result), result);
  if (!quarter) { // of a negative number the opposite; a zero stays
    Value negative = arith::CmpIOp::create(builder, loc, CmpIPredicate::slt, bits(x), integer(0));
    result = select(negative, negate(result), result);
  }
  return select(isFinite, result, constant(std::numeric_limits<double>::quiet_NaN()));
}

} // namespace graphc
