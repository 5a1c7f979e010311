//===- BitwiseOps.cpp - truth values and the bits of integers ---------------------------------===//
#include "dialects/graph/ops/ConstantFolding.h"
#include "dialects/graph/ops/ExpansionBuilder.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace graphc::graph;

#define GET_OP_CLASSES
#include "dialects/graph/ops/BitwiseOps.cpp.inc"

void graphc::graph::registerBitwiseOps(GraphDialect &dialect) {
  addCheckedOperations<
#define GET_OP_LIST
#include "dialects/graph/ops/BitwiseOps.cpp.inc"
      >(dialect);
}

//===------------------------------------------------------------------------------------------===//
// Folds
//===------------------------------------------------------------------------------------------===//

/// Of constants without floats.
template <typename Function>
static Attribute foldBits(Type type, Attribute lhs, Attribute rhs, Function combine) {
  return foldBinary(type, lhs, rhs, [](const APFloat &a, const APFloat &) { return a; }, combine);
}

OpFoldResult AndOp::fold(FoldAdaptor adaptor) {
  if (getLhs() == getRhs())
    return getLhs();
  for (auto [constant, other] :
       {std::pair(adaptor.getLhs(), getRhs()), std::pair(adaptor.getRhs(), getLhs())}) {
    if (isAll(constant, -1))
      return other;
    if (isAll(constant, 0))
      return constant;
  }
  return foldBits(getType(), adaptor.getLhs(), adaptor.getRhs(),
                  [](const APInt &a, const APInt &b) { return a & b; });
}

OpFoldResult OrOp::fold(FoldAdaptor adaptor) {
  if (getLhs() == getRhs())
    return getLhs();
  for (auto [constant, other] :
       {std::pair(adaptor.getLhs(), getRhs()), std::pair(adaptor.getRhs(), getLhs())}) {
    if (isAll(constant, 0))
      return other;
    if (isAll(constant, -1))
      return constant;
  }
  return foldBits(getType(), adaptor.getLhs(), adaptor.getRhs(),
                  [](const APInt &a, const APInt &b) { return a | b; });
}

OpFoldResult XorOp::fold(FoldAdaptor adaptor) {
  if (getLhs() == getRhs())
    return Builder(getContext()).getZeroAttr(getType());
  for (auto [constant, other] :
       {std::pair(adaptor.getLhs(), getRhs()), std::pair(adaptor.getRhs(), getLhs())})
    if (isAll(constant, 0))
      return other;
  return foldBits(getType(), adaptor.getLhs(), adaptor.getRhs(),
                  [](const APInt &a, const APInt &b) { return a ^ b; });
}

OpFoldResult NotOp::fold(FoldAdaptor adaptor) {
  if (auto inner = getOperand().getDefiningOp<NotOp>())
    return inner.getOperand();
  return foldUnary(
      getType(), adaptor.getOperand(), [](const APFloat &x) { return x; },
      [](const APInt &x) { return ~x; });
}

// APInt's shifts by another APInt give what is left where that is larger than the width.
OpFoldResult ShiftLeftOp::fold(FoldAdaptor adaptor) {
  if (isAll(adaptor.getRhs(), 0))
    return getLhs();
  return foldBits(getType(), adaptor.getLhs(), adaptor.getRhs(),
                  [](const APInt &a, const APInt &b) { return a.shl(b); });
}
OpFoldResult ShiftRightArithmeticOp::fold(FoldAdaptor adaptor) {
  if (isAll(adaptor.getRhs(), 0))
    return getLhs();
  return foldBits(getType(), adaptor.getLhs(), adaptor.getRhs(),
                  [](const APInt &a, const APInt &b) { return a.ashr(b); });
}
OpFoldResult ShiftRightLogicalOp::fold(FoldAdaptor adaptor) {
  if (isAll(adaptor.getRhs(), 0))
    return getLhs();
  return foldBits(getType(), adaptor.getLhs(), adaptor.getRhs(),
                  [](const APInt &a, const APInt &b) { return a.lshr(b); });
}

OpFoldResult PopcntOp::fold(FoldAdaptor adaptor) {
  return foldUnary(
      getType(), adaptor.getOperand(), [](const APFloat &x) { return x; },
      [](const APInt &x) { return APInt(x.getBitWidth(), x.popcount()); });
}
OpFoldResult CountLeadingZerosOp::fold(FoldAdaptor adaptor) {
  return foldUnary(
      getType(), adaptor.getOperand(), [](const APFloat &x) { return x; },
      [](const APInt &x) { return APInt(x.getBitWidth(), x.countl_zero()); });
}

//===------------------------------------------------------------------------------------------===//
// Loops
//===------------------------------------------------------------------------------------------===//

Results AndOp::buildBody(OpBuilder &builder, Elements x, Elements, IndexOf) {
  return {arith::AndIOp::create(builder, getLoc(), x[0], x[1])};
}
Results OrOp::buildBody(OpBuilder &builder, Elements x, Elements, IndexOf) {
  return {arith::OrIOp::create(builder, getLoc(), x[0], x[1])};
}
Results XorOp::buildBody(OpBuilder &builder, Elements x, Elements, IndexOf) {
  return {arith::XOrIOp::create(builder, getLoc(), x[0], x[1])};
}
Results NotOp::buildBody(OpBuilder &builder, Elements x, Elements, IndexOf) {
  ScalarArithmetic s{builder, getLoc()};
  Value ones = s.integer(x[0].getType(), APInt::getAllOnes(x[0].getType().getIntOrFloatBitWidth()));
  return {s.make<arith::XOrIOp>(x[0], ones)};
}

/// Whether the machine's shift is one: by less than the width, without sign.
static Value isWithin(ScalarArithmetic &s, Value by) {
  Value width = s.constant(by.getType(), by.getType().getIntOrFloatBitWidth());
  return s.make<arith::CmpIOp>(arith::CmpIPredicate::ult, by, width);
}

template <typename Shift> static Value shiftOrZero(ScalarArithmetic s, Value x, Value by) {
  Value zero = s.constant(x.getType(), 0), within = isWithin(s, by);
  Value moved = s.make<Shift>(x, s.make<arith::SelectOp>(within, by, zero));
  return s.make<arith::SelectOp>(within, moved, zero);
}

Results ShiftLeftOp::buildBody(OpBuilder &builder, Elements x, Elements, IndexOf) {
  return {shiftOrZero<arith::ShLIOp>({builder, getLoc()}, x[0], x[1])};
}
Results ShiftRightLogicalOp::buildBody(OpBuilder &builder, Elements x, Elements, IndexOf) {
  return {shiftOrZero<arith::ShRUIOp>({builder, getLoc()}, x[0], x[1])};
}
Results ShiftRightArithmeticOp::buildBody(OpBuilder &builder, Elements x, Elements, IndexOf) {
  ScalarArithmetic s{builder, getLoc()};
  Value most = s.constant(x[1].getType(), x[1].getType().getIntOrFloatBitWidth() - 1);
  return {s.make<arith::ShRSIOp>(x[0], s.make<arith::SelectOp>(isWithin(s, x[1]), x[1], most))};
}

Results PopcntOp::buildBody(OpBuilder &builder, Elements x, Elements, IndexOf) {
  return {math::CtPopOp::create(builder, getLoc(), x[0])};
}
Results CountLeadingZerosOp::buildBody(OpBuilder &builder, Elements x, Elements, IndexOf) {
  return {math::CountLeadingZerosOp::create(builder, getLoc(), x[0])};
}

//===------------------------------------------------------------------------------------------===//
// Costs
//===------------------------------------------------------------------------------------------===//

uint64_t AndOp::getFlops() { return count(getResult()); }
uint64_t OrOp::getFlops() { return count(getResult()); }
uint64_t XorOp::getFlops() { return count(getResult()); }
uint64_t NotOp::getFlops() { return count(getResult()); }
uint64_t ShiftLeftOp::getFlops() { return count(getResult()); }
uint64_t ShiftRightArithmeticOp::getFlops() { return count(getResult()); }
uint64_t ShiftRightLogicalOp::getFlops() { return count(getResult()); }
uint64_t PopcntOp::getFlops() { return count(getResult()); }
uint64_t CountLeadingZerosOp::getFlops() { return count(getResult()); }
