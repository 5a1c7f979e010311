//===- RoundingOps.cpp - whole numbers and limits, element by element -------------------------===//
#include "dialects/graph/ops/ConstantFolding.h"
#include "dialects/graph/ops/ExpansionBuilder.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include <limits>

using namespace mlir;
using namespace graphc::graph;

#define GET_OP_CLASSES
#include "dialects/graph/ops/RoundingOps.cpp.inc"

void graphc::graph::registerRoundingOps(GraphDialect &dialect) {
  addCheckedOperations<
#define GET_OP_LIST
#include "dialects/graph/ops/RoundingOps.cpp.inc"
      >(dialect);
}

//===------------------------------------------------------------------------------------------===//
// Types
//===------------------------------------------------------------------------------------------===//

LogicalResult IsFiniteOp::inferReturnTypes(MLIRContext *context, Loc loc, Adaptor adaptor,
                                           Types &types) {
  Type type = withElement(adaptor.getOperand().getType(), IntegerType::get(context, 1));
  if (!type)
    return emitOptionalError(loc, "expected a ranked tensor, got ", adaptor.getOperand().getType());
  types.push_back(type);
  return success();
}

//===------------------------------------------------------------------------------------------===//
// Constraints
//===------------------------------------------------------------------------------------------===//

// (C1), (C2) a scalar of the operand's element type, or of the operand's type
static LogicalResult verifyBound(ClampOp op, StringRef name, Value bound) {
  RankedTensorType type = tensorOf(op.getOperand()),
                   scalar = RankedTensorType::get({}, type.getElementType());
  if (bound.getType() == type || bound.getType() == scalar)
    return success();
  return op.emitOpError() << name << " must be of type " << scalar << " or " << type << ", got "
                          << bound.getType();
}

// (C1), (C2): so a bound without the operand's rank is a scalar, which folds, loops and gradients
// repeat for each element
LogicalResult ClampOp::verify() {
  return success(succeeded(verifyBound(*this, "min", getMin())) &&
                 succeeded(verifyBound(*this, "max", getMax())));
}

//===------------------------------------------------------------------------------------------===//
// Folds
//===------------------------------------------------------------------------------------------===//

static Attribute foldRounding(Type type, Attribute operand, APFloat::roundingMode mode) {
  return foldUnary(
      type, operand,
      [&](APFloat x) {
        x.roundToIntegral(mode);
        return x;
      },
      [](const APInt &x) { return x; });
}

/// What is whole already.
static bool isWhole(Value value) {
  Operation *op = value.getDefiningOp();
  return op && isa<FloorOp, CeilOp, RoundNearestEvenOp>(op);
}

OpFoldResult FloorOp::fold(FoldAdaptor adaptor) {
  return isWhole(getOperand())
             ? OpFoldResult(getOperand())
             : foldRounding(getType(), adaptor.getOperand(), APFloat::rmTowardNegative);
}
OpFoldResult CeilOp::fold(FoldAdaptor adaptor) {
  return isWhole(getOperand())
             ? OpFoldResult(getOperand())
             : foldRounding(getType(), adaptor.getOperand(), APFloat::rmTowardPositive);
}
OpFoldResult RoundNearestEvenOp::fold(FoldAdaptor adaptor) {
  return isWhole(getOperand())
             ? OpFoldResult(getOperand())
             : foldRounding(getType(), adaptor.getOperand(), APFloat::rmNearestTiesToEven);
}

OpFoldResult RemainderOp::fold(FoldAdaptor adaptor) {
  return foldBinary(
      getType(), adaptor.getLhs(), adaptor.getRhs(),
      [](APFloat a, const APFloat &b) {
        a.mod(b);
        return a;
      },
      [](const APInt &a, const APInt &b) { return b.isZero() ? a : a.srem(b); });
}

/// A scalar's constant, repeated.
static Attribute repeated(Attribute bound, Type type) {
  auto constant = dyn_cast_or_null<DenseElementsAttr>(bound);
  if (!constant || constant.getType() == type)
    return bound;
  return constant.resizeSplat(cast<ShapedType>(type));
}

OpFoldResult ClampOp::fold(FoldAdaptor adaptor) {
  Attribute raised = foldBinary(
      getType(), adaptor.getOperand(), repeated(adaptor.getMin(), getType()),
      [](const APFloat &a, const APFloat &b) { return llvm::maximum(a, b); },
      [](const APInt &a, const APInt &b) { return llvm::APIntOps::smax(a, b); });
  if (!raised)
    return {};
  return foldBinary(
      getType(), raised, repeated(adaptor.getMax(), getType()),
      [](const APFloat &a, const APFloat &b) { return llvm::minimum(a, b); },
      [](const APInt &a, const APInt &b) { return llvm::APIntOps::smin(a, b); });
}

OpFoldResult IsFiniteOp::fold(FoldAdaptor adaptor) {
  return foldUnary(
      getType(), adaptor.getOperand(), [](const APFloat &x) { return APInt(1, x.isFinite()); },
      [](const APInt &) { return APInt(1, 1); });
}

//===------------------------------------------------------------------------------------------===//
// Loops
//===------------------------------------------------------------------------------------------===//

Results FloorOp::buildBody(OpBuilder &builder, Elements x, Elements, IndexOf) {
  return {math::FloorOp::create(builder, getLoc(), x[0])};
}
Results CeilOp::buildBody(OpBuilder &builder, Elements x, Elements, IndexOf) {
  return {math::CeilOp::create(builder, getLoc(), x[0])};
}
Results RoundNearestEvenOp::buildBody(OpBuilder &builder, Elements x, Elements, IndexOf) {
  return {math::RoundEvenOp::create(builder, getLoc(), x[0])};
}

Results RemainderOp::buildBody(OpBuilder &builder, Elements x, Elements, IndexOf) {
  ScalarArithmetic s{builder, getLoc()};
  if (isFloat(x[0]))
    return {s.make<arith::RemFOp>(x[0], x[1])};
  // where a quotient is not defined it is 0 or the dividend
  return {s.subtract(x[0], s.multiply(s.divide(x[0], x[1]), x[1]))};
}

/// A scalar bound is read at no index.
Nests ClampOp::getLoopNests() {
  int64_t rank = typeOf(getResult()).getRank();
  LoopNest nest = getParallelNest(rank);
  for (auto [i, operand] : llvm::enumerate(getOperands()))
    nest.reads.push_back({unsigned(i), typeOf(operand).getRank() == rank
                                           ? getIdentity(rank, getContext())
                                           : getMap(size_t(rank), {}, getContext())});
  nest.writes = {getIdentity(rank, getContext())};
  return {nest};
}
Results ClampOp::buildBody(OpBuilder &builder, Elements x, Elements, IndexOf) {
  ScalarArithmetic s{builder, getLoc()};
  return {s.minimum(s.maximum(x[1], x[0]), x[2])};
}

Results IsFiniteOp::buildBody(OpBuilder &builder, Elements x, Elements, IndexOf) {
  ScalarArithmetic s{builder, getLoc()};
  Value infinity = s.constant(x[0].getType(), std::numeric_limits<double>::infinity());
  return {s.compare(Comparison::LT, s.make<math::AbsFOp>(x[0]), infinity)};
}

//===------------------------------------------------------------------------------------------===//
// Gradients
//===------------------------------------------------------------------------------------------===//

// Flat between their steps.
void FloorOp::buildGradient(OpBuilder &, ValueRange, NeededGradients, Gradients) {}
void CeilOp::buildGradient(OpBuilder &, ValueRange, NeededGradients, Gradients) {}
void RoundNearestEvenOp::buildGradient(OpBuilder &, ValueRange, NeededGradients, Gradients) {}

// The quotient without its fraction is (lhs - result) / rhs.
void RemainderOp::buildGradient(OpBuilder &builder, ValueRange g, NeededGradients needed,
                                Gradients result) {
  GradientBuilder make(builder, *this);
  result[0] = g[0];
  if (needed[1])
    result[1] = make.multiply(g[0], make.divide(make.subtract(getResult(), getLhs()), getRhs()));
}

void ClampOp::buildGradient(OpBuilder &builder, ValueRange g, NeededGradients needed,
                            Gradients result) {
  GradientBuilder make(builder, *this);
  RankedTensorType type = typeOf(getResult());
  auto whole = [&](Value bound) {
    return bound.getType() == type ? bound : make.broadcast(bound, type, {});
  };
  /// Of a scalar it is the sum.
  auto toBound = [&](Value share, Value bound) {
    return bound.getType() == type
               ? share
               : make.sum(share, llvm::to_vector(llvm::seq<int64_t>(0, type.getRank())));
  };
  Value zero = make.splat(type, 0), low = whole(getMin()), high = whole(getMax());
  // From the last step to the first: max cuts, then min raises.
  Value cut =
      make.compare(Comparison::GT, MaximumOp::create(builder, getLoc(), getOperand(), low), high);
  Value raised = make.compare(Comparison::LT, getOperand(), low);
  Value rest = make.select(cut, zero, g[0]);
  if (needed[0])
    result[0] = toBound(make.select(raised, rest, zero), getMin());
  if (needed[1])
    result[1] = make.select(raised, zero, rest);
  if (needed[2])
    result[2] = toBound(make.select(cut, g[0], zero), getMax());
}

//===------------------------------------------------------------------------------------------===//
// Costs
//===------------------------------------------------------------------------------------------===//

uint64_t FloorOp::getFlops() { return count(getResult()); }
uint64_t CeilOp::getFlops() { return count(getResult()); }
uint64_t RoundNearestEvenOp::getFlops() { return count(getResult()); }
uint64_t RemainderOp::getFlops() { return 3 * count(getResult()); } // divide, multiply, subtract
uint64_t ClampOp::getFlops() { return 2 * count(getResult()); }
uint64_t IsFiniteOp::getFlops() { return count(getResult()); }
