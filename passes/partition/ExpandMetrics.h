// graph.metric as ordinary operations: a sum and a count.
#ifndef GRAPHC_PASSES_PARTITION_EXPANDMETRICS_H
#define GRAPHC_PASSES_PARTITION_EXPANDMETRICS_H

#include "dialects/graph/GraphDialect.h"

namespace graphc {

struct ReducedMetric {
  mlir::StringAttr name;
  mlir::Value sum, count; ///< see MetricOp::buildSums
};

/// Replaces each graph.metric by the reductions to its sum and count, on the metric's device;
/// removes what `replicate` has made of them (graph.metric_sums).
llvm::SmallVector<ReducedMetric> expandMetrics(graph::FuncOp func);

} // namespace graphc

#endif // GRAPHC_PASSES_PARTITION_EXPANDMETRICS_H
