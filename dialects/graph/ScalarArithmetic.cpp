//===- ScalarArithmetic.cpp - arithmetic on elements ------------------------------------------===//
#include "dialects/graph/ScalarArithmetic.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace graphc::graph {

Value ScalarArithmetic::constant(Type type, double value) {
  TypedAttr attribute;
  if (isa<FloatType>(type))
    attribute = builder.getFloatAttr(type, value);
  else
    attribute = builder.getIntegerAttr(type, int64_t(value));
  return make<arith::ConstantOp>(attribute);
}

Value ScalarArithmetic::integer(Type type, const llvm::APInt &value) {
  return make<arith::ConstantOp>(TypedAttr(builder.getIntegerAttr(type, value)));
}

Value ScalarArithmetic::divide(Value a, Value b) {
  Type type = a.getType();
  if (isa<FloatType>(type))
    return make<arith::DivFOp>(a, b);
  unsigned width = type.getIntOrFloatBitWidth();
  Value zero = constant(type, 0), one = constant(type, 1), minusOne = constant(type, -1);
  Value least = integer(type, llvm::APInt::getSignedMinValue(width));
  Value byZero = make<arith::CmpIOp>(arith::CmpIPredicate::eq, b, zero);
  Value overflow = make<arith::AndIOp>(make<arith::CmpIOp>(arith::CmpIPredicate::eq, a, least),
                                       make<arith::CmpIOp>(arith::CmpIPredicate::eq, b, minusOne));
  Value safe = make<arith::SelectOp>(make<arith::OrIOp>(byZero, overflow), one, b);
  return make<arith::SelectOp>(byZero, zero, make<arith::DivSIOp>(a, safe));
}

Value ScalarArithmetic::compare(Comparison relation, Value a, Value b) {
  if (isa<FloatType>(a.getType())) {
    using P = arith::CmpFPredicate;
    static constexpr P predicates[] = {P::OEQ, P::UNE, P::OLT, P::OLE, P::OGT, P::OGE};
    return make<arith::CmpFOp>(predicates[unsigned(relation)], a, b);
  }
  using P = arith::CmpIPredicate;
  static constexpr P ofSigned[] = {P::eq, P::ne, P::slt, P::sle, P::sgt, P::sge};
  static constexpr P ofTruth[] = {P::eq, P::ne, P::ult, P::ule, P::ugt, P::uge};
  return make<arith::CmpIOp>((a.getType().isInteger(1) ? ofTruth : ofSigned)[unsigned(relation)], a,
                             b);
}

Value ScalarArithmetic::toInteger(Value x, Type type) {
  unsigned width = type.getIntOrFloatBitWidth();
  double limit = width == 64 ? 0x1p63 : 0x1p31; // exact in f32 and f64
  Type floating = x.getType();
  Value low = constant(floating, -limit), high = constant(floating, limit);
  Value tooLow = make<arith::CmpFOp>(arith::CmpFPredicate::OLT, x, low);
  Value tooHigh = make<arith::CmpFOp>(arith::CmpFPredicate::OGE, x, high);
  Value isNan = make<arith::CmpFOp>(arith::CmpFPredicate::UNO, x, x);
  Value outside = make<arith::OrIOp>(make<arith::OrIOp>(tooLow, tooHigh), isNan);
  Value inside = make<arith::SelectOp>(outside, constant(floating, 0), x);
  Value result = make<arith::FPToSIOp>(type, inside);
  result =
      make<arith::SelectOp>(tooLow, integer(type, llvm::APInt::getSignedMinValue(width)), result);
  return make<arith::SelectOp>(tooHigh, integer(type, llvm::APInt::getSignedMaxValue(width)),
                               result);
}

Value ScalarArithmetic::convert(Value x, Type to) {
  Type from = x.getType();
  if (from == to)
    return x;
  if (to.isInteger(1)) {
    if (isa<FloatType>(from))
      return make<arith::CmpFOp>(arith::CmpFPredicate::UNE, x, constant(from, 0));
    return make<arith::CmpIOp>(arith::CmpIPredicate::ne, x, constant(from, 0));
  }
  if (from.isInteger(1))
    return isa<FloatType>(to) ? make<arith::UIToFPOp>(to, x) : make<arith::ExtUIOp>(to, x);
  if (isa<FloatType>(from) && isa<FloatType>(to))
    return to.getIntOrFloatBitWidth() > from.getIntOrFloatBitWidth() ? make<arith::ExtFOp>(to, x)
                                                                     : make<arith::TruncFOp>(to, x);
  if (isa<FloatType>(from))
    return toInteger(x, to);
  if (isa<FloatType>(to))
    return make<arith::SIToFPOp>(to, x);
  return to.getIntOrFloatBitWidth() > from.getIntOrFloatBitWidth() ? make<arith::ExtSIOp>(to, x)
                                                                   : make<arith::TruncIOp>(to, x);
}

Value ScalarArithmetic::convert(Value x, Type from, Type to) {
  if (from == to)
    return x;
  x = widen(x, from);
  const Type compute = getComputeElement(to), scalar = getScalarElement(to);
  if (compute == to)
    return convert(x, to);
  if (to.isBF16()) {
    if (!isa<FloatType>(x.getType()))
      x = convert(x, builder.getF64Type());
    return toBfloat(x.getType().isF64() ? roundToOdd(x) : x);
  }
  if (isa<FloatType>(x.getType())) {
    const unsigned width = to.getIntOrFloatBitWidth(), all = compute.getIntOrFloatBitWidth();
    const bool isUnsigned = to.isUnsignedInteger();
    auto least =
        isUnsigned ? llvm::APInt::getZero(all) : llvm::APInt::getSignedMinValue(width).sext(all);
    auto largest = isUnsigned ? llvm::APInt::getMaxValue(width).zext(all)
                              : llvm::APInt::getSignedMaxValue(width).sext(all);
    x = maximum(minimum(toInteger(x, compute), integer(compute, largest)), integer(compute, least));
  }
  const unsigned has = x.getType().getIntOrFloatBitWidth(), gets = scalar.getIntOrFloatBitWidth();
  return has == gets  ? x
         : has < gets ? make<arith::ExtUIOp>(scalar, x)
                      : make<arith::TruncIOp>(scalar, x);
}

Value ScalarArithmetic::widen(Value x, Type from) {
  const Type to = getComputeElement(from);
  if (to == from)
    return x;
  if (!from.isBF16())
    return from.isUnsignedInteger() ? make<arith::ExtUIOp>(to, x) : make<arith::ExtSIOp>(to, x);
  Type word = builder.getI32Type();
  Value high = make<arith::ShLIOp>(make<arith::ExtUIOp>(word, x), constant(word, 16));
  return make<arith::BitcastOp>(to, high);
}

Value ScalarArithmetic::roundToOdd(Value x) {
  Type f32 = builder.getF32Type(), word = builder.getI32Type();
  Value nearest = make<arith::TruncFOp>(f32, x), back = make<arith::ExtFOp>(x.getType(), nearest);
  Value bits = make<arith::BitcastOp>(word, nearest), one = constant(word, 1);
  Value isOdd = make<arith::CmpIOp>(arith::CmpIPredicate::ne, make<arith::AndIOp>(bits, one),
                                    constant(word, 0));
  Value isExact = make<arith::CmpFOp>(arith::CmpFPredicate::UEQ, x, back);
  Value isBeyond = make<arith::CmpFOp>(arith::CmpFPredicate::OGT, make<math::AbsFOp>(back),
                                       make<math::AbsFOp>(x));
  Value neighbour = make<arith::SelectOp>(isBeyond, make<arith::SubIOp>(bits, one),
                                          make<arith::AddIOp>(bits, one));
  Value result = make<arith::SelectOp>(make<arith::OrIOp>(isExact, isOdd), bits, neighbour);
  return make<arith::BitcastOp>(f32, result);
}

Value ScalarArithmetic::toBfloat(Value x) {
  Type word = builder.getI32Type();
  Value bits = make<arith::BitcastOp>(word, x), sixteen = constant(word, 16);
  Value high = make<arith::ShRUIOp>(bits, sixteen);
  Value half =
      make<arith::AddIOp>(make<arith::AndIOp>(high, constant(word, 1)), constant(word, 0x7fff));
  Value rounded = make<arith::ShRUIOp>(make<arith::AddIOp>(bits, half), sixteen);
  // an addition to a NaN's bits may make a number of it
  Value quiet = make<arith::OrIOp>(high, constant(word, 0x40));
  Value isNan = make<arith::CmpFOp>(arith::CmpFPredicate::UNO, x, x);
  return make<arith::TruncIOp>(builder.getI16Type(), make<arith::SelectOp>(isNan, quiet, rounded));
}

} // namespace graphc::graph
