//===- KernelPatterns.h - what lowers every kernel to the LLVM dialect --------------*- C++ -*-===//
#ifndef GRAPHC_PASSES_LOWER_KERNELPATTERNS_H
#define GRAPHC_PASSES_LOWER_KERNELPATTERNS_H

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Transforms/DialectConversion.h"

namespace graphc {

/// Of scf, cf, arith, math, memref, vector and ub, as kernels have them whatever device they are
/// for.
void populateKernelPatterns(mlir::LLVMTypeConverter &types, mlir::RewritePatternSet &patterns);

} // namespace graphc
#endif
