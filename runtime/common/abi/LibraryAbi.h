//===- LibraryAbi.h - the C interface of a module that serves library calls -----------*- C -*-===//
//
// A module is a shared object with one symbol, `graphc_library_module`. GRAPHC_LIBRARIES names the
// modules of a machine, files with a colon between; they are opened on the first call of a kernel
// that is not built in, by graphc and by graphrun. The numerical contract (docs/architecture.md)
// holds for them: bits follow from the call and the CPU alone.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_COMMON_ABI_LIBRARYABI_H
#define GRAPHC_RUNTIME_COMMON_ABI_LIBRARYABI_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GRAPHC_LIBRARY_ABI_VERSION 1

/// The numbers of plan.proto's DataType. I1 is a byte, 0 or 1.
enum GraphcElement {
  GRAPHC_I1 = 1,
  GRAPHC_I8 = 2,
  GRAPHC_U8 = 3,
  GRAPHC_I32 = 4,
  GRAPHC_I64 = 5,
  GRAPHC_F32 = 6,
  GRAPHC_F64 = 7,
  GRAPHC_BF16 = 8,
  GRAPHC_U32 = 9
};

/// A fact of the descriptor: integers or numbers, whatever the kernel says. What is only there or
/// not is the integer 1.
typedef struct GraphcLibraryAttribute {
  const char *name;
  const int64_t *integers;
  uint64_t integerCount;
  const double *numbers;
  uint64_t numberCount;
} GraphcLibraryAttribute;

/// Row-major and dense.
typedef struct GraphcLibraryOperand {
  uint32_t element; ///< GraphcElement
  uint32_t access; ///< GraphcAccess (KernelAbi.h): READ of what is given, WRITE of results
  const int64_t *shape;
  uint64_t rank;
  uint64_t bytes;
} GraphcLibraryOperand;

/// A call: what the kernel takes, what its post-ops take, in their order, its results. Scratch
/// memory is no operand.
typedef struct GraphcLibraryCall {
  const char *kernel;
  const GraphcLibraryAttribute *attributes; ///< by name, each once
  uint64_t attributeCount;
  const char *const *postOps; ///< done to the result, in order
  uint64_t postOpCount;
  const GraphcLibraryOperand *operands;
  uint64_t operandCount;
} GraphcLibraryCall;

typedef struct GraphcLibraryKernel {
  const char *name;
  /// Whether the kernel serves the call, told to plans from anywhere, so nothing may be believed: 0
  /// and `flops`, or not 0 and `message`.
  int (*check)(const GraphcLibraryCall *call, uint64_t *flops, char *message, size_t messageBytes);
  /// Makes it, for a call that check() took; 0, or not 0 and `message`. `scratchBytes` is what
  /// run() needs on this CPU. Equal calls give equal kernels, whatever was made before.
  int (*create)(const GraphcLibraryCall *call, void **kernel, uint64_t *scratchBytes, char *message,
                size_t messageBytes);
  /// On the operands in their order, then scratch memory where it needs any; all are 64-byte
  /// aligned. 0, or an error code that ends the run. On the calling thread; one thread at a time
  /// for one kernel.
  int (*run)(void *kernel, void *const *buffers);
  void (*destroy)(void *kernel);
} GraphcLibraryKernel;

typedef struct GraphcLibraryModule {
  uint32_t version; ///< GRAPHC_LIBRARY_ABI_VERSION
  uint32_t kernelCount;
  const GraphcLibraryKernel *kernels;
} GraphcLibraryModule;

/// The module's one symbol: `const GraphcLibraryModule *graphc_library_module(void)`.
typedef const GraphcLibraryModule *(*GraphcGetLibraryModule)(void);

#ifdef __cplusplus
}
#endif
#endif
