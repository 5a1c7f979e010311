//===- UpdateOps.cpp - what changes a variable ------------------------------------------------===//
#include "dialects/graph/ops/ExpansionBuilder.h"

using namespace mlir;
using namespace graphc::graph;

#define GET_OP_CLASSES
#include "dialects/graph/ops/UpdateOps.cpp.inc"

void graphc::graph::registerUpdateOps(GraphDialect &dialect) {
  addCheckedOperations<
#define GET_OP_LIST
#include "dialects/graph/ops/UpdateOps.cpp.inc"
      >(dialect);
}

//===------------------------------------------------------------------------------------------===//
// Constraints
//===------------------------------------------------------------------------------------------===//

// (C1) a variable of the value's type
LogicalResult AssignOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return detail::verifyVariable(*this, symbols, getVariableAttr(), getValue().getType(), "value");
}

// (C1) a variable of the value's type   (C2) the element type is i32, i64, f32 or f64
LogicalResult AssignAddOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (failed(
          detail::verifyVariable(*this, symbols, getVariableAttr(), getValue().getType(), "value")))
    return failure();
  if (!isGraphTensor(getValue().getType(), NumberKind))
    return emitOpError() << "element type must be i32, i64, f32 or f64, got "
                         << getValue().getType();
  return success();
}

// (C1) a variable of the gradient's type
LogicalResult GradientSquaresOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return detail::verifyVariable(*this, symbols, getVariableAttr(), getGradient().getType(),
                                "gradient");
}

/// Of a gradient: how many rows it has along dimension 0.
static int64_t rowsOf(Value gradient) {
  return typeOf(gradient).getRank() ? typeOf(gradient).getDimSize(0) : 1;
}

// (C2) an f64 for each row
LogicalResult GradientSquaresOp::verify() {
  auto rows = RankedTensorType::get({rowsOf(getGradient())}, Float64Type::get(getContext()));
  if (getType() == rows)
    return success();
  return emitOpError() << "result must be " << rows << ", an f64 for each row of "
                       << getGradient().getType() << ", got " << getType();
}

//===------------------------------------------------------------------------------------------===//
// Loops, decompositions
//===------------------------------------------------------------------------------------------===//

Results AssignOp::buildBody(OpBuilder &, Elements x, Elements, IndexOf) { return {x[0]}; }
Results AssignAddOp::buildBody(OpBuilder &builder, Elements x, Elements old, IndexOf) {
  return {ScalarArithmetic{builder, getLoc()}.add(old[0], x[0])};
}

Values GradientSquaresOp::decompose(OpBuilder &builder) {
  ExpansionBuilder e{builder, getLoc()};
  Value wide = e.convert(getGradient(), builder.getF64Type());
  Value squares = e.make<MultiplyOp>(wide, wide);
  const int64_t rank = typeOf(squares).getRank();
  if (rank == 0)
    return {e.make<ReshapeOp>(getType(), squares)};
  return {e.make<ReduceSumOp>(squares, llvm::to_vector(llvm::seq<int64_t>(1, rank)))};
}

//===------------------------------------------------------------------------------------------===//
// What libraries and passes ask
//===------------------------------------------------------------------------------------------===//

bool GradientSquaresOp::appliesGradient() { return true; }
bool GradientSquaresOp::looksByRows() { return true; }

//===------------------------------------------------------------------------------------------===//
// Costs
//===------------------------------------------------------------------------------------------===//

uint64_t GradientSquaresOp::getFlops() { return 2 * count(getGradient()); }
