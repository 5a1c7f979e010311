//===- SliceOps.cpp - parts of tensors --------------------------------------------------------===//
#include "dialects/graph/ops/ConstantFolding.h"
#include "dialects/graph/ops/ExpansionBuilder.h"

using namespace mlir;
using namespace graphc::graph;

#define GET_OP_CLASSES
#include "dialects/graph/ops/SliceOps.cpp.inc"

void graphc::graph::registerSliceOps(GraphDialect &dialect) {
  addCheckedOperations<
#define GET_OP_LIST
#include "dialects/graph/ops/SliceOps.cpp.inc"
      >(dialect);
}

//===------------------------------------------------------------------------------------------===//
// Types
//===------------------------------------------------------------------------------------------===//

// (C1) one entry a dimension   (C2) 0 <= start < limit <= size, stride >= 1
LogicalResult SliceOp::inferReturnTypes(MLIRContext *, Loc loc, Adaptor adaptor, Types &types) {
  RankedTensorType type = tensorOf(adaptor.getOperand());
  if (!type)
    return emitOptionalError(loc, "expected a ranked tensor, got ", adaptor.getOperand().getType());
  ArrayRef<int64_t> starts = adaptor.getStartIndices(), limits = adaptor.getLimitIndices(),
                    strides = adaptor.getStrides();
  size_t rank = size_t(type.getRank());
  if (starts.size() != rank || limits.size() != rank || strides.size() != rank)
    return emitOptionalError(
        loc, "start_indices, limit_indices and strides must have one entry for each of the ", rank,
        " dimensions of the operand, got ", starts.size(), ", ", limits.size(), " and ",
        strides.size());
  SmallVector<int64_t> shape;
  for (auto [i, size] : llvm::enumerate(type.getShape())) {
    if (starts[i] < 0 || starts[i] >= limits[i] || limits[i] > size)
      return emitOptionalError(loc, "slice of dimension ", i,
                               " must begin at 0 or later, before it ends, and end at ", size,
                               " or earlier, got ", starts[i], " to ", limits[i]);
    if (strides[i] < 1)
      return emitOptionalError(loc, "stride of dimension ", i, " must be 1 or more, got ",
                               strides[i]);
    shape.push_back((limits[i] - starts[i] - 1) / strides[i] + 1);
  }
  types.push_back(type.clone(shape));
  return success();
}

// (C1) one operand or more, of the same element type and rank
// (C2) dimension is one of theirs, the others are equal
LogicalResult ConcatenateOp::inferReturnTypes(MLIRContext *, Loc loc, Adaptor adaptor,
                                              Types &types) {
  if (adaptor.getInputs().empty())
    return emitOptionalError(loc, "expected at least one operand");
  RankedTensorType first = tensorOf(adaptor.getInputs().front());
  int64_t dimension = adaptor.getDimension();
  if (!first || dimension < 0 || dimension >= first.getRank())
    return emitOptionalError(loc, "dimension ", dimension,
                             " is not one of the operands', the first of which is ",
                             adaptor.getInputs().front().getType());
  SmallVector<int64_t> shape(first.getShape());
  int64_t total = 0;
  for (Value input : adaptor.getInputs()) {
    RankedTensorType type = tensorOf(input);
    if (type && type.getRank() == first.getRank())
      shape[dimension] = type.getDimSize(dimension);
    if (!type || type != first.clone(shape))
      return emitOptionalError(
          loc, "operands must have the same element type and, but for dimension ", dimension,
          ", the same sizes, got ", first, " and ", input.getType());
    total += shape[dimension];
  }
  shape[dimension] = total;
  types.push_back(first.clone(shape));
  return success();
}

//===------------------------------------------------------------------------------------------===//
// Folds
//===------------------------------------------------------------------------------------------===//

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
  int64_t first = op.getStartIndices()[dimension], limit = op.getLimitIndices()[dimension],
          begin = 0;
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
      llvm::append_range(all,
                         elements.slice(row * (elements.size() / rows), elements.size() / rows));
  return DenseElementsAttr::get(type, all);
}

/// The slice that two neighbouring ones of one value make together along `dimension`; null where
/// they do not.
static Value mergeSlices(PatternRewriter &rewriter, SliceOp first, SliceOp second,
                         uint64_t dimension) {
  if (!first || !second || first.getOperand() != second.getOperand() ||
      first.getStrides() != second.getStrides() || first.getStrides()[dimension] != 1 ||
      first.getLimitIndices()[dimension] != second.getStartIndices()[dimension])
    return {};
  for (uint64_t i = 0; i < first.getStrides().size(); ++i)
    if (i != dimension && (first.getStartIndices()[i] != second.getStartIndices()[i] ||
                           first.getLimitIndices()[i] != second.getLimitIndices()[i]))
      return {};
  SmallVector<int64_t> limits(first.getLimitIndices());
  limits[dimension] = second.getLimitIndices()[dimension];
  auto merged = SliceOp::create(rewriter, second.getLoc(), first.getOperand(),
                                first.getStartIndices(), limits, first.getStrides());
  setDevice(merged, getDevice(first));
  return merged;
}

/// One that stands in another along the same dimension is taken apart; neighbouring slices of one
/// value become one.
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
      merged =
          mergeSlices(rewriter, inputs.back().getDefiningOp<SliceOp>(), slice, op.getDimension());
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

//===------------------------------------------------------------------------------------------===//
// Loops
//===------------------------------------------------------------------------------------------===//

Nests SliceOp::getLoopNests() {
  SmallVector<AffineExpr> place;
  for (auto [i, start, stride] : llvm::enumerate(getStartIndices(), getStrides()))
    place.push_back(getAffineDimExpr(unsigned(i), getContext()) * stride + start);
  return moveFrom(*this, place);
}

Results SliceOp::buildBody(OpBuilder &, Elements x, Elements, IndexOf) { return {x[0]}; }

std::optional<int64_t> SliceOp::getViewOffset() {
  RankedTensorType from = typeOf(getOperand()), to = getType();
  int64_t offset = 0, step = getElementBytes(from.getElementType());
  bool whole = true; // all dimensions so far, from the last one
  for (int64_t i = from.getRank(); i-- > 0; step *= from.getDimSize(i)) {
    if (to.getDimSize(i) > 1 && (getStrides()[i] != 1 || !whole))
      return std::nullopt;
    offset += getStartIndices()[i] * step;
    whole &= to.getDimSize(i) == from.getDimSize(i);
  }
  return offset;
}

/// One nest an operand: its elements go to their place in the result.
Nests ConcatenateOp::getLoopNests() {
  int64_t rank = getType().getRank(), begin = 0;
  AffineMap identity = getIdentity(rank, getContext());
  Nests nests;
  for (auto [i, input] : llvm::enumerate(getInputs())) {
    LoopNest &nest = nests.emplace_back(getParallelNest(rank));
    nest.reads = {{unsigned(i), identity}};
    SmallVector<AffineExpr> place(identity.getResults());
    place[getDimension()] = place[getDimension()] + begin;
    nest.writes = {getMap(size_t(rank), place, getContext())};
    begin += typeOf(input).getDimSize(unsigned(getDimension()));
  }
  return nests;
}

Results ConcatenateOp::buildBody(OpBuilder &, Elements x, Elements, IndexOf) { return {x[0]}; }

//===------------------------------------------------------------------------------------------===//
// Decompositions
//===------------------------------------------------------------------------------------------===//

/// Many small operands are put together in runs of equal length first: equal kernels of few buffers
/// instead of one kernel with an argument each. What has been copied once more lies in the cache;
/// large operands go to their place at once where a kernel can take so many.
Values ConcatenateOp::decompose(OpBuilder &builder) {
  constexpr size_t kMostOperands = 256, kRun = 32, kMostArguments = 1000; // kernels take 1,024
  constexpr int64_t kCached = 64 << 10; // bytes
  ExpansionBuilder e{builder, getLoc()};
  Values inputs(getInputs());
  if (inputs.size() <= kMostOperands)
    return {};
  size_t before;
  do {
    before = inputs.size();
    Values joined;
    for (ArrayRef<Value> rest = inputs; !rest.empty();) {
      ArrayRef<Value> run = rest.take_front(kRun);
      rest = rest.drop_front(run.size());
      int64_t bytes = 0;
      for (Value input : run)
        bytes += getByteSize(typeOf(input));
      if (run.size() > 1 && (bytes <= kCached || inputs.size() > kMostArguments))
        joined.push_back(e.make<ConcatenateOp>(run, getDimension()));
      else
        llvm::append_range(joined, run);
    }
    inputs = std::move(joined);
  } while (inputs.size() > kMostOperands && inputs.size() < before);
  if (inputs.size() == getInputs().size())
    return {};
  return {e.make<ConcatenateOp>(inputs, getDimension())};
}

//===------------------------------------------------------------------------------------------===//
// Gradients
//===------------------------------------------------------------------------------------------===//

// Zeros for what was left out: between the elements where a stride skipped them, and at both ends.
void SliceOp::buildGradient(OpBuilder &builder, ValueRange g, NeededGradients, Gradients result) {
  SmallVector<int64_t> high, interior;
  for (int64_t i = 0; i < getType().getRank(); ++i) {
    const int64_t covered = (getType().getDimSize(i) - 1) * getStrides()[i] + 1;
    high.push_back(typeOf(getOperand()).getDimSize(i) - getStartIndices()[i] - covered);
    interior.push_back(getType().getDimSize(i) > 1 ? getStrides()[i] - 1 : 0);
  }
  Value zero = GradientBuilder(builder, *this).splat(getType().clone(ArrayRef<int64_t>()), 0);
  result[0] = PadOp::create(builder, getLoc(), g[0], zero, getStartIndices(), high, interior);
}

void ConcatenateOp::buildGradient(OpBuilder &builder, ValueRange g, NeededGradients needed,
                                  Gradients result) {
  SmallVector<int64_t> starts(getType().getRank(), 0), limits(getType().getShape()),
      ones(getType().getRank(), 1);
  for (auto [i, input] : llvm::enumerate(getInputs())) {
    starts[getDimension()] = i ? limits[getDimension()] : 0;
    limits[getDimension()] = starts[getDimension()] + typeOf(input).getDimSize(getDimension());
    if (needed[i])
      result[i] = SliceOp::create(builder, getLoc(), g[0], starts, limits, ones);
  }
}

//===------------------------------------------------------------------------------------------===//
// Costs
//===------------------------------------------------------------------------------------------===//

uint64_t SliceOp::getFlops() { return 0; }
uint64_t ConcatenateOp::getFlops() { return 0; }
