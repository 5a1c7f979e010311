//===- ReductionCombiners.h - how a reduction joins two values ----------------------*- C++ -*-===//
#ifndef GRAPHC_PASSES_LOWER_REDUCTIONCOMBINERS_H
#define GRAPHC_PASSES_LOWER_REDUCTIONCOMBINERS_H

#include "passes/lower/FlatLoopNest.h"

namespace graphc {

/// The operation of each output that combines its old value with a new one: add, multiply, min,
/// max, and, or.
class ReductionCombiners {
public:
  /// Fails with a diagnostic where the body reduces in another way.
  static mlir::FailureOr<ReductionCombiners> find(FlatLoopNest &nest, mlir::Location loc);

  unsigned size() const { return unsigned(ops_.size()); }
  llvm::ArrayRef<mlir::Operation *> operations() const { return ops_; }

  /// What leaves any value as it is, in a vector of `width`. -0.0 for a sum and not 0.0, because
  /// 0.0 + -0.0 is 0.0.
  mlir::Value neutral(mlir::OpBuilder &builder, unsigned output, int64_t width) const;
  llvm::SmallVector<mlir::Value> neutrals(mlir::OpBuilder &builder, int64_t width) const;
  /// The same, not in a vector.
  mlir::Value scalarNeutral(mlir::OpBuilder &builder, unsigned output) const;

  /// Old value and new one in the order in which the body has them; scalars or vectors.
  mlir::Value combine(mlir::OpBuilder &builder, unsigned output, mlir::Value old,
                      mlir::Value value) const;
  llvm::SmallVector<mlir::Value> combineAll(mlir::OpBuilder &builder, mlir::ValueRange old,
                                            mlir::ValueRange values) const;

  /// A vector to one value: of W elements i with i + W/2, then i + W/4, …, i + 1.
  mlir::Value tree(mlir::OpBuilder &builder, unsigned output, mlir::Value partial) const;

private:
  llvm::SmallVector<mlir::Operation *> ops_;
  llvm::SmallVector<bool> oldFirst_;
};

} // namespace graphc
#endif
