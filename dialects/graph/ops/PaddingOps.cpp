//===- PaddingOps.cpp - elements around and between those of a tensor -------------------------===//
#include "dialects/graph/ops/ConstantFolding.h"
#include "dialects/graph/ops/ExpansionBuilder.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace graphc::graph;

#define GET_OP_CLASSES
#include "dialects/graph/ops/PaddingOps.cpp.inc"

void graphc::graph::registerPaddingOps(GraphDialect &dialect) {
  addCheckedOperations<
#define GET_OP_LIST
#include "dialects/graph/ops/PaddingOps.cpp.inc"
      >(dialect);
}

//===------------------------------------------------------------------------------------------===//
// Types
//===------------------------------------------------------------------------------------------===//

/// How long a dimension of so many elements becomes; nothing where it is none or longer than any
/// tensor's.
static std::optional<int64_t> getPadded(int64_t size, int64_t low, int64_t high, int64_t interior) {
  constexpr int64_t kMost = int64_t(1) << 37, kMostPadding = int64_t(1) << 40;
  int64_t between, length;
  if (interior < 0 || std::max({interior, low, high}) > kMostPadding ||
      std::min(low, high) < -kMostPadding || llvm::MulOverflow(size - 1, interior, between) ||
      llvm::AddOverflow(size, between, length) || llvm::AddOverflow(length, low, length) ||
      llvm::AddOverflow(length, high, length) || length < 1 || length > kMost)
    return std::nullopt;
  return length;
}

// (C1) same element type, a scalar   (C2) one entry a dimension
// (C3) interior >= 0, sizes from 1 to 2^37
LogicalResult PadOp::inferReturnTypes(MLIRContext *, Loc loc, Adaptor adaptor, Types &types) {
  RankedTensorType type = tensorOf(adaptor.getOperand()),
                   value = tensorOf(adaptor.getPaddingValue());
  if (!type || value != type.clone(ArrayRef<int64_t>()))
    return emitOptionalError(
        loc, "padding value must be a scalar of the operand's element type, got operand ",
        adaptor.getOperand().getType(), " and padding value ", adaptor.getPaddingValue().getType());
  ArrayRef<int64_t> low = adaptor.getEdgePaddingLow(), high = adaptor.getEdgePaddingHigh(),
                    interior = adaptor.getInteriorPadding();
  const size_t rank = size_t(type.getRank());
  if (low.size() != rank || high.size() != rank || interior.size() != rank)
    return emitOptionalError(
        loc,
        "edge_padding_low, edge_padding_high and interior_padding must have one entry for each of the ",
        rank, " dimensions of the operand, got ", low.size(), ", ", high.size(), " and ",
        interior.size());
  SmallVector<int64_t> shape;
  for (auto [i, size] : llvm::enumerate(type.getShape())) {
    std::optional<int64_t> padded = getPadded(size, low[i], high[i], interior[i]);
    if (!padded)
      return emitOptionalError(
          loc, "padding of dimension ", i,
          " must be 0 or more between elements and leave a size from 1 to 2^37, got ", low[i], ", ",
          high[i], " and ", interior[i], " between elements for a size of ", size);
    shape.push_back(*padded);
  }
  types.push_back(type.clone(shape));
  return success();
}

//===------------------------------------------------------------------------------------------===//
// What stays of the operand
//===------------------------------------------------------------------------------------------===//

namespace {

/// Along one dimension: elements `first` … `last` of the operand, the first of them at `place` of
/// the result, `step` apart.
struct Kept {
  int64_t first, last, place, step;
  bool isNone() const { return first > last; }
};

Kept getKept(PadOp op, unsigned dimension) {
  const int64_t size = typeOf(op.getOperand()).getDimSize(dimension),
                length = op.getType().getDimSize(dimension);
  const int64_t low = op.getEdgePaddingLow()[dimension],
                step = op.getInteriorPadding()[dimension] + 1;
  const int64_t first = low < 0 ? llvm::divideCeilSigned(-low, step) : 0;
  const int64_t last = low >= length ? -1 : std::min(size - 1, (length - 1 - low) / step);
  return {first, last, low + first * step, step};
}

/// Whether edges leave nothing out.
bool keepsAll(PadOp op) {
  auto isNegative = [](int64_t edge) { return edge < 0; };
  return llvm::none_of(op.getEdgePaddingLow(), isNegative) &&
         llvm::none_of(op.getEdgePaddingHigh(), isNegative);
}

/// The same without negative edges: what they leave out is sliced away before.
Value makeCropped(OpBuilder &builder, PadOp op) {
  ExpansionBuilder e{builder, op.getLoc()};
  RankedTensorType type = op.getType();
  SmallVector<int64_t> starts, limits, ones, low, high, interior(op.getInteriorPadding());
  for (unsigned i = 0; i < unsigned(type.getRank()); ++i) {
    Kept kept = getKept(op, i);
    if (kept.isNone())
      return e.broadcast(op.getPaddingValue(), type.getShape());
    starts.push_back(kept.first);
    limits.push_back(kept.last + 1);
    ones.push_back(1);
    low.push_back(kept.place);
    high.push_back(type.getDimSize(i) - kept.place - (kept.last - kept.first) * kept.step - 1);
    if (kept.first == kept.last)
      interior[i] = 0;
  }
  Value slice = e.make<SliceOp>(op.getOperand(), starts, limits, ones);
  return e.make<PadOp>(slice, op.getPaddingValue(), low, high, interior);
}

} // namespace

//===------------------------------------------------------------------------------------------===//
// Folds
//===------------------------------------------------------------------------------------------===//

OpFoldResult PadOp::fold(FoldAdaptor adaptor) {
  if (getOperand().getType() == getType() && keepsAll(*this))
    return getOperand();
  auto type = cast<RankedTensorType>(getType());
  auto operand = dyn_cast_or_null<DenseElementsAttr>(adaptor.getOperand());
  auto value = dyn_cast_or_null<DenseElementsAttr>(adaptor.getPaddingValue());
  if (!operand || !value)
    return {};
  Attribute padding = value.getSplatValue<Attribute>();
  if (operand.isSplat() && operand.getSplatValue<Attribute>() == padding)
    return operand.resizeSplat(type);
  if (type.getNumElements() > kFoldedElements || !isFoldable(operand))
    return {};
  auto from = typeOf(getOperand());
  SmallVector<Attribute> elements(operand.getValues<Attribute>()), all;
  SmallVector<Kept> kept;
  for (unsigned i = 0; i < unsigned(type.getRank()); ++i)
    kept.push_back(getKept(*this, i));
  for (int64_t i = 0; i < type.getNumElements(); ++i) {
    int64_t rest = i, place = 0, step = 1;
    bool within = true;
    for (int64_t dimension = type.getRank(); dimension-- > 0;) {
      const Kept &of = kept[dimension];
      int64_t beyond = rest % type.getDimSize(dimension) - of.place,
              number = of.first + beyond / of.step;
      within &= beyond >= 0 && beyond % of.step == 0 && number <= of.last;
      place += number * step;
      rest /= type.getDimSize(dimension);
      step *= from.getDimSize(dimension);
    }
    all.push_back(within ? elements[size_t(place)] : padding);
  }
  return DenseElementsAttr::get(type, all);
}

/// Negative edges are slices.
LogicalResult PadOp::canonicalize(PadOp op, PatternRewriter &rewriter) {
  if (keepsAll(op))
    return failure();
  Value cropped = makeCropped(rewriter, op);
  if (Operation *made = cropped.getDefiningOp()) // a constant, where all is known
    setDevice(made, getDevice(op));
  if (auto pad = cropped.getDefiningOp<PadOp>())
    if (Operation *slice = pad.getOperand().getDefiningOp();
        slice && slice != op.getOperand().getDefiningOp())
      setDevice(slice, getDevice(op));
  rewriter.replaceOp(op, cropped);
  return success();
}

//===------------------------------------------------------------------------------------------===//
// Loops
//===------------------------------------------------------------------------------------------===//

/// The result is filled, then the operand's elements go to their places. Others are made of other
/// ops.
Nests PadOp::getLoopNests() {
  if (!keepsAll(*this))
    return {};
  const int64_t rank = getType().getRank();
  AffineMap identity = getIdentity(rank, getContext());
  SmallVector<AffineExpr> place;
  for (auto [i, low, interior] : llvm::enumerate(getEdgePaddingLow(), getInteriorPadding()))
    place.push_back(getAffineDimExpr(unsigned(i), getContext()) * (interior + 1) + low);
  LoopNest fill = getParallelNest(rank), move = getParallelNest(rank);
  fill.reads = {{1, getMap(size_t(rank), {}, getContext())}};
  fill.writes = {identity};
  move.reads = {{0, identity}};
  move.writes = {getMap(size_t(rank), place, getContext())};
  return {fill, move};
}

Results PadOp::buildBody(OpBuilder &, Elements x, Elements, IndexOf) { return {x[0]}; }

//===------------------------------------------------------------------------------------------===//
// Decompositions
//===------------------------------------------------------------------------------------------===//

/// At the edges of one dimension nothing is written twice: that is a concatenation.
Values PadOp::decompose(OpBuilder &builder) {
  if (!keepsAll(*this))
    return {makeCropped(builder, *this)};
  SmallVector<int64_t> padded;
  for (int64_t i = 0; i < getType().getRank(); ++i)
    if (getEdgePaddingLow()[i] || getEdgePaddingHigh()[i])
      padded.push_back(i);
  if (padded.size() != 1 ||
      llvm::any_of(getInteriorPadding(), [](int64_t interior) { return interior != 0; }))
    return {};
  ExpansionBuilder e{builder, getLoc()};
  SmallVector<Value> pieces;
  auto addPadding = [&](int64_t size) {
    SmallVector<int64_t> shape(getType().getShape());
    shape[padded.front()] = size;
    if (size)
      pieces.push_back(e.broadcast(getPaddingValue(), shape));
  };
  addPadding(getEdgePaddingLow()[padded.front()]);
  pieces.push_back(getOperand());
  addPadding(getEdgePaddingHigh()[padded.front()]);
  return {e.make<ConcatenateOp>(pieces, uint64_t(padded.front()))};
}

//===------------------------------------------------------------------------------------------===//
// Gradients
//===------------------------------------------------------------------------------------------===//

// Of the operand: its places, zero where an edge has left them out. Of the padding value: the sum
// over all others.
void PadOp::buildGradient(OpBuilder &builder, ValueRange g, NeededGradients needed,
                          Gradients result) {
  GradientBuilder make(builder, *this);
  RankedTensorType type = getType(), from = typeOf(getOperand());
  const SmallVector<int64_t> none(type.getRank(), 0);
  if (needed[0]) {
    SmallVector<int64_t> low, high, starts, limits, strides;
    for (unsigned i = 0; i < unsigned(type.getRank()); ++i) {
      const int64_t before = getEdgePaddingLow()[i], behind = getEdgePaddingHigh()[i];
      low.push_back(std::max<int64_t>(-before, 0));
      high.push_back(std::max<int64_t>(-behind, 0));
      strides.push_back(getInteriorPadding()[i] + 1);
      starts.push_back(std::max<int64_t>(before, 0));
      limits.push_back(starts.back() + (from.getDimSize(i) - 1) * strides.back() + 1);
    }
    Value whole = g[0];
    if (!keepsAll(*this)) {
      Value zero = make.splat(type.clone(ArrayRef<int64_t>()), 0);
      whole = PadOp::create(builder, getLoc(), whole, zero, low, high, none);
    }
    result[0] = SliceOp::create(builder, getLoc(), whole, starts, limits, strides);
  }
  if (needed[1]) {
    auto truth = [&](ArrayRef<int64_t> shape, bool value) {
      return make.splat(RankedTensorType::get(shape, builder.getI1Type()), value);
    };
    Value isPadding =
        PadOp::create(builder, getLoc(), truth(from.getShape(), false), truth({}, true),
                      getEdgePaddingLow(), getEdgePaddingHigh(), getInteriorPadding());
    Value others = make.select(isPadding, g[0], make.splat(type, 0));
    result[1] = make.sum(others, llvm::to_vector(llvm::seq<int64_t>(0, type.getRank())));
  }
}

//===------------------------------------------------------------------------------------------===//
// Costs
//===------------------------------------------------------------------------------------------===//

uint64_t PadOp::getFlops() { return 0; }
