//===- Updates.cpp - what changes a variable ------------------------------------------------------------------===//
#include "dialects/graph/ops/Ops.h"

using namespace mlir;
using namespace graphc::graph;

#define GET_OP_CLASSES
#include "dialects/graph/ops/Updates.cpp.inc"

void graphc::graph::registerUpdatesOps(GraphDialect &dialect) {
  addCheckedOperations<
#define GET_OP_LIST
#include "dialects/graph/ops/Updates.cpp.inc"
      >(dialect);
}

//===----------------------------------------------------------------------------------------------------------===//
// Constraints
//===----------------------------------------------------------------------------------------------------------===//

LogicalResult AssignOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return detail::verifyVariable(*this, symbols, getVariableAttr(), getValue().getType(), "value");
}

// (C2) the element type is a number
LogicalResult AssignAddOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (failed(detail::verifyVariable(*this, symbols, getVariableAttr(), getValue().getType(), "value")))
    return failure();
  if (!isGraphTensor(getValue().getType(), NumberKind))
    return emitOpError() << "element type must be a number, got " << getValue().getType();
  return success();
}

LogicalResult ApplySgdOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return detail::verifyVariable(*this, symbols, getVariableAttr(), getGradient().getType(), "gradient");
}

LogicalResult ApplyMomentumOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (getVariableAttr() == getSlotAttr())
    return emitOpError() << "variable and slot must be two variables, both are " << getVariableAttr();
  if (failed(detail::verifyVariable(*this, symbols, getVariableAttr(), getGradient().getType(), "gradient")))
    return failure();
  return detail::verifyVariable(*this, symbols, getSlotAttr(), getGradient().getType(), "gradient");
}

//===----------------------------------------------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------------------------------------------===//

/// factor * x, the factor rounded to the type of x.
static Value scale(Scalars &s, const llvm::APFloat &factor, Value x) {
  return s.multiply(s.constant(x.getType(), factor.convertToDouble()), x);
}
Results AssignOp::buildBody(OpBuilder &, Elements x, Elements, IndexOf) { return {x[0]}; }
Results AssignAddOp::buildBody(OpBuilder &builder, Elements x, Elements old, IndexOf) {
  return {Scalars{builder, getLoc()}.add(old[0], x[0])};
}
Results ApplySgdOp::buildBody(OpBuilder &builder, Elements x, Elements old, IndexOf) {
  Scalars s{builder, getLoc()};
  return {s.subtract(old[0], scale(s, getLearningRate(), x[0]))};
}

Results ApplyMomentumOp::buildBody(OpBuilder &builder, Elements x, Elements old, IndexOf) {
  Scalars s{builder, getLoc()};
  Value slot = s.add(scale(s, getMomentum(), old[1]), x[0]);
  return {s.subtract(old[0], scale(s, getLearningRate(), slot)), slot};
}

//===----------------------------------------------------------------------------------------------------------===//
// What libraries and passes ask
//===----------------------------------------------------------------------------------------------------------===//

bool ApplySgdOp::appliesGradient() { return true; }
bool ApplyMomentumOp::appliesGradient() { return true; }

//===----------------------------------------------------------------------------------------------------------===//
// Costs
//===----------------------------------------------------------------------------------------------------------===//

uint64_t ApplySgdOp::getFlops() { return 2 * count(getGradient()); }
uint64_t ApplyMomentumOp::getFlops() { return 4 * count(getGradient()); }

//===----------------------------------------------------------------------------------------------------------===//
// Optimizers: their attributes
//===----------------------------------------------------------------------------------------------------------===//

static LogicalResult expectRate(function_ref<InFlightDiagnostic()> emitError, double rate) {
  if (std::isfinite(rate) && rate >= 0)
    return success();
  return emitError() << "expected a learning_rate that is finite and not negative, got " << rate;
}

LogicalResult SgdAttr::verify(function_ref<InFlightDiagnostic()> emitError, Real learningRate) {
  return expectRate(emitError, learningRate);
}

LogicalResult MomentumAttr::verify(function_ref<InFlightDiagnostic()> emitError, Real learningRate, Real momentum) {
  if (!(momentum >= 0 && momentum <= 1))
    return emitError() << "expected a momentum in [0, 1], got " << double(momentum);
  return expectRate(emitError, learningRate);
}

SmallVector<StringRef> SgdAttr::getSlotNames() const { return {}; }
SmallVector<StringRef> MomentumAttr::getSlotNames() const { return {"Momentum"}; }

Operation *SgdAttr::buildApply(OpBuilder &builder, Location loc, FlatSymbolRefAttr variable,
                               ArrayRef<FlatSymbolRefAttr>, Value gradient) const {
  return ApplySgdOp::create(builder, loc, variable, gradient, builder.getF64FloatAttr(getLearningRate()));
}

Operation *MomentumAttr::buildApply(OpBuilder &builder, Location loc, FlatSymbolRefAttr variable,
                                    ArrayRef<FlatSymbolRefAttr> slots, Value gradient) const {
  return ApplyMomentumOp::create(builder, loc, variable, slots.front(), gradient,
                                 builder.getF64FloatAttr(getLearningRate()), builder.getF64FloatAttr(getMomentum()));
}
