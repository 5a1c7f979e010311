#include "passes/outline/ScalarBody.h"

#include "dialects/dist/DistDialect.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;

namespace graphc {

using namespace graph;

bool isUnitReshape(ReshapeOp op) {
  auto squeeze = [](Type type) {
    SmallVector<int64_t> kept;
    for (int64_t size : cast<RankedTensorType>(type).getShape())
      if (size != 1)
        kept.push_back(size);
    return kept;
  };
  return squeeze(op.getOperand().getType()) == squeeze(op.getResult().getType());
}

/// How many bytes in the operand the slice's elements take to begin; nothing where others lie between them.
static std::optional<int64_t> getPartOffset(SliceOp slice) {
  auto from = cast<RankedTensorType>(slice.getOperand().getType()), to = slice.getType();
  int64_t offset = 0, step = getElementBytes(from.getElementType());
  bool whole = true; // all dimensions so far, from the last one
  for (int64_t i = from.getRank(); i-- > 0; step *= from.getDimSize(i)) {
    if (to.getDimSize(i) > 1 && (slice.getStrides()[i] != 1 || !whole))
      return std::nullopt;
    offset += slice.getStartIndices()[i] * step;
    whole &= to.getDimSize(i) == from.getDimSize(i);
  }
  return offset;
}

/// What an outliner gives a dist.buffer of its own, so that parts of it can be named.
static bool isInArena(Value value) {
  Operation *op = value.getDefiningOp();
  if (isa<ConstantOp, ReadOp, SliceOp>(op) || isa<dist::ReceiveOp, dist::UnpackOp>(op))
    return false;
  auto reshape = dyn_cast<ReshapeOp>(op);
  return !reshape || isUnitReshape(reshape); // else a view already
}

bool isView(Operation *op) {
  if (auto reshape = dyn_cast<ReshapeOp>(op))
    return !isUnitReshape(reshape);
  auto slice = dyn_cast<SliceOp>(op);
  std::optional<int64_t> offset = slice ? getPartOffset(slice) : std::nullopt;
  return offset && *offset % 64 == 0 && isInArena(slice.getOperand());
}

int64_t getViewOffset(Operation *op) {
  auto slice = dyn_cast<SliceOp>(op);
  return slice ? *getPartOffset(slice) : 0;
}

bool isInlinable(Operation *op) {
  if (auto constant = dyn_cast<ConstantOp>(op))
    return isa<SplatElementsAttr>(constant.getValue());
  if (isa<ReshapeOp, SliceOp>(op))
    return !isView(op);
  return isa<AddOp, SubtractOp, MultiplyOp, DivideOp, MaximumOp, MinimumOp, NegateOp, AbsOp, SqrtOp, ExponentialOp,
             LogOp, TanhOp, ReluOp, AndOp, OrOp, NotOp, CompareOp, SelectOp, ConvertOp, IotaOp, BiasAddOp, TransposeOp,
             BroadcastInDimOp>(op);
}

bool isExpensive(Operation *op) { return isa<ExponentialOp, LogOp, TanhOp, SqrtOp, DivideOp>(op); }

SmallVector<Access> ScalarBody::operandsOf(Operation *op, AffineMap map) {
  MLIRContext *context = op->getContext();
  auto withResults = [&](ArrayRef<AffineExpr> results) {
    return AffineMap::get(map.getNumDims(), 0, results, context);
  };
  AffineExpr zero = getAffineConstantExpr(0, context);
  if (auto broadcast = dyn_cast<BroadcastInDimOp>(op)) {
    SmallVector<AffineExpr> results;
    auto type = cast<RankedTensorType>(broadcast.getOperand().getType());
    for (auto [i, dimension] : llvm::enumerate(broadcast.getBroadcastDimensions()))
      results.push_back(type.getDimSize(i) == 1 ? zero : map.getResult(dimension));
    return {{broadcast.getOperand(), withResults(results)}};
  }
  if (auto transpose = dyn_cast<TransposeOp>(op)) {
    SmallVector<AffineExpr> results(map.getNumResults());
    for (auto [i, dimension] : llvm::enumerate(transpose.getPermutation()))
      results[dimension] = map.getResult(i);
    return {{transpose.getOperand(), withResults(results)}};
  }
  if (auto slice = dyn_cast<SliceOp>(op)) {
    SmallVector<AffineExpr> results;
    for (auto [expr, start, stride] : llvm::zip(map.getResults(), slice.getStartIndices(), slice.getStrides()))
      results.push_back(expr * stride + start);
    return {{slice.getOperand(), withResults(results)}};
  }
  if (auto reshape = dyn_cast<ReshapeOp>(op)) {
    SmallVector<AffineExpr> results, kept;
    for (auto [i, size] : llvm::enumerate(cast<RankedTensorType>(reshape.getType()).getShape()))
      if (size != 1)
        kept.push_back(map.getResult(i));
    size_t next = 0;
    for (int64_t size : cast<RankedTensorType>(reshape.getOperand().getType()).getShape())
      results.push_back(size == 1 ? zero : kept[next++]);
    return {{reshape.getOperand(), withResults(results)}};
  }
  if (auto biasAdd = dyn_cast<BiasAddOp>(op))
    return {{biasAdd.getInput(), map}, {biasAdd.getBias(), withResults({map.getResults().back()})}};
  SmallVector<Access> operands;
  for (Value operand : op->getOperands()) {
    // select takes a scalar predicate too.
    bool scalar = cast<RankedTensorType>(operand.getType()).getRank() == 0;
    operands.push_back({operand, scalar ? withResults({}) : map});
  }
  return operands;
}

void ScalarBody::collect(Access access, SmallVectorImpl<Access> &leaves) {
  if (!visited.insert({access.value, access.map}).second)
    return;
  if (isLeaf(access.value)) {
    leaves.push_back(access);
    return;
  }
  for (Access operand : operandsOf(access.value.getDefiningOp(), access.map))
    collect(operand, leaves);
}

Value ScalarBody::build(OpBuilder &builder, Access access, llvm::function_ref<Value(Access)> read) {
  if (Value known = built.lookup({access.value, access.map}))
    return known;
  Value element;
  if (isLeaf(access.value)) {
    element = read(access);
  } else {
    Operation *op = access.value.getDefiningOp();
    SmallVector<Value> operands;
    for (Access operand : operandsOf(op, access.map))
      operands.push_back(build(builder, operand, read));
    element = buildElement(builder, op, operands, access.map);
  }
  built[{access.value, access.map}] = element;
  return element;
}

} // namespace graphc
