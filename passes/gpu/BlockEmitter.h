//===- BlockEmitter.h - a stage of a kernel as the threads of a block do it ---------*- C++ -*-===//
#ifndef GRAPHC_PASSES_GPU_BLOCKEMITTER_H
#define GRAPHC_PASSES_GPU_BLOCKEMITTER_H

#include "passes/gpu/GridLaunches.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

#include <map>
#include <optional>

namespace graphc::gpu {

/// The threads of a block, and their shared memory.
class ThreadBlock {
public:
  /// At the builder's place.
  ThreadBlock(mlir::gpu::GPUFuncOp function, int64_t threads, mlir::OpBuilder &builder);

  const int64_t threads;
  mlir::Value thread; ///< 0 … threads - 1
  mlir::Value threadInWarp, warp; ///< thread mod 32 and by 32

  int64_t warps() const { return threads / 32; }
  /// Shared memory of 32 × 32 elements; the same for the same number.
  mlir::Value getShared(mlir::Type element, unsigned number);

private:
  mlir::gpu::GPUFuncOp function_;
  std::map<std::pair<const void *, unsigned>, mlir::Value> shared_; ///< by element type and number
};

/// Which indices of the block loop are the block's: `count` from `first` on, those from `size` on
/// left out.
struct OwnedRange {
  size_t loop;
  mlir::Value first;
  int64_t count, size;
};

/// Replaces `op` by loops over the threads of the block. Sums keep the numerical contract
/// (passes/KernelPasses.td): each thread of a warp has one partial sum of a chunk, or one thread
/// has all of them, one after the other. Fails with a diagnostic where an output is not reduced by
/// add, min, max, and, or.
mlir::LogicalResult emitStage(mlir::linalg::LinalgOp op, FlatLoopNest &nest,
                              std::optional<OwnedRange> owned, ThreadBlock &block);

} // namespace graphc::gpu
#endif
