//===- Scalars.cpp - arithmetic on elements -------------------------------------------------------------------===//
#include "dialects/graph/Scalars.h"

using namespace mlir;

namespace graphc::graph {

Value Scalars::constant(Type type, double value) {
  TypedAttr attribute;
  if (isa<FloatType>(type))
    attribute = builder.getFloatAttr(type, value);
  else
    attribute = builder.getIntegerAttr(type, int64_t(value));
  return make<arith::ConstantOp>(attribute);
}

Value Scalars::integer(Type type, const llvm::APInt &value) {
  return make<arith::ConstantOp>(TypedAttr(builder.getIntegerAttr(type, value)));
}

Value Scalars::divide(Value a, Value b) {
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

Value Scalars::compare(Comparison relation, Value a, Value b) {
  if (isa<FloatType>(a.getType())) {
    using P = arith::CmpFPredicate;
    static constexpr P predicates[] = {P::OEQ, P::UNE, P::OLT, P::OLE, P::OGT, P::OGE};
    return make<arith::CmpFOp>(predicates[unsigned(relation)], a, b);
  }
  using P = arith::CmpIPredicate;
  static constexpr P ofSigned[] = {P::eq, P::ne, P::slt, P::sle, P::sgt, P::sge};
  static constexpr P ofTruth[] = {P::eq, P::ne, P::ult, P::ule, P::ugt, P::uge};
  return make<arith::CmpIOp>((a.getType().isInteger(1) ? ofTruth : ofSigned)[unsigned(relation)], a, b);
}

Value Scalars::toInteger(Value x, Type type) {
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
  result = make<arith::SelectOp>(tooLow, integer(type, llvm::APInt::getSignedMinValue(width)), result);
  return make<arith::SelectOp>(tooHigh, integer(type, llvm::APInt::getSignedMaxValue(width)), result);
}

Value Scalars::convert(Value x, Type to) {
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

} // namespace graphc::graph
