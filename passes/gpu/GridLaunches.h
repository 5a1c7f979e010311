//===- GridLaunches.h - how a kernel's stages become launches of a GPU --------------*- C++ -*-===//
//
// A launch is some stages, one behind the other, by the blocks of a grid. A block owns some indices
// of the block loop that the stages share (lower/KernelStages.h), so that a barrier between them is
// enough. Where stages have no such loop in common a new launch begins; a small kernel that would
// need several is one block instead.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_PASSES_GPU_GRIDLAUNCHES_H
#define GRAPHC_PASSES_GPU_GRIDLAUNCHES_H

#include "passes/lower/KernelStages.h"

namespace graphc::gpu {

struct GridLaunch {
  unsigned firstStage = 0, stages = 1; ///< of the kernel's
  llvm::SmallVector<BlockLoop> blockLoops; ///< one a stage
  int64_t size = 1; ///< of the block loop
  int64_t perBlock = 1; ///< of its indices
  int64_t threads = 32; ///< a block, whole warps
  int64_t blocks() const { return llvm::divideCeil(size, perBlock); }
};

/// Fails with a diagnostic where a linalg op is none that a nest can be made of.
mlir::FailureOr<llvm::SmallVector<GridLaunch>> cutIntoLaunches(mlir::func::FuncOp kernel);

} // namespace graphc::gpu
#endif
