//===- GpuCode.h - how a module holds the code of its GPUs --------------------------*- C++ -*-===//
//
// Code for GPUs stands in one gpu.module. Of a kernel that a GPU launches the func.func stays, for
// what it takes; it has a body only where the host's threads call it too.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_PASSES_GPU_GPUCODE_H
#define GRAPHC_PASSES_GPU_GPUCODE_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"

namespace graphc::gpu {

inline constexpr llvm::StringLiteral kCodeModule = "graphc_gpu";
/// On a kernel's func.func: how many launches it is, in order.
inline constexpr llvm::StringLiteral kLaunches = "dist.launches";

/// On a launch's function: how large the grid and its blocks are.
inline constexpr llvm::StringLiteral kBlocks = "dist.blocks", kThreads = "dist.threads";

/// Null where no kernel runs on a GPU.
mlir::gpu::GPUModuleOp getCode(mlir::ModuleOp module);

} // namespace graphc::gpu
#endif
