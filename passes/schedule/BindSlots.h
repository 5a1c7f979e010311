//===- BindSlots.h - which values are made where their receiver finds them ----------*- C++ -*-===//
#ifndef GRAPHC_PASSES_SCHEDULE_BINDSLOTS_H
#define GRAPHC_PASSES_SCHEDULE_BINDSLOTS_H

#include "dialects/dist/DistDialect.h"

namespace graphc {

/// In a program whose transfers are split, puts each buffer of some size that is sent whole, once,
/// to one receiver and not written afterwards into the slot of its channel: dist.acquire before its
/// first write in place of dist.buffer. Returns how many.
mlir::FailureOr<unsigned> placeInSlots(dist::ProgramOp program, const mlir::SymbolTable &symbols);

} // namespace graphc
#endif
