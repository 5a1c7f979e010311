//===- CostTable.h - what a plan costs, device by device ----------------------------*- C++ -*-===//
#ifndef GRAPHC_PASSES_REPORT_COSTTABLE_H
#define GRAPHC_PASSES_REPORT_COSTTABLE_H

#include "runtime/common/plan/plan.pb.h"

#include "llvm/Support/raw_ostream.h"

namespace graphc {

/// One row a device: programs, variables, arena bytes; then, of one step of the training phase (the
/// first phase where none trains), operations and payload bytes received and sent. Where a device
/// has memory of its own, also all that is taken of each device's memory, what is pinned of the
/// host's, and the bytes of a step from the host to the device and back. A row of a replica domain
/// is one replica's, "(×N)". What the chief does besides belongs to its replica's row. Then a line
/// for each program that gives a device its work (SegmentTable.h). `exact`: plain numbers, else
/// with units for people.
void printTable(const plan::Plan &plan, bool exact, llvm::raw_ostream &os);

/// "strategy parameter_server (sync), 2 replicas, batch 128 each, 12 channels, live"
std::string summarize(const plan::Plan &plan);

} // namespace graphc

#endif
