//===- AssignSpaces.h - what lies in the host's memory and what in the device's -----*- C++ -*-===//
#ifndef GRAPHC_PASSES_SCHEDULE_ASSIGNSPACES_H
#define GRAPHC_PASSES_SCHEDULE_ASSIGNSPACES_H

#include "dialects/dist/DistDialect.h"

namespace graphc {

/// In an outlined program on a device with memory of its own: what calls touch stays in that,
/// everything else uses buffers of the host, with copies between the two (staging buffers; a
/// message is copied from its slot, a sum from and back to the host). A buffer that no call touches
/// is the host's, without a copy. Returns how many copies.
mlir::FailureOr<unsigned> placeInSpaces(dist::ProgramOp program, const mlir::SymbolTable &symbols);

} // namespace graphc
#endif
