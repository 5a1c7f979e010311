// A GPU on the tests' driver, beyond what every device does; and what that driver itself says of
// graphs that the manual forbids.
#include "runtime/device/cuda/CudaDriverApi.h"
#include "test/cuda/TestDevice.h"
#include "test/runtime/device/DeviceHarness.h"

#include <gmock/gmock.h>

#include <thread>

namespace graphc::device::cuda {
namespace {

using testing::HasSubstr;

class OnGpu : public testing::Test {
protected:
  /// A copy into `to`, on a queue that was made while the gate was closed.
  std::unique_ptr<DeviceQueue> late(MemoryRegion &to, MemoryRegion &from) {
    closeGate(true);
    std::unique_ptr<DeviceQueue> queue = *h.device->makeQueue();
    queue->copy(to.data(), from.data(), 64);
    queue->signal(1);
    return queue;
  }
  absl::Duration waitFor(DeviceQueue &queue, absl::Duration most) {
    const absl::Time begin = absl::Now();
    queue.wait(1, most, wakes());
    return absl::Now() - begin;
  }
  DeviceHarness h{makeTestDevice(), testCode()};
  const CudaDriverApi &driver = **CudaDriverApi::open();
};

TEST_F(OnGpu, ALateQueueHoldsUpNoOther) {
  MemoryRegion there = h.memory(128), staged = h.staging(std::vector<float>(16, 1));
  std::unique_ptr<DeviceQueue> slow = late(there, staged);
  std::thread waits([&] { slow->wait(1, absl::Seconds(20), wakes()); });
  absl::SleepFor(absl::Milliseconds(20)); // it is waited for
  h.queue->copy(there.data() + 64, staged.data(), 64);
  h.queue->signal(1);
  EXPECT_LT(waitFor(*h.queue, absl::Seconds(20)), absl::Seconds(10));
  EXPECT_EQ(h.await(*h.queue, 1), DeviceQueue::Reached::Yes);
  EXPECT_EQ(slow->reached(1), DeviceQueue::Reached::NotYet);
  closeGate(false);
  waits.join();
  EXPECT_EQ(h.await(*slow, 1), DeviceQueue::Reached::Yes);
}

TEST_F(OnGpu, AWakeEndsAWait) {
  MemoryRegion there = h.memory(64), staged = h.staging(std::vector<float>(16, 1));
  std::unique_ptr<DeviceQueue> slow = late(there, staged);
  std::thread wakes([&] {
    absl::SleepFor(absl::Milliseconds(20));
    h.device->wake();
  });
  EXPECT_LT(waitFor(*slow, absl::Seconds(20)), absl::Seconds(10));
  wakes.join();
  // Nor is one missed that came before the wait.
  const uint64_t before = device::wakes();
  wakeAll();
  const absl::Time begin = absl::Now();
  slow->wait(1, absl::Seconds(20), before);
  EXPECT_LT(absl::Now() - begin, absl::Seconds(10));
  closeGate(false);
  EXPECT_EQ(h.await(*slow, 1), DeviceQueue::Reached::Yes);
}

TEST_F(OnGpu, LanesOfAProcessShareIt) {
  MemoryRegion sums = h.memory(512), staged = h.staging(std::vector<float>(16, 1));
  std::vector<std::thread> lanes;
  for (int lane = 0; lane < 4; ++lane)
    lanes.emplace_back([&, lane] {
      std::unique_ptr<QueueSegment> segment = h.device->makeSegment();
      std::unique_ptr<DeviceQueue> queue = *h.device->makeQueue();
      uint8_t *sum = sums.data() + 128 * lane;
      void *buffers[] = {sum, sum + 64};
      segment->copy(0, CopyDirection::In, sum + 64, staged.data(), 64);
      segment->launch(0, *h.code, testKernel(plan::TestKernel::Add), buffers);
      for (uint64_t step = 1; step <= 20; ++step) {
        queue->run(*segment, {});
        queue->signal(step);
        EXPECT_EQ(h.await(*queue, step), DeviceQueue::Reached::Yes);
      }
    });
  for (std::thread &lane : lanes)
    lane.join();
  for (int lane = 0; lane < 4; ++lane)
    EXPECT_EQ(h.read<float>(sums.data() + 128 * lane, 16), std::vector<float>(16, 20));
}

TEST_F(OnGpu, WhatCannotBeAGraphIsAnErrorThatNamesIt) {
  MemoryRegion there = h.memory(64), staged = h.staging(std::vector<float>(16, 1));
  std::unique_ptr<QueueSegment> segment = h.device->makeSegment();
  // `staged` is no memory of the device.
  segment->copy(0, CopyDirection::Out, staged.data(), staged.data(), 64);
  EXPECT_THAT(
      std::string(segment->prepare().message()),
      HasSubstr("GPU:0: a copy of 64 bytes: cuGraphAddMemcpyNode: CUDA_ERROR_INVALID_VALUE"));
  // Nor does a copy change its kind.
  segment = h.device->makeSegment();
  const uint32_t copy = segment->copy(0, CopyDirection::In, there.data(), staged.data(), 64);
  ASSERT_EQ(segment->prepare(), absl::OkStatus());
  segment->move(copy, there.data(), there.data());
  h.queue->run(*segment, {});
  EXPECT_THAT(std::string(h.queue->status().message()),
              HasSubstr("cuGraphExecMemcpyNodeSetParams"));
}

TEST_F(OnGpu, TooMuchMemoryNamesWhatThereIs) {
  MemoryRegion most = h.memory(uint64_t(900) << 20);
  auto more = h.device->allocate(uint64_t(200) << 20, MemorySpace::Device,
                                 MemoryRegion::Guard::None, "one more");
  EXPECT_EQ(more.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(more.status().message()),
              HasSubstr("one more, 209715200 bytes (of 1073741824 are free "));
}

CopyNode copyOut(void *to, const MemoryRegion &from) {
  CopyNode node{};
  node.from.kind = CopyNode::Device;
  node.from.device = Address(reinterpret_cast<uintptr_t>(from.data()));
  node.to.kind = CopyNode::Host;
  node.to.host = to;
  node.width = 4;
  node.height = node.depth = 1;
  return node;
}

TEST_F(OnGpu, TheDriverRefusesGraphsThatTheManualForbids) {
  MemoryRegion there = h.memory(64);
  float back = -1;
  const CopyNode params = copyOut(&back, there);
  Context context = nullptr;
  ASSERT_EQ(driver.devicePrimaryCtxRetain(&context, 0), kSuccess);
  Graph graph = nullptr, other = nullptr;
  GraphNode node = nullptr, second = nullptr, foreign = nullptr;
  ASSERT_EQ(driver.graphCreate(&graph, 0), kSuccess);
  ASSERT_EQ(driver.graphCreate(&other, 0), kSuccess);
  ASSERT_EQ(driver.graphAddMemcpyNode(&node, graph, nullptr, 0, &params, context), kSuccess);
  ASSERT_EQ(driver.graphAddMemcpyNode(&foreign, other, nullptr, 0, &params, context), kSuccess);
  const GraphNode twice[] = {node, node};
  EXPECT_NE(driver.graphAddMemcpyNode(&second, graph, twice, 2, &params, context), kSuccess)
      << "each once";
  EXPECT_NE(driver.graphAddMemcpyNode(&second, graph, &foreign, 1, &params, context), kSuccess)
      << "of this graph";
  CopyNode flat = params;
  flat.height = 2;
  EXPECT_NE(driver.graphAddMemcpyNode(&second, graph, nullptr, 0, &flat, context), kSuccess)
      << "one dimension";
  GraphExec executable = nullptr;
  ASSERT_EQ(driver.graphInstantiate(&executable, graph, 0), kSuccess);
  EXPECT_NE(driver.graphExecMemcpyNodeSetParams(executable, foreign, &params, context), kSuccess);
  Stream stream = nullptr;
  ASSERT_EQ(driver.streamCreate(&stream, kNonBlockingStream), kSuccess);
  EXPECT_EQ(driver.graphLaunch(executable, stream), kSuccess);
  EXPECT_EQ(back, -1) << "nothing is done before it is asked for";
  EXPECT_EQ(driver.streamSynchronize(stream), kSuccess);
  EXPECT_EQ(back, 0);
  EXPECT_EQ(driver.graphDestroy(graph), kSuccess);
  EXPECT_NE(driver.graphExecMemcpyNodeSetParams(executable, node, &params, context), kSuccess)
      << "the graph is gone";
  EXPECT_EQ(driver.graphExecDestroy(executable), kSuccess);
  EXPECT_NE(driver.graphLaunch(executable, stream), kSuccess) << "it is gone";
  EXPECT_EQ(driver.graphDestroy(other), kSuccess);
  EXPECT_EQ(driver.streamDestroy(stream), kSuccess);
}

TEST_F(OnGpu, WhatAStreamIsGivenCanBeCapturedAsAPartOfAGraph) {
  MemoryRegion there = h.memory(64), staged = h.staging(std::vector<float>(16, 3));
  float back = -1;
  const CopyNode params = copyOut(&back, there);
  Context context = nullptr;
  ASSERT_EQ(driver.devicePrimaryCtxRetain(&context, 0), kSuccess);
  Stream stream = nullptr;
  Event event = nullptr;
  ASSERT_EQ(driver.streamCreate(&stream, kNonBlockingStream), kSuccess);
  ASSERT_EQ(driver.eventCreate(&event, kNoTimingEvent), kSuccess);
  Graph child = nullptr, graph = nullptr;
  EXPECT_NE(driver.streamEndCapture(stream, &child), kSuccess) << "none was begun";
  ASSERT_EQ(driver.streamBeginCapture(stream, kCapturesThread), kSuccess);
  EXPECT_NE(driver.streamBeginCapture(stream, kCapturesThread), kSuccess) << "one at a time";
  EXPECT_NE(driver.streamSynchronize(stream), kSuccess);
  EXPECT_NE(driver.eventRecord(event, stream), kSuccess);
  const auto to = Address(reinterpret_cast<uintptr_t>(there.data())),
             from = Address(reinterpret_cast<uintptr_t>(staged.data()));
  ASSERT_EQ(driver.memcpyAsync(to, from, 64, stream), kSuccess);
  ASSERT_EQ(driver.streamEndCapture(stream, &child), kSuccess);
  GraphNode part = nullptr, last = nullptr;
  ASSERT_EQ(driver.graphCreate(&graph, 0), kSuccess);
  ASSERT_EQ(driver.graphAddChildGraphNode(&part, graph, nullptr, 0, child), kSuccess);
  ASSERT_EQ(driver.graphAddMemcpyNode(&last, graph, &part, 1, &params, context), kSuccess);
  EXPECT_EQ(driver.graphDestroy(child), kSuccess) << "it was copied";
  GraphExec executable = nullptr;
  ASSERT_EQ(driver.graphInstantiate(&executable, graph, 0), kSuccess);
  ASSERT_EQ(driver.graphLaunch(executable, stream), kSuccess);
  ASSERT_EQ(driver.streamSynchronize(stream), kSuccess);
  EXPECT_EQ(back, 3) << "once: by the graph, and not when it was captured";
  EXPECT_EQ(driver.graphExecDestroy(executable), kSuccess);
  EXPECT_EQ(driver.graphDestroy(graph), kSuccess);
  EXPECT_EQ(driver.eventDestroy(event), kSuccess);
  EXPECT_EQ(driver.streamDestroy(stream), kSuccess);
}

} // namespace
} // namespace graphc::device::cuda
