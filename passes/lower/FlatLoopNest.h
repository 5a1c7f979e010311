//===- FlatLoopNest.h - a linalg op as loops over flat memory -----------------------*- C++ -*-===//
//
// The form in which LowerNests sees a structured op: loop sizes, and for each operand the linear
// function from loop indices to an element of its flat memory. Contiguity, broadcasting and which
// loops may become one are then questions about coefficients.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_PASSES_LOWER_FLATLOOPNEST_H
#define GRAPHC_PASSES_LOWER_FLATLOOPNEST_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Builders.h"

namespace graphc {

struct NestOperand {
  mlir::Value memory; ///< flat memref<Nxelem>, or a scalar
  llvm::SmallVector<int64_t> coefficients; ///< elements to move per loop index
  int64_t offset = 0;
  bool isScalar = false;
};

struct NestLoop {
  int64_t size = 1;
  bool reduction = false;
};

struct FlatLoopNest {
  llvm::SmallVector<NestLoop> loops; ///< outermost first; none has size 1
  llvm::SmallVector<NestOperand> inputs, outputs;
  /// of the op's dimensions; -1: size 1. Meaningless once loops are merged
  llvm::SmallVector<int64_t> loopOfDim;
  mlir::Block *body = nullptr;
  bool hasReduction() const;
};

/// Reads `op`, inserting the flat views at the builder's position. Fails with a diagnostic where an
/// index map is not linear or a shape not static. Merges adjacent loops, both parallel or both
/// reductions, that every operand walks as one.
mlir::FailureOr<FlatLoopNest> buildNest(mlir::linalg::LinalgOp op, mlir::OpBuilder &builder);

} // namespace graphc
#endif
