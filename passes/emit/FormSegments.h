//===- FormSegments.h - what a queue's device is given at once ----------------------*- C++ -*-===//
#ifndef GRAPHC_PASSES_EMIT_FORMSEGMENTS_H
#define GRAPHC_PASSES_EMIT_FORMSEGMENTS_H

#include "runtime/common/plan/plan.pb.h"

namespace graphc {

/// Puts each instruction that is given to a queue in a segment: what follows each other without an
/// instruction of the lane between is one, but for a segment that ends early, behind what the lane
/// waits for before it needs the rest. So no message leaves later for what is computed behind it.
void formSegments(plan::Program &program);

} // namespace graphc
#endif
