//===- ParallelKernelCall.h - a compiled kernel by several threads ------------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_KERNELS_PARALLELKERNELCALL_H
#define GRAPHC_RUNTIME_KERNELS_PARALLELKERNELCALL_H

#include "runtime/common/abi/KernelAbi.h"
#include "runtime/kernels/ThreadPool.h"

namespace graphc::kernels {

/// All of a kernel that has `blocks` blocks, each once, on this thread and on the pool's; without a
/// pool on this one alone. The bits are the same. Returns the code of a block that failed, or 0.
int callInBlocks(GraphcKernel kernel, uint32_t blocks, void *const *buffers,
                 const GraphcContext &context, ThreadPool *pool);

} // namespace graphc::kernels
#endif
