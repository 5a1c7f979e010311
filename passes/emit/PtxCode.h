//===- PtxCode.h - the functions of a GPU in the LLVM dialect → PTX -----------------*- C++ -*-===//
#ifndef GRAPHC_PASSES_EMIT_PTXCODE_H
#define GRAPHC_PASSES_EMIT_PTXCODE_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace graphc {

/// What a plan holds in place of PTX that nobody is going to run.
extern const char *const kEmptyPtx;

/// None, or an unknown architecture, is an error that names those that there are; so is one before
/// sm_80, whose driver may be too old.
llvm::Error checkCudaArchs(llvm::ArrayRef<std::string> archs);

/// PTX of the module's GPU functions for `arch` ("sm_80") and all that came after it, by LLVM's own
/// code generator at -O3, with the table `graphc_kernels` (runtime/common/abi/PtxAbi.h). The same
/// module and architecture give the same text. `keepDir`, where not empty, receives kernels.gpu.ll
/// and kernels.ptx.
llvm::Expected<std::string> compilePtx(mlir::ModuleOp module, llvm::StringRef arch,
                                       llvm::StringRef keepDir);

} // namespace graphc
#endif
