//===- KernelAbi.h - what compiled code and the runtime agree on ----------------------*- C -*-===//
//
//
// The whole contract between a plan's native code and the runtime. A code object is an ELF shared
// object with no undefined symbol and one exported one, `graphc_kernels`, of type
// GraphcKernelTable.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_COMMON_ABI_KERNELABI_H
#define GRAPHC_RUNTIME_COMMON_ABI_KERNELABI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GRAPHC_KERNEL_ABI_VERSION 3

/// What a kernel may know of its surroundings; the field order is fixed for good.
typedef struct GraphcContext {
  uint64_t step; ///< 0-based step of the phase
  uint32_t replica; ///< instance of the program
  uint32_t firstBlock; ///< of a kernel that has several: does those from here on
  uint32_t endBlock; ///< and before this one; 0: to the last
  uint32_t reserved;
} GraphcContext;

/// Buffers are 64-byte aligned and do not alias but for READ_WRITE arguments, which are passed
/// once. Returns 0, or a positive code that ends the run ("kernel NAME failed with code N").
typedef int (*GraphcKernel)(void *const *buffers, const GraphcContext *context);

/// What a kernel does with a buffer: the numbers of plan.proto's Access.
enum GraphcAccess { GRAPHC_READ = 0, GRAPHC_WRITE = 1, GRAPHC_READ_WRITE = 2 };

typedef struct GraphcArgument {
  uint64_t bytes;
  uint64_t access; ///< GraphcAccess
} GraphcArgument;

/// A kernel and what it takes: its part of GraphcKernelTable.arguments. A plan that gives it
/// anything else is not loaded.
typedef struct GraphcKernelEntry {
  GraphcKernel run;
  uint32_t firstArgument;
  uint32_t argumentCount;
  /// that may be done in any order and at once, on threads of their own; 1: it is not cut
  uint32_t blocks;
  uint32_t reserved;
} GraphcKernelEntry;

typedef struct GraphcKernelTable {
  uint32_t version; ///< GRAPHC_KERNEL_ABI_VERSION
  uint32_t count; ///< of kernels
  const GraphcKernelEntry *kernels;
  const GraphcArgument *arguments;
  uint64_t argumentCount; ///< of all kernels
} GraphcKernelTable;

#ifdef __cplusplus
}
#endif
#endif
