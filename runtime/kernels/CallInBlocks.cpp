#include "runtime/kernels/CallInBlocks.h"

#include <atomic>

namespace graphc::kernels {

int callInBlocks(GraphcKernel kernel, uint32_t blocks, void *const *buffers, const GraphcContext &context, Pool *pool) {
  if (!pool || pool->threads() == 1)
    return kernel(buffers, &context); // endBlock is 0: all of them
  struct Call {
    GraphcKernel kernel;
    void *const *buffers;
    const GraphcContext &context;
    std::atomic<int> code{0};
  } call{kernel, buffers, context};
  pool->run(
      blocks,
      [](void *shared, uint32_t index) {
        auto &call = *static_cast<Call *>(shared);
        GraphcContext own = call.context;
        own.firstBlock = index;
        own.endBlock = index + 1;
        if (int code = call.kernel(call.buffers, &own))
          call.code.store(code, std::memory_order_relaxed);
      },
      &call);
  return call.code.load(std::memory_order_relaxed);
}

} // namespace graphc::kernels
