//===- Launches.h - how a kernel's stages become launches of a GPU -----------------------------------------*- C++ -*-===//
//
// A launch is some stages, one behind the other, by the blocks of a grid. A block owns some indices of one parallel loop that each
// of the stages has (the block loop), so that what a stage hands to the next stays in the block, and a barrier between them is enough. Where
// stages have no such loop in common a new launch begins; a small kernel that would need several is one block instead.
//
//===--------------------------------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_PASSES_GPU_LAUNCHES_H
#define GRAPHC_PASSES_GPU_LAUNCHES_H

#include "passes/lower/Nest.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace graphc::gpu {

/// How the block loop is made of a loop of a stage's nest of N indices: all of it, the outer n of n × N/n or the inner of N/n × n.
struct BlockLoop {
  enum class Part { None, Whole, Outer, Inner };
  size_t loop = 0;
  Part part = Part::None; ///< None: the one block of a launch does all of the stage
};

/// Splits the nest's loop where needed; the block loop of `size` indices.
size_t splitLoop(Nest &nest, const BlockLoop &at, int64_t size);

struct Launch {
  unsigned firstStage = 0, stages = 1; ///< of the kernel's
  llvm::SmallVector<BlockLoop> blockLoops; ///< one a stage
  int64_t size = 1; ///< of the block loop
  int64_t perBlock = 1; ///< of its indices
  int64_t threads = 32; ///< a block, whole warps
  int64_t blocks() const { return llvm::divideCeil(size, perBlock); }
};

/// The operations of a kernel's body that do something, in order: linalg ops, and runs of others (loops that an operation wrote itself).
llvm::SmallVector<llvm::SmallVector<mlir::Operation *>> getStages(mlir::Block &body);

/// Fails with a diagnostic where a linalg op is none that a nest can be made of.
mlir::FailureOr<llvm::SmallVector<Launch>> cutIntoLaunches(mlir::func::FuncOp kernel);

} // namespace graphc::gpu
#endif
