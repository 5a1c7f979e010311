//===- FindUpdates.h - which operations of an outlined program are updates ----------*- C++ -*-===//
#ifndef GRAPHC_PASSES_SCHEDULE_FINDUPDATES_H
#define GRAPHC_PASSES_SCHEDULE_FINDUPDATES_H

#include "passes/schedule/BufferUses.h"

#include "llvm/ADT/DenseSet.h"

namespace graphc {

/// Calls that write variables by what the step has made, and nothing besides that is used later:
/// done early, they free memory and need none. A count of steps, for which nothing is read, is
/// none. Fails with a diagnostic as BufferUses::get does.
mlir::FailureOr<llvm::DenseSet<mlir::Operation *>> findUpdates(dist::ProgramOp program,
                                                               const BufferUses &bufferUses);

} // namespace graphc
#endif
