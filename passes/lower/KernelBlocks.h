//===- KernelBlocks.h - how a large kernel is cut for the threads of a task ---------*- C++ -*-===//
//
// A block is the same part of each stage (KernelStages.h), so that blocks may be done in any order
// and at once, with the same bits. How many there are follows from the kernel alone and not from
// the number of threads.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_PASSES_LOWER_KERNELBLOCKS_H
#define GRAPHC_PASSES_LOWER_KERNELBLOCKS_H

#include "passes/lower/KernelStages.h"

namespace graphc {

struct KernelBlocks {
  int64_t count = 1;
  int64_t size = 1; ///< of the block loop that the stages share; a multiple of count, and larger
  llvm::SmallVector<BlockLoop> loops; ///< one a stage
  /// so many of a block, where the kernel is loops over parts (PartRangeLoop.h); then there is no
  /// block loop
  int64_t parts = 0;

  /// Splits a stage's nest; the loop over blocks, which is not its last.
  size_t split(FlatLoopNest &nest, size_t stage) const {
    return splitLoop(nest, {splitLoop(nest, loops[stage], size), BlockLoop::Part::Outer}, count);
  }
};

/// Nothing where the kernel is small or its stages share no loop that can be cut well. Fails as
/// readStages does.
mlir::FailureOr<std::optional<KernelBlocks>> chooseBlocks(mlir::func::FuncOp kernel);

} // namespace graphc
#endif
