//===- SumTree.h - the one shape of a step's sums -----------------------------------*- C++ -*-===//
//
// A step has M micro-batches, numbered once for the whole cluster. What is summed over them has W
// leaves; a leaf is a left fold over M / W consecutive micro-batches, and the leaves are joined by
// one binary tree: neighbours first, a rest at the right joins higher. Five leaves are ((0 + 1) +
// (2 + 3)) + 4. The shape follows from M and W alone, not from how many replicas share the
// micro-batches: a replica with W / N leaves, a power of two, has a subtree, so every such N gives
// the same bits.
//
// graphc builds sums with it, the executor makes sums of messages with it, and tests compare both
// with the text of the sum.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_COMMON_PLAN_SUMTREE_H
#define GRAPHC_RUNTIME_COMMON_PLAN_SUMTREE_H

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace graphc::plan {

/// How many of `leaves` >= 2 are in the left one of the two subtrees that the root joins.
constexpr uint64_t leftLeaves(uint64_t leaves) { return std::bit_floor(leaves - 1); }

/// A sum that grows from the left: where the first `done` of `leaves` are one subtree, the first so
/// many are the next larger one. Of none the first two, which are added in one pass.
constexpr uint64_t nextSubtree(uint64_t done, uint64_t leaves) {
  return std::min(done ? 2 * done : uint64_t(2), leaves);
}

/// Partial sums that have to be kept besides the sum itself, where it begins with leaf 0.
constexpr uint32_t partialSums(uint64_t leaves) {
  return leaves < 4 ? 0 : uint32_t(std::bit_width(leaves) - 2);
}
/// The same where it begins with whichever leaf is one's own.
constexpr uint32_t partialSumsOfAny(uint64_t leaves) {
  return leaves < 3 ? 0 : uint32_t(std::bit_width(leaves - 1) - 1);
}

/// Whether each of `hosts` has as many of the instances in a row, so many that they are a node of
/// the tree.
constexpr bool hostsAreNodes(uint64_t instances, uint64_t hosts) {
  return instances % hosts == 0 && instances / hosts > 1 && std::has_single_bit(instances / hosts);
}
/// Scratch sums of an all-reduce whose sums are made within each of `hosts` first: one at least.
constexpr uint64_t partialSumsWithinHosts(uint64_t instances, uint64_t hosts) {
  return std::max({1u, partialSumsOfAny(instances / hosts), partialSumsOfAny(hosts)});
}

/// Sums that a loop over all of so many values but the last keeps: of the leaf under way where it
/// has several values, then of 1, 2, 4, … leaves.
constexpr uint32_t keptSums(uint64_t values, uint64_t perLeaf) {
  return uint32_t(std::bit_width(values / perLeaf - 1)) + (perLeaf > 1);
}
/// How many of them wait for the last value: each is one addition that the loop did not make.
constexpr uint32_t waitingSums(uint64_t values, uint64_t perLeaf) {
  return uint32_t(std::popcount(values / perLeaf - 1)) + (perLeaf > 1);
}

/// How many of a sum's values and partial sums are held at once, at most, by who makes them one
/// after another: log2 of its leaves and two.
constexpr uint64_t mostHeld(uint64_t leaves) { return uint64_t(std::bit_width(leaves)) + 1; }
/// Where it has to be summed what is there so that no more are held, by how many values are there
/// then: as late as that allows, but where fewest partial sums are left. `perLeaf` values are a
/// leaf; up to four leaves of one value need none.
std::vector<uint64_t> sumStops(uint64_t values, uint64_t perLeaf);

/// Where one partial sum of so many bytes ends and the next may begin: kernels take memory at
/// multiples of 64.
constexpr uint64_t partialStride(uint64_t bytes) { return (bytes + 63) / 64 * 64; }

/// Sums values that come one after another, keeping as few partial sums as there can be: `Add` is
/// Value(Value left, Value right).
template <typename Value> class GrowingSum {
public:
  /// `perLeaf` values are a leaf.
  explicit GrowingSum(uint64_t perLeaf = 1) : perLeaf_(perLeaf) {}
  template <typename Add> void push(Value value, Add &&add) {
    if (inLeaf_++ % perLeaf_)
      sums_.back() = add(std::move(sums_.back()), std::move(value));
    else
      sums_.push_back(std::move(value));
    if (inLeaf_ % perLeaf_ == 0)
      for (uint64_t leaf = inLeaf_ / perLeaf_; leaf % 2 == 0; leaf /= 2)
        join(add);
  }
  /// What it holds: sums of subtrees that no sum joins yet, from left to right.
  std::vector<Value> &getPartials() { return sums_; }
  /// Of at least one value.
  template <typename Add> Value take(Add &&add) {
    while (sums_.size() > 1)
      join(add);
    return std::move(sums_.back());
  }

private:
  template <typename Add> void join(Add &&add) {
    Value right = std::move(sums_.back());
    sums_.pop_back();
    sums_.back() = add(std::move(sums_.back()), std::move(right));
  }

  uint64_t perLeaf_, inLeaf_ = 0;
  std::vector<Value> sums_;
};

/// W where nothing is said: the larger of the number of replicas and the largest divisor of M that
/// is at most 16.
uint64_t defaultSumLeaves(uint64_t microBatches, uint64_t replicas);

/// Why M micro-batches over N replicas cannot be summed in W leaves (0: the default), with the
/// nearest numbers that can, in the words of cluster.json; "" where they can.
std::string whyNoSumTree(uint64_t microBatches, uint64_t sumLeaves, uint64_t replicas);

} // namespace graphc::plan
#endif
