//===- TranscendentalOps.cpp - functions of floats, element by element ------------------------===//
#include "dialects/graph/ops/ExpansionBuilder.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

using namespace mlir;
using namespace graphc::graph;

#define GET_OP_CLASSES
#include "dialects/graph/ops/TranscendentalOps.cpp.inc"

void graphc::graph::registerTranscendentalOps(GraphDialect &dialect) {
  addCheckedOperations<
#define GET_OP_LIST
#include "dialects/graph/ops/TranscendentalOps.cpp.inc"
      >(dialect);
}

//===------------------------------------------------------------------------------------------===//
// Loops
//===------------------------------------------------------------------------------------------===//

Results SqrtOp::buildBody(OpBuilder &builder, Elements x, Elements, IndexOf) {
  return {math::SqrtOp::create(builder, getLoc(), x[0])};
}
Results ExponentialOp::buildBody(OpBuilder &builder, Elements x, Elements, IndexOf) {
  return {math::ExpOp::create(builder, getLoc(), x[0])};
}
Results LogOp::buildBody(OpBuilder &builder, Elements x, Elements, IndexOf) {
  return {math::LogOp::create(builder, getLoc(), x[0])};
}
Results TanhOp::buildBody(OpBuilder &builder, Elements x, Elements, IndexOf) {
  return {math::TanhOp::create(builder, getLoc(), x[0])};
}
Results ExponentialMinusOneOp::buildBody(OpBuilder &builder, Elements x, Elements, IndexOf) {
  return {math::ExpM1Op::create(builder, getLoc(), x[0])};
}
Results LogPlusOneOp::buildBody(OpBuilder &builder, Elements x, Elements, IndexOf) {
  return {math::Log1pOp::create(builder, getLoc(), x[0])};
}
Results SineOp::buildBody(OpBuilder &builder, Elements x, Elements, IndexOf) {
  return {math::SinOp::create(builder, getLoc(), x[0])};
}
Results CosineOp::buildBody(OpBuilder &builder, Elements x, Elements, IndexOf) {
  return {math::CosOp::create(builder, getLoc(), x[0])};
}
Results ErfOp::buildBody(OpBuilder &builder, Elements x, Elements, IndexOf) {
  return {math::ErfOp::create(builder, getLoc(), x[0])};
}

//===------------------------------------------------------------------------------------------===//
// Decompositions
//===------------------------------------------------------------------------------------------===//

Values LogisticOp::decompose(OpBuilder &builder) {
  ExpansionBuilder e{builder, getLoc()};
  Value one = e.splat(getType(), 1);
  return {e.make<DivideOp>(
      one, e.make<AddOp>(one, e.make<ExponentialOp>(e.make<NegateOp>(getOperand()))))};
}

Values RsqrtOp::decompose(OpBuilder &builder) {
  ExpansionBuilder e{builder, getLoc()};
  Value one = e.splat(getType(), 1);
  return {e.make<DivideOp>(one, e.make<SqrtOp>(getOperand()))};
}

//===------------------------------------------------------------------------------------------===//
// Gradients
//===------------------------------------------------------------------------------------------===//

void SqrtOp::buildGradient(OpBuilder &builder, ValueRange g, NeededGradients, Gradients result) {
  GradientBuilder make(builder, *this);
  result[0] = make.divide(make.multiply(g[0], 0.5), getResult());
}

// d(x^-1/2) = -1/2 x^-1/2 / x
void RsqrtOp::buildGradient(OpBuilder &builder, ValueRange g, NeededGradients, Gradients result) {
  GradientBuilder make(builder, *this);
  result[0] = make.multiply(make.multiply(g[0], -0.5), make.divide(getResult(), getOperand()));
}

void ExponentialOp::buildGradient(OpBuilder &builder, ValueRange g, NeededGradients,
                                  Gradients result) {
  result[0] = GradientBuilder(builder, *this).multiply(g[0], getResult());
}
void LogOp::buildGradient(OpBuilder &builder, ValueRange g, NeededGradients, Gradients result) {
  result[0] = GradientBuilder(builder, *this).divide(g[0], getOperand());
}

void TanhOp::buildGradient(OpBuilder &builder, ValueRange g, NeededGradients, Gradients result) {
  GradientBuilder make(builder, *this);
  Value slope = make.subtract(make.splat(getType(), 1), make.multiply(getResult(), getResult()));
  result[0] = make.multiply(g[0], slope);
}

void ExponentialMinusOneOp::buildGradient(OpBuilder &builder, ValueRange g, NeededGradients,
                                          Gradients result) {
  GradientBuilder make(builder, *this);
  result[0] = make.multiply(g[0], make.add(getResult(), make.splat(getType(), 1)));
}
void LogPlusOneOp::buildGradient(OpBuilder &builder, ValueRange g, NeededGradients,
                                 Gradients result) {
  GradientBuilder make(builder, *this);
  result[0] = make.divide(g[0], make.add(getOperand(), make.splat(getType(), 1)));
}
void SineOp::buildGradient(OpBuilder &builder, ValueRange g, NeededGradients, Gradients result) {
  result[0] = GradientBuilder(builder, *this)
                  .multiply(g[0], CosineOp::create(builder, getLoc(), getOperand()));
}
void CosineOp::buildGradient(OpBuilder &builder, ValueRange g, NeededGradients, Gradients result) {
  GradientBuilder make(builder, *this);
  result[0] = make.negate(make.multiply(g[0], SineOp::create(builder, getLoc(), getOperand())));
}

// 2 / √π exp(-x²)
void ErfOp::buildGradient(OpBuilder &builder, ValueRange g, NeededGradients, Gradients result) {
  GradientBuilder make(builder, *this);
  Value power = ExponentialOp::create(builder, getLoc(),
                                      make.negate(make.multiply(getOperand(), getOperand())));
  result[0] = make.multiply(g[0], make.multiply(power, 2 / std::sqrt(3.14159265358979323846)));
}

void LogisticOp::buildGradient(OpBuilder &builder, ValueRange g, NeededGradients,
                               Gradients result) {
  GradientBuilder make(builder, *this);
  Value slope = make.multiply(getResult(), make.subtract(make.splat(getType(), 1), getResult()));
  result[0] = make.multiply(g[0], slope);
}

//===------------------------------------------------------------------------------------------===//
// Costs
//===------------------------------------------------------------------------------------------===//

uint64_t RsqrtOp::getFlops() { return 2 * count(getResult()); }

uint64_t LogisticOp::getFlops() { return 4 * count(getResult()); } // negate, exp, add, divide
uint64_t SqrtOp::getFlops() { return count(getResult()); }
uint64_t ExponentialOp::getFlops() { return count(getResult()); }
uint64_t LogOp::getFlops() { return count(getResult()); }
uint64_t TanhOp::getFlops() { return count(getResult()); }
uint64_t ExponentialMinusOneOp::getFlops() { return count(getResult()); }
uint64_t LogPlusOneOp::getFlops() { return count(getResult()); }
uint64_t SineOp::getFlops() { return count(getResult()); }
uint64_t CosineOp::getFlops() { return count(getResult()); }
uint64_t ErfOp::getFlops() { return count(getResult()); }
