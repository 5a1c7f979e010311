//===- GatherDimensions.h - the dimension numbers of gather and scatter -------------*- C++ -*-===//
#ifndef GRAPHC_DIALECTS_GRAPH_OPS_GATHERDIMENSIONS_H
#define GRAPHC_DIALECTS_GRAPH_OPS_GATHERDIMENSIONS_H

#include "dialects/graph/ops/ExplicitLoops.h"

namespace graphc::graph {

/// Windows of `operand` at places that `indices` says, and a tensor that has them all, under
/// gather's names: gather's result, scatter's updates.
struct GatherDimensions {
  mlir::RankedTensorType operand, indices;
  mlir::ArrayRef<int64_t> offsetDims, collapsed, operandBatching, indicesBatching, startMap;
  int64_t vectorDim;

  /// What the op calls them, for what is said of mistakes.
  struct Names {
    llvm::StringRef indices, offsetDims, collapsed, operandBatching, indicesBatching, startMap;
  };

  /// All constraints but those of sizes and offset dimensions.
  mlir::LogicalResult verify(Loc loc, const Names &names) const;
  /// Of what has all windows, whose rank is `rank`: an offset dimension for each dimension that
  /// windows keep.
  mlir::LogicalResult verifyOffsetDims(Loc loc, const Names &names, int64_t rank) const;

  /// Of the indices, without the index vectors.
  mlir::SmallVector<int64_t> getBatchShape() const;
  /// The operand's dimensions that windows keep, in order.
  mlir::SmallVector<int64_t> getWindowDims() const;
  /// How long index vectors are.
  int64_t getVectorSize() const {
    return vectorDim == indices.getRank() ? 1 : indices.getDimSize(unsigned(vectorDim));
  }
  /// The dimension of the batch that a dimension of the indices is.
  int64_t toBatch(int64_t dimension) const {
    return dimension > vectorDim ? dimension - 1 : dimension;
  }

  /// Of a place in what has all windows: the batch's indices, or the window's.
  ExplicitLoops::Place getBatch(mlir::ValueRange place) const;
  ExplicitLoops::Place getOffsets(mlir::ValueRange place) const;
  /// Where the window of this place in the batch begins along `startMap[entry]`, as it is said,
  /// i64.
  mlir::Value loadStart(ExplicitLoops &loops, mlir::Value indicesMemory, mlir::ValueRange batch,
                        int64_t entry) const;
};

} // namespace graphc::graph

#endif
