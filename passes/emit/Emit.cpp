#include "passes/emit/Emit.h"

#include "passes/emit/NativeCode.h"
#include "passes/emit/PlanTables.h"
#include "passes/emit/PtxCode.h"
#include "runtime/base/Sha256.h"
#include "runtime/device/Kinds.h"
#include "runtime/plan/Certificate.h"
#include "runtime/plan/Credits.h"
#include "runtime/plan/Verify.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace graphc {

/// The head of an object that holds nothing: what stands for native code that nobody is going to run.
static const std::string kEmptyObject = std::string("\177ELF\2\1\1") + std::string(57, '\0');

/// What the host's CPU runs, and every kind like it.
static LogicalResult emitNative(ModuleOp module, const EmitOptions &options, plan::Code &code) {
  llvm::Expected<NativeTarget> target = NativeTarget::create(options.targetCpu);
  if (!target)
    return module.emitError(llvm::toString(target.takeError()));
  std::string elf = kEmptyObject;
  if (options.nativeCode) {
    llvm::Expected<std::string> made = compileKernels(module, *target, options.keepCode);
    if (!made)
      return module.emitError(llvm::toString(made.takeError()));
    elf = std::move(*made);
  }
  code.set_elf(std::move(elf));
  code.set_target_cpu(target->cpu);
  for (const std::string &feature : target->features)
    code.add_features(feature);
  return success();
}

static LogicalResult emitPtx(ModuleOp module, const EmitOptions &options, plan::Code &code) {
  std::string ptx = kEmptyPtx;
  if (options.nativeCode) {
    llvm::Expected<std::string> made = compilePtx(module, options.cudaArch, options.keepCode);
    if (!made)
      return module.emitError(llvm::toString(made.takeError()));
    ptx = std::move(*made);
  }
  code.set_ptx(std::move(ptx));
  return success();
}

/// A code object for each of `kinds`, in their order.
static LogicalResult emitCode(ModuleOp module, const EmitOptions &options, ArrayRef<std::string> kinds,
                              plan::Plan &plan) {
  std::optional<plan::Code> native; // one for all kinds that run it
  if (kinds.empty() &&
      !module.getOps<LLVM::LLVMFuncOp>().empty()) // nobody calls it, but what cannot be made is an error
    if (failed(emitNative(module, options, native.emplace())))
      return failure();
  for (const std::string &kind : kinds) {
    plan::Code *code = plan.add_code();
    if (device::runsPtx(kind)) {
      if (failed(emitPtx(module, options, *code)))
        return failure();
    } else {
      if (!native && failed(emitNative(module, options, native.emplace())))
        return failure();
      *code = *native;
    }
    code->set_kind(kind);
    code->set_sha256(std::string(base::asBytes(base::sha256(code->elf().empty() ? code->ptx() : code->elf()))));
  }
  return success();
}

FailureOr<plan::Plan> emitPlan(ModuleOp module, const EmitOptions &options) {
  plan::Plan plan;
  plan.set_producer(options.producer);
  plan.set_model(options.model);
  PlanTables tables(module, plan, options.nativeCode);
  if (failed(tables.fill()))
    return failure();
  for (auto program : module.getOps<dist::ProgramOp>())
    if (failed(emitProgram(program, tables, plan)))
      return failure();
  if (failed(emitCode(module, options, tables.codeKinds, plan)))
    return failure();
  absl::Status status = plan::verifyPlan(plan);
  if (status.ok()) {
    plan::fillCredits(plan);
    status = plan::checkCertificate(plan).status();
  }
  if (!status.ok())
    return module.emitError("makes no valid plan: ") << std::string(status.message());
  return plan;
}

} // namespace graphc
