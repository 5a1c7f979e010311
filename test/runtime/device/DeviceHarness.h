//===- DeviceHarness.h - a device with code and a queue, for tests ------------------*- C++ -*-===//
#ifndef GRAPHC_TEST_RUNTIME_DEVICE_DEVICEHARNESS_H
#define GRAPHC_TEST_RUNTIME_DEVICE_DEVICEHARNESS_H

#include "test/runtime/common/plan/PlanBuilder.h"
#include "test/runtime/device/Sim.h"

#include "absl/time/clock.h"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <vector>

namespace graphc::device {

/// The kernel of 16 floats: the second size of test/runtime/common/plan/Kernels.c.
inline uint32_t testKernel(plan::TestKernel kernel) {
  return uint32_t(plan::TestKernel::Count) + uint32_t(kernel);
}

/// The kernels of the host's CPU.
inline CodeImage nativeCode() {
  static const plan::Plan *plan = new plan::Plan(plan::parameterServerPlan({1, 2}));
  return {plan->code(0).elf(), plan->code(0).target_cpu(), {}};
}

struct DeviceHarness {
  explicit DeviceHarness(std::unique_ptr<Device> made, const CodeImage &image = nativeCode())
      : device(std::move(made)) {
    code = *device->load(image);
    queue = *device->makeQueue();
  }

  MemoryRegion memory(uint64_t bytes) {
    return *device->allocate(bytes, MemorySpace::Device, MemoryRegion::Guard::None, "a test");
  }
  template <typename T> MemoryRegion staging(const std::vector<T> &values) {
    const uint64_t bytes = values.size() * sizeof(T);
    MemoryRegion memory =
        *device->allocate(bytes, MemorySpace::Host, MemoryRegion::Guard::None, "a test");
    memcpy(memory.data(), values.data(), bytes);
    return memory;
  }
  template <typename T> void write(void *to, const std::vector<T> &values) {
    MemoryRegion staged = staging(values);
    queue->copy(to, staged.data(), values.size() * sizeof(T));
    finish();
  }
  template <typename T> std::vector<T> read(const void *from, uint64_t count) {
    MemoryRegion staged = staging(std::vector<T>(count));
    queue->copy(staged.data(), from, count * sizeof(T));
    finish();
    std::vector<T> values(count);
    memcpy(values.data(), staged.data(), count * sizeof(T));
    return values;
  }
  /// All that is in the queue.
  void finish() {
    queue->signal(++signalled);
    ASSERT_EQ(await(*queue, signalled), DeviceQueue::Reached::Yes) << queue->status();
  }
  /// A segment of what `record` records, given once.
  void run(const std::function<void(QueueSegment &)> &record, const GraphcContext &context = {}) {
    auto &segment = segments.emplace_back(device->makeSegment());
    record(*segment);
    ASSERT_EQ(segment->prepare(), absl::OkStatus());
    queue->run(*segment, context);
  }
  /// Not yet after ten seconds: never.
  DeviceQueue::Reached await(DeviceQueue &of, uint64_t n) {
    for (int i = 0; i < 100; ++i) {
      if (DeviceQueue::Reached reached = of.reached(n); reached != DeviceQueue::Reached::NotYet)
        return reached;
      of.wait(n, absl::Milliseconds(100), wakes());
    }
    return DeviceQueue::Reached::NotYet;
  }

  std::unique_ptr<Device> device;
  std::unique_ptr<DeviceCode> code;
  std::vector<std::unique_ptr<QueueSegment>> segments;
  std::unique_ptr<DeviceQueue> queue; // ends its work before they go
  uint64_t signalled = 1 << 20; ///< beyond what tests count to themselves
};

} // namespace graphc::device
#endif
