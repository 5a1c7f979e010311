//===- SplitTransfers.h - when memory may be used again: send_done and release ------*- C++ -*-===//
#ifndef GRAPHC_PASSES_SCHEDULE_SPLITTRANSFERS_H
#define GRAPHC_PASSES_SCHEDULE_SPLITTRANSFERS_H

#include "dialects/dist/DistDialect.h"

namespace graphc {

/// Splits each dist.send of an ordered program into send_start and send_done, gives each
/// all_reduce_done a send_done too and releases each received message; likewise in each iteration
/// of a loop, whose end is that of a step to it. A send_done stands before the next write of its
/// buffer, else at the end of the step, so that the transfer has all the time there is. A message
/// is released after its last use; one that is forwarded or fetched at the end of the step.
mlir::LogicalResult splitTransfers(dist::ProgramOp program, const mlir::SymbolTable &symbols);

} // namespace graphc
#endif
