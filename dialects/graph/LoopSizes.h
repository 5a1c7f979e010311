//===- LoopSizes.h - how long loops are, by what they index -------------------------*- C++ -*-===//
#ifndef GRAPHC_DIALECTS_GRAPH_LOOPSIZES_H
#define GRAPHC_DIALECTS_GRAPH_LOOPSIZES_H

#include "mlir/IR/AffineMap.h"

namespace graphc::graph {

/// A tensor, or memory, and which loops index it.
struct IndexedTensor {
  mlir::AffineMap map;
  llvm::ArrayRef<int64_t> shape;
};

/// One that is an index by itself is as long as the tensor there, the last that says so. Of those
/// that never are, an index of several loops is taken to be a number whose digits they are, as
/// group * 4 + feature. 1 where nothing depends on it.
llvm::SmallVector<int64_t> findLoopSizes(unsigned loops, llvm::ArrayRef<IndexedTensor> tensors);

} // namespace graphc::graph
#endif
