// What every device does: one suite for the CPU and for the simulated asynchronous one, with
// several seeds.
#include "runtime/common/device/DeviceKinds.h"
#include "runtime/device/CpuDevice.h"
#include "runtime/kernels/LibraryKernel.h"
#include "test/cuda/TestDevice.h"
#include "test/runtime/device/DeviceHarness.h"

#include "absl/time/clock.h"

#include <gmock/gmock.h>

#include <array>
#include <cstring>
#include <sys/mman.h>
#include <thread>

namespace graphc::device {
namespace {

using testing::HasSubstr;

struct Backend {
  const char *name;
  std::function<std::unique_ptr<Device>()> make;
  const char *device = "CPU:7";
  CodeImage (*code)() = nativeCode;
  bool isNative() const { return code == nativeCode; }
};

class Devices : public testing::TestWithParam<Backend> {
protected:
  DeviceHarness h{GetParam().make(), GetParam().code()};
};
/// Of kernels that get a context and say whether they failed, and of libraries.
class NativeDevices : public Devices {};

TEST_P(Devices, SayWhoTheyAreAndWhatTheyHave) {
  EXPECT_EQ(h.device->name(), GetParam().device);
  EXPECT_GE(h.device->limits().queues, 2u);
  EXPECT_GT(h.device->limits().memoryBytes, uint64_t(1) << 20);
}

TEST_P(Devices, MemoryIsAlignedAndZero) {
  for (uint64_t bytes : {64u, 100u, 4096u, 100'000u}) {
    MemoryRegion memory = h.memory(bytes);
    EXPECT_EQ(memory.size(), bytes);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(memory.data()) % alignment, 0u);
    EXPECT_EQ(h.read<uint8_t>(memory.data(), bytes), std::vector<uint8_t>(bytes, 0));
  }
}

TEST_P(Devices, TooMuchMemoryIsAnErrorThatNamesIt) {
  auto memory = h.device->allocate(uint64_t(1) << 60, MemorySpace::Device,
                                   MemoryRegion::Guard::None, "a whale");
  EXPECT_EQ(memory.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(memory.status().message()), HasSubstr("a whale"));
}

TEST_P(Devices, SayWhatIsFree) {
  const uint64_t before = h.device->freeMemory().value();
  EXPECT_LE(before, h.device->limits().memoryBytes);
  MemoryRegion memory = h.memory(1 << 16);
  const uint64_t taken = before - h.device->freeMemory().value();
  EXPECT_TRUE(taken == 0 || taken == 1 << 16) << taken;
  EXPECT_EQ(taken != 0, runsPtx(kindOf(h.device->name()))); // the others do not count
}

TEST_P(Devices, HostMemoryIsTheHosts) {
  auto memory = h.device->allocate(4096, MemorySpace::Host, MemoryRegion::Guard::Pages, "staging");
  ASSERT_TRUE(memory.ok()) << memory.status();
  memset(memory->data(), 7, 4096);
  MemoryRegion there = h.memory(4096);
  h.queue->copy(there.data(), memory->data(), 4096);
  h.finish();
  EXPECT_EQ(h.read<uint8_t>(there.data(), 4096), std::vector<uint8_t>(4096, 7));
}

/// Memory of a peer's: another mapping of it, which this process may not write.
TEST_P(Devices, CopiesReachMemoryThatIsPinned) {
  constexpr uint64_t kBytes = 3 * 4096;
  MemoryRegion shared = *MemoryRegion::share(kBytes, "a peer");
  auto *peers = static_cast<uint8_t *>(
      ::mmap(nullptr, kBytes, PROT_READ, MAP_SHARED, shared.descriptor(), 0));
  ASSERT_NE(peers, MAP_FAILED);
  MemoryRegion there = h.memory(kBytes);
  for (uint8_t round = 1; round < 3; ++round) { // it can be done again once it was undone
    auto own = h.device->pin({shared.data(), kBytes}, Device::Access::ReadWrite, "a slot");
    auto read = h.device->pin({peers, kBytes}, Device::Access::Read, "a peer's");
    ASSERT_TRUE(own.ok()) << own.status();
    ASSERT_TRUE(read.ok()) << read.status();
    memset(shared.data(), round, kBytes);
    h.queue->copy(there.data(), peers, kBytes);
    h.finish();
    memset(shared.data(), 0, kBytes);
    h.queue->copy(shared.data() + 4096, there.data() + 4096, 4096);
    h.finish();
    EXPECT_EQ(peers[4095], 0);
    EXPECT_EQ(peers[4096], round);
    EXPECT_EQ(peers[2 * 4096 - 1], round);
    EXPECT_EQ(peers[2 * 4096], 0);
  }
  ::munmap(peers, kBytes);
}

/// As lanes of one process are: each has queues and memory of its own.
TEST_P(Devices, SeveralThreadsShareOne) {
  std::vector<std::thread> lanes;
  std::vector<std::vector<uint8_t>> found(4);
  for (uint8_t lane = 0; lane < 4; ++lane)
    lanes.emplace_back([&, lane] {
      auto queue = h.device->makeQueue();
      auto first =
          h.device->allocate(4096, MemorySpace::Device, MemoryRegion::Guard::None, "a lane");
      auto second =
          h.device->allocate(4096, MemorySpace::Device, MemoryRegion::Guard::None, "a lane");
      auto host = h.device->allocate(8192, MemorySpace::Host, MemoryRegion::Guard::None, "a lane");
      if (!queue.ok() || !first.ok() || !second.ok() || !host.ok())
        return;
      memset(host->data(), 16 + lane, 4096);
      for (uint64_t round = 1; round <= 20; ++round) {
        (*queue)->copy(first->data(), host->data(), 4096);
        (*queue)->copy(second->data(), first->data(), 4096);
        (*queue)->copy(host->data() + 4096, second->data(), 4096);
        (*queue)->signal(round);
        if (h.await(**queue, round) != DeviceQueue::Reached::Yes)
          return;
      }
      found[lane].assign(host->data() + 4096, host->data() + 8192);
    });
  for (std::thread &lane : lanes)
    lane.join();
  for (uint8_t lane = 0; lane < 4; ++lane)
    EXPECT_EQ(found[lane], std::vector<uint8_t>(4096, 16 + lane)) << int(lane);
}

TEST_P(Devices, SharedMemoryHasADescriptor) {
  auto memory = h.device->share(5000, "zero-copy");
  ASSERT_TRUE(memory.ok()) << memory.status();
  EXPECT_GE(memory->descriptor(), 0);
  memory->data()[4999] = 1;
}

TEST_P(Devices, CopiesKeepBytesAtAnyPlace) {
  MemoryRegion memory = h.memory(8192);
  std::vector<uint8_t> expected(8192, 0);
  for (uint64_t at : {0u, 1u, 63u, 64u, 4000u, 8000u}) {
    std::vector<uint8_t> piece(at % 97 + 95, uint8_t(at + 1));
    h.write(memory.data() + at, piece);
    std::copy(piece.begin(), piece.end(), expected.begin() + ptrdiff_t(at));
  }
  EXPECT_EQ(h.read<uint8_t>(memory.data(), 8192), expected);
}

TEST_P(NativeDevices, KernelsRunWithTheirContext) {
  MemoryRegion memory = h.memory(256);
  h.write(memory.data(), std::vector<float>(16, 2));
  void *buffers[] = {memory.data(), memory.data() + 64};
  h.run(
      [&](QueueSegment &s) {
        s.launch(0, *h.code, testKernel(plan::TestKernel::Gradient), buffers);
      },
      {3, 1, 0, 0, 0});
  h.finish();
  EXPECT_EQ(h.read<float>(memory.data() + 64, 16),
            std::vector<float>(16, 2 * 0.5f + (0.25f * 2.0f + 0.001f * 3.0f)));
}

struct PlusOne final : kernels::LibraryKernel {
  int run(void *const *buffers) override {
    ++*static_cast<float *>(buffers[0]);
    return 0;
  }
  uint32_t parts() const override { return 1; }
};

TEST_P(NativeDevices, LibraryCallsRun) {
  MemoryRegion memory = h.memory(64);
  PlusOne kernel;
  void *buffers[] = {memory.data()};
  h.run([&](QueueSegment &s) {
    s.call(0, kernel, buffers);
    s.call(0, kernel, buffers);
  });
  h.finish();
  EXPECT_EQ(h.read<float>(memory.data(), 1), std::vector<float>{2});
}

TEST_P(Devices, AQueueKeepsItsOrder) {
  MemoryRegion memory = h.memory(256);
  std::vector<float> one(16, 1), out(16);
  MemoryRegion staged = h.staging(one);
  uint8_t *sum = memory.data(), *message = memory.data() + 64;
  void *buffers[] = {sum, message};
  h.run([&](QueueSegment &s) {
    s.copy(0, CopyDirection::In, message, staged.data(), 64);
    s.launch(0, *h.code, testKernel(plan::TestKernel::Add), buffers);
    s.copy(0, CopyDirection::Within, message, sum, 64);
    s.launch(0, *h.code, testKernel(plan::TestKernel::Add), buffers); // doubles
  });
  for (int i = 1; i < 10; ++i) // before it is done
    h.queue->run(*h.segments.back(), {});
  h.finish();
  EXPECT_EQ(h.read<float>(sum, 16), std::vector<float>(16, 2046)); // s = 2 (s + 1)
}

/// A queue of a segment brings, another adds: 64 times, each into zeros. How often all was there.
int addWhatComes(DeviceHarness &h, bool inOrder) {
  MemoryRegion memory = h.memory(128);
  std::vector<float> one(16, 1), zero(16, 0);
  MemoryRegion staged = h.staging(one);
  void *buffers[] = {memory.data(), memory.data() + 64};
  std::unique_ptr<QueueSegment> segment = h.device->makeSegment();
  segment->copy(1, CopyDirection::In, memory.data() + 64, staged.data(), 64);
  const uint32_t there = segment->signal(1);
  if (inOrder)
    segment->after(0, there);
  segment->launch(0, *h.code, testKernel(plan::TestKernel::Add), buffers);
  EXPECT_EQ(segment->prepare(), absl::OkStatus());
  int right = 0;
  for (int i = 0; i < 64; ++i) {
    h.write(memory.data(), zero);
    h.write(memory.data() + 64, zero);
    h.queue->run(*segment, {});
    right += h.read<float>(memory.data(), 16) == one;
  }
  return right;
}

TEST_P(Devices, QueuesOfASegmentMeetWhereTheySaySo) { EXPECT_EQ(addWhatComes(h, true), 64); }

TEST_P(Devices, ASignalIsOfWhatCameBeforeIt) {
  MemoryRegion memory = h.memory(256);
  std::vector<float> one(16, 1), two(16, 2);
  MemoryRegion first = h.staging(one), second = h.staging(two);
  void *buffers[] = {memory.data(), memory.data() + 64};
  h.run([&](QueueSegment &s) {
    // the second copy waits for the kernel, which waits for the first alone: a circle if that
    // waited for both
    s.copy(1, CopyDirection::In, memory.data() + 64, first.data(), 64);
    const uint32_t there = s.signal(1);
    s.after(0, there);
    s.launch(0, *h.code, testKernel(plan::TestKernel::Add), buffers);
    s.after(1, s.signal(0));
    s.copy(1, CopyDirection::In, memory.data() + 64, second.data(), 64);
  });
  EXPECT_EQ(h.read<float>(memory.data(), 16), one);
  EXPECT_EQ(h.read<float>(memory.data() + 64, 16), two);
}

TEST_P(Devices, ACopyMovesForLaterRuns) {
  MemoryRegion memory = h.memory(128);
  std::vector<float> one(16, 1), two(16, 2);
  MemoryRegion first = h.staging(one), second = h.staging(two);
  uint32_t copy = 0;
  h.run([&](QueueSegment &s) {
    copy = s.copy(0, CopyDirection::In, memory.data(), first.data(), 64);
  });
  h.segments.back()->move(copy, memory.data() + 64, second.data());
  h.queue->run(*h.segments.back(), {});
  EXPECT_EQ(h.read<float>(memory.data(), 16), one);
  EXPECT_EQ(h.read<float>(memory.data() + 64, 16), two);
}

TEST_P(Devices, ASegmentMayBeEmpty) {
  h.run([](QueueSegment &s) { s.after(0, s.signal(1)); });
  h.finish();
}

TEST_P(Devices, ASignalCoversAllBeforeIt) {
  MemoryRegion memory = h.memory(64);
  std::vector<float> one(16, 1);
  MemoryRegion staged = h.staging(one), back = h.staging(std::vector<float>(16, 0));
  h.queue->copy(memory.data(), staged.data(), 64);
  h.queue->copy(back.data(), memory.data(), 64);
  h.queue->signal(5);
  EXPECT_EQ(h.await(*h.queue, 3), DeviceQueue::Reached::Yes); // 5 is more than 3
  EXPECT_EQ(0, memcmp(back.data(), one.data(), 64));
  EXPECT_EQ(h.queue->reached(5), DeviceQueue::Reached::Yes);
  EXPECT_EQ(h.queue->reached(6), DeviceQueue::Reached::NotYet);
}

TEST_P(Devices, AWaitEndsByItself) {
  h.queue->wait(1, absl::Milliseconds(1), wakes());
  EXPECT_EQ(h.queue->reached(1), DeviceQueue::Reached::NotYet);
}

TEST_P(NativeDevices, AKernelThatFailsEndsItsQueue) {
  MemoryRegion memory = h.memory(64);
  void *buffers[] = {memory.data()};
  h.run(
      [&](QueueSegment &s) {
        s.launch(0, *h.code, testKernel(plan::TestKernel::FailAtStep), buffers);
      },
      {2, 0, 0, 0, 0});
  h.queue->signal(1);
  EXPECT_EQ(h.await(*h.queue, 1), DeviceQueue::Reached::Yes);
  PlusOne never;
  h.queue->run(*h.segments.back(), {3, 0, 0, 0, 0});
  h.run([&](QueueSegment &s) { s.call(0, never, buffers); });
  h.queue->signal(2);
  EXPECT_EQ(h.await(*h.queue, 2), DeviceQueue::Reached::Failed);
  EXPECT_THAT(std::string(h.queue->status().message()), HasSubstr("failed with code 7"));
  std::unique_ptr<DeviceQueue> another = *h.device->makeQueue();
  MemoryRegion back = h.staging(std::vector<float>(1, -1));
  another->copy(back.data(), memory.data(), 4);
  another->signal(1);
  EXPECT_EQ(h.await(*another, 1), DeviceQueue::Reached::Yes);
  EXPECT_EQ(*reinterpret_cast<float *>(back.data()), 0);
}

TEST_P(Devices, TakingAQueueApartWaitsForItsWork) {
  MemoryRegion memory = h.memory(64);
  std::vector<float> one(16, 1);
  MemoryRegion staged = h.staging(one);
  std::unique_ptr<DeviceQueue> other = *h.device->makeQueue();
  other->copy(memory.data(), staged.data(), 64);
  other.reset();
  EXPECT_EQ(h.read<float>(memory.data(), 16), one);
}

TEST_P(NativeDevices, CodeThatIsNoneIsRefused) {
  EXPECT_THAT(std::string(h.device->load({"no object", "x", {}}).status().message()),
              HasSubstr("cannot load"));
  EXPECT_THAT(std::string(h.device->load({"", "futuretron", {"+avx4096"}}).status().message()),
              HasSubstr("--target_cpu=futuretron and needs avx4096"));
}

std::string nameOf(const testing::TestParamInfo<Backend> &info) { return info.param.name; }

const Backend kNative[] = {{"Cpu", [] { return *makeCpu("CPU:7"); }},
                           {"Sim1", [] { return makeSim("CPU:7", 1); }},
                           {"Sim2", [] { return makeSim("CPU:7", 2); }},
                           {"Sim3", [] { return makeSim("CPU:7", 3); }}};
INSTANTIATE_TEST_SUITE_P(All, Devices, testing::ValuesIn(kNative), nameOf);
INSTANTIATE_TEST_SUITE_P(All, NativeDevices, testing::ValuesIn(kNative), nameOf);
/// Devices that do their work at a time of their own.
class AsynchronousDevices : public Devices {};

TEST_P(AsynchronousDevices, QueuesOfASegmentThatDoNotSayMeetByChance) {
  const int right = addWhatComes(h, false);
  EXPECT_GT(right, 0);
  EXPECT_LT(right, 64);
}

const Backend kCuda{"Cuda", cuda::makeTestDevice, "GPU:0", cuda::testCode};
INSTANTIATE_TEST_SUITE_P(Simulated, AsynchronousDevices,
                         testing::Values(kNative[1], kNative[2], kCuda), nameOf);
INSTANTIATE_TEST_SUITE_P(Driver, Devices, testing::Values(kCuda), nameOf);

/// One that never does what it is given.
class HungDevice : public Device {
public:
  const std::string &name() const override { return called_; }
  DeviceLimits limits() const override { return {}; }
  absl::StatusOr<MemoryRegion> allocate(uint64_t, MemorySpace, MemoryRegion::Guard,
                                        const char *) override {
    return none();
  }
  absl::StatusOr<MemoryRegion> share(uint64_t, const char *) override { return none(); }
  absl::StatusOr<std::unique_ptr<DeviceCode>> load(const CodeImage &) override { return none(); }
  absl::StatusOr<std::unique_ptr<DeviceQueue>> makeQueue() override {
    auto queue = std::make_unique<Hung>(*this);
    made = queue.get();
    return queue;
  }
  std::unique_ptr<QueueSegment> makeSegment() override { return nullptr; }
  void wake() override {}
  int left = 0; ///< queues that nobody has ended
  DeviceQueue *made = nullptr;

private:
  struct Hung : DeviceQueue {
    explicit Hung(HungDevice &device) : device(device) { ++device.left; }
    ~Hung() override { --device.left; }
    void copy(void *, const void *, uint64_t) override {}
    void run(QueueSegment &, const GraphcContext &) override {}
    void signal(uint64_t) override {}
    Reached reached(uint64_t) override { return Reached::NotYet; }
    void wait(uint64_t, absl::Duration timeout, uint64_t) override { absl::SleepFor(timeout); }
    absl::Status status() const override { return absl::OkStatus(); }
    HungDevice &device;
  };
  static absl::Status none() { return absl::UnimplementedError(""); }
  std::string called_ = "GPU:0";
};

TEST(Copies, OfADeviceThatHangsEndAtTheirDeadlineAndLeaveItsQueue) {
  HungDevice device;
  const CopyPiece piece{nullptr, nullptr, 48};
  const absl::Status status = copyAll(device, std::array{piece, piece}, absl::Milliseconds(50));
  EXPECT_EQ(status.code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("copies of 96 bytes are not done after 50ms: the device hangs"));
  EXPECT_EQ(device.left, 1);
  delete device.made;
}

TEST(Registry, FindsOneDeviceAName) {
  auto first = find(hostDevice()), again = find(hostDevice()),
       second = find(std::string(hostKind().name) + ":1");
  ASSERT_TRUE(first.ok() && again.ok() && second.ok());
  EXPECT_EQ(*first, *again);
  EXPECT_NE(*first, *second);
  EXPECT_EQ(*first, &host());
  EXPECT_FALSE(host().limits().ownMemory);
}

TEST(Registry, NamesTheKindsThatThereAre) {
  auto none = find("TPU:0");
  EXPECT_EQ(none.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(none.status().message()),
              HasSubstr("work for the device TPU:0; this program runs CPU, GPU"));
}

TEST(Registry, TakesAnotherKind) {
  registerKind("SIM", [](const std::string &name) -> absl::StatusOr<std::unique_ptr<Device>> {
    return makeSim(name, 1);
  });
  auto sim = find("SIM:0");
  ASSERT_TRUE(sim.ok()) << sim.status();
  EXPECT_EQ((*sim)->name(), "SIM:0");
  EXPECT_TRUE((*sim)->limits().ownMemory);
}

} // namespace
} // namespace graphc::device
