// The commit point of a step: before it all sums and whatever else is waited for, behind it all writes of variables (runtime/plan/VerifyCommit.h).
#ifndef GRAPHC_DIALECTS_GRAPH_COMMITPOINT_H
#define GRAPHC_DIALECTS_GRAPH_COMMITPOINT_H

#include "llvm/ADT/StringRef.h"

namespace graphc {

/// A unit on the module whose steps of training have one ("recovery": "memory").
inline constexpr llvm::StringLiteral kRecoversFromMemory = "graph.recovers_from_memory";

} // namespace graphc

#endif
