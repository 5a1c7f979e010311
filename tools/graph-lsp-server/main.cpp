//===- main.cpp - graph-lsp-server: .mlir files with our dialects in editors ------------------===//
#include "passes/Passes.h"
#include "runtime/common/base/Version.h"
#include "tools/FlagSpelling.h"

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "llvm/Support/CommandLine.h"

int main(int argc, char **argv) {
  llvm::cl::SetVersionPrinter(
      [](llvm::raw_ostream &os) { os << "graph-lsp-server " << graphc::base::version() << '\n'; });
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  graphc::registerDialects(registry);
  // The server registers its flags itself, all with hyphens.
  llvm::BumpPtrAllocator allocator;
  llvm::StringSaver saver(allocator);
  llvm::SmallVector<const char *> arguments =
      graphc::spellFlags(argc, argv, saver, graphc::hyphenate);
  return mlir::failed(
      mlir::MlirLspServerMain(argc, const_cast<char **>(arguments.data()), registry));
}
