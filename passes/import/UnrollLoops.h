//===- UnrollLoops.h - loops of StableHLO whose iterations are known ----------------*- C++ -*-===//
#ifndef GRAPHC_PASSES_IMPORT_UNROLLLOOPS_H
#define GRAPHC_PASSES_IMPORT_UNROLLLOOPS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

#include <optional>

namespace graphc {

/// What `scan`, `fori_loop` with constant bounds and the like become: stablehlo.while whose
/// condition compares a counter with a constant.
struct CountedLoop {
  mlir::Block *body; ///< its last op returns what the next iteration's arguments are
  unsigned counter; ///< the argument that counts
  mlir::IntegerAttr first; ///< its value in the first iteration
  int64_t step, iterations;
};

/// Whether an op is a loop.
bool isLoop(mlir::Operation *op);

/// Nothing where it is no such loop. `begins`: what stands for its operands.
std::optional<CountedLoop> findCountedLoop(mlir::Operation *loop, mlir::ValueRange begins);

/// Imports loops as their iterations, one behind the other, each with its number as a constant.
class LoopUnroller {
public:
  using Import = llvm::function_ref<mlir::LogicalResult(mlir::Operation *, mlir::IRMapping &)>;
  /// `values` gets the results of `op`. `carried`: what the first iteration begins with. An error
  /// where all loops of a module have more than kMostModelOps operations this way.
  mlir::LogicalResult unroll(mlir::Operation *op, const CountedLoop &loop,
                             llvm::SmallVector<mlir::Value> carried, mlir::IRMapping &values,
                             mlir::OpBuilder &builder, mlir::Location place, Import import);

private:
  uint64_t unrolled_ = 0; ///< ops of all loops
};

} // namespace graphc

#endif
