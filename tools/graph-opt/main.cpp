//===- main.cpp - graph-opt: every pass by itself, upstream's too ---------------------------------------------===//
#include "passes/Passes.h"

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::registerAllPasses();
  graphc::registerDialects(registry);
  graphc::registerPasses();
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "graphc's optimizer driver\n", registry));
}
