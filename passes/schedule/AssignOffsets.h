//===- AssignOffsets.h - offsets of a program's buffers in its arena ----------------*- C++ -*-===//
#ifndef GRAPHC_PASSES_SCHEDULE_ASSIGNOFFSETS_H
#define GRAPHC_PASSES_SCHEDULE_ASSIGNOFFSETS_H

#include "dialects/dist/DistDialect.h"

namespace graphc {

struct ArenaSizes {
  /// planned; alive at once at most; of all buffers end to end
  uint64_t bytes = 0, lowerBound = 0, total = 0;
};

/// Erases buffers that nothing uses, gives the others of a program in its final order their
/// offsets, and the program its arena_bytes. Fed buffers live from the beginning of the step,
/// fetched ones to its end, sent ones to their send_done.
mlir::FailureOr<ArenaSizes> planMemory(dist::ProgramOp program, const mlir::SymbolTable &symbols);

} // namespace graphc
#endif
