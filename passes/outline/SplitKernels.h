//===- SplitKernels.h - a kernel too large for one function, in pieces --------------*- C++ -*-===//
//
// LLVM's time grows faster than a function and with the square of its arguments, each of which is
// told apart from each other. Operations that would make a kernel beyond some size make several,
// each a call of its own. Their order is changed so that few values live from one piece to the
// next, and a piece ends where the operations of the one before begin anew: a model of many equal
// layers makes many equal pieces, which are one kernel.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_PASSES_OUTLINE_SPLITKERNELS_H
#define GRAPHC_PASSES_OUTLINE_SPLITKERNELS_H

#include "mlir/IR/Operation.h"

namespace graphc {

using KernelPiece = llvm::SmallVector<mlir::Operation *>;

/// `ops` in text order; `waitsFor(i)`: the places in it of what the operation at place i comes
/// behind. One piece where the whole is small; pieces come in an order that keeps every dependence,
/// their operations likewise.
llvm::SmallVector<KernelPiece>
cutInPieces(llvm::ArrayRef<mlir::Operation *> ops,
            llvm::function_ref<llvm::SmallVector<unsigned>(unsigned)> waitsFor);

} // namespace graphc
#endif
