//===- Losses.cpp - softmax and what is learnt from labels ----------------------------------------------------===//
#include "dialects/graph/ops/Making.h"

using namespace mlir;
using namespace graphc::graph;

#define GET_OP_CLASSES
#include "dialects/graph/ops/Losses.cpp.inc"

void graphc::graph::registerLossesOps(GraphDialect &dialect) {
  addCheckedOperations<
#define GET_OP_LIST
#include "dialects/graph/ops/Losses.cpp.inc"
      >(dialect);
}

//===----------------------------------------------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------------------------------------------===//

// (C1) logits have >= 2 dimensions; labels have the logits' shape without its last
static LogicalResult checkLabels(Loc loc, Value logits, Value labels) {
  RankedTensorType x = tensorOf(logits), y = tensorOf(labels);
  if (!x || !y || x.getRank() < 2 || y.getShape() != x.getShape().drop_back())
    return emitOptionalError(loc, "labels must have the shape of the first operand (two dimensions or more) without ",
                             "its last dimension, got ", logits.getType(), " and ", labels.getType());
  return success();
}

LogicalResult SoftmaxCrossEntropyOp::inferReturnTypes(MLIRContext *, Loc loc, Adaptor adaptor, Types &types) {
  if (failed(checkLabels(loc, adaptor.getLogits(), adaptor.getLabels())))
    return failure();
  types.push_back(tensorOf(adaptor.getLogits()).clone(ArrayRef<int64_t>()));
  return success();
}

LogicalResult NllLossOp::inferReturnTypes(MLIRContext *, Loc loc, Adaptor adaptor, Types &types) {
  if (failed(checkLabels(loc, adaptor.getLogProbabilities(), adaptor.getLabels())))
    return failure();
  types.push_back(tensorOf(adaptor.getLogProbabilities()).clone(ArrayRef<int64_t>()));
  return success();
}

// (C2) upstream is a scalar of the logits' element type
LogicalResult SoftmaxCrossEntropyGradOp::inferReturnTypes(MLIRContext *, Loc loc, Adaptor adaptor, Types &types) {
  if (failed(checkLabels(loc, adaptor.getLogits(), adaptor.getLabels())))
    return failure();
  RankedTensorType logits = tensorOf(adaptor.getLogits());
  if (adaptor.getUpstream().getType() != logits.clone(ArrayRef<int64_t>()))
    return emitOptionalError(loc, "upstream must be ", logits.clone(ArrayRef<int64_t>()), ", got ",
                             adaptor.getUpstream().getType());
  types.push_back(logits);
  return success();
}

//===----------------------------------------------------------------------------------------------------------===//
// Constraints
//===----------------------------------------------------------------------------------------------------------===//

// (C1) at least one dimension
static LogicalResult verifyLastDimension(Operation *op) {
  if (tensorOf(op->getOperand(0)).getRank() >= 1)
    return success();
  return op->emitOpError() << "operand must have at least one dimension, got " << op->getOperand(0).getType();
}

LogicalResult SoftmaxOp::verify() { return verifyLastDimension(*this); }
LogicalResult LogSoftmaxOp::verify() { return verifyLastDimension(*this); }

//===----------------------------------------------------------------------------------------------------------===//
// Decompositions
//===----------------------------------------------------------------------------------------------------------===//

Values SoftmaxOp::decompose(OpBuilder &builder) {
  Expansion e{builder, getLoc()};
  return {e.softmax(getOperand())};
}

Values LogSoftmaxOp::decompose(OpBuilder &builder) {
  Expansion e{builder, getLoc()};
  Value z = e.shifted(getOperand());
  return {e.make<SubtractOp>(z, e.broadcast(e.logOfSum(z), getType().getShape()))};
}

Values SoftmaxCrossEntropyOp::decompose(OpBuilder &builder) {
  Expansion e{builder, getLoc()};
  Value z = e.shifted(getLogits());
  Value log = e.logOfSum(z);
  return {e.meanOfAll(e.make<SubtractOp>(log, e.pick(z, getLabels())))};
}

Values SoftmaxCrossEntropyGradOp::decompose(OpBuilder &builder) {
  Expansion e{builder, getLoc()};
  RankedTensorType type = typeOf(getLogits());
  Value p = e.softmax(getLogits());
  Value target = e.convert(e.hitMask(getLabels(), type.getShape()), type.getElementType());
  Value samples = e.splat(getUpstream().getType(), double(typeOf(getLabels()).getNumElements()));
  Value scale = e.make<DivideOp>(getUpstream(), samples);
  return {e.make<MultiplyOp>(e.make<SubtractOp>(p, target), e.broadcast(scale, type.getShape()))};
}

Values NllLossOp::decompose(OpBuilder &builder) {
  Expansion e{builder, getLoc()};
  return {e.make<NegateOp>(e.meanOfAll(e.pick(getLogProbabilities(), getLabels())))};
}

//===----------------------------------------------------------------------------------------------------------===//
// Gradients
//===----------------------------------------------------------------------------------------------------------===//

// With p the result: dx = p (g - sum(g p))
void SoftmaxOp::buildGradient(OpBuilder &builder, ValueRange g, Needed, Gradients result) {
  Maker make(builder, *this);
  Value inner = make.subtract(g[0], make.rowSums(make.multiply(g[0], getResult())));
  result[0] = make.multiply(inner, getResult());
}

// With exp(result) the softmax: dx = g - softmax sum(g)
void LogSoftmaxOp::buildGradient(OpBuilder &builder, ValueRange g, Needed, Gradients result) {
  Maker make(builder, *this);
  Value softmax = ExponentialOp::create(builder, getLoc(), getResult());
  result[0] = make.subtract(g[0], make.multiply(softmax, make.rowSums(g[0])));
}

void SoftmaxCrossEntropyOp::buildGradient(OpBuilder &builder, ValueRange g, Needed needed, Gradients result) {
  if (needed[0])
    result[0] = SoftmaxCrossEntropyGradOp::create(builder, getLoc(), getLogits(), getLabels(), g[0]);
}

// -g / batch at the label's place
void NllLossOp::buildGradient(OpBuilder &builder, ValueRange g, Needed needed, Gradients result) {
  if (!needed[0])
    return;
  Maker make(builder, *this);
  Type type = getLogProbabilities().getType();
  Value share = make.divide(g[0], make.splat(g[0].getType(), typeOf(getLabels()).getNumElements()));
  Value places = OneHotOp::create(builder, getLoc(), type, getLabels());
  result[0] = make.multiply(places, make.broadcast(make.negate(share), type, {}));
}

//===----------------------------------------------------------------------------------------------------------===//
// What libraries and passes ask
//===----------------------------------------------------------------------------------------------------------===//

Value SoftmaxCrossEntropyOp::getLabelValue() { return getLabels(); }
int64_t SoftmaxCrossEntropyOp::getNumClasses() {
  return cast<RankedTensorType>(getLogits().getType()).getShape().back();
}
Value NllLossOp::getLabelValue() { return getLabels(); }
int64_t NllLossOp::getNumClasses() { return cast<RankedTensorType>(getLogProbabilities().getType()).getShape().back(); }

//===----------------------------------------------------------------------------------------------------------===//
// Costs
//===----------------------------------------------------------------------------------------------------------===//

uint64_t SoftmaxOp::getFlops() { return 5 * count(getResult()); }    // max, subtract, exp, sum, divide
uint64_t LogSoftmaxOp::getFlops() { return 5 * count(getResult()); } // max, subtract, exp, sum, subtract
uint64_t SoftmaxCrossEntropyOp::getFlops() { return 4 * count(getLogits()) + 4 * count(getLabels()); }
uint64_t SoftmaxCrossEntropyGradOp::getFlops() { return 7 * count(getLogits()); }
uint64_t NllLossOp::getFlops() { return 2 * count(getLabels()); }
