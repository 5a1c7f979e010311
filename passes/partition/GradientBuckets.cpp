#include "passes/partition/GradientBuckets.h"

#include "runtime/common/plan/AllReduceMoves.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace graphc {

SmallVector<GradientBucket> makeBuckets(graph::FuncOp func, int64_t bytes) {
  SmallVector<GradientBucket> buckets;
  // by element type: the bucket and what it holds
  llvm::MapVector<Type, std::pair<size_t, int64_t>> open;
  for (auto aggregate : func.getBodyBlock().getOps<graph::AggregateOp>()) {
    auto &[index, held] =
        open.try_emplace(getElementTypeOrSelf(aggregate.getType()), ~size_t(0), 0).first->second;
    Operation *def = aggregate.getOperand().getDefiningOp();
    if (index == ~size_t(0) || held >= bytes ||
        (def && !def->isBeforeInBlock(buckets[index].front()))) {
      index = buckets.size();
      held = 0;
      buckets.emplace_back();
    }
    buckets[index].push_back(aggregate);
    held += graph::getByteSize(cast<RankedTensorType>(aggregate.getType()));
  }
  return buckets;
}

/// Up to this many bytes, of all replicas together, everything goes to everybody: that is one hop,
/// and all other algorithms have at least two. As measured with 2 and 4 workers on two cores
/// (docs/decisions/2026-11-21-all-reduce-chunks.md).
constexpr int64_t kWholeBytes = 128 << 10;
/// The largest chunk that stays in a second-level cache between its arrival and its departure; a
/// ring has more of them under way. Chunks below a page are all overhead.
constexpr int64_t kMostChunkBytes = 256 << 10, kMostRingChunkBytes = 128 << 10,
                  kLeastChunkBytes = 4 << 10;
/// Doubling takes log2 N hops and messages, sending everything to everybody one hop and N - 1
/// messages.
constexpr int64_t kDoublingReplicas = 8;
constexpr int64_t kAlignment = 64; // of a chunk, in bytes
/// A chunk has parts of at most so much, which are added one after another: they stay in a
/// first-level cache or near it.
constexpr int64_t kMostPartBytes = 64 << 10;

/// As many rounds of one chunk a replica as the largest chunks need, then chunks as small as that
/// many rounds allow.
static AllReducePlan inChunks(StringRef algorithm, int64_t bytes, int64_t width, int64_t replicas) {
  const bool ring = algorithm == "ring";
  const int64_t share = llvm::divideCeil(bytes, replicas);
  const int64_t rounds = llvm::divideCeil(share, ring ? kMostRingChunkBytes : kMostChunkBytes);
  const int64_t least = std::max(int64_t(llvm::divideCeil(share, rounds)), kLeastChunkBytes);
  const int64_t parts = llvm::divideCeil(least, kMostPartBytes);
  // Whole pages add little, and sums are then read where they lie (plan::mapsSums).
  const bool pages = !ring && uint64_t(least) >= plan::kLeastMappedBytes;
  const int64_t chunk =
      parts *
      int64_t(llvm::alignTo(llvm::divideCeil(least, parts),
                            pages ? plan::kMappableBytes : uint64_t(kAlignment))) /
      width;
  return {algorithm, chunk * replicas * rounds, chunk};
}

/// How long a bucket is on its way and added up among several hosts.
static double secondsOf(const AllReducePlan &all, int64_t width, const ReplicaTopology &summing) {
  const TimeModel time{cluster::MachineCalibration()};
  const plan::AllReduceShape shape{all.algorithm.empty() ? plan::WHOLE : plan::SCATTER,
                                   uint32_t(summing.replicas), uint32_t(all.hosts)};
  const auto chunks = uint64_t(all.elements / all.chunk);
  const double chunkBytes = double(all.chunk * width);
  TimeModel::Message message;
  message.bytes = chunkBytes;
  message.instances = message.senders = message.receivers = shape.instances;
  message.allToAll = true;
  message.leavesHost = chunkBytes * double(plan::allReduceMessagesLeavingHost(
                                        shape, uint32_t(summing.replicas / summing.hosts), chunks));
  if (shape.algorithm != plan::WHOLE) {
    message.bytes *= double(plan::allReduceMessages(shape, chunks));
    message.hops = plan::allReduceHops(shape);
    message.hopsWithinHosts = plan::allReduceHopsWithinHosts(shape);
  }
  return TimeModel::transfer(summing.betweenHosts, message) +
         time.latency(summing.betweenHosts, message) + time.sum(message);
}

/// Over several hosts, where a wire is slower than memory, what the model of time says: a small
/// bucket goes whole, in one hop; of a large one less leaves a host where sums are made within each
/// first, which takes two hops more there.
static AllReducePlan planOverHosts(int64_t elements, int64_t width,
                                   const ReplicaTopology &summing) {
  AllReducePlan best{"", elements, elements},
      scatter = inChunks("scatter", elements * width, width, summing.replicas);
  double least = secondsOf(best, width, summing);
  for (int64_t hosts : {int64_t(1), summing.hosts}) {
    scatter.hosts = hosts;
    if (double seconds = secondsOf(scatter, width, summing); seconds < least) {
      best = scatter;
      least = seconds;
    }
  }
  return best;
}

AllReducePlan planAllReduce(int64_t elements, int64_t width, const ReplicaTopology &summing) {
  if (summing.hosts > 1)
    return planOverHosts(elements, width, summing);
  const int64_t bytes = elements * width, replicas = summing.replicas;
  if (bytes > kWholeBytes / replicas)
    return inChunks(summing.inOrder ? "scatter" : "ring", bytes, width, replicas);
  const bool doubles =
      !summing.inOrder && replicas >= kDoublingReplicas && llvm::isPowerOf2_64(uint64_t(replicas));
  return {doubles ? "doubling" : "", elements, elements};
}

} // namespace graphc
