// One device, N micro-batches a step: the reference that every synchronous strategy equals bit for bit.
#ifndef GRAPHC_PASSES_REPLICATE_TOWERS_H
#define GRAPHC_PASSES_REPLICATE_TOWERS_H

#include "dialects/graph/GraphDialect.h"

namespace graphc {

/// What N values for one variable mean.
enum class Aggregation { Mean, Sum, FirstReplica };

/// The aggregation of the value that `update` gives `variable`; an error where none is declared for an assignment.
mlir::FailureOr<Aggregation> getAggregation(mlir::Operation *update, graph::VariableOp variable, int64_t replicas);

/// Clones what depends on the batch N times and joins the towers with sums in tower order and one division by N.
mlir::LogicalResult buildTowers(mlir::ModuleOp module, graph::FuncOp func, int64_t towers);

} // namespace graphc

#endif // GRAPHC_PASSES_REPLICATE_TOWERS_H
