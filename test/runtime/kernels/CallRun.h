//===- CallRun.h - a library call of a test, with memory for it ---------------------*- C++ -*-===//
#ifndef GRAPHC_TEST_RUNTIME_KERNELS_CALLRUN_H
#define GRAPHC_TEST_RUNTIME_KERNELS_CALLRUN_H

#include "runtime/device/MemoryRegion.h"
#include "runtime/kernels/KernelRegistry.h"

#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

namespace graphc::kernels {

using Shape = std::vector<int64_t>;

inline CallOperand operandOf(GraphcElement element, Shape shape,
                             GraphcAccess access = GRAPHC_READ) {
  uint64_t bytes = element == GRAPHC_F32 ? 4 : 1;
  for (int64_t size : shape)
    bytes *= uint64_t(size);
  return {element, std::move(shape), access, bytes};
}

/// A call's kernel, and memory for its operands and scratch between pages that may not be touched.
struct CallRun {
  std::unique_ptr<LibraryKernel> kernel;
  std::vector<device::MemoryRegion> memory;
  std::vector<void *> buffers; ///< of the operands, then scratch

  CallRun(const LibraryCall &call, ThreadPool *pool) {
    const uint64_t scratch = *scratchBytesOf(call);
    auto made = makeKernel(call, scratch, pool);
    EXPECT_TRUE(made.ok()) << made.status();
    kernel = std::move(*made);
    for (const CallOperand &operand : call.operands)
      add(operand.bytes);
    add(scratch);
  }

private:
  void add(uint64_t bytes) {
    memory.push_back(
        *device::MemoryRegion::allocate(bytes, device::MemoryRegion::Guard::Pages, "test"));
    buffers.push_back(memory.back().data());
  }
};

} // namespace graphc::kernels
#endif
