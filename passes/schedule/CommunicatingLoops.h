//===- CommunicatingLoops.h - loops that send to each other -------------------------*- C++ -*-===//
#ifndef GRAPHC_PASSES_SCHEDULE_COMMUNICATINGLOOPS_H
#define GRAPHC_PASSES_SCHEDULE_COMMUNICATINGLOOPS_H

#include "dialects/dist/DistDialect.h"

#include "llvm/ADT/MapVector.h"

namespace graphc {

/// Of each loop of the phase's programs that sends or receives, in the order of the text, a number:
/// one for those that are joined by channels. They run together, and no message passes from one
/// number to another. Before and after `outline`.
llvm::MapVector<mlir::Operation *, unsigned> numberLoops(mlir::ModuleOp module,
                                                         dist::PhaseOp phase);

} // namespace graphc
#endif
