//===- SegmentTable.h - how often a step's lanes call their devices -----------------*- C++ -*-===//
#ifndef GRAPHC_PASSES_REPORT_SEGMENTTABLE_H
#define GRAPHC_PASSES_REPORT_SEGMENTTABLE_H

#include "runtime/common/plan/plan.pb.h"

#include "llvm/Support/raw_ostream.h"

namespace graphc {

/// A line for each program on a device with queues: how many segments its step has, in loops each
/// time, each of which is given to the device at once, and what of its lane stands between two of
/// them.
void printSegments(const plan::Plan &plan, llvm::raw_ostream &os);

} // namespace graphc

#endif
