//===- KernelConstants.h - facts about compiled kernels that several passes share ---*- C++ -*-===//
#ifndef GRAPHC_PASSES_LOWER_KERNELCONSTANTS_H
#define GRAPHC_PASSES_LOWER_KERNELCONSTANTS_H

#include "runtime/common/abi/KernelAbi.h"

#include "llvm/ADT/StringRef.h"

namespace graphc {

/// The exported symbol of a code object, of type GraphcKernelTable.
inline constexpr llvm::StringLiteral kKernelTableSymbol = "graphc_kernels";
inline constexpr int32_t kKernelAbiVersion = GRAPHC_KERNEL_ABI_VERSION;

/// On a kernel that is cut (KernelBlocks.h): into how many blocks. Its last two arguments are then
/// the first block to do and the one to end before.
inline constexpr llvm::StringLiteral kKernelBlocks = "dist.kernel_blocks";
inline constexpr unsigned kBlockArguments = 2;

/// Of every buffer that a kernel is given, in bytes (KernelAbi.h).
inline constexpr uint64_t kBufferAlignment = 64;

} // namespace graphc
#endif
