//===- StridedView.h - where the elements of a value stand in the value that it is a view of --===//
#ifndef GRAPHC_DIALECTS_GRAPH_OPS_STRIDEDVIEW
#define GRAPHC_DIALECTS_GRAPH_OPS_STRIDEDVIEW

#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallVector.h"

namespace graphc::graph {

/// Element (i, j, …) of the value is element `offset` + i * steps[0] + j * steps[1] + … of `root`,
/// in row-major order.
struct StridedView {
  mlir::Value root;
  int64_t offset = 0;
  llvm::SmallVector<int64_t> sizes, steps;

  /// Looks through so many slices, transposes, and reshapes that need no copy, on the device of the
  /// value alone.
  static StridedView of(mlir::Value value, unsigned most = 16);
};

} // namespace graphc::graph
#endif
