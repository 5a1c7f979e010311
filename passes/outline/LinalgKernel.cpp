#include "passes/outline/LinalgKernel.h"

#include "dialects/graph/LoopSizes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using utils::IteratorType;

namespace graphc {

LinalgKernel::LinalgKernel(Location loc) : builder_(loc.getContext()) {
  kernel_ = func::FuncOp::create(loc, "kernel", builder_.getFunctionType({}, {}));
  kernel_->setPrivate();
  builder_.setInsertionPointToStart(&kernel_->getBody().emplaceBlock());
}

Value LinalgKernel::getArgument(Value buffer, StageUse use) {
  auto [found, isNew] = arguments_.insert({buffer, Argument()});
  Argument &argument = found->second;
  if (isNew) {
    auto type = cast<MemRefType>(buffer.getType());
    auto stored = MemRefType::get(type.getShape(), graph::getStoredElement(type.getElementType()));
    argument.value = kernel_->getBody().addArgument(stored, kernel_->getLoc());
  }
  if (use != StageUse::Write && !argument.written)
    argument.read = true;
  if (use != StageUse::Read)
    argument.written = true;
  return argument.value;
}

/// linalg takes an operand to be as long as the loop that indexes it. Where it is longer, behind a
/// slice, the part of it that the loop touches stands for it, and `map` becomes that part's. What
/// several loops index stays.
Value LinalgKernel::narrow(Value memory, AffineMap &map, ArrayRef<int64_t> sizes) {
  ArrayRef<int64_t> shape = cast<MemRefType>(memory.getType()).getShape();
  SmallVector<OpFoldResult> offsets, lengths, strides;
  SmallVector<AffineExpr> results;
  bool isWhole = true;
  for (auto [expr, size] : llvm::zip_equal(map.getResults(), shape)) {
    if (getLoops(expr, map.getNumDims()).size() > 1) {
      offsets.push_back(builder_.getIndexAttr(0));
      lengths.push_back(builder_.getIndexAttr(size));
      strides.push_back(builder_.getIndexAttr(1));
      results.push_back(expr);
      continue;
    }
    auto [first, second] = evaluateAt01(expr, map.getNumDims());
    std::optional<unsigned> loop = getLoop(expr, map.getNumDims());
    isWhole &= !loop || (first == 0 && second == 1 && sizes[*loop] == size);
    offsets.push_back(builder_.getIndexAttr(first));
    lengths.push_back(builder_.getIndexAttr(loop ? sizes[*loop] : 1));
    strides.push_back(builder_.getIndexAttr(loop ? second - first : 1));
    results.push_back(loop ? builder_.getAffineDimExpr(*loop) : builder_.getAffineConstantExpr(0));
  }
  if (isWhole)
    return memory;
  map = AffineMap::get(map.getNumDims(), 0, results, builder_.getContext());
  return memref::SubViewOp::create(builder_, kernel_->getLoc(), memory, offsets, lengths, strides);
}

/// The lengths of the loops; where operand and out differ, the operand's.
static SmallVector<int64_t> getSizes(const LinalgStage &stage) {
  SmallVector<graph::IndexedTensor> tensors;
  auto add = [&](AffineMap map, Value value) {
    tensors.push_back({map, cast<ShapedType>(value.getType()).getShape()});
  };
  for (const LinalgStage::Out &out : stage.outs)
    add(out.map, out.buffer);
  for (const ElementAccess &access : stage.accesses)
    add(access.map, access.value);
  return graph::findLoopSizes(unsigned(stage.iterators.size()), tensors);
}

void LinalgKernel::addStage(const LinalgStage &stage, llvm::function_ref<bool(Value)> isLeaf,
                            BodyFn bodyFn) {
  SmallVector<int64_t> sizes = getSizes(stage);
  SmallVector<Value> inputs, outputs;
  SmallVector<AffineMap> maps;
  for (const LinalgStage::Leaf &leaf : stage.leaves) {
    AffineMap &map = maps.emplace_back(leaf.access.map);
    inputs.push_back(narrow(getArgument(leaf.buffer, StageUse::Read), map, sizes));
  }
  for (const LinalgStage::Out &out : stage.outs) {
    AffineMap &map = maps.emplace_back(out.map);
    outputs.push_back(narrow(getArgument(out.buffer, out.use), map, sizes));
  }
  // linalg finds the length of each loop from the operands' index maps. Where none varies along a
  // loop, an operand that nobody reads has that length: all its elements are one.
  llvm::SmallBitVector covered(unsigned(sizes.size()));
  for (AffineMap map : maps)
    for (AffineExpr result : map.getResults())
      if (std::optional<unsigned> loop = getLoop(result, map.getNumDims()))
        covered.set(*loop);
  if (!covered.all()) {
    SmallVector<int64_t> strides(sizes.size(), 0);
    auto element = cast<MemRefType>(outputs.front().getType()).getElementType();
    auto type = MemRefType::get(
        sizes, element, StridedLayoutAttr::get(builder_.getContext(), /*offset=*/0, strides));
    const LinalgStage::Out &out = stage.outs.front();
    inputs.push_back(memref::ReinterpretCastOp::create(builder_, stage.loc, type,
                                                       getArgument(out.buffer, out.use),
                                                       /*offset=*/0, sizes, strides));
    maps.insert(maps.begin() + ptrdiff_t(stage.leaves.size()),
                builder_.getMultiDimIdentityMap(unsigned(sizes.size())));
  }
  auto fromMemory = [&](OpBuilder &inner, Value stored, Value buffer) -> Value {
    if (!cast<MemRefType>(buffer.getType()).getElementType().isInteger(1))
      return stored;
    Value zero = arith::ConstantOp::create(inner, stage.loc, inner.getI8IntegerAttr(0));
    return arith::CmpIOp::create(inner, stage.loc, arith::CmpIPredicate::ne, stored, zero);
  };
  linalg::GenericOp::create(
      builder_, stage.loc, TypeRange(), inputs, outputs, maps, stage.iterators,
      [&](OpBuilder &inner, Location, ValueRange blockArguments) {
        auto read = [&](ElementAccess access) {
          auto leaf = llvm::find_if(
              stage.leaves, [&](const LinalgStage::Leaf &leaf) { return leaf.access == access; });
          return fromMemory(inner, blockArguments[size_t(leaf - stage.leaves.begin())],
                            leaf->buffer);
        };
        ScalarBody body(isLeaf);
        SmallVector<Value> elements, old, results;
        for (const ElementAccess &access : stage.accesses)
          elements.push_back(body.build(inner, access, read));
        for (auto [out, stored] :
             llvm::zip_equal(stage.outs, blockArguments.drop_front(inputs.size())))
          old.push_back(out.use == StageUse::Write ? Value()
                                                   : fromMemory(inner, stored, out.buffer));
        for (Value result : bodyFn(inner, elements, old)) {
          if (result.getType().isInteger(1))
            result = arith::ExtUIOp::create(inner, stage.loc, inner.getI8Type(), result);
          results.push_back(result);
        }
        linalg::YieldOp::create(inner, stage.loc, results);
      });
}

void LinalgKernel::addCopy(Location loc, Value from, Value to) {
  unsigned rank = unsigned(cast<MemRefType>(from.getType()).getRank());
  AffineMap identity = builder_.getMultiDimIdentityMap(rank);
  Value in = getArgument(from, StageUse::Read), out = getArgument(to, StageUse::Write);
  linalg::GenericOp::create(builder_, loc, TypeRange(), in, out,
                            ArrayRef<AffineMap>{identity, identity},
                            SmallVector<IteratorType>(rank, IteratorType::parallel),
                            [](OpBuilder &inner, Location loc, ValueRange elements) {
                              linalg::YieldOp::create(inner, loc, elements[0]);
                            });
}

OwningOpRef<func::FuncOp> LinalgKernel::take(uint64_t flops) {
  func::ReturnOp::create(builder_, kernel_->getLoc());
  kernel_->setType(builder_.getFunctionType(kernel_->getBody().getArgumentTypes(), {}));
  for (auto &[buffer, argument] : arguments_)
    kernel_->setArgAttr(argument.value.getArgNumber(), "dist.access",
                        builder_.getStringAttr(!argument.written ? "read"
                                               : argument.read   ? "read_write"
                                                                 : "write"));
  (*kernel_)->setAttr("dist.flops", builder_.getI64IntegerAttr(int64_t(flops)));
  return std::move(kernel_);
}

SmallVector<Value> LinalgKernel::getBuffers() const {
  return llvm::map_to_vector(llvm::make_first_range(arguments_),
                             [](Value buffer) { return buffer; });
}

} // namespace graphc
