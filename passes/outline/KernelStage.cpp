// KernelBuilder's stages: one linalg.generic over the buffers that an expression reads.
#include "passes/outline/KernelBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using utils::IteratorType;

namespace graphc {

/// An i1 is a byte in memory.
static Type getStoredElement(Type element, Builder &builder) {
  return element.isInteger(1) ? builder.getI8Type() : element;
}

Value KernelBuilder::argument(Value buffer, Use use) {
  auto [found, isNew] = arguments.insert({buffer, Argument()});
  Argument &argument = found->second;
  if (isNew) {
    auto type = cast<MemRefType>(buffer.getType());
    type = MemRefType::get(type.getShape(), getStoredElement(type.getElementType(), builder));
    argument.value = kernel.getBody().addArgument(type, kernel.getLoc());
  }
  if (use != Use::Write && !argument.written)
    argument.read = true;
  if (use != Use::Read)
    argument.written = true;
  return argument.value;
}

SmallVector<Access> KernelBuilder::leavesOf(ArrayRef<Access> accesses) {
  auto leaf = [&](Value value) { return isLeaf(value); };
  ScalarBody body(leaf);
  SmallVector<Access> leaves;
  for (const Access &access : accesses)
    body.collect(access, leaves);
  return leaves;
}

/// The value of an index that is a constant, or a multiple of one loop and a constant, where that loop is at 0 and 1.
static std::pair<int64_t, int64_t> evaluateAt01(AffineExpr expr, unsigned loops) {
  MLIRContext *context = expr.getContext();
  auto at = [&](int64_t value) {
    SmallVector<AffineExpr> dims(loops, getAffineConstantExpr(value, context));
    return cast<AffineConstantExpr>(expr.replaceDims(dims)).getValue();
  };
  return {at(0), at(1)};
}

std::optional<unsigned> getLoop(AffineExpr expr, unsigned loops) {
  for (unsigned loop = 0; loop < loops; ++loop)
    if (expr.isFunctionOfDim(loop))
      return loop;
  return std::nullopt;
}

/// linalg takes an operand to be as long as the loops that index it. Where it is longer, behind a slice, the part of it
/// that the loops touch stands for it, and `map` becomes that part's.
Value KernelBuilder::narrow(Value memory, AffineMap &map, ArrayRef<int64_t> sizes) {
  ArrayRef<int64_t> shape = cast<MemRefType>(memory.getType()).getShape();
  SmallVector<OpFoldResult> offsets, lengths, strides;
  SmallVector<AffineExpr> results;
  bool isWhole = true;
  for (auto [expr, size] : llvm::zip_equal(map.getResults(), shape)) {
    auto [first, second] = evaluateAt01(expr, map.getNumDims());
    std::optional<unsigned> loop = getLoop(expr, map.getNumDims());
    isWhole &= !loop || (first == 0 && second == 1 && sizes[*loop] == size);
    offsets.push_back(builder.getIndexAttr(first));
    lengths.push_back(builder.getIndexAttr(loop ? sizes[*loop] : 1));
    strides.push_back(builder.getIndexAttr(loop ? second - first : 1));
    results.push_back(loop ? getAffineDimExpr(*loop, context) : getAffineConstantExpr(0, context));
  }
  if (isWhole)
    return memory;
  map = AffineMap::get(map.getNumDims(), 0, results, context);
  return memref::SubViewOp::create(builder, kernel.getLoc(), memory, offsets, lengths, strides);
}

void KernelBuilder::emitStage(Location loc, ArrayRef<Access> accesses, ValueRange outs, Use use, AffineMap outMap,
                              ArrayRef<IteratorType> iterators, BodyFn bodyFn, AffineMap windowMap) {
  SmallVector<Access> leaves = leavesOf(accesses);
  SmallVector<int64_t> sizes(iterators.size(), 1);
  auto noteSizes = [&](AffineMap map, ArrayRef<int64_t> shape) {
    for (auto [expr, size] : llvm::zip_equal(map.getResults(), shape))
      if (std::optional<unsigned> loop = getLoop(expr, map.getNumDims()))
        sizes[*loop] = size;
  };
  if (!windowMap)
    for (Value out : outs)
      noteSizes(outMap, cast<MemRefType>(out.getType()).getShape());
  for (const Access &access : accesses)
    noteSizes(access.map, cast<RankedTensorType>(access.value.getType()).getShape());
  SmallVector<Value> inputs, outputs;
  SmallVector<AffineMap> maps;
  for (const Access &leaf : leaves) {
    AffineMap map = leaf.map;
    inputs.push_back(narrow(argument(memory.of(leaf.value), Use::Read), map, sizes));
    maps.push_back(map);
  }
  for (Value out : outs) {
    AffineMap map = windowMap ? windowMap : outMap;
    outputs.push_back(narrow(argument(out, use), map, sizes));
    maps.push_back(map);
  }
  // linalg finds the length of each loop from the operands' index maps. Where none varies along a loop, an operand that
  // nobody reads has that length: all its elements are one.
  llvm::SmallBitVector covered(unsigned(sizes.size()));
  for (AffineMap map : maps)
    for (AffineExpr result : map.getResults())
      if (std::optional<unsigned> loop = getLoop(result, map.getNumDims()))
        covered.set(*loop);
  if (!covered.all()) {
    SmallVector<int64_t> strides(sizes.size(), 0);
    auto element = cast<MemRefType>(outputs.front().getType()).getElementType();
    auto type = MemRefType::get(sizes, element, StridedLayoutAttr::get(context, /*offset=*/0, strides));
    inputs.push_back(memref::ReinterpretCastOp::create(builder, loc, type, argument(outs.front(), use), /*offset=*/0,
                                                       sizes, strides));
    maps.insert(maps.begin() + ptrdiff_t(leaves.size()),
                AffineMap::getMultiDimIdentityMap(unsigned(sizes.size()), context));
  }
  linalg::GenericOp::create(builder, loc, TypeRange(), inputs, outputs, maps, iterators,
                            [&](OpBuilder &inner, Location, ValueRange blockArguments) {
                              auto fromMemory = [&](Value stored, Value buffer) -> Value {
                                if (!cast<MemRefType>(buffer.getType()).getElementType().isInteger(1))
                                  return stored;
                                Value zero = arith::ConstantOp::create(inner, loc, inner.getI8IntegerAttr(0));
                                return arith::CmpIOp::create(inner, loc, arith::CmpIPredicate::ne, stored, zero);
                              };
                              auto read = [&](Access access) {
                                size_t i = size_t(llvm::find(leaves, access) - leaves.begin());
                                return fromMemory(blockArguments[i], memory.of(access.value));
                              };
                              auto leaf = [&](Value value) { return isLeaf(value); };
                              ScalarBody body(leaf);
                              SmallVector<Value> elements, old, results;
                              for (const Access &access : accesses)
                                elements.push_back(body.build(inner, access, read));
                              for (auto [out, stored] : llvm::zip(outs, blockArguments.drop_front(inputs.size())))
                                old.push_back(use == Use::Write && outMap.isIdentity() ? Value()
                                                                                       : fromMemory(stored, out));
                              for (Value result : bodyFn(inner, elements, old)) {
                                if (result.getType().isInteger(1))
                                  result = arith::ExtUIOp::create(inner, loc, inner.getI8Type(), result);
                                results.push_back(result);
                              }
                              linalg::YieldOp::create(inner, loc, results);
                            });
}

} // namespace graphc
