// all_reduce: which sums travel together.
#ifndef GRAPHC_PASSES_PARTITION_GRADIENTBUCKETS_H
#define GRAPHC_PASSES_PARTITION_GRADIENTBUCKETS_H

#include "dialects/graph/GraphDialect.h"
#include "passes/analysis/TimeModel.h"

namespace graphc {

using GradientBucket = llvm::SmallVector<graph::AggregateOp, 4>;

/// Every graph.aggregate of the function, in text order, in buckets of one element type that are
/// full at `bytes`. All that a bucket sums is computed before its first aggregate.
llvm::SmallVector<GradientBucket> makeBuckets(graph::FuncOp func, int64_t bytes);

/// How a bucket is summed over its replicas.
struct AllReducePlan {
  llvm::StringRef algorithm; ///< of dist.channel; empty: everybody sends everything to everybody
  int64_t elements = 0; ///< of the message, with what fills its last chunks
  int64_t chunk = 0;
  int64_t hosts = 1; ///< within which sums are made first
};

/// Who sum a bucket.
struct ReplicaTopology {
  int64_t replicas = 1;
  bool inOrder = true; ///< by the tree
  int64_t hosts = 1; ///< on each are as many replicas in a row; 1: nothing is known of hosts
  TimeModel::Way betweenHosts; ///< where there are several
};

/// `elements` of `width` bytes each.
AllReducePlan planAllReduce(int64_t elements, int64_t width, const ReplicaTopology &summing);

} // namespace graphc

#endif // GRAPHC_PASSES_PARTITION_GRADIENTBUCKETS_H
