#include "runtime/kernels/ParallelKernelCall.h"

namespace graphc::kernels {

int callInBlocks(GraphcKernel kernel, uint32_t blocks, void *const *buffers,
                 const GraphcContext &context, ThreadPool *pool) {
  if (!pool || pool->threads() == 1)
    return kernel(buffers, &context); // endBlock is 0: all of them
  return runParts(pool, blocks, [&](uint32_t index) {
    GraphcContext own = context;
    own.firstBlock = index;
    own.endBlock = index + 1;
    return kernel(buffers, &own);
  });
}

} // namespace graphc::kernels
