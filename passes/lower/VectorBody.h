//===- VectorBody.h - one evaluation of a nest's scalar body on 16 lanes --------------------------------*- C++ -*-===//
#ifndef GRAPHC_PASSES_LOWER_VECTORBODY_H
#define GRAPHC_PASSES_LOWER_VECTORBODY_H

#include "passes/lower/FlatLoopNest.h"

namespace graphc {

/// Width of every vector that we write for a CPU, in elements of any type; LLVM splits it where registers are narrower. No result
/// depends on it.
constexpr int64_t kVector = 16;

/// Where and how wide a body is evaluated.
struct VectorIndices {
  llvm::SmallVector<mlir::Value> indices; ///< one a loop; that of `loop` is the first lane's
  int64_t loop = -1; ///< the vectorised loop; -1: a scalar evaluation
  int64_t active = kVector; ///< lanes that exist; the others compute on ones and are dropped
  /// Where the lanes may lie in several rows of the last reduced loop, `loop`: the reduced loops' indices in each lane, null for other
  /// loops, in place of consecutive numbers of `loop`. Else empty.
  llvm::SmallVector<mlir::Value> spread;
  llvm::SmallVector<mlir::Value> next; ///< with `spread`: indices as if the first lane lay before the row after its own
  mlir::Value left; ///< with `spread`: elements of the first lane's row from there on
  int64_t multiple = 1; ///< the index of `loop` is one of this
  bool scalar() const { return loop < 0; }
  bool isSpread(size_t loop) const { return !spread.empty() && spread[loop]; }
};

class VectorBody {
public:
  /// `width`: of its vectors.
  VectorBody(FlatLoopNest &nest, mlir::OpBuilder &builder, mlir::Location loc, int64_t width = kVector)
      : nest_(nest), builder_(builder), loc_(loc), width_(width) {}

  /// What the body yields for each output. With `combiners`, the operation that combines output k with its old value is
  /// left out and the value to combine is returned instead; otherwise old values are loaded where the body reads them.
  llvm::SmallVector<mlir::Value> evaluate(const VectorIndices &lanes, llvm::ArrayRef<mlir::Operation *> combiners = {});

  /// How many of the body's operations are evaluated once for neighbouring lanes (UniformityAnalysis.h).
  int64_t countGrouped(const VectorIndices &lanes);
  /// Whether the operand's elements in the lanes stand in memory one behind the other.
  bool isDense(const NestOperand &operand, const VectorIndices &lanes) { return strideOf(operand, lanes) == 1; }

  mlir::Value load(const NestOperand &operand, const VectorIndices &lanes);
  void store(const NestOperand &operand, const VectorIndices &lanes, mlir::Value value);

  mlir::Value index(int64_t value);
  mlir::Value constantOne(mlir::Type element);
  /// A vector of i1 whose first `active` lanes are set.
  mlir::Value mask(int64_t active);
  /// 0, 1, 2, … of a vector of integers.
  mlir::Value counting(mlir::VectorType type);

private:
  mlir::Value offset(const NestOperand &operand, llvm::ArrayRef<mlir::Value> indices);
  int64_t strideOf(const NestOperand &operand, const VectorIndices &lanes);
  bool isInTwoRows(const NestOperand &operand, const VectorIndices &lanes);
  mlir::Value loadTwoRows(const NestOperand &operand, const VectorIndices &lanes);
  mlir::Value gather(const NestOperand &operand, const VectorIndices &lanes);
  mlir::Value indexOf(int64_t dim, const VectorIndices &lanes);
  void addShared(class LaneGroups &groups, const VectorIndices &lanes);
  mlir::VectorType lanesOf(mlir::Type element) const { return mlir::VectorType::get({width_}, element); }

  FlatLoopNest &nest_;
  mlir::OpBuilder &builder_;
  mlir::Location loc_;
  int64_t width_;
};

} // namespace graphc
#endif
