//===- PhaseLiveness.h - the liveness proof of one phase, with the user's locations -*- C++ -*-===//
#ifndef GRAPHC_PASSES_SCHEDULE_PHASELIVENESS_H
#define GRAPHC_PASSES_SCHEDULE_PHASELIVENESS_H

#include "dialects/dist/DistDialect.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace graphc {

/// On a scheduled program, the proof that its phase is live: a number for each event of a step, in
/// the order of the operations and of their channels; the numbers grow along whatever has to happen
/// earlier in the same step. The plan carries them (runtime/common/plan/LivenessCertificate.h).
inline constexpr llvm::StringLiteral kEventRanks = "dist.event_ranks";

/// Fails with a diagnostic where the phase's programs can wait for each other for ever, or where a
/// step's sends and receives on a channel do not pair, or where a phase ends by end of stream and a
/// program never hears of it. For partitioned, outlined and scheduled programs alike; scheduled
/// ones, which have their arena, get the proof as kEventRanks. passes/analysis/LivenessProof.h is
/// the proof itself.
/// `copyInstead`, where given, is called for each zero-copy channel of a circle whose sender waits
/// in it for a release or a slot; it makes an end of that, and the proof is tried again.
mlir::LogicalResult verifyLiveness(mlir::ModuleOp module, dist::PhaseOp phase,
                                   llvm::function_ref<void(dist::ChannelOp)> copyInstead = nullptr);

} // namespace graphc
#endif
