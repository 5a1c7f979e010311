//===- LoopSum.h - the sum of what a loop's times make, by the tree -----------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_EXECUTOR_LOOPSUM_H
#define GRAPHC_RUNTIME_EXECUTOR_LOOPSUM_H

#include "runtime/executor/LaneProgram.h"

#include <bit>

namespace graphc::executor {

/// How a value is added to the sums of a loop, of which a leaf has so many values: the first
/// partial sum is that of the leaf under way, where a leaf has several values; the others are a
/// binary counter. Once as many leaves are done as have k ones at the end of their number, the sums
/// of the first k and this leaf's stand in the next. Each is made in place of where it will stand,
/// so that what it is made of is only read.
struct LoopSumStep {
  LoopSumStep(uint32_t perLeaf, uint32_t iteration)
      : starts(iteration % perLeaf == 0), ends(iteration % perLeaf + 1 == perLeaf),
        joined(ends ? uint32_t(std::countr_one(iteration / perLeaf)) : 0) {}

  bool starts, ends; ///< its leaf
  uint32_t joined; ///< sums of leaves that it is joined with where it ends its leaf

  /// The same for those that do the same to the same sums.
  uint32_t number() const { return ends ? 2 + joined : !starts; }
  /// Whether there may be one with that number or a higher one in so many iterations.
  static bool mayHave(uint32_t number, uint32_t perLeaf, uint64_t times) {
    return number < 2 || firstWith(number, perLeaf) < times;
  }
  /// Where one with that number is first, if any has it.
  static uint64_t firstWith(uint32_t number, uint32_t perLeaf) {
    return number < 2 ? number : (uint64_t(perLeaf) << (number - 2)) - 1;
  }

  /// The value last of its leaf, the leaf last of what it is joined with: x + y is y + x. `copy`
  /// and `add` are given the sum's place among `sums` and what to make it of or to add to it; a
  /// code of theirs that is not 0 ends it.
  template <typename Copy, typename Add>
  int apply(void *value, void *const *sums, bool severalValues, const Copy &copy,
            const Add &add) const {
    void *leaf = severalValues ? *sums : nullptr;
    void *const *subtrees = sums + severalValues;
    void *sum = ends ? subtrees[joined] : leaf;
    if (starts)
      copy(sum, value);
    else if (ends)
      copy(sum, leaf);
    int code = starts ? 0 : add(sum, value);
    for (uint32_t k = 0; !code && k < joined; ++k)
      code = add(sum, subtrees[k]);
    return code;
  }
};

/// An Accumulate adds one time's value, of `bytes`, to its sums. `arguments`: the value, then the
/// partial sums. Returns the code of a kernel that failed, or 0.
int addToLoopSum(const LaneInstruction &instruction, void *const *arguments, uint64_t bytes,
                 uint32_t iteration, const GraphcContext &context);

} // namespace graphc::executor
#endif
