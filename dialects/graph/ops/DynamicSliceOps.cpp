//===- DynamicSliceOps.cpp - boxes of elements that begin where data say ----------------------===//
#include "dialects/graph/ops/ConstantFolding.h"
#include "dialects/graph/ops/ExpansionBuilder.h"
#include "dialects/graph/ops/ExplicitLoops.h"

using namespace mlir;
using namespace graphc::graph;

#define GET_OP_CLASSES
#include "dialects/graph/ops/DynamicSliceOps.cpp.inc"

void graphc::graph::registerDynamicSliceOps(GraphDialect &dialect) {
  addCheckedOperations<
#define GET_OP_LIST
#include "dialects/graph/ops/DynamicSliceOps.cpp.inc"
      >(dialect);
}

//===------------------------------------------------------------------------------------------===//
// Types and constraints
//===------------------------------------------------------------------------------------------===//

// (C1) of both: a scalar start for each dimension, all of the same type
static LogicalResult verifyStarts(Loc loc, RankedTensorType operand, ValueRange starts) {
  if (int64_t(starts.size()) != operand.getRank())
    return emitOptionalError(loc, "expected a start for each of the ", operand.getRank(),
                             " dimensions of the operand, got ", starts.size());
  for (Value start : starts)
    if (start.getType() != starts.front().getType() || !tensorOf(start) ||
        tensorOf(start).getRank() != 0)
      return emitOptionalError(loc, "starts must be scalars, all of the same type, got ",
                               starts.front().getType(), " and ", start.getType());
  return success();
}

// (C1) a scalar start for each dimension   (C2) sizes from 1 to the operand's
LogicalResult DynamicSliceOp::inferReturnTypes(MLIRContext *, Loc loc, Adaptor adaptor,
                                               Types &types) {
  RankedTensorType type = tensorOf(adaptor.getOperand());
  if (!type)
    return emitOptionalError(loc, "expected a ranked tensor, got ", adaptor.getOperand().getType());
  if (failed(verifyStarts(loc, type, adaptor.getStartIndices())))
    return failure();
  ArrayRef<int64_t> sizes = adaptor.getSliceSizes();
  if (int64_t(sizes.size()) != type.getRank())
    return emitOptionalError(loc, "slice_sizes must have one entry for each of the ",
                             type.getRank(), " dimensions of the operand, got ", sizes.size());
  for (auto [i, size] : llvm::enumerate(sizes))
    if (size < 1 || size > type.getDimSize(unsigned(i)))
      return emitOptionalError(loc, "slice size of dimension ", i, " must be from 1 to ",
                               type.getDimSize(unsigned(i)), ", got ", size);
  types.push_back(type.clone(sizes));
  return success();
}

// (C1) a scalar start for each dimension   (C2) an update of the same kind, not larger
LogicalResult DynamicUpdateSliceOp::verify() {
  RankedTensorType type = tensorOf(getOperand()), update = tensorOf(getUpdate());
  if (failed(verifyStarts(getLoc(), type, getStartIndices())))
    return failure();
  bool fits =
      update.getElementType() == type.getElementType() && update.getRank() == type.getRank();
  for (int64_t i = 0; fits && i < type.getRank(); ++i)
    fits = update.getDimSize(unsigned(i)) <= type.getDimSize(unsigned(i));
  if (fits)
    return success();
  return emitOpError()
         << "update must have the operand's element type and rank and be no larger along any dimension, got operand "
         << type << " and update " << update;
}

//===------------------------------------------------------------------------------------------===//
// Folds
//===------------------------------------------------------------------------------------------===//

OpFoldResult DynamicSliceOp::fold(FoldAdaptor adaptor) {
  if (getOperand().getType() == getType())
    return getOperand();
  auto constant = dyn_cast_or_null<DenseElementsAttr>(adaptor.getOperand());
  return constant && constant.isSplat() ? constant.resizeSplat(cast<ShapedType>(getType()))
                                        : OpFoldResult();
}

/// Where boxes of these sizes begin, each as near to its start as the operand has room; nothing
/// where a start is not known.
static std::optional<SmallVector<int64_t>> findStarts(ValueRange starts, ArrayRef<int64_t> sizes,
                                                      RankedTensorType operand) {
  SmallVector<int64_t> found;
  for (auto [i, start] : llvm::enumerate(starts)) {
    DenseElementsAttr known;
    if (!matchPattern(start, m_Constant(&known)))
      return std::nullopt;
    found.push_back(std::clamp<int64_t>(known.getSplatValue<APInt>().getSExtValue(), 0,
                                        operand.getDimSize(unsigned(i)) - sizes[i]));
  }
  return found;
}

/// Where all starts are known it is a slice.
LogicalResult DynamicSliceOp::canonicalize(DynamicSliceOp op, PatternRewriter &rewriter) {
  std::optional<SmallVector<int64_t>> starts =
      findStarts(op.getStartIndices(), op.getSliceSizes(), typeOf(op.getOperand()));
  if (!starts)
    return failure();
  SmallVector<int64_t> limits;
  for (auto [start, size] : llvm::zip_equal(*starts, op.getSliceSizes()))
    limits.push_back(start + size);
  const DeviceAttr device = getDevice(op);
  auto slice = rewriter.replaceOpWithNewOp<SliceOp>(op, op.getOperand(), *starts, limits,
                                                    SmallVector<int64_t>(starts->size(), 1));
  setDevice(slice, device);
  return success();
}

/// Elements [from, to) of a value along a dimension.
static Value takePiece(PatternRewriter &rewriter, Location loc, Value value, unsigned dimension,
                       int64_t from, int64_t to, DeviceAttr device) {
  SmallVector<int64_t> starts(typeOf(value).getRank(), 0), limits(typeOf(value).getShape()),
      strides(starts.size(), 1);
  starts[dimension] = from;
  limits[dimension] = to;
  auto piece = SliceOp::create(rewriter, loc, value, starts, limits, strides);
  setDevice(piece, device);
  return piece;
}

/// Of known starts, along one dimension, in a constant or in what is joined along that: the pieces
/// side by side.
LogicalResult DynamicUpdateSliceOp::canonicalize(DynamicUpdateSliceOp op,
                                                 PatternRewriter &rewriter) {
  const RankedTensorType type = typeOf(op.getOperand()), update = typeOf(op.getUpdate());
  std::optional<unsigned> along;
  for (unsigned i = 0; i < type.getRank(); ++i) {
    if (type.getDimSize(i) == update.getDimSize(i))
      continue;
    if (along)
      return failure();
    along = i;
  }
  auto joined = op.getOperand().getDefiningOp<ConcatenateOp>();
  if (!along ||
      !(joined ? joined.getDimension() == *along : matchPattern(op.getOperand(), m_Constant())))
    return failure();
  std::optional<SmallVector<int64_t>> starts =
      findStarts(op.getStartIndices(), update.getShape(), type);
  if (!starts)
    return failure();
  const DeviceAttr device = getDevice(op);
  const int64_t first = (*starts)[*along], limit = first + update.getDimSize(*along);
  SmallVector<Value> pieces, before{op.getOperand()};
  if (joined)
    before = joined.getInputs();
  int64_t begin = 0;
  for (Value piece : before) {
    const int64_t size = typeOf(piece).getDimSize(*along), end = begin + size;
    const int64_t kept = std::clamp<int64_t>(first - begin, 0, size),
                  behind = std::clamp<int64_t>(limit - begin, 0, size);
    if (kept > 0)
      pieces.push_back(
          kept == size ? piece : takePiece(rewriter, op.getLoc(), piece, *along, 0, kept, device));
    if (begin <= first && first < end)
      pieces.push_back(op.getUpdate());
    if (behind < size && kept < size)
      pieces.push_back(behind == 0
                           ? piece
                           : takePiece(rewriter, op.getLoc(), piece, *along, behind, size, device));
    begin = end;
  }
  auto all = rewriter.replaceOpWithNewOp<ConcatenateOp>(op, pieces, uint64_t(*along));
  setDevice(all, device);
  return success();
}

/// All of it is the update.
OpFoldResult DynamicUpdateSliceOp::fold(FoldAdaptor) {
  return getUpdate().getType() == getType() ? getUpdate() : Value();
}

//===------------------------------------------------------------------------------------------===//
// Loops
//===------------------------------------------------------------------------------------------===//

/// Where a box of these sizes begins in `operand`.
static ExplicitLoops::Place loadBegins(ExplicitLoops &loops, ArrayRef<int64_t> operand,
                                       ArrayRef<int64_t> sizes, ValueRange starts) {
  ExplicitLoops::Place begins;
  for (auto [start, whole, size] : llvm::zip_equal(starts, operand, sizes))
    begins.push_back(loops.bring(loops.loadIndex(start, {}), 0, whole - size));
  return begins;
}

int64_t DynamicSliceOp::getParts() { return getType().getNumElements(); }
void DynamicSliceOp::buildLoops(OpBuilder &builder, ValueRange operands, ValueRange outs,
                                const LoopTarget &target) {
  buildAllParts(*this, builder, operands, outs, target);
}
void DynamicSliceOp::buildParts(OpBuilder &builder, ValueRange operands, ValueRange outs,
                                Value first, Value limit, const LoopTarget &) {
  ExplicitLoops loops{builder, getLoc()};
  ArrayRef<int64_t> shape = getType().getShape();
  if (shape.empty())
    return loops.store(loops.load(operands[0], {}), outs[0], {});
  const ExplicitLoops::Place begins =
      loadBegins(loops, shapeOf(operands[0]), shape, operands.drop_front());
  loops.overElements(shape, first, limit, [&](ValueRange row, Value from, Value to) {
    loops.over(from, to, [&](Value last) {
      ExplicitLoops::Place place(row), source;
      place.push_back(last);
      for (auto [begin, index] : llvm::zip_equal(begins, place))
        source.push_back(loops.add(begin, index));
      loops.store(loops.load(operands[0], source), outs[0], place);
    });
  });
}

/// Which dimension the parts go along; none of a scalar.
static std::optional<size_t> getCut(DynamicUpdateSliceOp op) {
  ArrayRef<int64_t> shape = op.getType().getShape();
  return shape.empty() ? std::nullopt
                       : std::optional<size_t>(llvm::max_element(shape) - shape.begin());
}

int64_t DynamicUpdateSliceOp::getParts() {
  std::optional<size_t> cut = getCut(*this);
  return cut ? getType().getDimSize(unsigned(*cut)) : 1;
}
LoopAccess DynamicUpdateSliceOp::getAccess(unsigned operand) {
  return operand == 0 ? LoopAccess::Aligned : LoopAccess::Arbitrary;
}
void DynamicUpdateSliceOp::buildLoops(OpBuilder &builder, ValueRange operands, ValueRange outs,
                                      const LoopTarget &target) {
  buildAllParts(*this, builder, operands, outs, target);
}
/// First the operand's elements, then the update's, of each those that lie in these parts.
void DynamicUpdateSliceOp::buildParts(OpBuilder &builder, ValueRange operands, ValueRange outs,
                                      Value first, Value limit, const LoopTarget &) {
  ExplicitLoops loops{builder, getLoc()};
  ArrayRef<int64_t> shape = getType().getShape(), sizes = typeOf(getUpdate()).getShape();
  const std::optional<size_t> cut = getCut(*this);
  auto all = loops.boundsOf(shape), box = loops.boundsOf(sizes);
  const ExplicitLoops::Place begins = loadBegins(loops, shape, sizes, operands.drop_front(2));
  if (cut) {
    all[*cut] = {first, limit};
    box[*cut] = {loops.maximum(box[*cut].first, loops.subtract(first, begins[*cut])),
                 loops.minimum(box[*cut].second, loops.subtract(limit, begins[*cut]))};
  }
  loops.copyBox(all, getOperand(), operands[0], outs[0]);
  loops.overBox(box, [&](ValueRange place) {
    ExplicitLoops::Place to;
    for (auto [begin, index] : llvm::zip_equal(begins, place))
      to.push_back(loops.add(begin, index));
    loops.store(loops.load(operands[1], place), outs[0], to);
  });
}

//===------------------------------------------------------------------------------------------===//
// Gradients
//===------------------------------------------------------------------------------------------===//

void DynamicSliceOp::buildGradient(OpBuilder &builder, ValueRange g, NeededGradients,
                                   Gradients result) {
  Value zeros = GradientBuilder(builder, *this).splat(getOperand().getType(), 0);
  result[0] = DynamicUpdateSliceOp::create(builder, getLoc(), zeros, g[0], getStartIndices());
}

// What was overwritten has none.
void DynamicUpdateSliceOp::buildGradient(OpBuilder &builder, ValueRange g, NeededGradients needed,
                                         Gradients result) {
  if (needed[0]) {
    Value zeros = GradientBuilder(builder, *this).splat(getUpdate().getType(), 0);
    result[0] = DynamicUpdateSliceOp::create(builder, getLoc(), g[0], zeros, getStartIndices());
  }
  if (needed[1])
    result[1] = DynamicSliceOp::create(builder, getLoc(), g[0], getStartIndices(),
                                       typeOf(getUpdate()).getShape());
}

//===------------------------------------------------------------------------------------------===//
// Costs
//===------------------------------------------------------------------------------------------===//

uint64_t DynamicSliceOp::getFlops() { return 0; }
uint64_t DynamicUpdateSliceOp::getFlops() { return 0; }
