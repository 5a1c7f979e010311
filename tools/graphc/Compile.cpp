//===- Compile.cpp - a module into a plan ----------------------------------------------------------------------===//
#include "tools/graphc/Compile.h"

#include "passes/emit/Emit.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace graphc {

LogicalResult runPasses(ModuleOp module, Stage from, Stage to, const Options &options, TimingScope &timing) {
  PassManager manager(module->getName(), PassManager::Nesting::Implicit);
  manager.enableTiming(timing);
  if (failed(applyPassManagerCLOptions(manager)))
    return failure();
  buildPipeline(manager, from, to);
  return manager.run(module);
}

FailureOr<plan::Plan> makePlan(ModuleOp module, const Options &options) {
  EmitOptions emit;
  emit.producer = "graphc " GRAPHC_VERSION;
  emit.model = options.model == "-" ? "<stdin>" : llvm::sys::path::filename(options.model).str();
  emit.targetCpu = options.targetCpu;
  emit.keepCode = options.keepCode;
  FailureOr<plan::Plan> plan = emitPlan(module, emit);
  if (succeeded(plan) && options.intraOpThreads > 1)
    plan->set_intra_op_threads(options.intraOpThreads);
  return plan;
}

} // namespace graphc
