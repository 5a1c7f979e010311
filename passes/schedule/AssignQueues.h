//===- AssignQueues.h - who does what in a program with queues, and who waits for whom --------===//
#ifndef GRAPHC_PASSES_SCHEDULE_ASSIGNQUEUES_H
#define GRAPHC_PASSES_SCHEDULE_ASSIGNQUEUES_H

#include "dialects/dist/DistDialect.h"

namespace graphc {

/// In a program in its final order, whose buffers have their offsets, on a device with memory of
/// its own: calls go to queue 1, copies to the device to queue 2, from it to queue 3. Where two of
/// them, or one and the program itself, touch the same bytes and one writes them, the later waits
/// for a signal behind the earlier; at the end of the step the program waits for all. The plan's
/// verifier proves the same with code of its own (runtime/common/plan/VerifyQueues.h). Returns how
/// many waits.
mlir::FailureOr<unsigned> fillQueues(dist::ProgramOp program, const mlir::SymbolTable &symbols);

} // namespace graphc
#endif
