#include "passes/emit/PtxCode.h"

#include "dialects/dist/DistDialect.h"
#include "dialects/graph/GraphDialect.h"
#include "passes/emit/LlvmTranslation.h"
#include "passes/gpu/GpuCode.h"
#include "runtime/common/abi/PtxAbi.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

#include <map>

using namespace llvm;

namespace graphc {

const char *const kEmptyPtx = ".version 7.0\n.target sm_80\n.address_size 64\n";

/// This compiler is tried on none before.
static constexpr unsigned kOldestArch = 80;
static const Triple kTriple("nvptx64-nvidia-cuda");

static Expected<const Target *> findTarget() {
  static const bool initialized = [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    return true;
  }();
  (void)initialized;
  std::string message;
  const Target *target = TargetRegistry::lookupTarget(kTriple, message);
  if (!target)
    return codeError(message);
  return target;
}

/// 90 of "sm_90"; 0 of what is for one GPU alone (sm_90a) or no architecture.
static unsigned archNumber(StringRef name) {
  unsigned number = 0;
  return name.consume_front("sm_") && !name.getAsInteger(10, number) ? number : 0;
}

Error checkCudaArchs(ArrayRef<std::string> archs) {
  Expected<const Target *> target = findTarget();
  if (!target)
    return target.takeError();
  std::unique_ptr<MCSubtargetInfo> known((*target)->createMCSubtargetInfo(kTriple, "", ""));
  std::map<unsigned, StringRef> valid;
  for (const SubtargetSubTypeKV &each : known->getAllProcessorDescriptions())
    if (unsigned number = archNumber(each.Key); number >= kOldestArch)
      valid[number] = each.Key;
  const auto *unknown = find_if(archs, [&](const std::string &arch) {
    auto found = valid.find(archNumber(arch));
    return found == valid.end() || found->second != arch;
  });
  if (!archs.empty() && unknown == archs.end())
    return Error::success();
  std::string names;
  for (auto [number, name] : valid)
    names += (names.empty() ? "" : ", ") + name.str();
  return codeError("unknown GPU architecture '" + (archs.empty() ? "" : *unknown) +
                   "'; expected one of " + names);
}

static std::unique_ptr<TargetMachine> makeMachine(const Target &target, StringRef arch) {
  TargetOptions options;
  options.AllowFPOpFusion = FPOpFusion::Strict;
  // Without a version of PTX it is the oldest that knows the architecture, which the most drivers
  // read.
  return std::unique_ptr<TargetMachine>(
      target.createTargetMachine(kTriple, arch, /*Features=*/"", options, std::nullopt,
                                 std::nullopt, CodeGenOptLevel::Aggressive));
}

/// The table of PtxAbi.h.
static void addTable(mlir::ModuleOp source, mlir::gpu::GPUModuleOp code, Module &module) {
  std::vector<kernels::PtxKernel> entries;
  std::vector<uint64_t> arguments, launches;
  for (auto kernel : source.getOps<mlir::func::FuncOp>()) {
    auto count = kernel->getAttrOfType<mlir::IntegerAttr>(gpu::kLaunches);
    if (!count)
      continue;
    entries.push_back({arguments.size() / 2, kernel.getNumArguments(), launches.size() / 2,
                       uint64_t(count.getInt())});
    for (auto [i, type] : enumerate(kernel.getArgumentTypes())) {
      dist::BufferAccess access =
          dist::getAccess(kernel, unsigned(i)).value_or(dist::BufferAccess::ReadWrite);
      arguments.push_back(uint64_t(graph::getByteSize(mlir::cast<mlir::MemRefType>(type))));
      arguments.push_back(uint64_t(access));
    }
    for (unsigned i = 0; i < unsigned(count.getInt()); ++i) {
      auto launch =
          code.lookupSymbol<mlir::LLVM::LLVMFuncOp>(kernels::launchName(kernel.getSymName(), i));
      auto size = [&](StringRef name) {
        return uint64_t(launch->getAttrOfType<mlir::IntegerAttr>(name).getInt());
      };
      launches.push_back(size(gpu::kBlocks));
      launches.push_back(size(gpu::kThreads));
    }
  }
  std::vector<uint64_t> table{kernels::kPtxAbiVersion, entries.size(), arguments.size() / 2,
                              launches.size() / 2};
  for (const kernels::PtxKernel &entry : entries)
    table.insert(table.end(),
                 {entry.firstArgument, entry.arguments, entry.firstLaunch, entry.launches});
  table.insert(table.end(), arguments.begin(), arguments.end());
  table.insert(table.end(), launches.begin(), launches.end());
  Constant *value = ConstantDataArray::get(module.getContext(), table);
  auto *global = new GlobalVariable(module, value->getType(), /*isConstant=*/true,
                                    GlobalValue::ExternalLinkage, value, kernels::kPtxTable,
                                    nullptr, GlobalValue::NotThreadLocal, /*AddressSpace=*/1);
  global->setAlignment(Align(8));
}

static void optimize(Module &module, TargetMachine &machine) {
  module.setTargetTriple(machine.getTargetTriple());
  module.setDataLayout(machine.createDataLayout());
  for (Function &function : module)
    if (!function.isDeclaration()) {
      function.addFnAttr("no-builtins"); // a loop that copies must not become a call of memcpy
      function.addFnAttr(Attribute::NoUnwind);
    }
  runPipeline(module, machine, "default<O3>");
}

Expected<std::string> compilePtx(mlir::ModuleOp source, StringRef arch, StringRef keepDir) {
  if (Error error = checkCudaArchs({arch.str()}))
    return std::move(error);
  Expected<const Target *> target = findTarget();
  if (!target)
    return target.takeError();
  std::unique_ptr<TargetMachine> machine = makeMachine(**target, arch);
  mlir::gpu::GPUModuleOp code = gpu::getCode(source);
  LLVMContext context;
  Expected<std::unique_ptr<Module>> module =
      translateCode(*code.getBody(), context, /*withLines=*/false);
  if (!module)
    return module.takeError();
  addTable(source, code, **module);
  optimize(**module, *machine);
  if (Error error = checkDeclarations(**module))
    return std::move(error);
  std::string text;
  if (!keepDir.empty())
    raw_string_ostream(text) << **module;
  SmallString<0> ptx;
  raw_svector_ostream stream(ptx);
  legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, stream, nullptr, CodeGenFileType::AssemblyFile))
    return codeError("this target cannot write PTX");
  passes.run(**module);
  if (!keepDir.empty())
    if (Error error = keepFiles(keepDir, {{"kernels.gpu.ll", text}, {"kernels.ptx", ptx}}))
      return std::move(error);
  return ptx.str().str();
}

} // namespace graphc
