//===- SendUpdatesAhead.h - parameters leave as soon as they are updated ------------*- C++ -*-===//
#ifndef GRAPHC_PASSES_SCHEDULE_SENDUPDATESAHEAD_H
#define GRAPHC_PASSES_SCHEDULE_SENDUPDATESAHEAD_H

#include "dialects/dist/DistDialect.h"

namespace graphc {

/// In a program whose transfers are split and to which the control message comes: a variable that
/// is sent and then written is sent `ahead`, right behind its last write, as the message of the
/// next step. The control message comes right before the first such send. Returns how many.
mlir::FailureOr<unsigned> sendAhead(dist::ProgramOp program, const mlir::SymbolTable &symbols);

} // namespace graphc
#endif
