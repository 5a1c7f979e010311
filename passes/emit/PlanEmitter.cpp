#include "passes/emit/PlanEmitter.h"

#include "passes/emit/CubinAssembler.h"
#include "passes/emit/LlvmTranslation.h"
#include "passes/emit/NativeCode.h"
#include "passes/emit/PlanTables.h"
#include "passes/emit/PtxCode.h"
#include "passes/gpu/GpuCode.h"
#include "runtime/common/abi/PtxAbi.h"
#include "runtime/common/base/Sha256.h"
#include "runtime/common/device/DeviceKinds.h"
#include "runtime/common/plan/LivenessCertificate.h"
#include "runtime/common/plan/PiggybackedCredits.h"
#include "runtime/common/plan/VerifyPlan.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace graphc {

/// The head of an object that holds nothing: what stands for native code that nobody is going to
/// run.
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

/// The kernel, as the module has it, that a function of a GPU belongs to; null where none does.
static func::FuncOp kernelOf(ModuleOp module, StringRef launch) {
  for (auto kernel : module.getOps<func::FuncOp>())
    if (auto count = kernel->getAttrOfType<IntegerAttr>(gpu::kLaunches))
      for (int64_t i = 0; i < count.getInt(); ++i)
        if (launch == kernels::launchName(kernel.getSymName(), uint64_t(i)))
          return kernel;
  return nullptr;
}

/// Machine code of the PTX, where NVIDIA's assembler is installed. Without it the plan is the same
/// but for that.
static LogicalResult emitCubins(ModuleOp module, const EmitOptions &options,
                                ArrayRef<std::string> archs, plan::Code &code) {
  std::optional<std::string> ptxas = findPtxas();
  if (!ptxas)
    return success();
  std::optional<AssemblerRefusal> refusal;
  llvm::Expected<std::vector<CubinImage>> made = assemble(*ptxas, code.ptx(), archs, refusal);
  if (!made)
    return module.emitError(llvm::toString(made.takeError()));
  if (refusal) {
    func::FuncOp kernel = kernelOf(module, refusal->function);
    return emitError(kernel ? kernel.getLoc() : module.getLoc())
           << *ptxas << " refuses the code of "
           << (kernel ? "kernel " + kernel.getSymName().str() : "the plan's kernels") << ": "
           << refusal->text
           << "; CUDA_HOME= (empty) does without it, and is a defect of graphc worth a report";
  }
  for (CubinImage &cubin : *made) {
    if (!options.keepCode.empty())
      if (llvm::Error error =
              keepFiles(options.keepCode, {{"kernels." + cubin.arch + ".cubin", cubin.elf}}))
        return module.emitError(llvm::toString(std::move(error)));
    plan::Code::Cubin *added = code.add_cubins();
    added->set_sha256(std::string(base::asBytes(base::sha256(cubin.elf))));
    added->set_arch(std::move(cubin.arch));
    added->set_elf(std::move(cubin.elf));
  }
  return success();
}

static LogicalResult emitPtx(ModuleOp module, const EmitOptions &options, plan::Code &code) {
  code.set_ptx(kEmptyPtx);
  if (!options.nativeCode)
    return success();
  // the plan is the same in whatever order they were given
  std::vector<std::string> archs = options.cudaArchs;
  llvm::sort(archs, [](StringRef a, StringRef b) { return a.compare_numeric(b) < 0; });
  archs.erase(llvm::unique(archs), archs.end());
  llvm::Expected<std::string> made = compilePtx(module, archs.front(), options.keepCode);
  if (!made)
    return module.emitError(llvm::toString(made.takeError()));
  code.set_ptx(std::move(*made));
  return emitCubins(module, options, archs, code);
}

/// A code object for each of `kinds`, in their order.
static LogicalResult emitCode(ModuleOp module, const EmitOptions &options,
                              ArrayRef<std::string> kinds, plan::Plan &plan) {
  std::optional<plan::Code> native; // one for all kinds that run it
  // nobody calls it, but what cannot be made is an error
  if (kinds.empty() && !module.getOps<LLVM::LLVMFuncOp>().empty())
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
    code->set_sha256(
        std::string(base::asBytes(base::sha256(code->elf().empty() ? code->ptx() : code->elf()))));
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
