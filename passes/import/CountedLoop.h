//===- CountedLoop.h - a loop of StableHLO whose iterations are known ---------------*- C++ -*-===//
#ifndef GRAPHC_PASSES_IMPORT_COUNTEDLOOP_H
#define GRAPHC_PASSES_IMPORT_COUNTEDLOOP_H

#include "mlir/IR/Builders.h"

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

} // namespace graphc

#endif
