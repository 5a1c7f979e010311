//===- UniformityAnalysis.h - values of a body that neighbouring vector elements share --------===//
#ifndef GRAPHC_PASSES_LOWER_UNIFORMITYANALYSIS_H
#define GRAPHC_PASSES_LOWER_UNIFORMITYANALYSIS_H

#include "passes/lower/VectorBody.h"

namespace graphc {

/// A body in which an integer counts with the vector's elements and is shifted right has the same
/// value in each 2 or 4 of them: what follows from such values alone is computed once for a group.
/// So a draw makes a block of Philox once for the elements that take its words
/// (dialects/graph/ops/RandomOps.cpp).
class UniformityAnalysis {
public:
  UniformityAnalysis(const FlatLoopNest &nest, const VectorIndices &elements)
      : nest_(nest), elements_(elements) {}

  /// A value that is the same in every element.
  void addShared(mlir::Value value) { linear_[value] = constant(1), sizes_[value] = kAll; }
  /// How many neighbouring elements share one value of the operation, whose operands were added
  /// before; 1 where each element has its own.
  int64_t add(mlir::Operation &op);
  int64_t of(mlir::Value value) const { return sizes_.lookup_or(value, 1); }

private:
  /// A multiple of `multiple`, and of each loop's index so many.
  struct Linear {
    int64_t multiple = 0;
    llvm::SmallVector<int64_t> steps = {};
  };
  Linear constant(int64_t multiple) const {
    return {multiple, llvm::SmallVector<int64_t>(nest_.loops.size(), 0)};
  }
  std::optional<Linear> linearOf(mlir::Value value) const;
  std::optional<Linear> follow(mlir::Operation &op) const;
  bool countsFromMultipleOf(const Linear &value, int64_t group) const;
  int64_t groupOf(mlir::Operation &op) const;

  static constexpr int64_t kAll = 0; ///< the same in every element

  const FlatLoopNest &nest_;
  const VectorIndices &elements_;
  llvm::DenseMap<mlir::Value, Linear> linear_;
  llvm::DenseMap<mlir::Value, int64_t> sizes_;
};

} // namespace graphc
#endif
