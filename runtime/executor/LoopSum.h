//===- LoopSum.h - the sum of what a loop's times make, by the tree --------------------------------------------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_EXECUTOR_LOOPSUM_H
#define GRAPHC_RUNTIME_EXECUTOR_LOOPSUM_H

#include "runtime/executor/Program.h"

namespace graphc::executor {

/// An Accumulate adds one time's value, of `bytes`, to its sums. `arguments`: the value, then the partial sums. Returns the code of a
/// kernel that failed, or 0.
int addToLoopSum(const Instruction &instruction, void *const *arguments, uint64_t bytes, uint32_t iteration,
                 const GraphcContext &context);

} // namespace graphc::executor
#endif
