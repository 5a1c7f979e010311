#include "passes/outline/ScalarBody.h"

#include "dialects/dist/DistDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;

namespace graphc {

using namespace graph;

/// What an outliner gives a dist.buffer of its own, so that parts of it can be named.
static bool isInArena(Value value) {
  Operation *op = value.getDefiningOp();
  return !op->hasTrait<OpTrait::ConstantLike>() &&
         !isa<ReadOp, dist::ReceiveOp, dist::UnpackOp>(op) && !isView(op);
}

bool isWholeView(Operation *op) {
  auto view = dyn_cast<ViewOpInterface>(op);
  return view && view.getViewOffset() == 0 &&
         getByteSize(cast<RankedTensorType>(op->getResult(0).getType())) ==
             getByteSize(cast<RankedTensorType>(op->getOperand(0).getType()));
}

bool isView(Operation *op) {
  auto view = dyn_cast<ViewOpInterface>(op);
  std::optional<int64_t> offset = view ? view.getViewOffset() : std::nullopt;
  return offset && (isWholeView(op) || (*offset % 64 == 0 && isInArena(op->getOperand(0))));
}

int64_t getViewOffset(Operation *op) { return *cast<ViewOpInterface>(op).getViewOffset(); }

bool isInlinable(Operation *op) {
  auto structured = dyn_cast<StructuredOpInterface>(op);
  if (!structured || op->getNumResults() == 0 || isView(op))
    return false;
  SmallVector<LoopNest> nests = structured.getLoopNests();
  return nests.size() == 1 && nests.front().isElementwise();
}

bool isExpensive(Operation *op) { return op->hasTrait<CostlyElement>(); }

SmallVector<unsigned> getLoops(AffineExpr expr, unsigned loops) {
  return llvm::filter_to_vector(llvm::seq<unsigned>(0, loops),
                                [&](unsigned loop) { return expr.isFunctionOfDim(loop); });
}

std::optional<unsigned> getLoop(AffineExpr expr, unsigned loops) {
  SmallVector<unsigned> found = getLoops(expr, loops);
  return found.size() == 1 ? std::optional(found.front()) : std::nullopt;
}

/// The value of an index at the given places of the loops.
static int64_t evaluate(AffineExpr expr, ArrayRef<int64_t> at) {
  SmallVector<AffineExpr> dims = llvm::map_to_vector(
      at, [&](int64_t value) { return getAffineConstantExpr(value, expr.getContext()); });
  return cast<AffineConstantExpr>(expr.replaceDims(dims)).getValue();
}

std::pair<int64_t, int64_t> evaluateAt01(AffineExpr expr, unsigned loops) {
  return {evaluate(expr, SmallVector<int64_t>(loops, 0)),
          evaluate(expr, SmallVector<int64_t>(loops, 1))};
}

/// The operands' accesses of an inlinable op whose element is taken at `map`.
static SmallVector<ElementAccess> operandsOf(Operation *op, AffineMap map) {
  SmallVector<ElementAccess> operands;
  // outlives the loop
  const SmallVector<LoopNest> nests = cast<StructuredOpInterface>(op).getLoopNests();
  for (const LoopNest::Read &read : nests.front().reads)
    operands.push_back(
        {op->getOperand(read.operand), read.map.isIdentity() ? map : read.map.compose(map)});
  return operands;
}

void ScalarBody::collect(ElementAccess access, SmallVectorImpl<ElementAccess> &leaves) {
  if (!visited_.insert({access.value, access.map}).second)
    return;
  if (isLeaf_(access.value)) {
    leaves.push_back(access);
    return;
  }
  for (ElementAccess operand : operandsOf(access.value.getDefiningOp(), access.map))
    collect(operand, leaves);
}

/// An index of a map as a value: multiples of loops plus a constant.
static Value buildIndex(OpBuilder &builder, Location loc, AffineExpr expr, unsigned loops) {
  SmallVector<int64_t> at(loops, 0);
  const int64_t start = evaluate(expr, at);
  Value sum;
  for (unsigned loop : getLoops(expr, loops)) {
    Value index = linalg::IndexOp::create(builder, loc, uint64_t(loop));
    at[loop] = 1;
    if (int64_t stride = evaluate(expr, at) - start; stride != 1) {
      Value by = arith::ConstantIndexOp::create(builder, loc, stride);
      index = arith::MulIOp::create(builder, loc, index, by);
    }
    at[loop] = 0;
    sum = sum ? arith::AddIOp::create(builder, loc, sum, index).getResult() : index;
  }
  if (!sum)
    return arith::ConstantIndexOp::create(builder, loc, start);
  if (!start)
    return sum;
  Value by = arith::ConstantIndexOp::create(builder, loc, start);
  return arith::AddIOp::create(builder, loc, sum, by);
}

Value ScalarBody::build(OpBuilder &builder, ElementAccess access,
                        llvm::function_ref<Value(ElementAccess)> read) {
  if (Value known = built_.lookup({access.value, access.map}))
    return known;
  if (isLeaf_(access.value))
    return built_[{access.value, access.map}] = read(access);
  Operation *op = access.value.getDefiningOp();
  SmallVector<Value> operands;
  for (ElementAccess operand : operandsOf(op, access.map))
    operands.push_back(build(builder, operand, read));
  SmallVector<Value, 1> indices;
  auto index = [&](unsigned loop) {
    return indices.emplace_back(
        buildIndex(builder, op->getLoc(), access.map.getResult(loop), access.map.getNumDims()));
  };
  SmallVector<Value> elements =
      cast<StructuredOpInterface>(op).buildBody(builder, operands, /*old=*/{}, index);
  for (Value index : indices)
    if (index.use_empty() &&
        index.getDefiningOp()->hasTrait<OpTrait::ConstantLike>()) // folded into what was made of it
      index.getDefiningOp()->erase();
  for (auto [result, element] : llvm::zip_equal(op->getResults(), elements))
    built_[{result, access.map}] = element;
  return built_.lookup({access.value, access.map});
}

} // namespace graphc
