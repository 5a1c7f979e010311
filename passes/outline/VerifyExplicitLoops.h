//===- VerifyExplicitLoops.h - what an op's own loops promise, checked --------------*- C++ -*-===//
//
// A kernel's access of its arguments, and with it everybody's order and memory, follows from what
// ExplicitLoopsOpInterface and the op's effects declare. So the loops that an op has built are read
// before anything relies on them.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_PASSES_OUTLINE_VERIFYEXPLICITLOOPS_H
#define GRAPHC_PASSES_OUTLINE_VERIFYEXPLICITLOOPS_H

#include "dialects/graph/GraphDialect.h"

namespace graphc {

/// Checks the loops that `op` built in `made`, on memory that stands for each operand and out
/// alone. They are made of scf, arith, math, memref.load and memref.store; they write every out and
/// nothing else; they read no variable that the op only writes. Where an operand is declared
/// aligned, each of its elements is seen to be read before the first result's at the same place is
/// written; what the loops do, but nobody sees (indices that are data), is refused like what they
/// do not.
mlir::LogicalResult verifyLoops(graph::ExplicitLoopsOpInterface op,
                                llvm::ArrayRef<mlir::Operation *> made, mlir::ValueRange operands,
                                mlir::ValueRange outs);

} // namespace graphc
#endif
