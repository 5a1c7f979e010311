// all_reduce: which sums travel together.
#ifndef GRAPHC_PASSES_PARTITION_BUCKETS_H
#define GRAPHC_PASSES_PARTITION_BUCKETS_H

#include "dialects/graph/GraphDialect.h"

namespace graphc {

using Bucket = llvm::SmallVector<graph::AggregateOp, 4>;

/// Every graph.aggregate of the function, in text order, in buckets of one element type that are full at `bytes`. All that
/// a bucket sums is computed before its first aggregate.
llvm::SmallVector<Bucket> makeBuckets(graph::FuncOp func, int64_t bytes);

} // namespace graphc

#endif // GRAPHC_PASSES_PARTITION_BUCKETS_H
