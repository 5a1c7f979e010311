// N micro-batches a step in one function: on one device the reference that every synchronous strategy equals bit for bit,
// on several the strategy mirrored.
#ifndef GRAPHC_PASSES_REPLICATE_TOWERS_H
#define GRAPHC_PASSES_REPLICATE_TOWERS_H

#include "passes/place/Strategy.h"

namespace graphc {

/// What N values for one variable mean.
enum class Aggregation { Mean, Sum, FirstReplica };

/// The aggregation of the value that `update` gives `variable`; an error where none is declared for an assignment.
mlir::FailureOr<Aggregation> getAggregation(mlir::Operation *update, graph::VariableOp variable, int64_t replicas);

/// Clones what depends on the batch once a tower and joins the towers with sums in tower order and one division by their
/// number. Where the strategy gives each tower a device, it computes there; the batches are taken where they were, and
/// each sum is made where it is used.
mlir::LogicalResult buildTowers(mlir::ModuleOp module, graph::FuncOp func, const Distribution &distribution);

} // namespace graphc

#endif // GRAPHC_PASSES_REPLICATE_TOWERS_H
