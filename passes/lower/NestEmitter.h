//===- NestEmitter.h - what the emission of every nest begins with ------------------*- C++ -*-===//
#ifndef GRAPHC_PASSES_LOWER_NESTEMITTER_H
#define GRAPHC_PASSES_LOWER_NESTEMITTER_H

#include "passes/lower/VectorBody.h"

#include <optional>

namespace graphc {

/// The numerical contract (passes/KernelPasses.td): item i of a chunk is added to partial sum i mod
/// 32.
inline constexpr int64_t kPartialSums = 32;
/// And so many items are a chunk; the sums of chunks are the items of the next level.
inline constexpr int64_t kChunk = 1024;

/// A parallel loop of a nest, not its last, that is not written: somebody else's loop has its
/// index.
struct GivenLoop {
  size_t loop;
  mlir::Value index;
};

/// Loops around evaluations of a nest's body. `elements` says where the next evaluation happens.
class NestEmitter {
public:
  NestEmitter(FlatLoopNest &nest, mlir::OpBuilder &builder, mlir::Location loc,
              const std::optional<GivenLoop> &given = {})
      : nest(nest), builder(builder), loc(loc), body(nest, builder, loc), given(given) {
    elements.indices.assign(nest.loops.size(), mlir::Value());
    if (given)
      elements.indices[given->loop] = given->index;
  }

protected:
  using Values = llvm::SmallVector<mlir::Value>;
  using LoopBody = llvm::function_ref<Values(mlir::Value index, mlir::ValueRange carried)>;

  /// `emitBody` at lower, lower + step, … below upper; no loop where it is known that there are
  /// less than two of them.
  Values forLoop(mlir::Value lower, mlir::Value upper, int64_t step, mlir::ValueRange init,
                 LoopBody emitBody);
  Values forLoop(int64_t lower, int64_t upper, int64_t step, mlir::ValueRange init,
                 LoopBody emitBody);

  bool isGiven(size_t loop) const { return given && given->loop == loop; }

  /// Runs `inside` under these loops of the nest but the given one, outermost first, without
  /// carried values.
  void overLoops(llvm::ArrayRef<size_t> loops, llvm::function_ref<void()> inside);

  /// The indices of item `item` of these loops, in row-major order.
  void setItem(mlir::Value item, llvm::ArrayRef<size_t> loops);
  /// The same of 16 items from `first` on that may lie in several rows.
  void spreadItems(mlir::Value first, llvm::ArrayRef<size_t> loops);

  void storeAll(mlir::ValueRange values);

  template <typename Op> mlir::Value arithmetic(mlir::Value a, mlir::Value b) {
    return builder.createOrFold<Op>(loc, a, b);
  }
  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value add(mlir::Value a, int64_t b);
  mlir::Value times(mlir::Value a, int64_t b);

  FlatLoopNest &nest;
  mlir::OpBuilder &builder;
  mlir::Location loc;
  VectorBody body;
  VectorIndices elements;
  const std::optional<GivenLoop> given;

private:
  mlir::Type spreadType(int64_t length);
};

/// Writes the loops of a nest with reductions: the order of its sums is the numerical contract's
/// (passes/KernelPasses.td). Fails with a diagnostic where an output is not reduced by add,
/// multiply, min, max, and, or.
mlir::LogicalResult emitReduction(FlatLoopNest &nest, mlir::OpBuilder &builder, mlir::Location loc,
                                  const std::optional<GivenLoop> &given = {});

} // namespace graphc
#endif
