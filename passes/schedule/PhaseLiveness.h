//===- PhaseLiveness.h - the liveness proof of one phase, with the user's locations -----------------------*- C++ -*-===//
#ifndef GRAPHC_PASSES_SCHEDULE_PHASELIVENESS_H
#define GRAPHC_PASSES_SCHEDULE_PHASELIVENESS_H

#include "dialects/dist/DistDialect.h"

#include "llvm/ADT/DenseMap.h"

namespace graphc {

/// The proof that a phase is live: for each operation a number an event, in the order of its channels; the numbers grow
/// along whatever has to happen earlier in the same step. The plan carries them (runtime/plan/Certificate.h).
using LivenessRanks = llvm::DenseMap<mlir::Operation *, llvm::SmallVector<uint32_t, 1>>;

/// Fails with a diagnostic where the phase's programs can wait for each other for ever, or where a step's sends and
/// receives on a channel do not pair, or where a phase ends by end of stream and a program never hears of it. For partitioned,
/// outlined and scheduled programs alike. passes/analysis/Liveness.h is the proof itself; `ranks`, where given, receives it.
mlir::LogicalResult verifyLiveness(mlir::ModuleOp module, dist::PhaseOp phase, LivenessRanks *ranks = nullptr);

/// The zero-copy channels of a circle whose senders wait for releases in it; none where the phase is live. Silent.
llvm::SmallVector<dist::ChannelOp> findBorrowsInCircle(mlir::ModuleOp module, dist::PhaseOp phase);

} // namespace graphc
#endif
