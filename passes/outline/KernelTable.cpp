//===- KernelTable.cpp - equal kernels are one function ---------------------------------------===//
#include "passes/outline/KernelTable.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;

namespace graphc {

static constexpr auto kFlags = OperationEquivalence::IgnoreLocations;

/// All that stands on the function itself but its name: type, the arguments' access, flops.
static DictionaryAttr withoutName(func::FuncOp kernel) {
  NamedAttrList attributes(kernel->getAttrDictionary());
  attributes.erase(kernel.getSymNameAttrName());
  return attributes.getDictionary(kernel.getContext());
}

llvm::hash_code hashKernel(func::FuncOp kernel) {
  llvm::DenseMap<Value, unsigned> numbers; // each value by when it is met
  auto number = [&](Value value) {
    return llvm::hash_value(numbers.try_emplace(value, numbers.size()).first->second);
  };
  llvm::hash_code hash = hash_value(withoutName(kernel));
  kernel.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    hash = llvm::hash_combine(hash, OperationEquivalence::computeHash(op, number, number, kFlags),
                              op->getNumRegions());
  });
  return hash;
}

bool areSameKernel(func::FuncOp a, func::FuncOp b) {
  if (withoutName(a) != withoutName(b))
    return false;
  llvm::DenseMap<Value, Value> same; // values of b by those of a
  // Operands one by one, in order: a sum of two NaN has the bits of the first.
  return OperationEquivalence::isRegionEquivalentTo(
      &a.getBody(), &b.getBody(), [&](Value x, Value y) { return success(same.lookup(x) == y); },
      [&](Value x, Value y) { same[x] = y; }, kFlags);
}

FlatSymbolRefAttr KernelTable::insert(OwningOpRef<func::FuncOp> kernel, StringRef stem) {
  SmallVector<func::FuncOp, 1> &candidates = known_[hashKernel(*kernel)];
  for (func::FuncOp candidate : candidates)
    if (areSameKernel(candidate, *kernel))
      return FlatSymbolRefAttr::get(candidate.getSymNameAttr());
  func::FuncOp function = kernel.release();
  function.setSymName(("kernel" + Twine(count_++) + "_" + stem).str());
  symbols_.insert(function);
  candidates.push_back(function);
  return FlatSymbolRefAttr::get(function.getSymNameAttr());
}

FlatSymbolRefAttr KernelTable::getBinary(MemRefType type, StringRef access, StringRef stem,
                                         Location loc) {
  OpBuilder builder(module_.getContext());
  OwningOpRef<func::FuncOp> kernel =
      func::FuncOp::create(loc, "kernel", builder.getFunctionType({type, type}, {}));
  kernel->setPrivate();
  Block *block = kernel->addEntryBlock();
  builder.setInsertionPointToStart(block);
  AffineMap identity = builder.getMultiDimIdentityMap(unsigned(type.getRank()));
  SmallVector<utils::IteratorType> iterators(type.getRank(), utils::IteratorType::parallel);
  bool adds = access == "read_write";
  linalg::GenericOp::create(
      builder, loc, TypeRange(), block->getArgument(1), block->getArgument(0),
      ArrayRef<AffineMap>{identity, identity}, iterators,
      [&](OpBuilder &inner, Location loc, ValueRange values) {
        Value result = values[0];
        if (adds)
          result = isa<FloatType>(result.getType())
                       ? arith::AddFOp::create(inner, loc, values[1], result).getResult()
                       : arith::AddIOp::create(inner, loc, values[1], result).getResult();
        linalg::YieldOp::create(inner, loc, result);
      });
  func::ReturnOp::create(builder, loc);
  kernel->setArgAttr(0, "dist.access", builder.getStringAttr(access));
  kernel->setArgAttr(1, "dist.access", builder.getStringAttr("read"));
  (*kernel)->setAttr("dist.flops", builder.getI64IntegerAttr(adds ? type.getNumElements() : 0));
  return insert(std::move(kernel), stem);
}

} // namespace graphc
