#include "passes/partition/Buckets.h"

#include "runtime/plan/AllReduce.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace graphc {

SmallVector<Bucket> makeBuckets(graph::FuncOp func, int64_t bytes) {
  SmallVector<Bucket> buckets;
  llvm::MapVector<Type, std::pair<size_t, int64_t>> open; // by element type: the bucket and what it holds
  for (auto aggregate : func.getBodyBlock().getOps<graph::AggregateOp>()) {
    auto &[index, held] = open.try_emplace(getElementTypeOrSelf(aggregate.getType()), ~size_t(0), 0).first->second;
    Operation *def = aggregate.getOperand().getDefiningOp();
    if (index == ~size_t(0) || held >= bytes || (def && !def->isBeforeInBlock(buckets[index].front()))) {
      index = buckets.size();
      held = 0;
      buckets.emplace_back();
    }
    buckets[index].push_back(aggregate);
    held += graph::getByteSize(cast<RankedTensorType>(aggregate.getType()));
  }
  return buckets;
}

/// Up to this many bytes, of all replicas together, everything goes to everybody: that is one hop, and all other
/// algorithms have at least two. As measured with 2 and 4 workers on two cores (docs/decisions/2026-11-21-all-reduce-chunks.md).
constexpr int64_t kWholeBytes = 128 << 10;
/// The largest chunk that stays in a second-level cache between its arrival and its departure; a ring has more of them under
/// way. Chunks below a page are all overhead.
constexpr int64_t kMostChunkBytes = 256 << 10, kMostRingChunkBytes = 128 << 10, kLeastChunkBytes = 4 << 10;
/// Doubling takes log2 N hops and messages, sending everything to everybody one hop and N - 1 messages.
constexpr int64_t kDoublingReplicas = 8;
constexpr int64_t kAlignment = 64; // of a chunk, in bytes
/// A chunk has parts of at most so much, which are added one after another: they stay in a first-level cache or near it.
constexpr int64_t kMostPartBytes = 64 << 10;

AllReducePlan planAllReduce(int64_t elements, int64_t width, int64_t replicas, bool inOrder) {
  const int64_t bytes = elements * width;
  AllReducePlan plan{"", elements, elements};
  if (bytes <= kWholeBytes / replicas) {
    if (!inOrder && replicas >= kDoublingReplicas && llvm::isPowerOf2_64(uint64_t(replicas)))
      plan.algorithm = "doubling";
    return plan;
  }
  plan.algorithm = inOrder ? "scatter" : "ring";
  // As many rounds of one chunk a replica as the largest chunks need, then chunks as small as that many rounds allow.
  const int64_t share = llvm::divideCeil(bytes, replicas);
  const int64_t rounds = llvm::divideCeil(share, inOrder ? kMostChunkBytes : kMostRingChunkBytes);
  const int64_t least = std::max(int64_t(llvm::divideCeil(share, rounds)), kLeastChunkBytes);
  const int64_t parts = llvm::divideCeil(least, kMostPartBytes);
  // Whole pages add little, and sums are then read where they lie (plan::mapsSums).
  const bool pages = inOrder && uint64_t(least) >= plan::kLeastMappedBytes;
  const int64_t chunkBytes = parts * int64_t(llvm::alignTo(llvm::divideCeil(least, parts),
                                                           pages ? plan::kMappableBytes : uint64_t(kAlignment)));
  plan.chunk = chunkBytes / width;
  plan.elements = plan.chunk * replicas * rounds;
  return plan;
}

} // namespace graphc
