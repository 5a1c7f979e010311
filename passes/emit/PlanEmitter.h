//===- PlanEmitter.h - a scheduled, lowered module → the plan -----------------------*- C++ -*-===//
#ifndef GRAPHC_PASSES_EMIT_PLANEMITTER_H
#define GRAPHC_PASSES_EMIT_PLANEMITTER_H

#include "runtime/common/plan/plan.pb.h"

#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace graphc {

struct EmitOptions {
  std::string producer; ///< "graphc 0.1.0"
  std::string model; ///< file name of the model, for people
  std::string targetCpu = "native";
  /// of GPUs: PTX for the oldest, machine code for each where ptxas is there
  std::vector<std::string> cudaArchs;
  std::string keepCode; ///< folder for the native code's files; empty: none
  bool nativeCode = true; ///< false: none is made, for a plan that is looked at and does not run
};

/// `module` is of stage "llvm": scheduled programs, kernels in the LLVM dialect; without native
/// code "scheduled" will do. Fails with a diagnostic at the operation's location. The plan was
/// verified by the runtime's own verifyPlan.
mlir::FailureOr<plan::Plan> emitPlan(mlir::ModuleOp module, const EmitOptions &options);

} // namespace graphc
#endif
