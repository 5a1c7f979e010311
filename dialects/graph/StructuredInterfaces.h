//===- StructuredInterfaces.h - how an op is computed: what its interfaces say ------*- C++ -*-===//
//
// An op is computed by loops over elements (StructuredOpInterface), by loops of its own
// (ExplicitLoopsOpInterface), or it is a view of memory (ViewOpInterface) or a composite of others
// (DecomposableOpInterface). Passes ask these, never which op it is.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_DIALECTS_GRAPH_STRUCTUREDINTERFACES_H
#define GRAPHC_DIALECTS_GRAPH_STRUCTUREDINTERFACES_H

#include "dialects/graph/LoopTarget.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/OpDefinition.h"

namespace graphc::graph {

/// Loops, the outermost first, and which elements one iteration reads and writes. How long a loop
/// is follows from the maps: an operand or out that has a loop as an index is as long as the loop;
/// where both have it, the operand counts.
struct LoopNest {
  struct Read {
    unsigned operand;
    /// loops → the operand's element: each index a constant, or a multiple of one loop plus a
    /// constant
    mlir::AffineMap map;
  };
  llvm::SmallVector<mlir::utils::IteratorType> iterators;
  llvm::SmallVector<Read> reads;
  llvm::SmallVector<mlir::AffineMap> writes; ///< one an out, likewise

  bool isReduction() const;
  /// All loops parallel, and each result's element that of the iteration.
  bool isElementwise() const;
};

/// How loops of an op's own read an operand; see ExplicitLoopsOpInterface.
enum class LoopAccess { Aligned, Arbitrary };

/// Parallel over the first result, or the first operand where there is none; every operand and out
/// at the same place, a scalar everywhere.
LoopNest getElementwiseNest(mlir::Operation *op);
/// `rank` parallel loops with nothing read or written yet.
LoopNest getParallelNest(int64_t rank);

/// How long the loops are, by results and operands.
llvm::SmallVector<int64_t> getLoopSizes(mlir::Operation *op, const LoopNest &nest);

/// Whether ops of this name may stand in a model: the graph dialect's, and those of any other that
/// say by one of the interfaces how they are computed.
bool mayStandInModel(mlir::OperationName op);
/// Whether loops can be made for the op, its own or those that it describes.
bool isComputed(mlir::Operation *op);
/// Whether the op's loops combine many elements into one.
bool isReduction(mlir::Operation *op);

/// Loops that move elements, or look at their bits, and so take each type as it is. Others compute
/// in the type that getComputeElement names (`widen-elements`).
template <typename ConcreteType>
struct AnyElement : mlir::OpTrait::TraitBase<ConcreteType, AnyElement> {};
/// See Graph_LeastOfNothing.
template <typename ConcreteType>
struct LeastOfNothing : mlir::OpTrait::TraitBase<ConcreteType, LeastOfNothing> {};
/// See Graph_CostlyElement.
template <typename ConcreteType>
struct CostlyElement : mlir::OpTrait::TraitBase<ConcreteType, CostlyElement> {};

} // namespace graphc::graph

#endif
