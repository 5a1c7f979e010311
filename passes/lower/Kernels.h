//===- Kernels.h - facts about compiled kernels that several passes share --------------------------------*- C++ -*-===//
#ifndef GRAPHC_PASSES_LOWER_KERNELS_H
#define GRAPHC_PASSES_LOWER_KERNELS_H

#include "runtime/kernels/KernelAbi.h"

#include "llvm/ADT/StringRef.h"

namespace graphc {

/// The exported symbol of a code object, of type GraphcKernelTable.
inline constexpr llvm::StringLiteral kKernelTableSymbol = "graphc_kernels";
inline constexpr int32_t kKernelAbiVersion = GRAPHC_KERNEL_ABI_VERSION;

} // namespace graphc
#endif
