//===- AttentionMask.h - masks of attention scores, read from primitives ------------*- C++ -*-===//
//
// Reads which keys each query attends to from the ops that mask scores: `select`, sums with 0 and
// -inf, and sums of several masks. Reading changes no op, so a pattern can still fail afterwards;
// `make` then builds the boolean mask that graph.attention takes.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_DIALECTS_GRAPH_OPS_ATTENTIONMASK_H
#define GRAPHC_DIALECTS_GRAPH_OPS_ATTENTIONMASK_H

#include "dialects/graph/ops/ExpansionBuilder.h"

namespace graphc::graph {

/// The value of a constant; null if `value` is not one.
mlir::Attribute getConstantOf(mlir::Value value);
/// All elements of a constant are 0 or -0.
bool isZero(mlir::Value value);
/// All elements of a constant are -inf.
bool isNegativeInfinity(mlir::Value value);

/// The operand of a reshape, or of a broadcast that repeats nothing: the same elements in the same
/// order. Null for other values.
mlir::Value getReshaped(mlir::Value value);
/// The value before all such ops.
mlir::Value skipReshapes(mlir::Value value);

/// Applies a chain of reshapes, transposes and broadcasts to a value of another element type or
/// with other elements. `moves`: from the last op of the chain to the first.
mlir::Value applyMoves(ExpansionBuilder &e, mlir::ArrayRef<mlir::Operation *> moves,
                       mlir::Value value);

/// One mask of attention scores.
///
/// Its elements come from `root`: the predicate of a select, or a constant of 0 and of numbers so
/// small that their weight is 0. `moves` lead from the root to a value whose dimensions are the
/// scores' (`dimensions`, `shape`). Usually there are none: broadcasts and dimensions of size 1
/// are part of `dimensions`. PyTorch merges batch and heads, though, which is a move.
struct AttentionMask {
  mlir::Value root;
  mlir::SmallVector<mlir::Operation *> moves; ///< from the last to the first
  mlir::SmallVector<int64_t> dimensions; ///< the scores' dimension of each; -1: of size 1
  mlir::SmallVector<int64_t> shape; ///< like the scores', 1 where the mask is repeated
  bool isInverted = false; ///< the root is true for keys that are masked
  bool isFinite = false; ///< masked scores are finite, not -inf
  bool isAdded = false; ///< masked scores keep a gradient

  /// `given` has the scores' shape.
  explicit AttentionMask(mlir::Value given);

  /// Query i attends to keys 0 … i.
  bool isCausal(int64_t queries, int64_t keys) const;
  /// Each query is known to attend to at least one key: from a constant, or from comparisons of
  /// iotas, for which keys 0, i and the last one are tested.
  bool hasKeys() const;
  /// The boolean mask, true for keys that are attended to.
  mlir::Value make(ExpansionBuilder &e) const;

  /// Moves the root to the first value that is no reshape, transpose, broadcast or negation.
  void descend();
  /// Reads a masked score's value; false if its weight beside others would not be 0.
  bool readFill(mlir::Value fill);

private:
  std::optional<mlir::SmallVector<bool>> getKnown() const;
  std::optional<mlir::SmallVector<int64_t>> getRootDimensions() const;
  template <typename Is> bool allKnown(int64_t rows, int64_t keys, Is is) const;
  bool isAttended(int64_t query, int64_t key) const;
};

/// Returns the scores that the masks apply to, and appends these; null if a select or a sum on the
/// way is no mask. The values on the way, but for `scores` itself, must have no other use.
mlir::Value takeMasks(mlir::Value scores, mlir::SmallVectorImpl<AttentionMask> &masks);

/// The conjunction of several masks; null if there are none.
mlir::Value makeMask(ExpansionBuilder &e, mlir::ArrayRef<AttentionMask> masks);

} // namespace graphc::graph

#endif
