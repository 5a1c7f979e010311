//===- GraphShapeFolds.cpp - folds of constants and of ops that move elements ---------------------------------===//
//
// Bit exact, as those of GraphFolds.cpp are.
//
//===----------------------------------------------------------------------------------------------------------===//
#include "dialects/graph/GraphDialect.h"
#include "dialects/graph/GraphFolds.h"

#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace graphc::graph;

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

/// The elements of a foldable constant in row-major order, whatever their kind.
static void appendElements(DenseElementsAttr value, SmallVectorImpl<Attribute> &elements) {
  llvm::append_range(elements, value.getValues<Attribute>());
}

OpFoldResult SliceOp::fold(FoldAdaptor adaptor) {
  if (getOperand().getType() == getType())
    return getOperand();
  auto type = cast<RankedTensorType>(getType());
  auto constant = dyn_cast_or_null<DenseElementsAttr>(adaptor.getOperand());
  if (constant && constant.isSplat())
    return constant.resizeSplat(type);
  if (isFoldable(constant)) {
    auto from = cast<RankedTensorType>(getOperand().getType());
    SmallVector<Attribute> elements, kept;
    appendElements(constant, elements);
    for (int64_t i = 0; i < type.getNumElements(); ++i) {
      int64_t rest = i, place = 0, step = 1;
      for (int64_t dimension = type.getRank(); dimension-- > 0;) {
        int64_t index = rest % type.getDimSize(dimension);
        place += (getStartIndices()[dimension] + index * getStrides()[dimension]) * step;
        rest /= type.getDimSize(dimension);
        step *= from.getDimSize(dimension);
      }
      kept.push_back(elements[place]);
    }
    return DenseElementsAttr::get(type, kept);
  }
  auto inner = getOperand().getDefiningOp<SliceOp>();
  if (!inner)
    return {};
  SmallVector<int64_t> starts, limits, strides;
  for (int64_t i = 0; i < type.getRank(); ++i) {
    starts.push_back(inner.getStartIndices()[i] + getStartIndices()[i] * inner.getStrides()[i]);
    strides.push_back(getStrides()[i] * inner.getStrides()[i]);
    limits.push_back(starts[i] + (type.getDimSize(i) - 1) * strides[i] + 1);
  }
  getOperandMutable().assign(inner.getOperand());
  setStartIndices(starts);
  setLimitIndices(limits);
  setStrides(strides);
  return getResult();
}

/// A slice that lies in one operand of a concatenation is one of that operand.
LogicalResult SliceOp::canonicalize(SliceOp op, PatternRewriter &rewriter) {
  auto concatenate = op.getOperand().getDefiningOp<ConcatenateOp>();
  if (!concatenate)
    return failure();
  uint64_t dimension = concatenate.getDimension();
  int64_t first = op.getStartIndices()[dimension], limit = op.getLimitIndices()[dimension], begin = 0;
  for (Value input : concatenate.getInputs()) {
    int64_t end = begin + cast<RankedTensorType>(input.getType()).getDimSize(dimension);
    if (first < begin || limit > end) {
      begin = end;
      continue;
    }
    SmallVector<int64_t> starts(op.getStartIndices()), limits(op.getLimitIndices());
    starts[dimension] -= begin;
    limits[dimension] -= begin;
    rewriter.modifyOpInPlace(op, [&] {
      op.getOperandMutable().assign(input);
      op.setStartIndices(starts);
      op.setLimitIndices(limits);
    });
    return success();
  }
  return failure();
}

OpFoldResult ConcatenateOp::fold(FoldAdaptor adaptor) {
  if (getInputs().size() == 1)
    return getInputs().front();
  auto type = cast<RankedTensorType>(getType());
  SmallVector<DenseElementsAttr> constants;
  for (Attribute input : adaptor.getInputs()) {
    auto constant = dyn_cast_or_null<DenseElementsAttr>(input);
    if (!isFoldable(constant))
      return {};
    constants.push_back(constant);
  }
  auto isSame = [&](DenseElementsAttr other) {
    return other.isSplat() && constants.front().isSplat() &&
           other.getSplatValue<Attribute>() == constants.front().getSplatValue<Attribute>();
  };
  if (llvm::all_of(constants, isSame))
    return constants.front().resizeSplat(type);
  if (type.getNumElements() > kFoldedElements)
    return {};
  // Row by row: what lies within `dimension` and behind it is together in each operand.
  SmallVector<SmallVector<Attribute>> inputs(constants.size());
  for (auto [constant, elements] : llvm::zip_equal(constants, inputs))
    appendElements(constant, elements);
  int64_t rows = 1;
  for (int64_t size : type.getShape().take_front(getDimension()))
    rows *= size;
  SmallVector<Attribute> all;
  for (int64_t row = 0; row < rows; ++row)
    for (ArrayRef<Attribute> elements : inputs)
      llvm::append_range(all, elements.slice(row * (elements.size() / rows), elements.size() / rows));
  return DenseElementsAttr::get(type, all);
}

/// The slice that two neighbouring ones of one value make together along `dimension`; null where they do not.
static Value mergeSlices(PatternRewriter &rewriter, SliceOp first, SliceOp second, uint64_t dimension) {
  if (!first || !second || first.getOperand() != second.getOperand() || first.getStrides() != second.getStrides() ||
      first.getStrides()[dimension] != 1 || first.getLimitIndices()[dimension] != second.getStartIndices()[dimension])
    return {};
  for (uint64_t i = 0; i < first.getStrides().size(); ++i)
    if (i != dimension && (first.getStartIndices()[i] != second.getStartIndices()[i] ||
                           first.getLimitIndices()[i] != second.getLimitIndices()[i]))
      return {};
  SmallVector<int64_t> limits(first.getLimitIndices());
  limits[dimension] = second.getLimitIndices()[dimension];
  auto merged = SliceOp::create(rewriter, second.getLoc(), first.getOperand(), first.getStartIndices(), limits,
                                first.getStrides());
  setDevice(merged, getDevice(first));
  return merged;
}

/// One that stands in another along the same dimension is taken apart; neighbouring slices of one value become one.
LogicalResult ConcatenateOp::canonicalize(ConcatenateOp op, PatternRewriter &rewriter) {
  SmallVector<Value> inputs;
  bool changed = false;
  for (Value input : op.getInputs()) {
    auto inner = input.getDefiningOp<ConcatenateOp>();
    if (inner && inner.getDimension() == op.getDimension()) {
      inputs.append(inner.getInputs().begin(), inner.getInputs().end());
      changed = true;
      continue;
    }
    Value merged;
    if (auto slice = input.getDefiningOp<SliceOp>(); slice && !inputs.empty())
      merged = mergeSlices(rewriter, inputs.back().getDefiningOp<SliceOp>(), slice, op.getDimension());
    if (merged)
      inputs.back() = merged;
    else
      inputs.push_back(input);
    changed |= bool(merged);
  }
  if (!changed)
    return failure();
  rewriter.modifyOpInPlace(op, [&] { op.getInputsMutable().assign(inputs); });
  return success();
}
