//===- ArithmeticOps.cpp - numbers, element by element ----------------------------------------===//
#include "dialects/graph/ops/ConstantFolding.h"
#include "dialects/graph/ops/ExpansionBuilder.h"
#include "dialects/graph/ops/PassOpBuilders.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include <limits>

using namespace mlir;
using namespace graphc::graph;

#define GET_OP_CLASSES
#include "dialects/graph/ops/ArithmeticOps.cpp.inc"

void graphc::graph::registerArithmeticOps(GraphDialect &dialect) {
  addCheckedOperations<
#define GET_OP_LIST
#include "dialects/graph/ops/ArithmeticOps.cpp.inc"
      >(dialect);
}

//===------------------------------------------------------------------------------------------===//
// Folds
//===------------------------------------------------------------------------------------------===//

OpFoldResult AddOp::fold(FoldAdaptor adaptor) {
  // The neutral element of floats is -0.
  for (auto [constant, other] :
       {std::pair(adaptor.getLhs(), getRhs()), std::pair(adaptor.getRhs(), getLhs())})
    if (isAll(constant, isFloat(other) ? -0.0 : 0))
      return other;
  return foldBinary(
      getType(), adaptor.getLhs(), adaptor.getRhs(),
      [](const APFloat &a, const APFloat &b) { return a + b; },
      [](const APInt &a, const APInt &b) { return a + b; });
}

OpFoldResult SubtractOp::fold(FoldAdaptor adaptor) {
  if (isAll(adaptor.getRhs(), 0.0))
    return getLhs();
  if (getLhs() == getRhs() && isInteger(getLhs()))
    return Builder(getContext()).getZeroAttr(getType());
  return foldBinary(
      getType(), adaptor.getLhs(), adaptor.getRhs(),
      [](const APFloat &a, const APFloat &b) { return a - b; },
      [](const APInt &a, const APInt &b) { return a - b; });
}

OpFoldResult MultiplyOp::fold(FoldAdaptor adaptor) {
  for (auto [constant, other] :
       {std::pair(adaptor.getLhs(), getRhs()), std::pair(adaptor.getRhs(), getLhs())}) {
    if (isAll(constant, 1))
      return other;
    if (isInteger(other) && isAll(constant, 0))
      return constant;
  }
  return foldBinary(
      getType(), adaptor.getLhs(), adaptor.getRhs(),
      [](const APFloat &a, const APFloat &b) { return a * b; },
      [](const APInt &a, const APInt &b) { return a * b; });
}

OpFoldResult DivideOp::fold(FoldAdaptor adaptor) {
  if (isAll(adaptor.getRhs(), 1))
    return getLhs();
  return foldBinary(
      getType(), adaptor.getLhs(), adaptor.getRhs(),
      [](const APFloat &a, const APFloat &b) { return a / b; },
      [](const APInt &a, const APInt &b) { return b.isZero() ? b : a.sdiv(b); });
}

OpFoldResult MaximumOp::fold(FoldAdaptor adaptor) {
  if (getLhs() == getRhs())
    return getLhs();
  return foldBinary(
      getType(), adaptor.getLhs(), adaptor.getRhs(),
      [](const APFloat &a, const APFloat &b) { return llvm::maximum(a, b); },
      [](const APInt &a, const APInt &b) { return llvm::APIntOps::smax(a, b); });
}

OpFoldResult MinimumOp::fold(FoldAdaptor adaptor) {
  if (getLhs() == getRhs())
    return getLhs();
  return foldBinary(
      getType(), adaptor.getLhs(), adaptor.getRhs(),
      [](const APFloat &a, const APFloat &b) { return llvm::minimum(a, b); },
      [](const APInt &a, const APInt &b) { return llvm::APIntOps::smin(a, b); });
}

OpFoldResult PowerOp::fold(FoldAdaptor adaptor) {
  if (isAll(adaptor.getRhs(), 1))
    return getLhs();
  return {};
}

/// Exponents -4 … 4 are products, computed as x·x, (x·x)·x, (x·x)·(x·x); this is their definition,
/// not a shortcut.
LogicalResult PowerOp::canonicalize(PowerOp op, PatternRewriter &rewriter) {
  DenseElementsAttr constant;
  if (!matchPattern(op.getRhs(), m_Constant(&constant)) || !constant.isSplat())
    return failure();
  double exponent = constant.getSplatValue<APFloat>().convertToDouble();
  if (exponent != std::trunc(exponent) || std::abs(exponent) > 4)
    return failure();
  Value one = createSplat(rewriter, op.getLoc(), op.getType(), 1), x = op.getLhs(), product = one;
  setDevice(one.getDefiningOp(), getDevice(op));
  auto make = [&](auto made) -> Value {
    setDevice(made, getDevice(op));
    return made;
  };
  auto multiply = [&](Value a, Value b) {
    return make(MultiplyOp::create(rewriter, op.getLoc(), a, b));
  };
  switch (int(std::abs(exponent))) {
  case 1:
    product = x;
    break;
  case 2:
    product = multiply(x, x);
    break;
  case 3:
    product = multiply(multiply(x, x), x);
    break;
  case 4:
    product = multiply(x, x), product = multiply(product, product);
    break;
  }
  if (exponent < 0)
    product = make(DivideOp::create(rewriter, op.getLoc(), one, product));
  rewriter.replaceOp(op, product);
  return success();
}

OpFoldResult NegateOp::fold(FoldAdaptor adaptor) {
  if (auto inner = getOperand().getDefiningOp<NegateOp>())
    return inner.getOperand();
  return foldUnary(
      getType(), adaptor.getOperand(), [](const APFloat &x) { return llvm::neg(x); },
      [](const APInt &x) { return -x; });
}

OpFoldResult AbsOp::fold(FoldAdaptor adaptor) {
  if (getOperand().getDefiningOp<AbsOp>())
    return getOperand();
  return foldUnary(
      getType(), adaptor.getOperand(), [](const APFloat &x) { return llvm::abs(x); },
      [](const APInt &x) { return x.abs(); });
}

//===------------------------------------------------------------------------------------------===//
// Loops
//===------------------------------------------------------------------------------------------===//

Results AddOp::buildBody(OpBuilder &builder, Elements x, Elements, IndexOf) {
  return {ScalarArithmetic{builder, getLoc()}.add(x[0], x[1])};
}
Results SubtractOp::buildBody(OpBuilder &builder, Elements x, Elements, IndexOf) {
  return {ScalarArithmetic{builder, getLoc()}.subtract(x[0], x[1])};
}
Results MultiplyOp::buildBody(OpBuilder &builder, Elements x, Elements, IndexOf) {
  return {ScalarArithmetic{builder, getLoc()}.multiply(x[0], x[1])};
}
Results DivideOp::buildBody(OpBuilder &builder, Elements x, Elements, IndexOf) {
  return {ScalarArithmetic{builder, getLoc()}.divide(x[0], x[1])};
}
Results MaximumOp::buildBody(OpBuilder &builder, Elements x, Elements, IndexOf) {
  return {ScalarArithmetic{builder, getLoc()}.maximum(x[0], x[1])};
}
Results MinimumOp::buildBody(OpBuilder &builder, Elements x, Elements, IndexOf) {
  return {ScalarArithmetic{builder, getLoc()}.minimum(x[0], x[1])};
}
Results NegateOp::buildBody(OpBuilder &builder, Elements x, Elements, IndexOf) {
  ScalarArithmetic s{builder, getLoc()};
  return {isFloat(x[0]) ? s.make<arith::NegFOp>(x[0])
                        : s.subtract(s.constant(x[0].getType(), 0), x[0])};
}

Results AbsOp::buildBody(OpBuilder &builder, Elements x, Elements, IndexOf) {
  ScalarArithmetic s{builder, getLoc()};
  if (isFloat(x[0]))
    return {s.make<math::AbsFOp>(x[0])};
  Value zero = s.constant(x[0].getType(), 0);
  Value negative = s.compare(Comparison::LT, x[0], zero);
  return {s.make<arith::SelectOp>(negative, s.subtract(zero, x[0]), x[0])};
}

//===------------------------------------------------------------------------------------------===//
// Decompositions
//===------------------------------------------------------------------------------------------===//

Values SignOp::decompose(OpBuilder &builder) {
  ExpansionBuilder e{builder, getLoc()};
  Value x = getOperand(), zero = e.splat(getType(), 0);
  Value negative = e.make<SelectOp>(e.compare(Comparison::LT, x, zero), e.splat(getType(), -1), x);
  return {e.make<SelectOp>(e.compare(Comparison::GT, x, zero), e.splat(getType(), 1), negative)};
}

/// exp(y log |x|), negative for a negative base with an odd exponent, NaN for one with a fraction;
/// 1 for y = 0.
Values PowerOp::decompose(OpBuilder &builder) {
  ExpansionBuilder e{builder, getLoc()};
  Value x = getLhs(), y = getRhs();
  Type type = getType();
  Value zero = e.splat(type, 0);
  Value magnitude = e.make<ExponentialOp>(e.make<MultiplyOp>(y, e.make<LogOp>(e.make<AbsOp>(x))));
  Value isEven = e.isIntegral(e.make<MultiplyOp>(y, e.splat(type, 0.5)));
  Value ofNegative = e.make<SelectOp>(isEven, magnitude, e.make<NegateOp>(magnitude));
  ofNegative = e.make<SelectOp>(e.isIntegral(y), ofNegative,
                                e.splat(type, std::numeric_limits<double>::quiet_NaN()));
  Value result = e.make<SelectOp>(e.compare(Comparison::LT, x, zero), ofNegative, magnitude);
  return {e.make<SelectOp>(e.compare(Comparison::EQ, y, zero), e.splat(type, 1), result)};
}

//===------------------------------------------------------------------------------------------===//
// Gradients
//===------------------------------------------------------------------------------------------===//

/// g where `relation` holds between the operands, g / 2 where they are equal, else 0.
static Value shareOf(GradientBuilder &make, Value g, Comparison relation, Value mine, Value other) {
  Value zero = make.splat(g.getType(), 0);
  Value tie = make.select(make.compare(Comparison::EQ, mine, other), make.multiply(g, 0.5), zero);
  return make.select(make.compare(relation, mine, other), g, tie);
}

void AddOp::buildGradient(OpBuilder &, ValueRange g, NeededGradients, Gradients result) {
  result[0] = result[1] = g[0];
}

void SubtractOp::buildGradient(OpBuilder &builder, ValueRange g, NeededGradients needed,
                               Gradients result) {
  result[0] = g[0];
  if (needed[1])
    result[1] = GradientBuilder(builder, *this).negate(g[0]);
}

void MultiplyOp::buildGradient(OpBuilder &builder, ValueRange g, NeededGradients needed,
                               Gradients result) {
  GradientBuilder make(builder, *this);
  if (needed[0])
    result[0] = make.multiply(g[0], getRhs());
  if (needed[1])
    result[1] = make.multiply(g[0], getLhs());
}

// d(a/b) = da / b - (a/b) db / b
void DivideOp::buildGradient(OpBuilder &builder, ValueRange g, NeededGradients needed,
                             Gradients result) {
  GradientBuilder make(builder, *this);
  result[0] = make.divide(g[0], getRhs());
  if (needed[1])
    result[1] = make.negate(make.multiply(result[0], getResult()));
}

void MaximumOp::buildGradient(OpBuilder &builder, ValueRange g, NeededGradients needed,
                              Gradients result) {
  GradientBuilder make(builder, *this);
  if (needed[0])
    result[0] = shareOf(make, g[0], Comparison::GT, getLhs(), getRhs());
  if (needed[1])
    result[1] = shareOf(make, g[0], Comparison::GT, getRhs(), getLhs());
}

void MinimumOp::buildGradient(OpBuilder &builder, ValueRange g, NeededGradients needed,
                              Gradients result) {
  GradientBuilder make(builder, *this);
  if (needed[0])
    result[0] = shareOf(make, g[0], Comparison::LT, getLhs(), getRhs());
  if (needed[1])
    result[1] = shareOf(make, g[0], Comparison::LT, getRhs(), getLhs());
}

// d(x^y) = y x^(y-1) dx + x^y log(x) dy; the logarithm counts as 0 where x is not positive.
void PowerOp::buildGradient(OpBuilder &builder, ValueRange g, NeededGradients needed,
                            Gradients result) {
  GradientBuilder make(builder, *this);
  Value x = getLhs(), y = getRhs();
  if (needed[0]) {
    Value lower = PowerOp::create(builder, getLoc(), x, make.subtract(y, make.splat(getType(), 1)));
    result[0] = make.multiply(g[0], make.multiply(y, lower));
  }
  if (needed[1]) {
    Value zero = make.splat(getType(), 0);
    Value log = make.select(make.compare(Comparison::GT, x, zero),
                            LogOp::create(builder, getLoc(), x), zero);
    result[1] = make.multiply(g[0], make.multiply(getResult(), log));
  }
}

void NegateOp::buildGradient(OpBuilder &builder, ValueRange g, NeededGradients, Gradients result) {
  result[0] = GradientBuilder(builder, *this).negate(g[0]);
}
void AbsOp::buildGradient(OpBuilder &builder, ValueRange g, NeededGradients, Gradients result) {
  GradientBuilder make(builder, *this);
  result[0] = make.multiply(g[0], SignOp::create(builder, getLoc(), getOperand()));
}
// Flat on both sides of its step.
void SignOp::buildGradient(OpBuilder &, ValueRange, NeededGradients, Gradients) {}

//===------------------------------------------------------------------------------------------===//
// Costs
//===------------------------------------------------------------------------------------------===//

uint64_t AddOp::getFlops() { return count(getResult()); }
uint64_t SubtractOp::getFlops() { return count(getResult()); }
uint64_t MultiplyOp::getFlops() { return count(getResult()); }
uint64_t DivideOp::getFlops() { return count(getResult()); }
uint64_t MaximumOp::getFlops() { return count(getResult()); }
uint64_t MinimumOp::getFlops() { return count(getResult()); }
uint64_t PowerOp::getFlops() { return count(getResult()); }
uint64_t NegateOp::getFlops() { return count(getResult()); }
uint64_t AbsOp::getFlops() { return count(getResult()); }
uint64_t SignOp::getFlops() { return count(getResult()); }
