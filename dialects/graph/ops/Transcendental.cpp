//===- Transcendental.cpp - functions of floats, element by element -------------------------------------------===//
#include "dialects/graph/ops/Making.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace graphc::graph;

#define GET_OP_CLASSES
#include "dialects/graph/ops/Transcendental.cpp.inc"

void graphc::graph::registerTranscendentalOps(GraphDialect &dialect) {
  addCheckedOperations<
#define GET_OP_LIST
#include "dialects/graph/ops/Transcendental.cpp.inc"
      >(dialect);
}

//===----------------------------------------------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------------------------------------------===//

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

//===----------------------------------------------------------------------------------------------------------===//
// Decompositions
//===----------------------------------------------------------------------------------------------------------===//

Values LogisticOp::decompose(OpBuilder &builder) {
  Expansion e{builder, getLoc()};
  Value one = e.splat(getType(), 1);
  return {e.make<DivideOp>(one, e.make<AddOp>(one, e.make<ExponentialOp>(e.make<NegateOp>(getOperand()))))};
}

Values RsqrtOp::decompose(OpBuilder &builder) {
  Expansion e{builder, getLoc()};
  Value one = e.splat(getType(), 1);
  return {e.make<DivideOp>(one, e.make<SqrtOp>(getOperand()))};
}

//===----------------------------------------------------------------------------------------------------------===//
// Gradients
//===----------------------------------------------------------------------------------------------------------===//

void SqrtOp::buildGradient(OpBuilder &builder, ValueRange g, Needed, Gradients result) {
  Maker make(builder, *this);
  result[0] = make.divide(make.multiply(g[0], 0.5), getResult());
}

// d(x^-1/2) = -1/2 x^-1/2 / x
void RsqrtOp::buildGradient(OpBuilder &builder, ValueRange g, Needed, Gradients result) {
  Maker make(builder, *this);
  result[0] = make.multiply(make.multiply(g[0], -0.5), make.divide(getResult(), getOperand()));
}

void ExponentialOp::buildGradient(OpBuilder &builder, ValueRange g, Needed, Gradients result) {
  result[0] = Maker(builder, *this).multiply(g[0], getResult());
}
void LogOp::buildGradient(OpBuilder &builder, ValueRange g, Needed, Gradients result) {
  result[0] = Maker(builder, *this).divide(g[0], getOperand());
}

void TanhOp::buildGradient(OpBuilder &builder, ValueRange g, Needed, Gradients result) {
  Maker make(builder, *this);
  Value slope = make.subtract(make.splat(getType(), 1), make.multiply(getResult(), getResult()));
  result[0] = make.multiply(g[0], slope);
}

void LogisticOp::buildGradient(OpBuilder &builder, ValueRange g, Needed, Gradients result) {
  Maker make(builder, *this);
  Value slope = make.multiply(getResult(), make.subtract(make.splat(getType(), 1), getResult()));
  result[0] = make.multiply(g[0], slope);
}

//===----------------------------------------------------------------------------------------------------------===//
// Costs
//===----------------------------------------------------------------------------------------------------------===//

uint64_t RsqrtOp::getFlops() { return 2 * count(getResult()); }

uint64_t LogisticOp::getFlops() { return 4 * count(getResult()); } // negate, exp, add, divide
uint64_t SqrtOp::getFlops() { return count(getResult()); }
uint64_t ExponentialOp::getFlops() { return count(getResult()); }
uint64_t LogOp::getFlops() { return count(getResult()); }
uint64_t TanhOp::getFlops() { return count(getResult()); }
