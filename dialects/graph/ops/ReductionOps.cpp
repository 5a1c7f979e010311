//===- ReductionOps.cpp - many elements into one ----------------------------------------------===//
#include "dialects/graph/ops/ConstantFolding.h"
#include "dialects/graph/ops/ExpansionBuilder.h"

using namespace mlir;
using namespace graphc::graph;

#define GET_OP_CLASSES
#include "dialects/graph/ops/ReductionOps.cpp.inc"

void graphc::graph::registerReductionOps(GraphDialect &dialect) {
  addCheckedOperations<
#define GET_OP_LIST
#include "dialects/graph/ops/ReductionOps.cpp.inc"
      >(dialect);
}

//===------------------------------------------------------------------------------------------===//
// Types
//===------------------------------------------------------------------------------------------===//

// (C1) dimensions is strictly increasing, each one of the operand's
static LogicalResult inferReduction(Loc loc, Value operand, ArrayRef<int64_t> dimensions,
                                    Types &types) {
  RankedTensorType type = tensorOf(operand);
  if (!type)
    return emitOptionalError(loc, "expected a ranked tensor, got ", operand.getType());
  SmallVector<int64_t> shape;
  size_t next = 0;
  for (int64_t i = 0; i < type.getRank(); ++i) {
    if (next < dimensions.size() && dimensions[next] == i)
      ++next;
    else
      shape.push_back(type.getDimSize(i));
  }
  if (next != dimensions.size())
    return emitOptionalError(loc, "dimensions must be strictly increasing and less than the rank ",
                             type.getRank(), " of the operand, got ", dimensions);
  types.push_back(type.clone(shape));
  return success();
}

LogicalResult ReduceSumOp::inferReturnTypes(MLIRContext *, Loc loc, Adaptor adaptor, Types &types) {
  return inferReduction(loc, adaptor.getOperand(), adaptor.getDimensions(), types);
}
LogicalResult ReduceMaxOp::inferReturnTypes(MLIRContext *, Loc loc, Adaptor adaptor, Types &types) {
  return inferReduction(loc, adaptor.getOperand(), adaptor.getDimensions(), types);
}
LogicalResult ReduceMinOp::inferReturnTypes(MLIRContext *, Loc loc, Adaptor adaptor, Types &types) {
  return inferReduction(loc, adaptor.getOperand(), adaptor.getDimensions(), types);
}
LogicalResult ReduceProdOp::inferReturnTypes(MLIRContext *, Loc loc, Adaptor adaptor,
                                             Types &types) {
  return inferReduction(loc, adaptor.getOperand(), adaptor.getDimensions(), types);
}
LogicalResult ReduceAndOp::inferReturnTypes(MLIRContext *, Loc loc, Adaptor adaptor, Types &types) {
  return inferReduction(loc, adaptor.getOperand(), adaptor.getDimensions(), types);
}
LogicalResult ReduceOrOp::inferReturnTypes(MLIRContext *, Loc loc, Adaptor adaptor, Types &types) {
  return inferReduction(loc, adaptor.getOperand(), adaptor.getDimensions(), types);
}
LogicalResult ReduceMeanOp::inferReturnTypes(MLIRContext *, Loc loc, Adaptor adaptor,
                                             Types &types) {
  return inferReduction(loc, adaptor.getOperand(), adaptor.getDimensions(), types);
}

//===------------------------------------------------------------------------------------------===//
// Constraints
//===------------------------------------------------------------------------------------------===//

// (C1) dimension is one of the operand's
// (C2) the result has the others; an i32 has room for every index
LogicalResult ArgmaxOp::verify() {
  RankedTensorType type = tensorOf(getOperand()), result = tensorOf(getResult());
  int64_t dimension = getDimension();
  if (dimension >= type.getRank())
    return emitOpError() << "dimension " << dimension << " is not one of the operand's, which is "
                         << type;
  SmallVector<int64_t> shape(type.getShape());
  shape.erase(shape.begin() + dimension);
  auto of = [&](unsigned bits) {
    return RankedTensorType::get(shape, IntegerType::get(getContext(), bits));
  };
  if (result != of(32) && result != of(64))
    return emitOpError() << "result must be of type " << of(32) << " or " << of(64) << ", got "
                         << result;
  if (result == of(32) && type.getDimSize(dimension) > int64_t(1) << 31)
    return emitOpError() << "result must be of type " << of(64) << ", as dimension " << dimension
                         << " of " << type << " has indices that no i32 holds";
  return success();
}

//===------------------------------------------------------------------------------------------===//
// Folds
//===------------------------------------------------------------------------------------------===//

OpFoldResult ReduceSumOp::fold(FoldAdaptor) {
  return getDimensions().empty() ? getOperand() : Value();
}
OpFoldResult ReduceMaxOp::fold(FoldAdaptor) {
  return getDimensions().empty() ? getOperand() : Value();
}
OpFoldResult ReduceMinOp::fold(FoldAdaptor) {
  return getDimensions().empty() ? getOperand() : Value();
}
OpFoldResult ReduceProdOp::fold(FoldAdaptor) {
  return getDimensions().empty() ? getOperand() : Value();
}
OpFoldResult ReduceAndOp::fold(FoldAdaptor) {
  return getDimensions().empty() ? getOperand() : Value();
}
OpFoldResult ReduceOrOp::fold(FoldAdaptor) {
  return getDimensions().empty() ? getOperand() : Value();
}
OpFoldResult ReduceMeanOp::fold(FoldAdaptor) {
  return getDimensions().empty() ? getOperand() : Value();
}

//===------------------------------------------------------------------------------------------===//
// Loops
//===------------------------------------------------------------------------------------------===//

/// Loops in the operand's order; the result's map leaves the reduced ones away.
static Nests reduce(Value operand, ArrayRef<int64_t> dimensions) {
  MLIRContext *context = operand.getContext();
  int64_t rank = typeOf(operand).getRank();
  LoopNest nest = getParallelNest(rank);
  SmallVector<AffineExpr> kept;
  for (int64_t i = 0; i < rank; ++i) {
    if (llvm::is_contained(dimensions, i))
      nest.iterators[size_t(i)] = utils::IteratorType::reduction;
    else
      kept.push_back(getAffineDimExpr(unsigned(i), context));
  }
  nest.reads = {{0, getIdentity(rank, context)}};
  nest.writes = {getMap(size_t(rank), kept, context)};
  return {nest};
}

Nests ReduceSumOp::getLoopNests() { return reduce(getOperand(), getDimensions()); }
TypedAttr ReduceSumOp::getStart(unsigned) {
  return getStartOf(getResult(), ReductionIdentity::Zero);
}
Results ReduceSumOp::buildBody(OpBuilder &builder, Elements x, Elements old, IndexOf) {
  return {ScalarArithmetic{builder, getLoc()}.add(old[0], x[0])};
}
Nests ReduceMaxOp::getLoopNests() { return reduce(getOperand(), getDimensions()); }
TypedAttr ReduceMaxOp::getStart(unsigned) {
  return getStartOf(getResult(), ReductionIdentity::Least);
}
Results ReduceMaxOp::buildBody(OpBuilder &builder, Elements x, Elements old, IndexOf) {
  return {ScalarArithmetic{builder, getLoc()}.maximum(old[0], x[0])};
}
Nests ReduceMinOp::getLoopNests() { return reduce(getOperand(), getDimensions()); }
TypedAttr ReduceMinOp::getStart(unsigned) {
  return getStartOf(getResult(), ReductionIdentity::Largest);
}
Results ReduceMinOp::buildBody(OpBuilder &builder, Elements x, Elements old, IndexOf) {
  return {ScalarArithmetic{builder, getLoc()}.minimum(old[0], x[0])};
}

Nests ReduceProdOp::getLoopNests() { return reduce(getOperand(), getDimensions()); }
TypedAttr ReduceProdOp::getStart(unsigned) {
  return getStartOf(getResult(), ReductionIdentity::One);
}
Results ReduceProdOp::buildBody(OpBuilder &builder, Elements x, Elements old, IndexOf) {
  return {ScalarArithmetic{builder, getLoc()}.multiply(old[0], x[0])};
}
Nests ReduceAndOp::getLoopNests() { return reduce(getOperand(), getDimensions()); }
TypedAttr ReduceAndOp::getStart(unsigned) {
  return IntegerAttr::get(typeOf(getResult()).getElementType(), -1);
}
Results ReduceAndOp::buildBody(OpBuilder &builder, Elements x, Elements old, IndexOf) {
  return {arith::AndIOp::create(builder, getLoc(), old[0], x[0])};
}
Nests ReduceOrOp::getLoopNests() { return reduce(getOperand(), getDimensions()); }
TypedAttr ReduceOrOp::getStart(unsigned) {
  return getStartOf(getResult(), ReductionIdentity::Zero);
}
Results ReduceOrOp::buildBody(OpBuilder &builder, Elements x, Elements old, IndexOf) {
  return {arith::OrIOp::create(builder, getLoc(), old[0], x[0])};
}

//===------------------------------------------------------------------------------------------===//
// Decompositions
//===------------------------------------------------------------------------------------------===//

Values ReduceMeanOp::decompose(OpBuilder &builder) {
  return {ExpansionBuilder{builder, getLoc()}.mean(getOperand(), getDimensions())};
}

/// Of truth values the integer reduction of 0 and 1.
template <typename Reduction> static Values reduceTruth(OpBuilder &builder, Reduction op) {
  if (!typeOf(op.getOperand()).getElementType().isInteger(1))
    return {};
  ExpansionBuilder e{builder, op.getLoc()};
  Value numbers = e.convert(op.getOperand(), builder.getI32Type());
  return {e.convert(e.make<Reduction>(numbers, op.getDimensions()), builder.getI1Type())};
}
Values ReduceAndOp::decompose(OpBuilder &builder) { return reduceTruth(builder, *this); }
Values ReduceOrOp::decompose(OpBuilder &builder) { return reduceTruth(builder, *this); }

/// The least index whose element is the maximum; where the maximum is NaN, that of the first NaN.
Values ArgmaxOp::decompose(OpBuilder &builder) {
  ExpansionBuilder e{builder, getLoc()};
  Value x = getOperand();
  RankedTensorType type = typeOf(x), places = type.clone(getType().getElementType());
  SmallVector<int64_t> dimensions{int64_t(getDimension())}, kept;
  for (int64_t i = 0; i < type.getRank(); ++i)
    if (i != dimensions.front())
      kept.push_back(i);
  Value most = e.make<ReduceMaxOp>(x, dimensions);
  Value found = e.compare(Comparison::EQ, x, e.make<BroadcastInDimOp>(type, most, kept));
  if (isa<FloatType>(type.getElementType()))
    found = e.make<OrOp>(found, e.compare(Comparison::NE, x, x));
  unsigned width = places.getElementTypeBitWidth();
  Value none = ConstantOp::create(
      builder, getLoc(), places,
      DenseElementsAttr::get(places, IntegerAttr::get(places.getElementType(),
                                                      llvm::APInt::getSignedMaxValue(width))));
  Value candidates = e.make<SelectOp>(found, e.make<IotaOp>(places, getDimension()), none);
  return {e.make<ReduceMinOp>(candidates, dimensions)};
}

//===------------------------------------------------------------------------------------------===//
// Gradients
//===------------------------------------------------------------------------------------------===//

void ReduceSumOp::buildGradient(OpBuilder &builder, ValueRange g, NeededGradients,
                                Gradients result) {
  result[0] =
      GradientBuilder(builder, *this).unreduce(g[0], getOperand().getType(), getDimensions());
}

void ReduceMeanOp::buildGradient(OpBuilder &builder, ValueRange g, NeededGradients,
                                 Gradients result) {
  GradientBuilder make(builder, *this);
  double count =
      double(typeOf(getOperand()).getNumElements()) / typeOf(getResult()).getNumElements();
  Value share = make.divide(g[0], make.splat(getType(), count));
  result[0] = make.unreduce(share, getOperand().getType(), getDimensions());
}

/// The gradient of a maximum or minimum: elements that are equally large share.
static Value shareAmongChosen(GradientBuilder make, Value operand, Value chosen,
                              ArrayRef<int64_t> dimensions, Value g) {
  Type type = operand.getType();
  Value isChosen = make.compare(Comparison::EQ, operand, make.unreduce(chosen, type, dimensions));
  Value count = make.sum(make.convert(isChosen, typeOf(operand).getElementType()), dimensions);
  Value share = make.unreduce(make.divide(g, count), type, dimensions);
  return make.select(isChosen, share, make.splat(type, 0));
}

void ReduceMaxOp::buildGradient(OpBuilder &builder, ValueRange g, NeededGradients,
                                Gradients result) {
  result[0] = shareAmongChosen(GradientBuilder(builder, *this), getOperand(), getResult(),
                               getDimensions(), g[0]);
}
void ReduceMinOp::buildGradient(OpBuilder &builder, ValueRange g, NeededGradients,
                                Gradients result) {
  result[0] = shareAmongChosen(GradientBuilder(builder, *this), getOperand(), getResult(),
                               getDimensions(), g[0]);
}

// Without its zeros the product divided by the element, where no other is zero; the product of the
// others where the element alone is.
void ReduceProdOp::buildGradient(OpBuilder &builder, ValueRange g, NeededGradients,
                                 Gradients result) {
  GradientBuilder make(builder, *this);
  Type type = getOperand().getType(), counts = withElement(type, builder.getI32Type());
  Value zero = make.splat(type, 0), one = make.splat(type, 1);
  Value isZero = make.compare(Comparison::EQ, getOperand(), zero);
  Value numbers = make.select(isZero, one, getOperand());
  Value product = ReduceProdOp::create(builder, getLoc(), numbers, getDimensions());
  Value zeros = make.sum(make.convert(isZero, builder.getI32Type()), getDimensions());
  Value others = make.subtract(make.unreduce(zeros, counts, getDimensions()),
                               make.convert(isZero, builder.getI32Type()));
  Value share = make.unreduce(make.multiply(g[0], product), type, getDimensions());
  Value isFree = make.compare(Comparison::EQ, others, make.splat(counts, 0));
  result[0] = make.select(isFree, make.divide(share, numbers), zero);
}

//===------------------------------------------------------------------------------------------===//
// Costs
//===------------------------------------------------------------------------------------------===//

uint64_t ReduceSumOp::getFlops() { return count(getOperand()); }
uint64_t ReduceMaxOp::getFlops() { return count(getOperand()); }
uint64_t ReduceMinOp::getFlops() { return count(getOperand()); }
uint64_t ReduceProdOp::getFlops() { return count(getOperand()); }
uint64_t ReduceAndOp::getFlops() { return count(getOperand()); }
uint64_t ReduceOrOp::getFlops() { return count(getOperand()); }
uint64_t ReduceMeanOp::getFlops() { return count(getOperand()) + count(getResult()); }
uint64_t ArgmaxOp::getFlops() { return count(getOperand()); }
