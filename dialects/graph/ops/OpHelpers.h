//===- OpHelpers.h - what the files of this folder share ----------------------------*- C++ -*-===//
//
// One file a family of ops, beside the definitions of the same name: types, constraints, folds,
// loops or decompositions, gradients and costs of each. What stands here is for them alone.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_DIALECTS_GRAPH_OPS_OPHELPERS_H
#define GRAPHC_DIALECTS_GRAPH_OPS_OPHELPERS_H

#include "dialects/graph/ScalarArithmetic.h"
#include "dialects/graph/ops/ComputeOps.h"
#include "dialects/graph/ops/ScalarOperands.h"

#include "mlir/IR/OpImplementation.h"

namespace graphc::graph {

/// Of inferReturnTypes.
using Types = mlir::SmallVectorImpl<mlir::Type>;
using Loc = std::optional<mlir::Location>;
/// Of StructuredOpInterface.
using Elements = mlir::ValueRange;
using Results = mlir::SmallVector<mlir::Value>;
using Nests = mlir::SmallVector<LoopNest>;
using IndexOf = llvm::function_ref<mlir::Value(unsigned)>;
/// Of DecomposableOpInterface.
using Values = mlir::SmallVector<mlir::Value>;
/// Of DifferentiableOpInterface.
using NeededGradients = const llvm::SmallBitVector &;
using Gradients = mlir::MutableArrayRef<mlir::Value>;

/// Of a value whose constraint says that it is a tensor.
inline mlir::RankedTensorType typeOf(mlir::Value value) {
  return mlir::cast<mlir::RankedTensorType>(value.getType());
}
/// Of one that nobody has looked at yet; null where it is none.
inline mlir::RankedTensorType tensorOf(mlir::Value value) {
  return mlir::dyn_cast<mlir::RankedTensorType>(value.getType());
}
inline uint64_t count(mlir::Value value) { return uint64_t(typeOf(value).getNumElements()); }
/// A tensor's elements, or an element.
inline bool isFloat(mlir::Value value) {
  return mlir::isa<mlir::FloatType>(mlir::getElementTypeOrSelf(value));
}

//===------------------------------------------------------------------------------------------===//
// Text
//===------------------------------------------------------------------------------------------===//

/// custom<Integer>: `1`, where MLIR would write `1 : i64`.
mlir::ParseResult parseInteger(mlir::OpAsmParser &parser, mlir::IntegerAttr &value);
void printInteger(mlir::OpAsmPrinter &printer, mlir::Operation *op, mlir::IntegerAttr value);

//===------------------------------------------------------------------------------------------===//
// Loops
//===------------------------------------------------------------------------------------------===//

mlir::AffineMap getMap(size_t loops, mlir::ArrayRef<mlir::AffineExpr> results,
                       mlir::MLIRContext *context);
mlir::AffineMap getIdentity(int64_t rank, mlir::MLIRContext *context);
/// Parallel over the result, of whose only operand each element comes from the given place.
Nests moveFrom(mlir::Operation *op, mlir::ArrayRef<mlir::AffineExpr> place);
/// What a reduction begins with: zero, one, or the least or largest value there is.
enum class ReductionIdentity { Zero, One, Least, Largest };
mlir::TypedAttr getStartOf(mlir::Value result, ReductionIdentity start);

} // namespace graphc::graph

#endif
