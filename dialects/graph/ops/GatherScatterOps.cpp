//===- GatherScatterOps.cpp - parts of tensors at places that are data ------------------------===//
#include "dialects/graph/ops/ConstantFolding.h"
#include "dialects/graph/ops/ExpansionBuilder.h"
#include "dialects/graph/ops/GatherDimensions.h"

using namespace mlir;
using namespace graphc::graph;

#define GET_OP_CLASSES
#include "dialects/graph/ops/GatherScatterOps.cpp.inc"

void graphc::graph::registerGatherScatterOps(GraphDialect &dialect) {
  addCheckedOperations<
#define GET_OP_LIST
#include "dialects/graph/ops/GatherScatterOps.cpp.inc"
      >(dialect);
}

//===------------------------------------------------------------------------------------------===//
// Dimension numbers
//===------------------------------------------------------------------------------------------===//

/// Of a GatherOp or its adaptor.
template <typename Gather> static GatherDimensions windowsOf(Gather op) {
  return {tensorOf(op.getOperand()),   tensorOf(op.getStartIndices()),
          op.getOffsetDims(),          op.getCollapsedSliceDims(),
          op.getOperandBatchingDims(), op.getStartIndicesBatchingDims(),
          op.getStartIndexMap(),       int64_t(op.getIndexVectorDim())};
}

static GatherDimensions windowsOf(ScatterOp op) {
  return {tensorOf(op.getOperand()),        tensorOf(op.getScatterIndices()),
          op.getUpdateWindowDims(),         op.getInsertedWindowDims(),
          op.getInputBatchingDims(),        op.getScatterIndicesBatchingDims(),
          op.getScatterDimsToOperandDims(), int64_t(op.getIndexVectorDim())};
}

//===------------------------------------------------------------------------------------------===//
// Types
//===------------------------------------------------------------------------------------------===//

// (C1) (C3) (C5) (C6) dimension numbers   (C2) slice sizes
// (C4) 1 along dimensions that are left away
LogicalResult GatherOp::inferReturnTypes(MLIRContext *, Loc loc, Adaptor adaptor, Types &types) {
  static constexpr GatherDimensions::Names names{"start_indices",
                                                 "offset_dims",
                                                 "collapsed_slice_dims",
                                                 "operand_batching_dims",
                                                 "start_indices_batching_dims",
                                                 "start_index_map"};
  for (Value operand : {adaptor.getOperand(), adaptor.getStartIndices()})
    if (!tensorOf(operand))
      return emitOptionalError(loc, "expected a ranked tensor, got ", operand.getType());
  const GatherDimensions windows = windowsOf(adaptor);
  if (failed(windows.verify(loc, names)))
    return failure();
  ArrayRef<int64_t> sizes = adaptor.getSliceSizes(), shape = windows.operand.getShape();
  if (sizes.size() != shape.size())
    return emitOptionalError(loc, "slice_sizes must have one entry for each of the ", shape.size(),
                             " dimensions of the operand, got ", sizes.size());
  for (auto [i, size] : llvm::enumerate(sizes)) {
    if (size < 1 || size > shape[i])
      return emitOptionalError(loc, "slice size of dimension ", i, " must be from 1 to ", shape[i],
                               ", got ", size);
    const int64_t dimension = int64_t(i);
    if (size != 1 && (llvm::is_contained(windows.collapsed, dimension) ||
                      llvm::is_contained(windows.operandBatching, dimension)))
      return emitOptionalError(loc, "slice size of dimension ", i,
                               ", which is left away, must be 1, got ", size);
  }
  SmallVector<int64_t> batch = windows.getBatchShape(), kept = windows.getWindowDims(), result;
  const int64_t rank = int64_t(batch.size() + kept.size());
  if (failed(windows.verifyOffsetDims(loc, names, rank)))
    return failure();
  size_t nextKept = 0, nextBatch = 0;
  for (int64_t dimension = 0; dimension < rank; ++dimension)
    result.push_back(llvm::is_contained(windows.offsetDims, dimension)
                         ? sizes[size_t(kept[nextKept++])]
                         : batch[nextBatch++]);
  types.push_back(windows.operand.clone(result));
  return success();
}

//===------------------------------------------------------------------------------------------===//
// Constraints
//===------------------------------------------------------------------------------------------===//

// (C1) (C3) (C5) dimension numbers   (C2) same element type   (C4) window dimensions
// (C6) the others
LogicalResult ScatterOp::verify() {
  static constexpr GatherDimensions::Names names{"scatter_indices",
                                                 "update_window_dims",
                                                 "inserted_window_dims",
                                                 "input_batching_dims",
                                                 "scatter_indices_batching_dims",
                                                 "scatter_dims_to_operand_dims"};
  const GatherDimensions windows = windowsOf(*this);
  RankedTensorType updates = tensorOf(getUpdates());
  if (updates.getElementType() != windows.operand.getElementType())
    return emitOpError() << "operand and updates must have the same element type, got "
                         << windows.operand << " and " << updates;
  if (failed(windows.verify(getLoc(), names)) ||
      failed(windows.verifyOffsetDims(getLoc(), names, updates.getRank())))
    return failure();
  for (auto [dimension, window] : llvm::zip_equal(windows.getWindowDims(), windows.offsetDims))
    if (updates.getDimSize(unsigned(window)) > windows.operand.getDimSize(unsigned(dimension)))
      return emitOpError() << "dimension " << window << " of the updates must be at most "
                           << windows.operand.getDimSize(unsigned(dimension)) << " as dimension "
                           << dimension << " of the operand is, got "
                           << updates.getDimSize(unsigned(window));
  SmallVector<int64_t> others;
  for (auto [dimension, size] : llvm::enumerate(updates.getShape()))
    if (!llvm::is_contained(windows.offsetDims, int64_t(dimension)))
      others.push_back(size);
  if (others != windows.getBatchShape())
    return emitOpError()
           << "dimensions of the updates beside update_window_dims must be those of scatter_indices without "
           << "index_vector_dim, [" << windows.getBatchShape() << "], got [" << others << "]";
  return success();
}

//===------------------------------------------------------------------------------------------===//
// Folds
//===------------------------------------------------------------------------------------------===//

OpFoldResult GatherOp::fold(FoldAdaptor adaptor) {
  auto constant = dyn_cast_or_null<DenseElementsAttr>(adaptor.getOperand());
  return constant && constant.isSplat() ? constant.resizeSplat(cast<ShapedType>(getType()))
                                        : OpFoldResult();
}

//===------------------------------------------------------------------------------------------===//
// Loops
//===------------------------------------------------------------------------------------------===//

int64_t GatherOp::getParts() { return getType().getNumElements(); }
void GatherOp::buildLoops(OpBuilder &builder, ValueRange operands, ValueRange outs,
                          const LoopTarget &target) {
  buildAllParts(*this, builder, operands, outs, target);
}

/// The starts of a window are read once a row of the result, where its rows are windows' rows.
void GatherOp::buildParts(OpBuilder &builder, ValueRange operands, ValueRange outs, Value first,
                          Value limit, const LoopTarget &) {
  ExplicitLoops loops{builder, getLoc()};
  const GatherDimensions windows = windowsOf(*this);
  auto findBegins = [&](ValueRange batch) {
    ExplicitLoops::Place begins(size_t(windows.operand.getRank()));
    for (auto [entry, dimension] : llvm::enumerate(windows.startMap)) {
      const int64_t most =
          windows.operand.getDimSize(unsigned(dimension)) - getSliceSizes()[size_t(dimension)];
      begins[size_t(dimension)] =
          loops.bring(windows.loadStart(loops, operands[1], batch, int64_t(entry)), 0, most);
    }
    for (auto [ofOperand, ofIndices] :
         llvm::zip_equal(windows.operandBatching, windows.indicesBatching))
      begins[size_t(ofOperand)] = batch[size_t(windows.toBatch(ofIndices))];
    return begins;
  };
  auto move = [&](ExplicitLoops::Place from, ValueRange place) {
    for (auto [dimension, offset] :
         llvm::zip_equal(windows.getWindowDims(), windows.getOffsets(place)))
      from[size_t(dimension)] =
          from[size_t(dimension)] ? loops.add(from[size_t(dimension)], offset) : offset;
    for (Value &index : from)
      if (!index)
        index = loops.index(0);
    loops.store(loops.load(operands[0], from), outs[0], place);
  };
  ArrayRef<int64_t> shape = getType().getShape();
  if (shape.empty())
    return move(findBegins({}), {});
  const bool alongWindows = llvm::is_contained(windows.offsetDims, int64_t(shape.size()) - 1);
  loops.overElements(shape, first, limit, [&](ValueRange row, Value from, Value to) {
    const ExplicitLoops::Place begins =
        alongWindows ? findBegins(windows.getBatch(row)) : ExplicitLoops::Place();
    loops.over(from, to, [&](Value last) {
      ExplicitLoops::Place place(row);
      place.push_back(last);
      move(alongWindows ? begins : findBegins(windows.getBatch(place)), place);
    });
  });
}

/// Which dimension of the operand the parts go along.
static std::optional<int64_t> getCut(ScatterOp op) {
  ArrayRef<int64_t> shape = op.getType().getShape();
  return shape.empty() ? std::nullopt
                       : std::optional<int64_t>(llvm::max_element(shape) - shape.begin());
}

int64_t ScatterOp::getParts() {
  std::optional<int64_t> cut = getCut(*this);
  return cut ? getType().getDimSize(unsigned(*cut)) : 1;
}
LoopAccess ScatterOp::getAccess(unsigned operand) {
  return operand == 0 ? LoopAccess::Aligned : LoopAccess::Arbitrary;
}
void ScatterOp::buildLoops(OpBuilder &builder, ValueRange operands, ValueRange outs,
                           const LoopTarget &target) {
  buildAllParts(*this, builder, operands, outs, target);
}

/// First the operand's elements, then what is added to them, index by index. Each window's loops
/// have those elements that lie in the operand and in these parts.
void ScatterOp::buildParts(OpBuilder &builder, ValueRange operands, ValueRange outs, Value first,
                           Value limit, const LoopTarget &) {
  ExplicitLoops loops{builder, getLoc()};
  ScalarArithmetic scalars{builder, getLoc()};
  const GatherDimensions windows = windowsOf(*this);
  const std::optional<int64_t> cut = getCut(*this);
  const SmallVector<int64_t> windowDims = windows.getWindowDims();
  auto all = loops.boundsOf(getType().getShape());
  if (cut)
    all[size_t(*cut)] = {first, limit};
  loops.copyBox(all, getOperand(), operands[0], outs[0]);

  auto batches = loops.boundsOf(windows.getBatchShape());
  for (auto [ofOperand, ofIndices] :
       llvm::zip_equal(windows.operandBatching, windows.indicesBatching))
    if (ofOperand == cut)
      batches[size_t(windows.toBatch(ofIndices))] = {first, limit};
  loops.overBox(batches, [&](ValueRange batch) {
    ExplicitLoops::Place begins(size_t(windows.operand.getRank()));
    SmallVector<std::pair<Value, Value>> bounds;
    auto addBounds = [&](int64_t dimension, int64_t window) {
      const int64_t size = windows.operand.getDimSize(unsigned(dimension));
      auto entry = llvm::find(windows.startMap, dimension);
      Value &begin = begins[size_t(dimension)];
      if (entry != windows.startMap.end())
        begin = loops.bring(
            windows.loadStart(loops, operands[1], batch, entry - windows.startMap.begin()), -window,
            size);
      auto offsetOf = [&](Value index) { return begin ? loops.subtract(index, begin) : index; };
      Value from =
          loops.maximum(loops.index(0), offsetOf(dimension == cut ? first : loops.index(0)));
      Value to = loops.minimum(loops.index(window),
                               offsetOf(dimension == cut ? limit : loops.index(size)));
      bounds.push_back({from, to});
    };
    for (int64_t dimension : windows.collapsed)
      addBounds(dimension, 1);
    for (auto [dimension, window] : llvm::zip_equal(windowDims, windows.offsetDims))
      addBounds(dimension, typeOf(getUpdates()).getDimSize(unsigned(window)));
    for (auto [ofOperand, ofIndices] :
         llvm::zip_equal(windows.operandBatching, windows.indicesBatching))
      begins[size_t(ofOperand)] = batch[size_t(windows.toBatch(ofIndices))];
    loops.overBox(bounds, [&](ValueRange offsets) {
      ExplicitLoops::Place to(begins), from;
      auto move = [&](int64_t dimension, Value offset) {
        Value &index = to[size_t(dimension)];
        index = index ? loops.add(index, offset) : offset;
      };
      for (auto [dimension, offset] : llvm::zip(windows.collapsed, offsets))
        move(dimension, offset);
      ValueRange ofWindow = offsets.drop_front(windows.collapsed.size());
      for (auto [dimension, offset] : llvm::zip_equal(windowDims, ofWindow))
        move(dimension, offset);
      size_t nextOffset = 0, nextBatch = 0;
      for (int64_t dimension = 0; dimension < typeOf(getUpdates()).getRank(); ++dimension)
        from.push_back(llvm::is_contained(windows.offsetDims, dimension) ? ofWindow[nextOffset++]
                                                                         : batch[nextBatch++]);
      loops.store(scalars.add(loops.load(outs[0], to), loops.load(operands[2], from)), outs[0], to);
    });
  });
}

//===------------------------------------------------------------------------------------------===//
// Gradients
//===------------------------------------------------------------------------------------------===//

/// Indices whose entry j is brought into bounds[j], and then has `plus[j]` added to it.
static Value boundIndices(GradientBuilder &make, const GatherDimensions &windows, Value indices,
                          ArrayRef<std::pair<int64_t, int64_t>> bounds, ArrayRef<int64_t> plus) {
  Type i64 = make.builder.getI64Type();
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  bool isWide = false;
  for (auto [bound, more] : llvm::zip_equal(bounds, plus))
    isWide |= bound.second + more > kMost;
  if (isWide && typeOf(indices).getElementType() != i64)
    indices = make.convert(indices, i64);
  RankedTensorType type = typeOf(indices);
  auto vector = [&](llvm::function_ref<int64_t(size_t)> entry) -> Value {
    SmallVector<Attribute> elements;
    for (size_t i = 0; i < bounds.size(); ++i)
      elements.push_back(make.builder.getIntegerAttr(type.getElementType(), entry(i)));
    auto shape = type.clone(ArrayRef<int64_t>{int64_t(elements.size())});
    if (windows.vectorDim == type.getRank())
      return ConstantOp::create(make.builder, make.loc,
                                DenseElementsAttr::get(cast<ShapedType>(type), elements.front()));
    Value entries = ConstantOp::create(make.builder, make.loc,
                                       DenseElementsAttr::get(cast<ShapedType>(shape), elements));
    return make.broadcast(entries, type, {windows.vectorDim});
  };
  Value low = vector([&](size_t i) { return bounds[i].first; }),
        high = vector([&](size_t i) { return bounds[i].second; });
  Value bounded = MinimumOp::create(make.builder, make.loc,
                                    MaximumOp::create(make.builder, make.loc, indices, low), high);
  if (llvm::all_of(plus, [](int64_t more) { return more == 0; }))
    return bounded;
  return make.add(bounded, vector([&](size_t i) { return plus[i]; }));
}

// Added up where each window came from, which is where its start was brought to.
void GatherOp::buildGradient(OpBuilder &builder, ValueRange g, NeededGradients, Gradients result) {
  GradientBuilder make(builder, *this);
  const GatherDimensions windows = windowsOf(*this);
  SmallVector<std::pair<int64_t, int64_t>> bounds;
  for (int64_t dimension : windows.startMap)
    bounds.push_back(
        {0, windows.operand.getDimSize(unsigned(dimension)) - getSliceSizes()[size_t(dimension)]});
  Value indices = boundIndices(make, windows, getStartIndices(), bounds,
                               SmallVector<int64_t>(bounds.size(), 0));
  result[0] =
      ScatterOp::create(builder, getLoc(), windows.operand, make.splat(windows.operand, 0), indices,
                        g[0], windows.offsetDims, windows.collapsed, windows.operandBatching,
                        windows.indicesBatching, windows.startMap, uint64_t(windows.vectorDim));
}

// Of the updates: the windows of the result's gradient. Zeros lie around it, for what was dropped.
void ScatterOp::buildGradient(OpBuilder &builder, ValueRange g, NeededGradients needed,
                              Gradients result) {
  result[0] = g[0];
  if (!needed[2])
    return;
  GradientBuilder make(builder, *this);
  const GatherDimensions windows = windowsOf(*this);
  SmallVector<int64_t> sizes(size_t(windows.operand.getRank()), 1), around(sizes.size(), 0),
      none(sizes.size(), 0), plus;
  for (auto [dimension, window] : llvm::zip_equal(windows.getWindowDims(), windows.offsetDims))
    sizes[size_t(dimension)] = typeOf(getUpdates()).getDimSize(unsigned(window));
  SmallVector<std::pair<int64_t, int64_t>> bounds;
  for (int64_t dimension : windows.startMap) {
    around[size_t(dimension)] = sizes[size_t(dimension)];
    plus.push_back(sizes[size_t(dimension)]);
    bounds.push_back({-plus.back(), windows.operand.getDimSize(unsigned(dimension))});
  }
  Value zero = make.splat(windows.operand.clone(ArrayRef<int64_t>()), 0);
  Value padded = PadOp::create(builder, getLoc(), g[0], zero, around, around, none);
  Value indices = boundIndices(make, windows, getScatterIndices(), bounds, plus);
  result[2] = GatherOp::create(builder, getLoc(), padded, indices, windows.offsetDims,
                               windows.collapsed, windows.operandBatching, windows.indicesBatching,
                               windows.startMap, uint64_t(windows.vectorDim), sizes);
}

//===------------------------------------------------------------------------------------------===//
// Costs
//===------------------------------------------------------------------------------------------===//

uint64_t GatherOp::getFlops() { return 0; }
uint64_t ScatterOp::getFlops() { return count(getUpdates()); }
