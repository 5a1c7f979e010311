// Structured ops on buffers to loops over vectors; see passes/KernelPasses.td for the numerical
// contract that is kept here.
#include "passes/PartRangeLoop.h"
#include "passes/Passes.h"

#include "passes/lower/KernelBlocks.h"
#include "passes/lower/KernelConstants.h"
#include "passes/lower/NestEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace graphc {
#define GEN_PASS_DEF_LOWERNESTS
#include "passes/Passes.h.inc"

namespace {

/// A nest without reductions: the last loop 16 elements at a time, the others around it.
class ParallelEmitter : NestEmitter {
public:
  using NestEmitter::NestEmitter;

  void emit() {
    if (nest.loops.empty())
      return storeAll(body.evaluate(elements));
    if (hasGroupsAcrossRows())
      return emitAcrossRows();
    overLoops(llvm::to_vector(llvm::seq<size_t>(0, nest.loops.size() - 1)),
              [&] { emitLast(nest.loops.size() - 1); });
  }

private:
  SmallVector<size_t> allLoops() const {
    return llvm::to_vector(llvm::seq<size_t>(0, nest.loops.size()));
  }

  /// Whether vector elements have something in common where they go on in the next row, and not
  /// where each row begins with a vector of its own: a draw's blocks, where rows have another
  /// length than whole blocks.
  bool hasGroupsAcrossRows() {
    if (given || nest.loops.size() < 2 || nest.body->getOps<linalg::IndexOp>().empty())
      return false;
    VectorIndices rows = elements, across = elements;
    rows.loop = across.loop = int64_t(nest.loops.size() - 1);
    rows.multiple = across.multiple = kVector;
    // any value: which they are is not looked at
    across.spread.assign(nest.loops.size(), nest.outputs.front().memory);
    return llvm::all_of(nest.outputs,
                        [&](const NestOperand &output) { return body.isDense(output, across); }) &&
           body.countGrouped(across) > body.countGrouped(rows);
  }

  void emitAcrossRows() {
    int64_t length = 1;
    for (const NestLoop &loop : nest.loops)
      length *= loop.size;
    emitVectors(nest.loops.size() - 1, length,
                [&](Value first) { spreadItems(first, allLoops()); });
  }

  void emitLast(size_t loop) {
    emitVectors(loop, nest.loops[loop].size, [&](Value index) { elements.indices[loop] = index; });
  }

  /// Vectors of `size` items along a loop, the last one perhaps not whole; `place` says where the
  /// elements of one that begins there are.
  void emitVectors(size_t loop, int64_t size, function_ref<void(Value)> place) {
    const int64_t whole = size / kVector * kVector;
    elements.loop = int64_t(loop);
    elements.multiple = kVector;
    auto emitVector = [&](Value first, int64_t active) {
      place(first);
      elements.active = active;
      storeAll(body.evaluate(elements));
    };
    forLoop(0, whole, kVector, {}, [&](Value first, ValueRange) {
      emitVector(first, kVector);
      return Values{};
    });
    if (whole < size)
      emitVector(body.index(whole), size - whole);
  }
};

/// All of the kernel within a loop over blocks, from its first new argument to its second; the
/// loop's index.
Value wrapInBlocks(func::FuncOp kernel, int64_t count) {
  Location loc = kernel.getLoc();
  Block &body = kernel.getBody().front();
  OpBuilder builder(kernel.getContext());
  for (unsigned i = 0; i < kBlockArguments; ++i)
    (void)kernel.insertArgument(kernel.getNumArguments(), builder.getIndexType(), {}, loc);
  kernel->setAttr(kKernelBlocks, builder.getI64IntegerAttr(count));
  SmallVector<Operation *> all;
  for (Operation &op : body.without_terminator())
    all.push_back(&op);
  builder.setInsertionPointToStart(&body);
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  auto loop =
      scf::ForOp::create(builder, loc, *(body.args_end() - 2), body.getArguments().back(), one);
  for (Operation *op : all)
    op->moveBefore(loop.getBody()->getTerminator());
  return loop.getInductionVar();
}

/// Loops over parts for all of them, or for those of a block.
void lowerParts(func::FuncOp kernel, const std::optional<KernelBlocks> &blocks, Value block) {
  SmallVector<PartLoop> loops;
  kernel.walk([&](scf::ParallelOp op) {
    if (std::optional<PartLoop> loop = PartLoop::match(op))
      loops.push_back(*loop);
  });
  for (PartLoop &loop : loops) {
    OpBuilder builder(loop.loop);
    Location loc = loop.loop.getLoc();
    auto index = [&](int64_t value) -> Value {
      return arith::ConstantIndexOp::create(builder, loc, value);
    };
    Value first = index(0), limit = index(loop.parts);
    if (block) {
      Value width = index(blocks->parts);
      first = arith::MulIOp::create(builder, loc, block, width);
      limit = arith::MinUIOp::create(builder, loc,
                                     arith::AddIOp::create(builder, loc, first, width), limit);
    }
    loop.moveBodyBefore(loop.loop, first, limit);
  }
}

struct LowerNestsPass : impl::LowerNestsBase<LowerNestsPass> {
  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> ops;
    getOperation().walk([&](linalg::LinalgOp op) { ops.push_back(op); });
    FailureOr<std::optional<KernelBlocks>> blocks = chooseBlocks(getOperation());
    if (failed(blocks))
      return signalPassFailure();
    Value block = *blocks ? wrapInBlocks(getOperation(), (*blocks)->count) : Value();
    lowerParts(getOperation(), *blocks, block);
    for (auto [i, op] : llvm::enumerate(ops)) {
      OpBuilder builder(op);
      FailureOr<FlatLoopNest> nest = buildNest(op, builder);
      if (failed(nest))
        return signalPassFailure();
      std::optional<GivenLoop> given;
      if (block)
        given = GivenLoop{(*blocks)->split(*nest, i), block};
      if (!nest->hasReduction())
        ParallelEmitter(*nest, builder, op.getLoc(), given).emit();
      else if (failed(emitReduction(*nest, builder, op.getLoc(), given)))
        return signalPassFailure();
      op->erase();
    }
  }
};

} // namespace
} // namespace graphc
