//===- Registration.cpp - what command lines and readers of files must know -----------------------------------===//
#include "dialects/dist/DistDialect.h"
#include "dialects/graph/GraphDialect.h"
#include "passes/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace graphc {
#define GEN_PASS_REGISTRATION
#include "passes/Passes.h.inc"
} // namespace graphc

void graphc::registerDialects(mlir::DialectRegistry &registry) {
  registry.insert<graph::GraphDialect, dist::DistDialect, mlir::func::FuncDialect>();
}

void graphc::registerPasses() { registerGraphcPasses(); }
