//===- LossOps.cpp - softmax and what is learnt from labels -----------------------------------===//
#include "dialects/graph/ops/ExpansionBuilder.h"

using namespace mlir;
using namespace graphc::graph;

#define GET_OP_CLASSES
#include "dialects/graph/ops/LossOps.cpp.inc"

void graphc::graph::registerLossOps(GraphDialect &dialect) {
  addCheckedOperations<
#define GET_OP_LIST
#include "dialects/graph/ops/LossOps.cpp.inc"
      >(dialect);
}

//===------------------------------------------------------------------------------------------===//
// Types
//===------------------------------------------------------------------------------------------===//

// (C1) logits have >= 2 dimensions; labels have the logits' shape without its last
static LogicalResult checkLabels(Loc loc, Value logits, Value labels) {
  RankedTensorType x = tensorOf(logits), y = tensorOf(labels);
  if (!x || !y || x.getRank() < 2 || y.getShape() != x.getShape().drop_back())
    return emitOptionalError(
        loc, "labels must have the shape of the first operand (two dimensions or more) without ",
        "its last dimension, got ", logits.getType(), " and ", labels.getType());
  return success();
}

// (C1): so each row of logits, one a class, has one label; the loss is a scalar of the logits'
// element type
LogicalResult SoftmaxCrossEntropyOp::inferReturnTypes(MLIRContext *, Loc loc, Adaptor adaptor,
                                                      Types &types) {
  if (failed(checkLabels(loc, adaptor.getLogits(), adaptor.getLabels())))
    return failure();
  types.push_back(tensorOf(adaptor.getLogits()).clone(ArrayRef<int64_t>()));
  return success();
}

// (C1): so each row of log probabilities, one a class, has one label; the loss is a scalar of their
// element type
LogicalResult NllLossOp::inferReturnTypes(MLIRContext *, Loc loc, Adaptor adaptor, Types &types) {
  if (failed(checkLabels(loc, adaptor.getLogProbabilities(), adaptor.getLabels())))
    return failure();
  types.push_back(tensorOf(adaptor.getLogProbabilities()).clone(ArrayRef<int64_t>()));
  return success();
}

/// The gradient of a loss has the type of the logits, and upstream that of the loss.
static LogicalResult inferGradient(Loc loc, Value logits, Value upstream, Types &types) {
  RankedTensorType type = tensorOf(logits), scalar = type.clone(ArrayRef<int64_t>());
  if (upstream.getType() != scalar)
    return emitOptionalError(loc, "upstream must be ", scalar, ", got ", upstream.getType());
  types.push_back(type);
  return success();
}

// (C2) upstream is a scalar of the logits' element type
LogicalResult SoftmaxCrossEntropyGradOp::inferReturnTypes(MLIRContext *, Loc loc, Adaptor adaptor,
                                                          Types &types) {
  if (failed(checkLabels(loc, adaptor.getLogits(), adaptor.getLabels())))
    return failure();
  return inferGradient(loc, adaptor.getLogits(), adaptor.getUpstream(), types);
}

// logits have at least so many dimensions; targets have their type
static LogicalResult checkTargets(Loc loc, Value logits, Value targets, int64_t rank) {
  RankedTensorType type = tensorOf(logits);
  if (!type || type.getRank() < rank)
    return emitOptionalError(loc, "logits must have at least ", rank, " dimensions, got ",
                             logits.getType());
  if (targets.getType() != type)
    return emitOptionalError(loc, "targets must have the type of the logits, ", type, ", got ",
                             targets.getType());
  return success();
}

// (C1) logits have >= 2 dimensions   (C2) targets have their type
// (C3) upstream is a scalar of their element type
LogicalResult DenseSoftmaxCrossEntropyOp::inferReturnTypes(MLIRContext *, Loc loc, Adaptor adaptor,
                                                           Types &types) {
  if (failed(checkTargets(loc, adaptor.getLogits(), adaptor.getTargets(), 2)))
    return failure();
  types.push_back(tensorOf(adaptor.getLogits()).clone(ArrayRef<int64_t>()));
  return success();
}
LogicalResult DenseSoftmaxCrossEntropyGradOp::inferReturnTypes(MLIRContext *, Loc loc,
                                                               Adaptor adaptor, Types &types) {
  if (failed(checkTargets(loc, adaptor.getLogits(), adaptor.getTargets(), 2)))
    return failure();
  return inferGradient(loc, adaptor.getLogits(), adaptor.getUpstream(), types);
}

// (C1) targets have the logits' type
LogicalResult SigmoidCrossEntropyOp::inferReturnTypes(MLIRContext *, Loc loc, Adaptor adaptor,
                                                      Types &types) {
  if (failed(checkTargets(loc, adaptor.getLogits(), adaptor.getTargets(), 0)))
    return failure();
  types.push_back(tensorOf(adaptor.getLogits()).clone(ArrayRef<int64_t>()));
  return success();
}

//===------------------------------------------------------------------------------------------===//
// Constraints
//===------------------------------------------------------------------------------------------===//

// (C1) at least one dimension
static LogicalResult verifyLastDimension(Operation *op) {
  if (tensorOf(op->getOperand(0)).getRank() >= 1)
    return success();
  return op->emitOpError() << "operand must have at least one dimension, got "
                           << op->getOperand(0).getType();
}

LogicalResult SoftmaxOp::verify() { return verifyLastDimension(*this); }
LogicalResult LogSoftmaxOp::verify() { return verifyLastDimension(*this); }

//===------------------------------------------------------------------------------------------===//
// Decompositions
//===------------------------------------------------------------------------------------------===//

Values SoftmaxOp::decompose(OpBuilder &builder) {
  ExpansionBuilder e{builder, getLoc()};
  return {e.softmax(getOperand())};
}

Values LogSoftmaxOp::decompose(OpBuilder &builder) {
  ExpansionBuilder e{builder, getLoc()};
  Value z = e.shifted(getOperand());
  return {e.make<SubtractOp>(z, e.broadcast(e.logOfSum(z), getType().getShape()))};
}

Values SoftmaxCrossEntropyOp::decompose(OpBuilder &builder) {
  ExpansionBuilder e{builder, getLoc()};
  Value z = e.shifted(getLogits());
  Value log = e.logOfSum(z);
  return {e.meanOfAll(e.make<SubtractOp>(log, e.pick(z, getLabels())))};
}

Values SoftmaxCrossEntropyGradOp::decompose(OpBuilder &builder) {
  ExpansionBuilder e{builder, getLoc()};
  RankedTensorType type = typeOf(getLogits());
  Value p = e.softmax(getLogits());
  Value target = e.convert(e.hitMask(getLabels(), type.getShape()), type.getElementType());
  Value samples = e.splat(getUpstream().getType(), double(typeOf(getLabels()).getNumElements()));
  Value scale = e.make<DivideOp>(getUpstream(), samples);
  return {e.make<MultiplyOp>(e.make<SubtractOp>(p, target), e.broadcast(scale, type.getShape()))};
}

Values DenseSoftmaxCrossEntropyOp::decompose(OpBuilder &builder) {
  ExpansionBuilder e{builder, getLoc()};
  RankedTensorType type = typeOf(getLogits());
  Value z = e.shifted(getLogits());
  Value surprise = e.make<SubtractOp>(e.broadcast(e.logOfSum(z), type.getShape()), z);
  Value loss = e.overLast(/*max=*/false, e.make<MultiplyOp>(getTargets(), surprise));
  return {e.meanOfAll(loss)};
}

Values DenseSoftmaxCrossEntropyGradOp::decompose(OpBuilder &builder) {
  ExpansionBuilder e{builder, getLoc()};
  RankedTensorType type = typeOf(getLogits());
  Value p = e.softmax(getLogits()), sum = e.overLast(/*max=*/false, getTargets());
  Value change =
      e.make<SubtractOp>(e.make<MultiplyOp>(p, e.broadcast(sum, type.getShape())), getTargets());
  Value samples = e.splat(getUpstream().getType(), double(typeOf(sum).getNumElements()));
  return {e.make<MultiplyOp>(
      change, e.broadcast(e.make<DivideOp>(getUpstream(), samples), type.getShape()))};
}

Values SigmoidCrossEntropyOp::decompose(OpBuilder &builder) {
  ExpansionBuilder e{builder, getLoc()};
  Value x = getLogits(), zero = e.splat(x.getType(), 0), one = e.splat(x.getType(), 1);
  Value line = e.make<SubtractOp>(e.make<MaximumOp>(x, zero), e.make<MultiplyOp>(x, getTargets()));
  Value bend =
      e.make<LogOp>(e.make<AddOp>(one, e.make<ExponentialOp>(e.make<NegateOp>(e.make<AbsOp>(x)))));
  return {e.meanOfAll(e.make<AddOp>(line, bend))};
}

Values NllLossOp::decompose(OpBuilder &builder) {
  ExpansionBuilder e{builder, getLoc()};
  return {e.make<NegateOp>(e.meanOfAll(e.pick(getLogProbabilities(), getLabels())))};
}

//===------------------------------------------------------------------------------------------===//
// Gradients
//===------------------------------------------------------------------------------------------===//

// With p the result: dx = p (g - sum(g p))
void SoftmaxOp::buildGradient(OpBuilder &builder, ValueRange g, NeededGradients, Gradients result) {
  GradientBuilder make(builder, *this);
  Value inner = make.subtract(g[0], make.rowSums(make.multiply(g[0], getResult())));
  result[0] = make.multiply(inner, getResult());
}

// With exp(result) the softmax: dx = g - softmax sum(g)
void LogSoftmaxOp::buildGradient(OpBuilder &builder, ValueRange g, NeededGradients,
                                 Gradients result) {
  GradientBuilder make(builder, *this);
  Value softmax = ExponentialOp::create(builder, getLoc(), getResult());
  result[0] = make.subtract(g[0], make.multiply(softmax, make.rowSums(g[0])));
}

void SoftmaxCrossEntropyOp::buildGradient(OpBuilder &builder, ValueRange g, NeededGradients needed,
                                          Gradients result) {
  if (needed[0])
    result[0] =
        SoftmaxCrossEntropyGradOp::create(builder, getLoc(), getLogits(), getLabels(), g[0]);
}

// By the targets: -log_softmax(logits) g / batch
void DenseSoftmaxCrossEntropyOp::buildGradient(OpBuilder &builder, ValueRange g,
                                               NeededGradients needed, Gradients result) {
  if (needed[0])
    result[0] =
        DenseSoftmaxCrossEntropyGradOp::create(builder, getLoc(), getLogits(), getTargets(), g[0]);
  if (!needed[1])
    return;
  GradientBuilder make(builder, *this);
  RankedTensorType type = typeOf(getLogits());
  Value share = make.divide(
      g[0], make.splat(g[0].getType(), double(type.getNumElements() / type.getShape().back())));
  Value logs = LogSoftmaxOp::create(builder, getLoc(), getLogits());
  result[1] = make.multiply(logs, make.broadcast(make.negate(share), type, {}));
}

// Elementwise, of what is kept anyway.
void SigmoidCrossEntropyOp::buildGradient(OpBuilder &builder, ValueRange g, NeededGradients needed,
                                          Gradients result) {
  GradientBuilder make(builder, *this);
  Type type = getLogits().getType();
  Value share = make.broadcast(
      make.divide(g[0], make.splat(g[0].getType(), double(count(getLogits())))), type, {});
  if (needed[0])
    result[0] = make.multiply(
        make.subtract(LogisticOp::create(builder, getLoc(), getLogits()), getTargets()), share);
  if (needed[1])
    result[1] = make.multiply(make.negate(getLogits()), share);
}

// -g / batch at the label's place
void NllLossOp::buildGradient(OpBuilder &builder, ValueRange g, NeededGradients needed,
                              Gradients result) {
  if (!needed[0])
    return;
  GradientBuilder make(builder, *this);
  Type type = getLogProbabilities().getType();
  Value share = make.divide(g[0], make.splat(g[0].getType(), typeOf(getLabels()).getNumElements()));
  Value places = OneHotOp::create(builder, getLoc(), type, getLabels());
  result[0] = make.multiply(places, make.broadcast(make.negate(share), type, {}));
}

//===------------------------------------------------------------------------------------------===//
// What libraries and passes ask
//===------------------------------------------------------------------------------------------===//

Value SoftmaxCrossEntropyOp::getLabelValue() { return getLabels(); }
int64_t SoftmaxCrossEntropyOp::getNumClasses() {
  return cast<RankedTensorType>(getLogits().getType()).getShape().back();
}
Value NllLossOp::getLabelValue() { return getLabels(); }
int64_t NllLossOp::getNumClasses() {
  return cast<RankedTensorType>(getLogProbabilities().getType()).getShape().back();
}

//===------------------------------------------------------------------------------------------===//
// Costs
//===------------------------------------------------------------------------------------------===//

uint64_t SoftmaxOp::getFlops() { return 5 * count(getResult()); } // max, subtract, exp, sum, divide
// max, subtract, exp, sum, subtract
uint64_t LogSoftmaxOp::getFlops() { return 5 * count(getResult()); }
uint64_t SoftmaxCrossEntropyOp::getFlops() {
  return 4 * count(getLogits()) + 4 * count(getLabels());
}
uint64_t SoftmaxCrossEntropyGradOp::getFlops() { return 7 * count(getLogits()); }
uint64_t DenseSoftmaxCrossEntropyOp::getFlops() { return 6 * count(getLogits()); }
uint64_t DenseSoftmaxCrossEntropyGradOp::getFlops() { return 9 * count(getLogits()); }
uint64_t SigmoidCrossEntropyOp::getFlops() { return 8 * count(getLogits()); }
uint64_t NllLossOp::getFlops() { return 2 * count(getLabels()); }
