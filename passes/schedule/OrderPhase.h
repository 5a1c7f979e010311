//===- OrderPhase.h - one order of a whole phase, projected onto its programs -------*- C++ -*-===//
//
// All programs of a phase are ordered together: a list schedule with modelled times, in which a
// receive comes after its send. The order of each program is a part of that one order, so programs
// cannot wait for each other in a circle.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_PASSES_SCHEDULE_ORDERPHASE_H
#define GRAPHC_PASSES_SCHEDULE_ORDERPHASE_H

#include "passes/schedule/BufferUses.h"

namespace graphc {

/// Reorders the bodies of the phase's programs (outlined, one send and one receive a channel).
/// Declarations come first, then feeds; fetches and metrics last but for control_receive. Returns
/// how many operations have another predecessor than before, or a diagnostic.
mlir::FailureOr<unsigned> orderPhase(mlir::ModuleOp module, dist::PhaseOp phase);

} // namespace graphc
#endif
