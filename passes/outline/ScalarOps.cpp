// The element of each inlinable graph op in arith and math.
#include "passes/outline/ScalarBody.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace graphc {

using namespace graph;

namespace {

struct Scalars {
  OpBuilder &builder;
  Location loc;

  template <typename Op, typename... Args> Value make(Args &&...args) {
    return Op::create(builder, loc, std::forward<Args>(args)...).getResult();
  }
  Value constant(Type type, double value) {
    TypedAttr attribute;
    if (isa<FloatType>(type))
      attribute = builder.getFloatAttr(type, value);
    else
      attribute = builder.getIntegerAttr(type, int64_t(value));
    return make<arith::ConstantOp>(attribute);
  }
  Value integer(Type type, const llvm::APInt &value) {
    return make<arith::ConstantOp>(TypedAttr(builder.getIntegerAttr(type, value)));
  }

  template <typename FloatOp, typename IntOp> Value arithmetic(ValueRange v) {
    return isa<FloatType>(v[0].getType()) ? make<FloatOp>(v[0], v[1]) : make<IntOp>(v[0], v[1]);
  }

  /// No input stops a process: x / 0 is 0, the least integer / -1 itself.
  Value divideIntegers(Value a, Value b) {
    Type type = a.getType();
    unsigned width = type.getIntOrFloatBitWidth();
    Value zero = constant(type, 0), one = constant(type, 1), minusOne = constant(type, -1);
    Value least = integer(type, llvm::APInt::getSignedMinValue(width));
    Value byZero = make<arith::CmpIOp>(arith::CmpIPredicate::eq, b, zero);
    Value overflow = make<arith::AndIOp>(make<arith::CmpIOp>(arith::CmpIPredicate::eq, a, least),
                                         make<arith::CmpIOp>(arith::CmpIPredicate::eq, b, minusOne));
    Value safe = make<arith::SelectOp>(make<arith::OrIOp>(byZero, overflow), one, b);
    return make<arith::SelectOp>(byZero, zero, make<arith::DivSIOp>(a, safe));
  }

  Value compare(Comparison relation, Value a, Value b) {
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

  /// Toward zero; beyond the range its end, NaN to 0: what a conversion to integers means is the same on every CPU.
  Value toInteger(Value x, Type type) {
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

  Value convert(Value x, Type to) {
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

  Value iota(IotaOp op, AffineMap map) {
    AffineExpr place = map.getResult(op.getDimension());
    Type element = op.getType().getElementType();
    if (auto fixed = dyn_cast<AffineConstantExpr>(place))
      return constant(element, double(fixed.getValue()));
    Value index; // of the loop that the place depends on: times the stride of a slice, plus its start
    for (unsigned loop = 0; loop < map.getNumDims(); ++loop)
      if (place.isFunctionOfDim(loop)) {
        auto at = [&](int64_t value) {
          AffineExpr fixed = place.replace(getAffineDimExpr(loop, builder.getContext()),
                                           getAffineConstantExpr(value, builder.getContext()));
          return cast<AffineConstantExpr>(fixed).getValue();
        };
        index = make<linalg::IndexOp>(uint64_t(loop));
        if (int64_t stride = at(1) - at(0); stride != 1)
          index = make<arith::MulIOp>(index, make<arith::ConstantIndexOp>(stride));
        if (int64_t start = at(0))
          index = make<arith::AddIOp>(index, make<arith::ConstantIndexOp>(start));
      }
    if (!isa<FloatType>(element))
      return make<arith::IndexCastOp>(element, index);
    return make<arith::SIToFPOp>(element, make<arith::IndexCastOp>(builder.getI64Type(), index));
  }
};

} // namespace

Value buildElement(OpBuilder &builder, Operation *op, ValueRange v, AffineMap map) {
  Scalars s{builder, op->getLoc()};
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](ConstantOp constant) {
        auto value = cast<TypedAttr>(cast<SplatElementsAttr>(constant.getValue()).getSplatValue<Attribute>());
        return s.make<arith::ConstantOp>(value);
      })
      .Case<AddOp, BiasAddOp>([&](auto) { return s.arithmetic<arith::AddFOp, arith::AddIOp>(v); })
      .Case([&](SubtractOp) { return s.arithmetic<arith::SubFOp, arith::SubIOp>(v); })
      .Case([&](MultiplyOp) { return s.arithmetic<arith::MulFOp, arith::MulIOp>(v); })
      .Case([&](DivideOp) {
        return isa<FloatType>(element) ? s.make<arith::DivFOp>(v[0], v[1]) : s.divideIntegers(v[0], v[1]);
      })
      .Case([&](MaximumOp) { return s.arithmetic<arith::MaximumFOp, arith::MaxSIOp>(v); })
      .Case([&](MinimumOp) { return s.arithmetic<arith::MinimumFOp, arith::MinSIOp>(v); })
      .Case([&](NegateOp) {
        return isa<FloatType>(element) ? s.make<arith::NegFOp>(v[0])
                                       : s.make<arith::SubIOp>(s.constant(element, 0), v[0]);
      })
      .Case([&](AbsOp) -> Value {
        if (isa<FloatType>(element))
          return s.make<math::AbsFOp>(v[0]);
        Value zero = s.constant(element, 0);
        Value negative = s.make<arith::CmpIOp>(arith::CmpIPredicate::slt, v[0], zero);
        return s.make<arith::SelectOp>(negative, s.make<arith::SubIOp>(zero, v[0]), v[0]);
      })
      .Case([&](SqrtOp) { return s.make<math::SqrtOp>(v[0]); })
      .Case([&](ExponentialOp) { return s.make<math::ExpOp>(v[0]); })
      .Case([&](LogOp) { return s.make<math::LogOp>(v[0]); })
      .Case([&](TanhOp) { return s.make<math::TanhOp>(v[0]); })
      .Case([&](ReluOp) {
        // As the library does it: a NaN and a zero of either sign become +0.
        Value zero = s.constant(element, 0);
        return s.make<arith::SelectOp>(s.make<arith::CmpFOp>(arith::CmpFPredicate::OGT, v[0], zero), v[0], zero);
      })
      .Case([&](AndOp) { return s.make<arith::AndIOp>(v[0], v[1]); })
      .Case([&](OrOp) { return s.make<arith::OrIOp>(v[0], v[1]); })
      .Case([&](NotOp) { return s.make<arith::XOrIOp>(v[0], s.make<arith::ConstantOp>(builder.getBoolAttr(true))); })
      .Case([&](CompareOp compare) { return s.compare(compare.getRelation(), v[0], v[1]); })
      .Case([&](SelectOp) { return s.make<arith::SelectOp>(v[0], v[1], v[2]); })
      .Case([&](ConvertOp) { return s.convert(v[0], element); })
      .Case([&](IotaOp iota) { return s.iota(iota, map); })
      .Case<TransposeOp, BroadcastInDimOp, ReshapeOp, SliceOp>([&](auto) { return v[0]; })
      .Default([](Operation *) { return Value(); });
}

} // namespace graphc
