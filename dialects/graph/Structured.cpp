//===- Structured.cpp - loop nests of ops ---------------------------------------------------------------------===//
#include "dialects/graph/Structured.h"

#include "dialects/graph/GraphDialect.h"
#include "dialects/graph/State.h"

using namespace mlir;
using utils::IteratorType;

namespace graphc::graph {

bool LoopNest::isReduction() const { return llvm::is_contained(iterators, IteratorType::reduction); }

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
  for (unsigned operand = 0; operand < op->getNumOperands(); ++operand)
    nest.reads.push_back({operand, identity});
  nest.writes.assign(op->getNumResults() + getWrittenVariables(op).size(), identity);
  return nest;
}

SmallVector<int64_t> getLoopSizes(Operation *op, const LoopNest &nest) {
  SmallVector<int64_t> sizes(nest.iterators.size(), 1);
  auto note = [&](AffineMap map, Value value) {
    for (auto [index, size] : llvm::zip_equal(map.getResults(), cast<RankedTensorType>(value.getType()).getShape()))
      if (auto loop = dyn_cast<AffineDimExpr>(index))
        sizes[loop.getPosition()] = size;
  };
  for (OpResult result : op->getResults())
    note(nest.writes[result.getResultNumber()], result);
  for (const LoopNest::Read &read : nest.reads)
    note(read.map, op->getOperand(read.operand));
  return sizes;
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
  return structured && llvm::any_of(structured.getLoopNests(), [](const LoopNest &nest) { return nest.isReduction(); });
}

} // namespace graphc::graph
