#include "passes/emit/NativeCode.h"

#include "passes/emit/LlvmTranslation.h"
#include "runtime/common/base/CpuFeatures.h"
#include "runtime/common/base/Mutex.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"

#include <lld/Common/Driver.h>

LLD_HAS_DRIVER(elf)

using namespace llvm;

namespace graphc {

NativeTarget::NativeTarget() = default;
NativeTarget::NativeTarget(NativeTarget &&) = default;
NativeTarget::~NativeTarget() = default;

// Instruction sets of x86-64, as opposed to what LLVM calls a feature beside them (how fast
// something is, what a call has to avoid).
static constexpr StringLiteral kInstructionSets[] = {
#define X86_FEATURE(ENUM, STR) STR,
#include "llvm/TargetParser/X86TargetParser.def"
};

// Of these, what no compiled loop makes use of: of the operating system, of locks and hints, of
// random numbers and of tiles, which only somebody who asks by name gets. A virtual machine often
// hides some of them, and a plan should not be refused for that.
static constexpr StringLiteral kNeverGenerated[] = {"amx-avx512",
                                                    "amx-bf16",
                                                    "amx-complex",
                                                    "amx-fp16",
                                                    "amx-fp8",
                                                    "amx-int8",
                                                    "amx-movrs",
                                                    "amx-tf32",
                                                    "amx-tile",
                                                    "cldemote",
                                                    "clflushopt",
                                                    "clwb",
                                                    "clzero",
                                                    "enqcmd",
                                                    "evex512",
                                                    "fsgsbase",
                                                    "fxsr",
                                                    "hreset",
                                                    "invpcid",
                                                    "kl",
                                                    "lvi-cfi",
                                                    "lwp",
                                                    "mwaitx",
                                                    "pconfig",
                                                    "pku",
                                                    "prfchw",
                                                    "prefetchi",
                                                    "ptwrite",
                                                    "rdpid",
                                                    "rdpru",
                                                    "rdrnd",
                                                    "rdseed",
                                                    "rtm",
                                                    "sgx",
                                                    "shstk",
                                                    "tsxldtrk",
                                                    "uintr",
                                                    "usermsr",
                                                    "serialize",
                                                    "vzeroupper",
                                                    "waitpkg",
                                                    "wbnoinvd",
                                                    "widekl",
                                                    "xsave",
                                                    "xsavec",
                                                    "xsaveopt",
                                                    "xsaves",
                                                    "lvi-load-hardening",
                                                    "retpoline-external-thunk",
                                                    "retpoline-indirect-branches",
                                                    "retpoline-indirect-calls"};

/// Whether code may make use of it, so that a CPU without it must not run the code.
static bool isGenerated(StringRef feature) {
  return is_contained(kInstructionSets, feature) && !is_contained(kNeverGenerated, feature);
}

/// What the CPU at hand really has and GRAPHC_MAX_CPU_ISA allows, "+avx2,-avx512f,…": a virtual
/// machine may hide what its CPU's name promises.
static std::string getHostFeatures(const MCSubtargetInfo &known,
                                   std::optional<base::CpuLevel> limit) {
  SmallVector<std::string> features;
  StringMap<bool> host = sys::getHostCPUFeatures();
  for (const SubtargetFeatureKV &feature : known.getAllProcessorFeatures())
    if (auto found = host.find(feature.Key); found != host.end() && isGenerated(feature.Key)) {
      bool has = found->second && (!limit || base::cpuLevelHasFeature(*limit, feature.Key));
      features.push_back((has ? "+" : "-") + std::string(feature.Key));
    }
  llvm::sort(features);
  return join(features, ",");
}

Expected<NativeTarget> NativeTarget::create(StringRef wanted) {
  static const bool initialized = [] {
    InitializeNativeTarget();
    InitializeNativeTargetAsmPrinter();
    return true;
  }();
  (void)initialized;
  Triple triple(sys::getDefaultTargetTriple());
  std::string message;
  const Target *target = TargetRegistry::lookupTarget(triple, message);
  if (!target)
    return codeError(message);
  const absl::StatusOr<std::optional<base::CpuLevel>> &limit = base::maxCpuLevel();
  if (!limit.ok())
    return codeError(std::string(limit.status().message()));
  NativeTarget result;
  bool native = wanted.empty() || wanted == "native";
  result.cpu = !native  ? wanted.str()
               : *limit ? std::string(base::cpuLevelName(**limit))
                        : sys::getHostCPUName().str();
  std::unique_ptr<MCSubtargetInfo> baseline(target->createMCSubtargetInfo(triple, "", ""));
  if (!baseline->isCPUStringValid(result.cpu)) {
    StringRef nearest;
    unsigned best = ~0u;
    for (const SubtargetSubTypeKV &known : baseline->getAllProcessorDescriptions())
      if (unsigned distance = wanted.edit_distance(known.Key); distance < best)
        best = distance, nearest = known.Key;
    return codeError("unknown target CPU '" + result.cpu + "'; did you mean '" + nearest +
                     "'? 'native' is this machine, 'x86-64-v3' any with AVX2");
  }
  TargetOptions options;
  options.AllowFPOpFusion = FPOpFusion::Strict;
  result.machine.reset(target->createTargetMachine(
      triple, result.cpu, native ? getHostFeatures(*baseline, *limit) : std::string(), options,
      Reloc::PIC_, std::nullopt, CodeGenOptLevel::Aggressive));
  const MCSubtargetInfo &info = *result.machine->getMCSubtargetInfo();
  for (const SubtargetFeatureKV &feature : info.getAllProcessorFeatures())
    if (isGenerated(feature.Key) && info.getFeatureBits().test(feature.Value))
      result.features.push_back(feature.Key);
  llvm::sort(result.features);
  return result;
}

/// The passes of -O3 that improve kernels, in the syntax of `opt -passes`. Each kernel is inlined
/// into its entry first, so that every pass sees it once; -O3 optimizes both and takes three times
/// as long. The first early-cse resolves the buffers' pointers, from which the inliner derives that
/// buffers do not alias. No loop is unrolled: the nests have as many vectors in a turn as registers
/// hold, and most of LLVM's time would go into their addresses. Without no-verify-fixpoint,
/// instcombine ends the process if one pass over a function leaves work for another.
static constexpr StringLiteral kKernelPipeline =
    "function(early-cse),cgscc(inline),globaldce,"
    "function(early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>,loop-mssa(loop-rotate,licm),gvn<>,"
    "loop-vectorize,slp-vectorizer,simplifycfg,instcombine<no-verify-fixpoint>,loop-mssa(licm))";

static void optimize(Module &module, NativeTarget &target) {
  module.setTargetTriple(target.machine->getTargetTriple());
  module.setDataLayout(target.machine->createDataLayout());
  bool wide = is_contained(target.features, "avx512f");
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr("target-cpu", target.cpu);
    function.addFnAttr("target-features", target.machine->getTargetFeatureString());
    function.addFnAttr("prefer-vector-width", wide ? "512" : "256");
    function.addFnAttr("no-builtins"); // a loop that copies must not become a call of memcpy
    function.addFnAttr(Attribute::NoUnwind);
  }
  runPipeline(module, *target.machine, kKernelPipeline);
}

static Expected<SmallString<0>> assemble(Module &module, TargetMachine &machine) {
  SmallString<0> object;
  raw_svector_ostream stream(object);
  legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, stream, nullptr, CodeGenFileType::ObjectFile))
    return codeError("this target cannot write object files");
  passes.run(module);
  return object;
}

/// lld takes and gives files; they live in a folder of their own for as long as it runs.
static Expected<std::string> link(StringRef object) {
  SmallString<128> folder;
  if (std::error_code code = sys::fs::createUniqueDirectory("graphc", folder))
    return codeError("cannot make a temporary folder: " + code.message());
  SmallString<128> input(folder), output(folder);
  sys::path::append(input, "kernels.o");
  sys::path::append(output, "kernels.so");
  auto run = [&]() -> Expected<std::string> {
    if (Error error = writeFile(input, object))
      return std::move(error);
    std::string said;
    raw_string_ostream stream(said);
    const char *arguments[] = {"ld.lld",          "-shared", "-Bsymbolic",    "--no-undefined",
                               "--build-id=none", "-z",      "separate-code", "-soname",
                               "graphc_kernels",  "-o",      output.c_str(),  input.c_str()};
    static base::Mutex linking; // lld has one state a process
    base::MutexLock lock(linking);
    lld::Result result = lld::lldMain(arguments, stream, stream, {{lld::Gnu, &lld::elf::link}});
    if (result.retCode)
      return codeError("linking the kernels failed: " + StringRef(said).trim());
    auto buffer = MemoryBuffer::getFile(output, /*IsText=*/false, /*RequiresNullTerminator=*/false);
    if (!buffer)
      return codeError("cannot read the linked kernels: " + buffer.getError().message());
    return (*buffer)->getBuffer().str();
  };
  Expected<std::string> code = run();
  (void)sys::fs::remove_directories(folder);
  return code;
}

Expected<std::string> compileKernels(mlir::ModuleOp source, NativeTarget &target,
                                     StringRef keepDir) {
  LLVMContext context;
  Expected<std::unique_ptr<Module>> module =
      translateCode(*source.getBody(), context, /*withLines=*/!keepDir.empty());
  if (!module)
    return module.takeError();
  optimize(**module, target);
  if (Error error = checkDeclarations(**module))
    return std::move(error);
  std::string text;
  if (!keepDir.empty())
    raw_string_ostream(text) << **module;
  Expected<SmallString<0>> object = assemble(**module, *target.machine);
  if (!object)
    return object.takeError();
  Expected<std::string> code = link(*object);
  if (!code || keepDir.empty())
    return code;
  if (Error error =
          keepFiles(keepDir, {{"kernels.ll", text}, {"kernels.o", *object}, {"kernels.so", *code}}))
    return std::move(error);
  return code;
}

} // namespace graphc
