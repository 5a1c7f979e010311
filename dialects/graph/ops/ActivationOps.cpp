//===- ActivationOps.cpp - what follows a layer -----------------------------------------------===//
#include "dialects/graph/ops/ConstantFolding.h"
#include "dialects/graph/ops/ExpansionBuilder.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>
#include <numbers>

using namespace mlir;
using namespace graphc::graph;

#define GET_OP_CLASSES
#include "dialects/graph/ops/ActivationOps.cpp.inc"

void graphc::graph::registerActivationOps(GraphDialect &dialect) {
  addCheckedOperations<
#define GET_OP_LIST
#include "dialects/graph/ops/ActivationOps.cpp.inc"
      >(dialect);
}

//===------------------------------------------------------------------------------------------===//
// Constraints
//===------------------------------------------------------------------------------------------===//

// (C1) approximate is "none" or "tanh"
static LogicalResult verifyApproximate(Operation *op, StringRef approximate) {
  if (approximate == "none" || approximate == "tanh")
    return success();
  return op->emitOpError() << "approximate must be \"none\" or \"tanh\", got \"" << approximate
                           << "\"";
}
LogicalResult GeluOp::verify() { return verifyApproximate(*this, getApproximate()); }
LogicalResult GeluGradOp::verify() { return verifyApproximate(*this, getApproximate()); }

// (C1) alpha is a finite number, not below 0
static LogicalResult verifyAlpha(Operation *op, const APFloat &alpha) {
  if (alpha.isFinite() && (alpha.isZero() || !alpha.isNegative()))
    return success();
  return op->emitOpError() << "alpha must be a finite number, not below 0, got "
                           << alpha.convertToDouble();
}
LogicalResult EluOp::verify() { return verifyAlpha(*this, getAlpha()); }
LogicalResult LeakyReluOp::verify() { return verifyAlpha(*this, getAlpha()); }

// (C1) alpha and beta are finite, alpha above 0
LogicalResult HardSigmoidOp::verify() {
  if (getAlpha().isFinite() && !getAlpha().isNegative() && !getAlpha().isZero() &&
      getBeta().isFinite())
    return success();
  return emitOpError() << "alpha must be a finite number above 0 and beta a finite number, got "
                       << getAlpha().convertToDouble() << " and " << getBeta().convertToDouble();
}

//===------------------------------------------------------------------------------------------===//
// Folds
//===------------------------------------------------------------------------------------------===//

OpFoldResult ReluOp::fold(FoldAdaptor) {
  if (getOperand().getDefiningOp<ReluOp>())
    return getOperand();
  return {};
}

//===------------------------------------------------------------------------------------------===//
// Loops
//===------------------------------------------------------------------------------------------===//

namespace {
/// Functions of one element.
struct Element : ScalarArithmetic {
  Value x;

  Element(OpBuilder &builder, Location loc, Value x) : ScalarArithmetic{builder, loc}, x(x) {}
  Value number(double value) { return constant(x.getType(), value); }
  Value times(double factor, Value value) { return multiply(number(factor), value); }
  Value plus(double summand, Value value) { return add(number(summand), value); }
  Value positiveOr(Value other) {
    return make<arith::SelectOp>(compare(Comparison::GT, x, number(0)), x, other);
  }
  Value within(double low, Value value, double high) {
    return minimum(maximum(value, number(low)), number(high));
  }

  Value sigmoid() { return divide(number(1), plus(1, make<math::ExpOp>(make<arith::NegFOp>(x)))); }
  /// Of the standard normal distribution: what is below x, and its density at x.
  struct Normal {
    Value below, density;
  };
  Normal normal() {
    Value power = make<math::ExpOp>(times(-0.5, multiply(x, x)));
    Value density = times(1 / std::sqrt(2 * std::numbers::pi), power), below;
    if (x.getType().isF64())
      below = times(0.5, plus(1, make<math::ErfOp>(times(std::sqrt(0.5), x))));
    else {
      // The smaller tail is exp(-x²/2) times a polynomial in t = 1 / (1 + 0.3 |x|), fitted to it
      // with a relative error of at most 1.5e-7.
      constexpr double fit[] = {0.03567477, -0.15720308, 0.2063535,  -0.05368364,
                                0.12856163, 0.09991349,  0.12075396, 0.1196293};
      Value t = divide(number(1), plus(1, times(0.3, make<math::AbsFOp>(x)))), sum = number(fit[0]);
      for (double coefficient : llvm::drop_begin(fit))
        sum = plus(coefficient, multiply(sum, t));
      Value tail = multiply(power, multiply(sum, t));
      below = make<arith::SelectOp>(compare(Comparison::LT, x, number(0)), tail,
                                    subtract(number(1), tail));
    }
    return {below, density};
  }

  /// What gelu's approximation by tanh has in its place: (1 + tanh(u)) / 2 is 1 / (1 + exp(-2u)),
  /// of which this is the denominator, for u = √(2/π) (x + 0.044715 x³).
  Value overApproximation() {
    Value v = multiply(x, plus(-kTwice, times(-kTwice * kCubic, multiply(x, x))));
    return plus(1, make<math::ExpOp>(v));
  }
  static constexpr double kCubic = 0.044715, kTwice = 1.5957691216057308; // 2 √(2/π)
};
} // namespace

// As the library does it: a NaN and a zero of either sign become +0.
Results ReluOp::buildBody(OpBuilder &builder, Elements x, Elements, IndexOf) {
  Element e(builder, getLoc(), x[0]);
  return {e.positiveOr(e.number(0))};
}

Results GeluOp::buildBody(OpBuilder &builder, Elements x, Elements, IndexOf) {
  Element e(builder, getLoc(), x[0]);
  return {getApproximate() == "tanh" ? e.divide(e.x, e.overApproximation())
                                     : e.multiply(e.x, e.normal().below)};
}

// By the product rule: what x is multiplied with, and x times that one's slope, which is s (1 - s)
// 2u' for a sigmoid s of 2u.
Results GeluGradOp::buildBody(OpBuilder &builder, Elements x, Elements, IndexOf) {
  Element e(builder, getLoc(), x[0]);
  Value factor, slope;
  if (getApproximate() == "tanh") {
    factor = e.divide(e.number(1), e.overApproximation());
    Value steepness = e.plus(Element::kTwice,
                             e.times(3 * Element::kTwice * Element::kCubic, e.multiply(e.x, e.x)));
    Value product = e.multiply(e.x, e.multiply(factor, e.subtract(e.number(1), factor)));
    slope = e.multiply(product, steepness);
  } else {
    Element::Normal normal = e.normal();
    factor = normal.below;
    slope = e.multiply(e.x, normal.density);
  }
  return {e.multiply(x[1], e.add(factor, slope))};
}

Results SiluOp::buildBody(OpBuilder &builder, Elements x, Elements, IndexOf) {
  Element e(builder, getLoc(), x[0]);
  return {e.divide(e.x, e.plus(1, e.make<math::ExpOp>(e.make<arith::NegFOp>(e.x))))};
}

// s (1 + x (1 - s))
Results SiluGradOp::buildBody(OpBuilder &builder, Elements x, Elements, IndexOf) {
  Element e(builder, getLoc(), x[0]);
  Value sigmoid = e.sigmoid();
  Value slope = e.multiply(sigmoid, e.plus(1, e.multiply(e.x, e.subtract(e.number(1), sigmoid))));
  return {e.multiply(x[1], slope)};
}

Results SoftplusOp::buildBody(OpBuilder &builder, Elements x, Elements, IndexOf) {
  Element e(builder, getLoc(), x[0]);
  Value power = e.make<math::ExpOp>(e.make<arith::NegFOp>(e.make<math::AbsFOp>(e.x)));
  return {e.add(e.maximum(e.x, e.number(0)), e.make<math::Log1pOp>(power))};
}

Results EluOp::buildBody(OpBuilder &builder, Elements x, Elements, IndexOf) {
  Element e(builder, getLoc(), x[0]);
  return {e.positiveOr(e.times(getAlpha().convertToDouble(), e.make<math::ExpM1Op>(e.x)))};
}

Results LeakyReluOp::buildBody(OpBuilder &builder, Elements x, Elements, IndexOf) {
  Element e(builder, getLoc(), x[0]);
  return {e.positiveOr(e.times(getAlpha().convertToDouble(), e.x))};
}

Results HardSigmoidOp::buildBody(OpBuilder &builder, Elements x, Elements, IndexOf) {
  Element e(builder, getLoc(), x[0]);
  Value line = e.plus(getBeta().convertToDouble(), e.times(getAlpha().convertToDouble(), e.x));
  return {e.within(0, line, 1)};
}

Results HardSwishOp::buildBody(OpBuilder &builder, Elements x, Elements, IndexOf) {
  Element e(builder, getLoc(), x[0]);
  return {e.multiply(e.x, e.within(0, e.plus(0.5, e.times(1.0 / 6, e.x)), 1))};
}

//===------------------------------------------------------------------------------------------===//
// Gradients
//===------------------------------------------------------------------------------------------===//

// By the result, which is positive where the operand is: a fused matmul keeps the result only.
void ReluOp::buildGradient(OpBuilder &builder, ValueRange g, NeededGradients, Gradients result) {
  GradientBuilder make(builder, *this);
  Value zero = make.splat(getType(), 0);
  result[0] = make.select(make.compare(Comparison::GT, getResult(), zero), g[0], zero);
}

void GeluOp::buildGradient(OpBuilder &builder, ValueRange g, NeededGradients, Gradients result) {
  result[0] =
      GeluGradOp::create(builder, getLoc(), getType(), getOperand(), g[0], getApproximate());
}
void SiluOp::buildGradient(OpBuilder &builder, ValueRange g, NeededGradients, Gradients result) {
  result[0] = SiluGradOp::create(builder, getLoc(), getType(), getOperand(), g[0]);
}

// The sigmoid of x is 1 - exp(-y) for y = log(1 + exp(x)).
void SoftplusOp::buildGradient(OpBuilder &builder, ValueRange g, NeededGradients,
                               Gradients result) {
  GradientBuilder make(builder, *this);
  Value below = ExponentialMinusOneOp::create(builder, getLoc(), make.negate(getResult()));
  result[0] = make.multiply(g[0], make.negate(below));
}

// Where x is negative the slope is alpha exp(x) = y + alpha.
void EluOp::buildGradient(OpBuilder &builder, ValueRange g, NeededGradients, Gradients result) {
  GradientBuilder make(builder, *this);
  Value positive = make.compare(Comparison::GT, getResult(), make.splat(getType(), 0));
  Value slope = make.add(getResult(), make.splat(getType(), getAlpha().convertToDouble()));
  result[0] = make.select(positive, g[0], make.multiply(g[0], slope));
}

void LeakyReluOp::buildGradient(OpBuilder &builder, ValueRange g, NeededGradients,
                                Gradients result) {
  GradientBuilder make(builder, *this);
  Value positive = make.compare(Comparison::GT, getResult(), make.splat(getType(), 0));
  result[0] = make.select(positive, g[0], make.multiply(g[0], getAlpha().convertToDouble()));
}

void HardSigmoidOp::buildGradient(OpBuilder &builder, ValueRange g, NeededGradients,
                                  Gradients result) {
  GradientBuilder make(builder, *this);
  Value zero = make.splat(getType(), 0), one = make.splat(getType(), 1);
  Value inside = AndOp::create(builder, getLoc(), make.compare(Comparison::GT, getResult(), zero),
                               make.compare(Comparison::LT, getResult(), one));
  result[0] = make.select(inside, make.multiply(g[0], getAlpha().convertToDouble()), zero);
}

void HardSwishOp::buildGradient(OpBuilder &builder, ValueRange g, NeededGradients,
                                Gradients result) {
  GradientBuilder make(builder, *this);
  Value x = getOperand(), zero = make.splat(getType(), 0);
  Value slope = make.add(make.multiply(x, 1.0 / 3), make.splat(getType(), 0.5));
  Value upper = make.select(make.compare(Comparison::LT, x, make.splat(getType(), 3)),
                            make.multiply(g[0], slope), g[0]);
  result[0] = make.select(make.compare(Comparison::GT, x, make.splat(getType(), -3)), upper, zero);
}

//===------------------------------------------------------------------------------------------===//
// What libraries and passes ask
//===------------------------------------------------------------------------------------------===//

StringRef ReluOp::getPostOpName() { return "relu"; }
OpOperand &ReluOp::getPostOpInput() { return getOperandMutable(); }

//===------------------------------------------------------------------------------------------===//
// Costs
//===------------------------------------------------------------------------------------------===//

uint64_t ReluOp::getFlops() { return count(getResult()); }
uint64_t GeluOp::getFlops() { return (getApproximate() == "tanh" ? 8 : 5) * count(getResult()); }
uint64_t GeluGradOp::getFlops() {
  return (getApproximate() == "tanh" ? 19 : 12) * count(getResult());
}
uint64_t SiluOp::getFlops() { return 4 * count(getResult()); }
uint64_t SiluGradOp::getFlops() { return 9 * count(getResult()); }
uint64_t SoftplusOp::getFlops() { return 6 * count(getResult()); }
uint64_t EluOp::getFlops() { return 3 * count(getResult()); }
uint64_t LeakyReluOp::getFlops() { return 2 * count(getResult()); }
uint64_t HardSigmoidOp::getFlops() { return 4 * count(getResult()); }
uint64_t HardSwishOp::getFlops() { return 5 * count(getResult()); }
