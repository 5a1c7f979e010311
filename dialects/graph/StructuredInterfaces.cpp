//===- StructuredInterfaces.cpp - loop nests of ops -------------------------------------------===//
#include "dialects/graph/StructuredInterfaces.h"

#include "dialects/graph/GraphDialect.h"
#include "dialects/graph/LoopSizes.h"
#include "dialects/graph/VariableAccess.h"

using namespace mlir;
using utils::IteratorType;

namespace graphc::graph {

bool LoopNest::isReduction() const {
  return llvm::is_contained(iterators, IteratorType::reduction);
}

bool LoopNest::isElementwise() const {
  return !isReduction() && llvm::all_of(writes, [](AffineMap map) { return map.isIdentity(); });
}

LoopNest getParallelNest(int64_t rank) {
  LoopNest nest;
  nest.iterators.assign(size_t(rank), IteratorType::parallel);
  return nest;
}

LoopNest getElementwiseNest(Operation *op) {
  Value shape = op->getNumResults() ? op->getResult(0) : op->getOperand(0);
  int64_t rank = cast<RankedTensorType>(shape.getType()).getRank();
  AffineMap identity = AffineMap::getMultiDimIdentityMap(unsigned(rank), op->getContext());
  LoopNest nest = getParallelNest(rank);
  AffineMap everywhere = AffineMap::get(unsigned(rank), 0, op->getContext());
  for (auto [operand, value] : llvm::enumerate(op->getOperands()))
    nest.reads.push_back({unsigned(operand), cast<RankedTensorType>(value.getType()).getRank()
                                                 ? identity
                                                 : everywhere});
  nest.writes.assign(op->getNumResults() + getWrittenVariables(op).size(), identity);
  return nest;
}

/// The loops that an index depends on, with what a step of each is worth, the largest first.
static SmallVector<std::pair<int64_t, unsigned>> getSteps(AffineExpr index, unsigned loops) {
  SmallVector<std::pair<int64_t, unsigned>> steps;
  SmallVector<AffineExpr> at(loops, getAffineConstantExpr(0, index.getContext()));
  auto value = [&] { return cast<AffineConstantExpr>(index.replaceDims(at)).getValue(); };
  const int64_t origin = value();
  for (unsigned loop = 0; loop < loops; ++loop) {
    at[loop] = getAffineConstantExpr(1, index.getContext());
    if (int64_t step = value() - origin)
      steps.push_back({step, loop});
    at[loop] = getAffineConstantExpr(0, index.getContext());
  }
  llvm::sort(steps, std::greater<>());
  return steps;
}

SmallVector<int64_t> findLoopSizes(unsigned loops, ArrayRef<IndexedTensor> tensors) {
  SmallVector<int64_t> sizes(loops, 0);
  for (const IndexedTensor &tensor : tensors)
    for (auto [index, size] : llvm::zip_equal(tensor.map.getResults(), tensor.shape))
      if (auto loop = dyn_cast<AffineDimExpr>(index))
        sizes[loop.getPosition()] = size;
  for (const IndexedTensor &tensor : tensors)
    for (auto [index, size] : llvm::zip_equal(tensor.map.getResults(), tensor.shape)) {
      if (isa<AffineDimExpr, AffineConstantExpr>(index)) // most indices; no two loops
        continue;
      const SmallVector<std::pair<int64_t, unsigned>> steps = getSteps(index, loops);
      if (steps.size() < 2)
        continue;
      int64_t rest = size - 1; // of the largest index, what loops that are known do not account for
      for (auto [step, loop] : steps)
        rest -= step * std::max<int64_t>(sizes[loop] - 1, 0);
      for (auto [step, loop] : steps)
        if (sizes[loop] == 0) {
          sizes[loop] = std::max<int64_t>(rest, 0) / std::abs(step) + 1;
          rest -= std::abs(step) * (sizes[loop] - 1);
        }
    }
  for (int64_t &size : sizes)
    size = std::max<int64_t>(size, 1);
  return sizes;
}

SmallVector<int64_t> getLoopSizes(Operation *op, const LoopNest &nest) {
  SmallVector<IndexedTensor> tensors;
  auto add = [&](AffineMap map, Value value) {
    tensors.push_back({map, cast<RankedTensorType>(value.getType()).getShape()});
  };
  for (OpResult result : op->getResults())
    add(nest.writes[result.getResultNumber()], result);
  for (const LoopNest::Read &read : nest.reads)
    add(read.map, op->getOperand(read.operand));
  return findLoopSizes(unsigned(nest.iterators.size()), tensors);
}

bool mayStandInModel(OperationName op) {
  return op.getDialectNamespace() == "graph" || op.hasInterface<StructuredOpInterface>() ||
         op.hasInterface<ExplicitLoopsOpInterface>() || op.hasInterface<ViewOpInterface>() ||
         op.hasInterface<DecomposableOpInterface>() || op.hasInterface<LibraryKernelOpInterface>();
}

bool isComputed(Operation *op) {
  auto structured = dyn_cast<StructuredOpInterface>(op);
  return isa<ExplicitLoopsOpInterface>(op) || (structured && !structured.getLoopNests().empty());
}

bool isReduction(Operation *op) {
  auto structured = dyn_cast<StructuredOpInterface>(op);
  return structured && llvm::any_of(structured.getLoopNests(),
                                    [](const LoopNest &nest) { return nest.isReduction(); });
}

} // namespace graphc::graph
