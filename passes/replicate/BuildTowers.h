// Several micro-batches a step in one function: on one device the reference that every synchronous
// strategy equals bit for bit, on several the strategy mirrored, between graphs those of one
// replica.
#ifndef GRAPHC_PASSES_REPLICATE_BUILDTOWERS_H
#define GRAPHC_PASSES_REPLICATE_BUILDTOWERS_H

#include "passes/place/DistributionSpec.h"

namespace graphc {

/// What N values for one variable mean.
enum class VariableAggregation { Mean, Sum, FirstReplica };

/// The aggregation of the value that `update` gives `variable`; an error where none is declared for
/// an assignment.
mlir::FailureOr<VariableAggregation> getAggregation(mlir::Operation *update,
                                                    graph::VariableOp variable, int64_t replicas);

/// Clones what depends on the batch once a tower (a micro-batch) and joins the towers with sums by
/// the tree of runtime/common/plan/SumTree.h and one division by their number; between graphs
/// without the division, because the sum goes on over the replicas. Where the strategy gives towers
/// devices, they compute there; the batches are taken where they were. What towers of one device
/// have is summed there, the rest of each sum is made where it is used.
mlir::LogicalResult buildTowers(mlir::ModuleOp module, graph::FuncOp func,
                                const DistributionSpec &distribution);

} // namespace graphc

#endif // GRAPHC_PASSES_REPLICATE_BUILDTOWERS_H
