//===- MarkZeroCopy.h - which messages are read in the sender's own memory ----------*- C++ -*-===//
#ifndef GRAPHC_PASSES_SCHEDULE_MARKZEROCOPY_H
#define GRAPHC_PASSES_SCHEDULE_MARKZEROCOPY_H

#include "dialects/dist/DistDialect.h"

namespace graphc {

/// Marks the channels of a phase whose transfers are split as `zero_copy` where that saves a copy
/// and harms nobody: the value is a variable or a constant of some size, or a bucket that is summed
/// in chunks; no lane beside the sender writes it, and that the sender waits for the receivers'
/// releases closes no circle. Returns how many. The phase is proven live with that, and the
/// programs have the proof (PhaseLiveness.h).
mlir::FailureOr<unsigned> markZeroCopy(mlir::ModuleOp module, dist::PhaseOp phase);

} // namespace graphc
#endif
