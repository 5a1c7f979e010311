//===- VectorBody.h - one evaluation of a nest's scalar body for 16 vector elements -*- C++ -*-===//
#ifndef GRAPHC_PASSES_LOWER_VECTORBODY_H
#define GRAPHC_PASSES_LOWER_VECTORBODY_H

#include "passes/lower/FlatLoopNest.h"

namespace graphc {

/// Width of every vector that we write for a CPU, in elements of any type; LLVM splits it where
/// registers are narrower. No result depends on it.
constexpr int64_t kVector = 16;

/// Where and how wide a body is evaluated.
struct VectorIndices {
  llvm::SmallVector<mlir::Value> indices; ///< one a loop; that of `loop` is the first element's
  int64_t loop = -1; ///< the vectorised loop; -1: a scalar evaluation
  /// vector elements that exist; the others compute on ones and are dropped
  int64_t active = kVector;
  /// Where the elements may lie in several rows of the last reduced loop, `loop`: the reduced
  /// loops' indices of each element, null for other loops, in place of consecutive numbers of
  /// `loop`. Else empty.
  llvm::SmallVector<mlir::Value> spread;
  /// with `spread`: indices as if the first lay before the row after its own
  llvm::SmallVector<mlir::Value> next;
  mlir::Value left; ///< with `spread`: how many elements the first one's row has from there on
  int64_t multiple = 1; ///< the index of `loop` is one of this
  bool scalar() const { return loop < 0; }
  bool isSpread(size_t loop) const { return !spread.empty() && spread[loop]; }
};

class VectorBody {
public:
  /// `width`: of its vectors.
  VectorBody(FlatLoopNest &nest, mlir::OpBuilder &builder, mlir::Location loc,
             int64_t width = kVector)
      : nest_(nest), builder_(builder), loc_(loc), width_(width) {}

  /// What the body yields for each output. With `combiners`, the operation that combines output k
  /// with its old value is left out and the value to combine is returned instead; otherwise old
  /// values are loaded where the body reads them.
  llvm::SmallVector<mlir::Value> evaluate(const VectorIndices &elements,
                                          llvm::ArrayRef<mlir::Operation *> combiners = {});

  /// How many of the body's operations are evaluated once for neighbouring elements
  /// (UniformityAnalysis.h).
  int64_t countGrouped(const VectorIndices &elements);
  /// Whether the operand's elements stand in memory one behind the other.
  bool isDense(const NestOperand &operand, const VectorIndices &elements) {
    return strideOf(operand, elements) == 1;
  }

  mlir::Value load(const NestOperand &operand, const VectorIndices &elements);
  void store(const NestOperand &operand, const VectorIndices &elements, mlir::Value value);

  mlir::Value index(int64_t value);
  mlir::Value constantOne(mlir::Type element);
  /// A vector of i1 whose first `active` elements are set.
  mlir::Value mask(int64_t active);
  /// 0, 1, 2, … of a vector of integers.
  mlir::Value counting(mlir::VectorType type);

private:
  mlir::Value offset(const NestOperand &operand, llvm::ArrayRef<mlir::Value> indices);
  int64_t strideOf(const NestOperand &operand, const VectorIndices &elements);
  bool isInTwoRows(const NestOperand &operand, const VectorIndices &elements);
  mlir::Value loadTwoRows(const NestOperand &operand, const VectorIndices &elements);
  mlir::Value gather(const NestOperand &operand, const VectorIndices &elements);
  mlir::Value indexOf(int64_t dim, const VectorIndices &elements);
  void addShared(class UniformityAnalysis &groups, const VectorIndices &elements);
  mlir::VectorType vectorOf(mlir::Type element) const {
    return mlir::VectorType::get({width_}, element);
  }

  FlatLoopNest &nest_;
  mlir::OpBuilder &builder_;
  mlir::Location loc_;
  int64_t width_;
};

} // namespace graphc
#endif
