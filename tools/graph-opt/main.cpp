//===- main.cpp - graph-opt: every pass by itself, upstream's too -----------------------------===//
#include "passes/Passes.h"
#include "runtime/common/base/Version.h"
#include "tools/FlagSpelling.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/Timing.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/CommandLine.h"

int main(int argc, char **argv) {
  llvm::cl::SetVersionPrinter(
      [](llvm::raw_ostream &os) { os << "graph-opt " << graphc::base::version() << '\n'; });
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::registerAllPasses();
  graphc::registerDialects(registry);
  graphc::registerPasses();
  // MlirOptMain registers its flags right before it parses them; here they have to be known before.
  mlir::MlirOptMainConfig::registerCLOptions(registry);
  mlir::registerAsmPrinterCLOptions();
  mlir::registerMLIRContextCLOptions();
  mlir::registerPassManagerCLOptions();
  mlir::registerDefaultTimingManagerCLOptions();
  llvm::BumpPtrAllocator allocator;
  llvm::StringSaver saver(allocator);
  llvm::SmallVector<const char *> arguments = graphc::spellRegisteredFlags(argc, argv, saver);
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, const_cast<char **>(arguments.data()),
                                                  "graphc's optimizer driver\n", registry));
}
