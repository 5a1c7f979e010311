// graph.metric as ordinary operations: a sum and a count.
#ifndef GRAPHC_PASSES_PARTITION_METRICS_H
#define GRAPHC_PASSES_PARTITION_METRICS_H

#include "dialects/graph/GraphDialect.h"

namespace graphc {

struct ReducedMetric {
  mlir::StringAttr name;
  mlir::Value sum;   ///< scalar: i64 for integers and i1, f64 for floats
  mlir::Value count; ///< i64 scalar: how many values the mask lets through
};

/// Replaces each graph.metric by the reductions to its sum and count, on the metric's device. Integer sums are exact.
llvm::SmallVector<ReducedMetric> expandMetrics(graph::FuncOp func);

} // namespace graphc

#endif // GRAPHC_PASSES_PARTITION_METRICS_H
