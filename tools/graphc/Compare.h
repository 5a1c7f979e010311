//===- Compare.h - graphc --compare -----------------------------------------------------------------------*- C++ -*-===//
#ifndef GRAPHC_TOOLS_GRAPHC_COMPARE_H
#define GRAPHC_TOOLS_GRAPHC_COMPARE_H

#include "passes/compiler/Compilation.h"
#include "tools/graphc/Options.h"

namespace graphc {

/// Compiles a copy of the module for each strategy and prints the table. Returns the process's exit status.
int compareStrategies(Compilation &original, const Options &options);

} // namespace graphc

#endif
