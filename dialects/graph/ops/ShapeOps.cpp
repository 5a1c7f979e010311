//===- ShapeOps.cpp - constants, and the same elements in another shape -----------------------===//
#include "dialects/graph/ops/ConstantFolding.h"
#include "dialects/graph/ops/ExpansionBuilder.h"

using namespace mlir;
using namespace graphc::graph;

#define GET_OP_CLASSES
#include "dialects/graph/ops/ShapeOps.cpp.inc"

void graphc::graph::registerShapeOps(GraphDialect &dialect) {
  addCheckedOperations<
#define GET_OP_LIST
#include "dialects/graph/ops/ShapeOps.cpp.inc"
      >(dialect);
}

//===------------------------------------------------------------------------------------------===//
// Types
//===------------------------------------------------------------------------------------------===//

LogicalResult ConstantOp::inferReturnTypes(MLIRContext *, Loc, Adaptor adaptor, Types &types) {
  types.push_back(adaptor.getValue().getType());
  return success();
}

// (C1) permutation names each dimension once
LogicalResult TransposeOp::inferReturnTypes(MLIRContext *, Loc loc, Adaptor adaptor, Types &types) {
  RankedTensorType type = tensorOf(adaptor.getOperand());
  if (!type)
    return emitOptionalError(loc, "expected a ranked tensor, got ", adaptor.getOperand().getType());
  ArrayRef<int64_t> permutation = adaptor.getPermutation();
  llvm::SmallBitVector seen(type.getRank());
  SmallVector<int64_t> shape;
  for (int64_t dimension : permutation) {
    if (dimension < 0 || dimension >= type.getRank() || seen[dimension])
      return emitOptionalError(loc, "permutation must name each of the ", type.getRank(),
                               " dimensions of the operand once, got ", permutation);
    seen.set(dimension);
    shape.push_back(type.getDimSize(dimension));
  }
  if (!seen.all())
    return emitOptionalError(loc, "permutation must name each of the ", type.getRank(),
                             " dimensions of the operand once, got ", permutation);
  types.push_back(type.clone(shape));
  return success();
}

//===------------------------------------------------------------------------------------------===//
// Constraints
//===------------------------------------------------------------------------------------------===//

// (C1) dimension is one of the result's
LogicalResult IotaOp::verify() {
  RankedTensorType type = tensorOf(getResult());
  if (int64_t(getDimension()) >= type.getRank())
    return emitOpError() << "dimension " << getDimension()
                         << " is not one of the result's, which is " << type;
  return success();
}

static LogicalResult verifySameElement(Operation *op, Value operand, Value result) {
  if (tensorOf(operand).getElementType() == tensorOf(result).getElementType())
    return success();
  return op->emitOpError() << "operand and result must have the same element type, got "
                           << operand.getType() << " and " << result.getType();
}

// (C1) same element type   (C2) same number of elements
LogicalResult ReshapeOp::verify() {
  if (failed(verifySameElement(*this, getOperand(), getResult())))
    return failure();
  int64_t from = tensorOf(getOperand()).getNumElements(),
          to = tensorOf(getResult()).getNumElements();
  if (from != to)
    return emitOpError() << "operand and result must have the same number of elements, got " << from
                         << " and " << to;
  return success();
}

// (C1) same element type
// (C2) broadcast_dimensions: one entry a dimension, strictly increasing, the result's
// (C3) each dimension is 1 or as long as the result's
LogicalResult BroadcastInDimOp::verify() {
  if (failed(verifySameElement(*this, getOperand(), getResult())))
    return failure();
  RankedTensorType from = tensorOf(getOperand()), to = tensorOf(getResult());
  ArrayRef<int64_t> dimensions = getBroadcastDimensions();
  if (int64_t(dimensions.size()) != from.getRank())
    return emitOpError() << "broadcast_dimensions must have one entry for each of the "
                         << from.getRank() << " dimensions of the operand, got "
                         << dimensions.size();
  int64_t previous = -1;
  for (auto [index, dimension] : llvm::enumerate(dimensions)) {
    if (dimension <= previous || dimension >= to.getRank())
      return emitOpError()
             << "broadcast_dimensions must be strictly increasing and less than the rank "
             << to.getRank() << " of the result, got [" << dimensions << "]";
    int64_t size = from.getDimSize(index);
    if (size != 1 && size != to.getDimSize(dimension))
      return emitOpError() << "dimension " << index << " of the operand must be 1 or "
                           << to.getDimSize(dimension) << " as dimension " << dimension
                           << " of the result is, got " << size;
    previous = dimension;
  }
  return success();
}

// (C1) the result's leading dimensions are those of the indices
LogicalResult OneHotOp::verify() {
  RankedTensorType indices = tensorOf(getIndices()), result = tensorOf(getResult());
  if (result.getRank() != indices.getRank() + 1 ||
      result.getShape().drop_back() != indices.getShape())
    return emitOpError() << "result must have the shape of the indices and one more dimension, got "
                         << indices << " and " << result;
  return success();
}

//===------------------------------------------------------------------------------------------===//
// Folds
//===------------------------------------------------------------------------------------------===//

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  if (getOperand().getType() == getType())
    return getOperand();
  if (auto constant = dyn_cast_or_null<DenseElementsAttr>(adaptor.getOperand()))
    return constant.reshape(cast<ShapedType>(getType()));
  if (auto inner = getOperand().getDefiningOp<ReshapeOp>()) {
    getOperandMutable().assign(inner.getOperand());
    return getResult();
  }
  return {};
}

OpFoldResult TransposeOp::fold(FoldAdaptor adaptor) {
  if (llvm::equal(getPermutation(), llvm::seq<int64_t>(0, getPermutation().size())))
    return getOperand();
  auto constant = dyn_cast_or_null<DenseElementsAttr>(adaptor.getOperand());
  if (constant && constant.isSplat())
    return constant.resizeSplat(cast<ShapedType>(getType()));
  if (auto inner = getOperand().getDefiningOp<TransposeOp>()) {
    SmallVector<int64_t> both;
    for (int64_t dimension : getPermutation())
      both.push_back(inner.getPermutation()[dimension]);
    getOperandMutable().assign(inner.getOperand());
    setPermutation(both);
    return getResult();
  }
  return {};
}

// Where it moves dimensions of size 1 alone, no element moves.
LogicalResult TransposeOp::canonicalize(TransposeOp op, PatternRewriter &rewriter) {
  auto moved = llvm::filter_to_vector(op.getPermutation(), [&](int64_t dimension) {
    return typeOf(op.getOperand()).getDimSize(unsigned(dimension)) != 1;
  });
  if (!llvm::is_sorted(moved))
    return failure();
  auto reshape = rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), op.getOperand());
  if (DeviceAttr device = getDevice(op))
    setDevice(reshape, device);
  return success();
}

OpFoldResult BroadcastInDimOp::fold(FoldAdaptor adaptor) {
  // Same shape: the dimensions are strictly increasing, so each stays where it is.
  if (getOperand().getType() == getType())
    return getOperand();
  auto constant = dyn_cast_or_null<DenseElementsAttr>(adaptor.getOperand());
  if (constant && constant.isSplat())
    return constant.resizeSplat(cast<ShapedType>(getType()));
  if (auto inner = getOperand().getDefiningOp<BroadcastInDimOp>()) {
    SmallVector<int64_t> both;
    for (int64_t dimension : inner.getBroadcastDimensions())
      both.push_back(getBroadcastDimensions()[dimension]);
    getOperandMutable().assign(inner.getOperand());
    setBroadcastDimensions(both);
    return getResult();
  }
  return {};
}

//===------------------------------------------------------------------------------------------===//
// Loops
//===------------------------------------------------------------------------------------------===//

/// Where all elements are one; others are memory.
Nests ConstantOp::getLoopNests() {
  return isa<SplatElementsAttr>(getValue()) ? Nests{getElementwiseNest(*this)} : Nests();
}
Results ConstantOp::buildBody(OpBuilder &builder, Elements, Elements, IndexOf) {
  auto value = cast<TypedAttr>(cast<SplatElementsAttr>(getValue()).getSplatValue<Attribute>());
  return {arith::ConstantOp::create(builder, getLoc(), getScalarAttr(value))};
}

Results IotaOp::buildBody(OpBuilder &builder, Elements, Elements, IndexOf index) {
  Type element = getType().getElementType();
  Value place = index(unsigned(getDimension()));
  if (!isa<FloatType>(element))
    return {builder.createOrFold<arith::IndexCastOp>(getLoc(), element, place)};
  Value whole = builder.createOrFold<arith::IndexCastOp>(getLoc(), builder.getI64Type(), place);
  return {builder.createOrFold<arith::SIToFPOp>(getLoc(), element, whole)};
}

/// One that only adds or drops dimensions of size 1; others are views.
static bool isUnitReshape(ReshapeOp op) {
  auto squeeze = [](Value value) {
    return llvm::filter_to_vector(typeOf(value).getShape(), [](int64_t size) { return size != 1; });
  };
  return squeeze(op.getOperand()) == squeeze(op.getResult());
}

Nests ReshapeOp::getLoopNests() {
  if (!isUnitReshape(*this))
    return {};
  SmallVector<AffineExpr> kept, place;
  for (auto [i, size] : llvm::enumerate(typeOf(getResult()).getShape()))
    if (size != 1)
      kept.push_back(getAffineDimExpr(unsigned(i), getContext()));
  size_t next = 0;
  for (int64_t size : typeOf(getOperand()).getShape())
    place.push_back(size == 1 ? getAffineConstantExpr(0, getContext()) : kept[next++]);
  return moveFrom(*this, place);
}

Results ReshapeOp::buildBody(OpBuilder &, Elements x, Elements, IndexOf) { return {x[0]}; }
std::optional<int64_t> ReshapeOp::getViewOffset() {
  return isUnitReshape(*this) ? std::nullopt : std::optional<int64_t>(0);
}

Nests TransposeOp::getLoopNests() {
  SmallVector<AffineExpr> place(size_t(getType().getRank()));
  for (auto [i, dimension] : llvm::enumerate(getPermutation()))
    place[size_t(dimension)] = getAffineDimExpr(unsigned(i), getContext());
  return moveFrom(*this, place);
}

Results TransposeOp::buildBody(OpBuilder &, Elements x, Elements, IndexOf) { return {x[0]}; }

Nests BroadcastInDimOp::getLoopNests() {
  SmallVector<AffineExpr> place;
  for (auto [i, dimension] : llvm::enumerate(getBroadcastDimensions()))
    place.push_back(typeOf(getOperand()).getDimSize(i) == 1
                        ? getAffineConstantExpr(0, getContext())
                        : getAffineDimExpr(unsigned(dimension), getContext()));
  return moveFrom(*this, place);
}

Results BroadcastInDimOp::buildBody(OpBuilder &, Elements x, Elements, IndexOf) { return {x[0]}; }

//===------------------------------------------------------------------------------------------===//
// Decompositions
//===------------------------------------------------------------------------------------------===//

Values StopGradientOp::decompose(OpBuilder &) { return {getOperand()}; }

Values OneHotOp::decompose(OpBuilder &builder) {
  RankedTensorType type = getType();
  ExpansionBuilder e{builder, getLoc()};
  return {e.convert(e.hitMask(getIndices(), type.getShape()), type.getElementType())};
}

//===------------------------------------------------------------------------------------------===//
// Gradients
//===------------------------------------------------------------------------------------------===//

void StopGradientOp::buildGradient(OpBuilder &, ValueRange, NeededGradients, Gradients) {}

void ReshapeOp::buildGradient(OpBuilder &builder, ValueRange g, NeededGradients, Gradients result) {
  result[0] = GradientBuilder(builder, *this).reshape(g[0], getOperand().getType());
}

void TransposeOp::buildGradient(OpBuilder &builder, ValueRange g, NeededGradients,
                                Gradients result) {
  SmallVector<int64_t> inverse(getPermutation().size());
  for (auto [to, from] : llvm::enumerate(getPermutation()))
    inverse[from] = to;
  result[0] = TransposeOp::create(builder, getLoc(), g[0], inverse);
}

// What was repeated is summed.
void BroadcastInDimOp::buildGradient(OpBuilder &builder, ValueRange g, NeededGradients,
                                     Gradients result) {
  GradientBuilder make(builder, *this);
  RankedTensorType from = typeOf(getOperand()), to = typeOf(getResult());
  SmallVector<int64_t> repeated;
  for (int64_t i = 0; i < to.getRank(); ++i) {
    const int64_t *place = llvm::find(getBroadcastDimensions(), i);
    bool isNew = place == getBroadcastDimensions().end();
    if (isNew || from.getDimSize(place - getBroadcastDimensions().begin()) != to.getDimSize(i))
      repeated.push_back(i);
  }
  Value sum = repeated.empty() ? g[0] : make.sum(g[0], repeated);
  result[0] = sum.getType() == from ? sum : make.reshape(sum, from);
}

//===------------------------------------------------------------------------------------------===//
// Costs
//===------------------------------------------------------------------------------------------===//

uint64_t StopGradientOp::getFlops() { return 0; }
uint64_t ConstantOp::getFlops() { return 0; }
uint64_t IotaOp::getFlops() { return 0; }
uint64_t ReshapeOp::getFlops() { return 0; }
uint64_t TransposeOp::getFlops() { return 0; }
uint64_t BroadcastInDimOp::getFlops() { return 0; }
uint64_t OneHotOp::getFlops() { return 0; }
