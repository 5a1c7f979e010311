//===- Compile.h - a module into a plan ----------------------------------------------------------------------*- C++ -*-===//
#ifndef GRAPHC_TOOLS_GRAPHC_COMPILE_H
#define GRAPHC_TOOLS_GRAPHC_COMPILE_H

#include "runtime/plan/plan.pb.h"
#include "tools/graphc/Options.h"

#include "mlir/Support/Timing.h"

namespace graphc {

/// Runs the passes between two stages with MLIR's own debugging flags and crash reproducer.
mlir::LogicalResult runPasses(mlir::ModuleOp module, Stage from, Stage to, const Options &options,
                              mlir::TimingScope &timing);

/// The plan of a module of stage llvm.
mlir::FailureOr<plan::Plan> makePlan(mlir::ModuleOp module, const Options &options);

/// --compare: compiles a copy of `module` for each strategy and prints the table. Returns the process's exit status.
int compareStrategies(mlir::ModuleOp module, Stage stage, const Options &options, mlir::TimingScope &timing);

} // namespace graphc

#endif
