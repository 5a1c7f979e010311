//===- KernelStages.h -------------------------------------------------------------------------===//
//
// The loops of a kernel, and which of them can be cut into blocks together.
//
// A kernel's stages are its loops, one behind the other. Some stages share a block loop where each
// has a parallel loop of its size and what one hands to the next stays with the index that made it.
// Then each index, with all of these stages, is independent of the others: a GPU gives them to the
// blocks of a grid, a CPU to its threads.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_PASSES_LOWER_KERNELSTAGES_H
#define GRAPHC_PASSES_LOWER_KERNELSTAGES_H

#include "passes/lower/FlatLoopNest.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <functional>
#include <optional>
#include <set>
#include <vector>

namespace graphc {

/// How the block loop is made of a loop of a stage's nest of N indices: all of it, the outer n of n
/// × N/n or the inner of N/n × n.
struct BlockLoop {
  enum class Part { None, Whole, Outer, Inner };
  size_t loop = 0;
  Part part = Part::None; ///< None: it is not cut
};

/// Splits the nest's loop where needed; the block loop of `size` indices.
size_t splitLoop(FlatLoopNest &nest, const BlockLoop &at, int64_t size);

/// The operations of a kernel's body that do something, in order: linalg ops, loops over parts
/// (PartRangeLoop.h), and runs of others (loops that an operation wrote itself, and that are one
/// whole).
llvm::SmallVector<llvm::SmallVector<mlir::Operation *>> getStages(mlir::Block &body);

struct KernelStage {
  std::optional<FlatLoopNest> nest; ///< none: loops that are not read
  int64_t work = 1; ///< evaluations of the body
  int64_t parts = 1; ///< of loops that are not read
  bool usesIndices = false;
  /// The nest with its block loop, and which that is.
  std::pair<FlatLoopNest, size_t> splitAt(const BlockLoop &at, int64_t size) const;
};

/// Of a kernel's body; `nests` lives as long as they do.
struct KernelStages {
  /// a copy, since a nest inserts the views that it reads
  mlir::OwningOpRef<mlir::func::FuncOp> nests;
  std::vector<KernelStage> list;
};

/// Fails with a diagnostic where a linalg op is none that a nest can be made of.
mlir::FailureOr<KernelStages> readStages(mlir::func::FuncOp kernel);

/// The sizes that a block loop of these stages might have, the largest first; none where one of
/// them has no nest.
std::set<int64_t, std::greater<>> getBlockSizes(llvm::ArrayRef<KernelStage> stages);

/// A block loop of `size` for each of the stages; nothing where they have none together.
std::optional<llvm::SmallVector<BlockLoop>> findBlockLoops(llvm::ArrayRef<KernelStage> stages,
                                                           int64_t size);

} // namespace graphc
#endif
