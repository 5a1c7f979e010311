//===- PlanCommands.h - what graphc says of plans that exist ------------------------*- C++ -*-===//
//
// These read plans and nothing else: no model, no MLIR, none of the passes. Each returns the
// process's exit status, having said on stderr what went wrong.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_TOOLS_GRAPHC_PLANCOMMANDS_H
#define GRAPHC_TOOLS_GRAPHC_PLANCOMMANDS_H

#include "tools/graphc/CommandLineOptions.h"

namespace graphc {

/// --verify_plan: digest, well-formedness and the certificate of liveness.
int verifyPlanFile(const CommandLineOptions &options);

/// --diff: what moved from one plan to another, what now crosses a link, what it costs, and why.
int diffPlans(const CommandLineOptions &options);

} // namespace graphc

#endif
