//===- DialectRegistration.cpp - what command lines and readers of files must know ------------===//
#include "dialects/dist/DistDialect.h"
#include "dialects/graph/GraphDialect.h"
#include "dialects/stablehlo/StablehloDialect.h"
#include "passes/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace graphc {
#define GEN_PASS_REGISTRATION
#include "passes/Passes.h.inc"
} // namespace graphc

using AddDialects = void (*)(mlir::DialectRegistry &);
static std::vector<AddDialects> &getAdded() {
  static std::vector<AddDialects> added;
  return added;
}

void graphc::addDialects(AddDialects add) { getAdded().push_back(add); }

void graphc::registerDialects(mlir::DialectRegistry &registry) {
  for (AddDialects add : getAdded())
    add(registry);
  registry.insert<graph::GraphDialect, dist::DistDialect, stablehlo::ChloDialect,
                  stablehlo::StablehloDialect>();
  // Those of kernels: a module of any stage is read.
  registry.insert<mlir::affine::AffineDialect, mlir::arith::ArithDialect,
                  mlir::cf::ControlFlowDialect, mlir::func::FuncDialect, mlir::gpu::GPUDialect,
                  mlir::linalg::LinalgDialect, mlir::LLVM::LLVMDialect, mlir::math::MathDialect,
                  mlir::memref::MemRefDialect, mlir::NVVM::NVVMDialect, mlir::scf::SCFDialect,
                  mlir::ub::UBDialect, mlir::vector::VectorDialect>();
}

void graphc::registerPasses() { registerGraphcPasses(); }
