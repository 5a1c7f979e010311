#include "passes/lower/FlatLoopNest.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace graphc {

bool FlatLoopNest::hasReduction() const {
  return llvm::any_of(loops, [](const NestLoop &loop) { return loop.reduction; });
}

namespace {

/// A rank-1 view of all elements of a buffer with the identity layout.
Value flatten(OpBuilder &builder, Location loc, Value memory) {
  auto type = cast<MemRefType>(memory.getType());
  if (type.getRank() == 1)
    return memory;
  int64_t elements = type.getNumElements();
  return memref::ReinterpretCastOp::create(
      builder, loc, MemRefType::get({elements}, type.getElementType()), memory,
      /*offset=*/int64_t(0), /*sizes=*/ArrayRef<int64_t>{elements},
      /*strides=*/ArrayRef<int64_t>{1});
}

/// The value of a linear expression at the given dimension values; nothing for mod and the
/// divisions.
std::optional<int64_t> evaluate(AffineExpr expr, ArrayRef<int64_t> dims) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue();
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dims[dim.getPosition()];
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary || (expr.getKind() != AffineExprKind::Add && expr.getKind() != AffineExprKind::Mul))
    return std::nullopt;
  std::optional<int64_t> left = evaluate(binary.getLHS(), dims),
                         right = evaluate(binary.getRHS(), dims);
  if (!left || !right)
    return std::nullopt;
  return expr.getKind() == AffineExprKind::Add ? *left + *right : *left * *right;
}

/// Composes the operand's index map with its strides.
LogicalResult readOperand(linalg::LinalgOp op, OpOperand &operand, OpBuilder &builder,
                          NestOperand &result) {
  auto type = dyn_cast<MemRefType>(operand.get().getType());
  result.coefficients.assign(op.getNumLoops(), 0);
  if (!type) {
    result.memory = operand.get();
    result.isScalar = true;
    return success();
  }
  Value whole = operand.get();
  if (auto part = whole.getDefiningOp<memref::SubViewOp>())
    whole = part.getSource();
  else if (auto shape = whole.getDefiningOp<memref::ReinterpretCastOp>())
    // of one element, for the length of the loops
    whole = shape.getSource();
  SmallVector<int64_t> strides;
  if (!type.hasStaticShape() || !cast<MemRefType>(whole.getType()).getLayout().isIdentity() ||
      failed(type.getStridesAndOffset(strides, result.offset)) ||
      ShapedType::isDynamic(result.offset) || ShapedType::isDynamicShape(strides))
    return op.emitError()
           << "operand " << operand.getOperandNumber() << " is " << type
           << ", expected a static shape and the identity layout, or a static part of such a buffer";
  AffineMap map = op.getMatchingIndexingMap(&operand);
  SmallVector<int64_t> dims(op.getNumLoops(), 0);
  for (auto [axis, stride] : llvm::enumerate(strides)) {
    std::optional<int64_t> origin = evaluate(map.getResult(axis), dims);
    if (!origin)
      return op.emitError() << "index map of operand " << operand.getOperandNumber()
                            << " is not linear: " << AffineMapAttr::get(map);
    result.offset += *origin * stride;
    for (unsigned dim = 0; dim < dims.size(); ++dim) {
      dims[dim] = 1;
      result.coefficients[dim] += (*evaluate(map.getResult(axis), dims) - *origin) * stride;
      dims[dim] = 0;
    }
  }
  result.memory = flatten(builder, op.getLoc(), whole);
  return success();
}

void forEachOperand(FlatLoopNest &nest, llvm::function_ref<void(NestOperand &)> visit) {
  for (NestOperand &operand : nest.inputs)
    visit(operand);
  for (NestOperand &operand : nest.outputs)
    visit(operand);
}

void eraseLoop(FlatLoopNest &nest, size_t loop) {
  nest.loops.erase(nest.loops.begin() + loop);
  forEachOperand(nest, [&](NestOperand &operand) {
    operand.coefficients.erase(operand.coefficients.begin() + loop);
  });
}

/// Merges loop + 1 into loop where each operand's inner walk ends where the next outer step begins.
bool mergeWithNext(FlatLoopNest &nest, size_t loop) {
  if (nest.loops[loop].reduction != nest.loops[loop + 1].reduction)
    return false;
  bool mergeable = true;
  forEachOperand(nest, [&](NestOperand &operand) {
    mergeable &=
        operand.coefficients[loop] == operand.coefficients[loop + 1] * nest.loops[loop + 1].size;
  });
  if (!mergeable)
    return false;
  nest.loops[loop + 1].size *= nest.loops[loop].size;
  eraseLoop(nest, loop);
  return true;
}

} // namespace

FailureOr<FlatLoopNest> buildNest(linalg::LinalgOp op, OpBuilder &builder) {
  FlatLoopNest nest;
  nest.body = op.getBlock();
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  for (auto [size, iterator] : llvm::zip(sizes, iterators)) {
    if (ShapedType::isDynamic(size))
      return op.emitError() << "has a loop of unknown size";
    nest.loops.push_back({size, iterator == utils::IteratorType::reduction});
  }
  for (OpOperand &operand : op->getOpOperands()) {
    NestOperand read;
    if (failed(readOperand(op, operand, builder, read)))
      return failure();
    (op.isDpsInit(&operand) ? nest.outputs : nest.inputs).push_back(read);
  }
  nest.loopOfDim.assign(sizes.size(), -1);
  for (size_t dim = 0, loop = 0; dim < sizes.size(); ++dim) {
    if (sizes[dim] == 1)
      eraseLoop(nest, loop);
    else
      nest.loopOfDim[dim] = int64_t(loop++);
  }
  if (nest.body->getOps<linalg::IndexOp>().empty())
    for (size_t loop = nest.loops.size(); loop-- > 1;)
      mergeWithNext(nest, loop - 1);
  return nest;
}

} // namespace graphc
