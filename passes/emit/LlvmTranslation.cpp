#include "passes/emit/LlvmTranslation.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;

namespace graphc {

Error codeError(const Twine &message) {
  return createStringError(inconvertibleErrorCode(), message);
}

/// The compiler's own attributes mean nothing to LLVM.
static void stripForeignAttributes(mlir::Operation *op) {
  auto foreign = [](mlir::NamedAttribute attribute) {
    StringRef dialect = attribute.getName().strref().split('.').first;
    return dialect == "dist" || dialect == "graph";
  };
  for (mlir::NamedAttribute attribute : llvm::to_vector(op->getDiscardableAttrs()))
    if (foreign(attribute))
      op->removeDiscardableAttr(attribute.getName());
  if (auto func = mlir::dyn_cast<mlir::LLVM::LLVMFuncOp>(op))
    for (unsigned i = 0; i < func.getNumArguments(); ++i)
      for (mlir::NamedAttribute attribute :
           llvm::to_vector(mlir::function_interface_impl::getArgAttrs(func, i)))
        if (foreign(attribute))
          func.removeArgAttr(i, attribute.getName());
}

/// A line table for debuggers and profilers: the lines are those of the model's file.
static mlir::LogicalResult addLines(mlir::ModuleOp kernels) {
  mlir::LLVM::DIScopeForLLVMFuncOpPassOptions options;
  options.emissionKind = mlir::LLVM::DIEmissionKind::LineTablesOnly;
  mlir::PassManager passes(kernels.getContext());
  passes.addPass(mlir::LLVM::createDIScopeForLLVMFuncOpPass(options));
  return passes.run(kernels);
}

Expected<std::unique_ptr<Module>> translateCode(mlir::Block &body, LLVMContext &context,
                                                bool withLines) {
  mlir::DialectRegistry registry;
  mlir::registerBuiltinDialectTranslation(registry);
  mlir::registerLLVMDialectTranslation(registry);
  mlir::registerNVVMDialectTranslation(registry);
  mlir::Operation *source = body.getParentOp();
  source->getContext()->appendDialectRegistry(registry);
  mlir::OwningOpRef<mlir::ModuleOp> kernels = mlir::ModuleOp::create(source->getLoc());
  mlir::OpBuilder builder = mlir::OpBuilder::atBlockEnd(kernels->getBody());
  for (mlir::Operation &op : body)
    if (mlir::isa<mlir::LLVM::LLVMFuncOp, mlir::LLVM::GlobalOp>(op))
      stripForeignAttributes(builder.clone(op));
  if (withLines && mlir::failed(addLines(*kernels)))
    return codeError("the kernels could not be given their lines");
  std::unique_ptr<Module> module = mlir::translateModuleToLLVMIR(*kernels, context, "graphc");
  if (!module)
    return codeError("the kernels could not be translated to LLVM IR");
  return module;
}

void runPipeline(Module &module, TargetMachine &machine, StringRef pipeline) {
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager graphs;
  ModuleAnalysisManager modules;
  PassBuilder builder(&machine);
  functions.registerPass([&] { return machine.getTargetIRAnalysis(); });
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(graphs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, graphs, modules);
  ModulePassManager passes;
  cantFail(builder.parsePassPipeline(passes, pipeline));
  passes.run(module, modules);
}

Error checkDeclarations(const Module &module) {
  for (const Function &function : module)
    if (function.isDeclaration() && !function.isIntrinsic() && !function.use_empty())
      return codeError("a kernel calls '" + function.getName() + "', which no code object may");
  return Error::success();
}

Error writeFile(const Twine &path, StringRef content) {
  std::error_code code;
  raw_fd_ostream stream(path.str(), code, sys::fs::OF_None);
  if (!code) {
    stream << content;
    stream.close();
    code = stream.error();
    stream.clear_error();
  }
  return code ? codeError("cannot write " + path + ": " + code.message()) : Error::success();
}

Error keepFiles(StringRef folder, std::initializer_list<std::pair<StringRef, StringRef>> files) {
  if (std::error_code failed = sys::fs::create_directories(folder))
    return codeError("cannot make the folder " + folder + ": " + failed.message());
  for (auto [name, content] : files)
    if (Error error = writeFile(folder + "/" + name, content))
      return error;
  return Error::success();
}

} // namespace graphc
