//===- Activations.cpp - what follows a layer -----------------------------------------------------------------===//
#include "dialects/graph/ops/Folding.h"
#include "dialects/graph/ops/Making.h"

using namespace mlir;
using namespace graphc::graph;

#define GET_OP_CLASSES
#include "dialects/graph/ops/Activations.cpp.inc"

void graphc::graph::registerActivationsOps(GraphDialect &dialect) {
  addCheckedOperations<
#define GET_OP_LIST
#include "dialects/graph/ops/Activations.cpp.inc"
      >(dialect);
}

//===----------------------------------------------------------------------------------------------------------===//
// Folds
//===----------------------------------------------------------------------------------------------------------===//

OpFoldResult ReluOp::fold(FoldAdaptor) {
  if (getOperand().getDefiningOp<ReluOp>())
    return getOperand();
  return {};
}

//===----------------------------------------------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------------------------------------------===//

// As the library does it: a NaN and a zero of either sign become +0.
Results ReluOp::buildBody(OpBuilder &builder, Elements x, Elements, IndexOf) {
  Scalars s{builder, getLoc()};
  Value zero = s.constant(x[0].getType(), 0);
  return {s.make<arith::SelectOp>(s.compare(Comparison::GT, x[0], zero), x[0], zero)};
}

//===----------------------------------------------------------------------------------------------------------===//
// Gradients
//===----------------------------------------------------------------------------------------------------------===//

// By the result, which is positive where the operand is: a fused matmul keeps the result only.
void ReluOp::buildGradient(OpBuilder &builder, ValueRange g, Needed, Gradients result) {
  Maker make(builder, *this);
  Value zero = make.splat(getType(), 0);
  result[0] = make.select(make.compare(Comparison::GT, getResult(), zero), g[0], zero);
}

//===----------------------------------------------------------------------------------------------------------===//
// What libraries and passes ask
//===----------------------------------------------------------------------------------------------------------===//

StringRef ReluOp::getPostOpName() { return "relu"; }
OpOperand &ReluOp::getPostOpInput() { return getOperandMutable(); }

//===----------------------------------------------------------------------------------------------------------===//
// Costs
//===----------------------------------------------------------------------------------------------------------===//

uint64_t ReluOp::getFlops() { return count(getResult()); }
