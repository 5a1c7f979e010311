#include "runtime/device/cuda/CudaDevice.h"

#include "runtime/base/Mutex.h"
#include "runtime/base/Status.h"
#include "runtime/device/cuda/Driver.h"
#include "runtime/kernels/PtxAbi.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"

#include <cstring>
#include <deque>
#include <thread>

namespace graphc::device {
namespace {

using namespace cuda;

/// A GPU as all that is on it sees it.
struct Gpu {
  const Driver &driver;
  const std::string name;
  DeviceNumber number = 0;
  Context context = nullptr;
  uint64_t memoryBytes = 0;

  Gpu(const Driver &driver, const std::string &name) : driver(driver), name(name) {}
  ~Gpu() {
    if (context)
      driver.devicePrimaryCtxRelease(number);
  }
  /// The driver's calls are about the thread's context.
  void enter() const {
    thread_local Context current = nullptr;
    if (current != context && driver.ctxSetCurrent(context) == kSuccess)
      current = context;
  }
  absl::Status check(Result result, const char *call, const std::string &what = "") const {
    return driver.status(result, call, what.empty() ? name : absl::StrCat(name, ": ", what));
  }
};
using GpuPtr = std::shared_ptr<const Gpu>;

class DeviceBacking final : public Memory::Backing {
public:
  DeviceBacking(GpuPtr gpu, Address address) : gpu(std::move(gpu)), address(address) {}
  ~DeviceBacking() override {
    gpu->enter();
    gpu->driver.memFree(address);
  }

private:
  GpuPtr gpu;
  Address address;
};

/// Host memory that the GPU's copies reach without a detour.
class PinnedBacking final : public Memory::Backing {
public:
  PinnedBacking(GpuPtr gpu, void *start) : gpu(std::move(gpu)), start(start) {}
  ~PinnedBacking() override {
    gpu->enter();
    gpu->driver.memHostUnregister(start);
  }

private:
  GpuPtr gpu;
  void *start;
};

//===----------------------------------------------------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------------------------------------------------===//

class CudaCode final : public Code {
public:
  explicit CudaCode(GpuPtr gpu) : gpu(std::move(gpu)) {}
  ~CudaCode() override {
    gpu->enter();
    if (module)
      gpu->driver.moduleUnload(module);
  }

  absl::Status load(const CodeImage &image) {
    gpu->enter();
    const std::string text(image.bytes); // the driver reads to the first 0
    GRAPHC_RETURN_IF_ERROR(gpu->check(gpu->driver.moduleLoadDataEx(&module, text.c_str(), 0, nullptr, nullptr),
                                      "cuModuleLoadDataEx", "the plan's code"));
    GRAPHC_RETURN_IF_ERROR(readTable());
    for (size_t i = 0; i < image.kernels.size() && i < kernels.size(); ++i)
      for (uint64_t launch = 0; launch < kernels[i].launches; ++launch) {
        const std::string name = kernels::launchName(image.kernels[i], launch);
        if (image.kernels[i].empty())
          continue; // of no program of this task
        Function function = nullptr;
        GRAPHC_RETURN_IF_ERROR(
            gpu->check(gpu->driver.moduleGetFunction(&function, module, name.c_str()), "cuModuleGetFunction", name));
        functions[kernels[i].firstLaunch + launch] = function;
      }
    return absl::OkStatus();
  }

  const GraphcKernelTable &table() const override { return kernelTable; }

  /// What the driver says; `entry` is one of the table.
  Result launch(uint32_t entry, std::span<void *const> buffers, Stream stream) const {
    std::vector<void *> params; // the address of each argument's value
    for (void *const &buffer : buffers)
      params.push_back(const_cast<void **>(&buffer));
    for (uint64_t i = 0; i < kernels[entry].launches; ++i) {
      const size_t index = kernels[entry].firstLaunch + i;
      if (!functions[index])
        return kInvalidHandle; // of a kernel without a name
      const Result result =
          gpu->driver.launchKernel(functions[index], unsigned(launches[index].blocks), 1, 1,
                                   unsigned(launches[index].threads), 1, 1, 0, stream, params.data(), nullptr);
      if (result != kSuccess)
        return result;
    }
    return kSuccess;
  }

private:
  /// The table of PtxAbi.h, as far as its numbers agree with its size.
  absl::Status readTable() {
    Address address = 0;
    size_t bytes = 0;
    GRAPHC_RETURN_IF_ERROR(gpu->check(gpu->driver.moduleGetGlobal(&address, &bytes, module, kernels::kPtxTable),
                                      "cuModuleGetGlobal", kernels::kPtxTable));
    std::vector<uint64_t> words(bytes / 8);
    GRAPHC_RETURN_IF_ERROR(gpu->check(gpu->driver.memcpyDtoH(words.data(), address, words.size() * 8), "cuMemcpyDtoH",
                                      kernels::kPtxTable));
    kernels::PtxHeader header{};
    size_t next = 0;
    auto read = [&](auto *to, uint64_t count) {
      const uint64_t each = sizeof(*to) / 8;
      if (count > (words.size() - next) / each)
        return false;
      memcpy(to, words.data() + next, count * sizeof(*to));
      next += count * each;
      return true;
    };
    if (!read(&header, 1) || header.version != kernels::kPtxAbiVersion)
      return absl::FailedPreconditionError(absl::StrCat("the plan's code for GPUs has interface version ",
                                                        header.version, ", this graphrun has ",
                                                        kernels::kPtxAbiVersion));
    const uint64_t most = words.size();
    if (header.kernels > most || header.arguments > most || header.launches > most)
      return absl::InvalidArgumentError("the kernel table of the plan's code for GPUs is damaged");
    kernels.resize(header.kernels);
    arguments.resize(header.arguments);
    launches.resize(header.launches);
    functions.resize(header.launches);
    bool whole = read(kernels.data(), header.kernels) && read(arguments.data(), header.arguments) &&
                 read(launches.data(), header.launches);
    for (const graphc::kernels::PtxKernel &kernel : kernels)
      whole &= kernel.firstLaunch <= header.launches && kernel.launches <= header.launches - kernel.firstLaunch;
    for (const kernels::PtxLaunch &launch : launches)
      whole &= launch.blocks >= 1 && launch.blocks <= INT32_MAX && launch.threads >= 1 && launch.threads <= 1024;
    if (!whole)
      return absl::InvalidArgumentError("the kernel table of the plan's code for GPUs is damaged");
    for (const graphc::kernels::PtxKernel &kernel : kernels)
      entries.push_back({nullptr, uint32_t(kernel.firstArgument), uint32_t(kernel.arguments)});
    kernelTable = {GRAPHC_KERNEL_ABI_VERSION, uint32_t(entries.size()), entries.data(), arguments.data(),
                   arguments.size()};
    return absl::OkStatus();
  }

  GpuPtr gpu;
  Module module = nullptr;
  std::vector<kernels::PtxKernel> kernels;
  std::vector<GraphcArgument> arguments;
  std::vector<kernels::PtxLaunch> launches;
  std::vector<Function> functions; // one a launch; null of a kernel that no program of this task calls
  std::vector<GraphcKernelEntry> entries;
  GraphcKernelTable kernelTable{};
};

//===----------------------------------------------------------------------------------------------------------------===//
// Who waits for the GPU
//===----------------------------------------------------------------------------------------------------------------===//

/// The thread that blocks in the driver, so that a lane may wait with a deadline: it waits for events in the order in which they were
/// asked for, and says so when one is done.
class Waiter {
public:
  explicit Waiter(GpuPtr gpu) : gpu(std::move(gpu)), thread([this] { loop(); }) {}
  ~Waiter() {
    {
      base::MutexLock lock(mutex);
      ending = true;
    }
    changed.notifyAll();
    thread.join();
  }

  /// Until the event was seen done, or the time is over. May return early.
  void wait(Event event, absl::Duration timeout) {
    base::MutexLock lock(mutex);
    wanted.push_back(event);
    changed.notifyAll();
    changed.waitFor(mutex, timeout); // whatever was done: who asked looks again
    std::erase(wanted, event);
  }
  /// Before an event goes: nobody blocks on it any more.
  void leave(Event event) {
    base::MutexLock lock(mutex);
    std::erase(wanted, event);
    while (current == event)
      changed.wait(mutex);
  }

private:
  void loop() {
    gpu->enter();
    base::MutexLock lock(mutex);
    while (!ending) {
      if (wanted.empty()) {
        changed.wait(mutex);
        continue;
      }
      current = wanted.front();
      Event event = current;
      mutex.unlock();
      gpu->driver.eventSynchronize(event); // what went wrong whoever asked is told by its own query
      mutex.lock();
      current = nullptr;
      std::erase(wanted, event);
      changed.notifyAll();
    }
  }

  GpuPtr gpu;
  base::Mutex mutex;
  base::CondVar changed;
  std::deque<Event> wanted ABSL_GUARDED_BY(mutex);
  Event current ABSL_GUARDED_BY(mutex) = nullptr;
  bool ending ABSL_GUARDED_BY(mutex) = false;
  std::thread thread; // last: it uses the others
};

//===----------------------------------------------------------------------------------------------------------------===//
// Queues
//===----------------------------------------------------------------------------------------------------------------===//

/// A stream. A signal is an event behind what was enqueued; events that were reached are used again.
class CudaQueue final : public Queue {
public:
  CudaQueue(GpuPtr gpu, std::shared_ptr<Waiter> waiter) : gpu(std::move(gpu)), waiter(std::move(waiter)) {}
  ~CudaQueue() override {
    gpu->enter();
    if (stream)
      gpu->driver.streamSynchronize(stream);
    for (const Signal &each : signals) {
      waiter->leave(each.event);
      gpu->driver.eventDestroy(each.event);
    }
    for (Event event : unused) {
      waiter->leave(event); // whose time was over while it waited for this one
      gpu->driver.eventDestroy(event);
    }
    if (stream)
      gpu->driver.streamDestroy(stream);
  }
  absl::Status make() {
    gpu->enter();
    return gpu->check(gpu->driver.streamCreate(&stream, kNonBlockingStream), "cuStreamCreate");
  }

  void copy(void *to, const void *from, uint64_t bytes) override {
    if (bytes && begin())
      note(gpu->driver.memcpyAsync(Address(reinterpret_cast<uintptr_t>(to)), Address(reinterpret_cast<uintptr_t>(from)),
                                   bytes, stream),
           "cuMemcpyAsync");
  }
  void launch(const Code &code, uint32_t kernel, std::span<void *const> buffers, const GraphcContext &) override {
    if (begin())
      note(static_cast<const CudaCode &>(code).launch(kernel, buffers, stream), "cuLaunchKernel");
  }
  void call(kernels::LibraryKernel &, std::span<void *const>) override {
    if (begin())
      failure = absl::UnimplementedError(absl::StrCat(gpu->name, " has no library for a kernel of the plan"));
  }
  void signal(uint64_t n) override {
    if (!begin())
      return;
    Event event = nullptr;
    if (unused.empty()) {
      note(gpu->driver.eventCreate(&event, kNoTimingEvent | kBlockingSyncEvent), "cuEventCreate");
    } else {
      event = unused.back();
      unused.pop_back();
    }
    if (!failure.ok())
      return;
    note(gpu->driver.eventRecord(event, stream), "cuEventRecord");
    signals.push_back({n, event});
  }
  void after(Queue &other, uint64_t n) override {
    auto &before = static_cast<CudaQueue &>(other);
    if (!begin())
      return;
    if (before.reached(n) == Reached::Yes)
      return;
    const Signal *signal = before.find(n);
    if (!before.failure.ok())
      failure = before.failure;
    else if (!signal)
      failure = absl::FailedPreconditionError(absl::StrCat("a queue waits for ", n, ", which nobody will signal"));
    else
      note(gpu->driver.streamWaitEvent(stream, signal->event, 0), "cuStreamWaitEvent");
  }
  Reached reached(uint64_t n) override {
    gpu->enter();
    while (count < n && failure.ok() && !signals.empty()) {
      const Result result = gpu->driver.eventQuery(signals.front().event);
      if (result == kNotReady)
        return Reached::NotYet;
      note(result, "cuEventQuery");
      if (!failure.ok())
        break;
      count = signals.front().n;
      unused.push_back(signals.front().event);
      signals.pop_front();
    }
    return count >= n ? Reached::Yes : failure.ok() ? Reached::NotYet : Reached::Failed;
  }
  void wait(uint64_t n, absl::Duration timeout) override {
    if (reached(n) != Reached::NotYet)
      return;
    if (const Signal *signal = find(n))
      waiter->wait(signal->event, timeout);
    else
      absl::SleepFor(timeout); // nobody has signalled it
  }
  absl::Status status() const override { return failure; }

private:
  struct Signal {
    uint64_t n;
    Event event;
  };
  /// The first that counts to n or beyond.
  const Signal *find(uint64_t n) const {
    for (const Signal &each : signals)
      if (each.n >= n)
        return &each;
    return nullptr;
  }
  bool begin() {
    gpu->enter();
    return failure.ok();
  }
  void note(Result result, const char *call) {
    if (result != kSuccess && failure.ok())
      failure = gpu->check(result, call);
  }

  GpuPtr gpu;
  std::shared_ptr<Waiter> waiter;
  Stream stream = nullptr;
  std::deque<Signal> signals; // not yet seen to be reached
  std::vector<Event> unused;
  uint64_t count = 0;
  absl::Status failure;
};

//===----------------------------------------------------------------------------------------------------------------===//
// The device
//===----------------------------------------------------------------------------------------------------------------===//

class CudaDevice final : public Device {
public:
  explicit CudaDevice(GpuPtr gpu) : gpu(std::move(gpu)), waiter(std::make_shared<Waiter>(this->gpu)) {}

  const std::string &name() const override { return gpu->name; }
  Limits limits() const override { return {true, 16, gpu->memoryBytes}; }
  absl::StatusOr<uint64_t> freeMemory() override {
    gpu->enter();
    size_t free = 0, total = 0;
    GRAPHC_RETURN_IF_ERROR(gpu->check(gpu->driver.memGetInfo(&free, &total), "cuMemGetInfo"));
    return free;
  }
  absl::StatusOr<Memory> allocate(uint64_t bytes, Space space, Memory::Guard guard, const char *what) override {
    if (space == Space::Host) {
      GRAPHC_ASSIGN_OR_RETURN(Memory memory, Memory::allocate(bytes, guard, what));
      return pinned(std::move(memory), what);
    }
    if (bytes > gpu->memoryBytes)
      return absl::ResourceExhaustedError(
          absl::StrCat(what, ": ", bytes, " bytes, but ", gpu->name, " has ", gpu->memoryBytes));
    gpu->enter();
    Address address = 0;
    // Of a buffer's last 64 bytes all may be read.
    const uint64_t size = std::max((bytes + alignment - 1) / alignment * alignment, alignment);
    GRAPHC_RETURN_IF_ERROR(
        gpu->check(gpu->driver.memAlloc(&address, size), "cuMemAlloc", absl::StrCat(what, ", ", bytes, " bytes")));
    Memory memory = Memory::of(reinterpret_cast<uint8_t *>(uintptr_t(address)), bytes,
                               std::make_unique<DeviceBacking>(gpu, address));
    GRAPHC_RETURN_IF_ERROR(gpu->check(gpu->driver.memsetD8(address, 0, size), "cuMemsetD8", what));
    // It is the default stream's, for which the queues' streams do not wait.
    GRAPHC_RETURN_IF_ERROR(gpu->check(gpu->driver.streamSynchronize(nullptr), "cuStreamSynchronize", what));
    return memory;
  }
  absl::StatusOr<Memory> share(uint64_t bytes, const char *what) override {
    GRAPHC_ASSIGN_OR_RETURN(Memory memory, Memory::share(bytes, what));
    return pinned(std::move(memory), what);
  }
  absl::StatusOr<std::unique_ptr<Code>> load(const CodeImage &image) override {
    auto code = std::make_unique<CudaCode>(gpu);
    GRAPHC_RETURN_IF_ERROR(code->load(image));
    return code;
  }
  absl::StatusOr<std::unique_ptr<Queue>> makeQueue() override {
    auto queue = std::make_unique<CudaQueue>(gpu, waiter);
    GRAPHC_RETURN_IF_ERROR(queue->make());
    return queue;
  }

private:
  absl::StatusOr<Memory> pinned(Memory memory, const char *what) {
    if (memory.size() == 0)
      return memory;
    gpu->enter();
    GRAPHC_RETURN_IF_ERROR(gpu->check(gpu->driver.memHostRegister(memory.data(), memory.size(), kPortableHostMemory),
                                      "cuMemHostRegister", what));
    memory.keep(std::make_unique<PinnedBacking>(gpu, memory.data()));
    return memory;
  }

  GpuPtr gpu;
  std::shared_ptr<Waiter> waiter;
};

} // namespace

absl::StatusOr<std::unique_ptr<Device>> makeCuda(const std::string &name) {
  auto failed = [&](const absl::Status &status) {
    return base::annotate(status, absl::StrCat("the plan has work for the device ", name));
  };
  absl::StatusOr<const Driver *> driver = Driver::open();
  if (!driver.ok())
    return failed(driver.status());
  auto gpu = std::make_shared<Gpu>(**driver, name);
  int count = 0, index = 0;
  GRAPHC_RETURN_IF_ERROR(gpu->check((*driver)->deviceGetCount(&count), "cuDeviceGetCount"));
  if (!absl::SimpleAtoi(name.substr(name.find(':') + 1), &index) || index >= count)
    return failed(absl::NotFoundError(absl::StrCat("this machine has ", count, count == 1 ? " GPU" : " GPUs",
                                                   " (CUDA_VISIBLE_DEVICES may hide some)")));
  GRAPHC_RETURN_IF_ERROR(gpu->check((*driver)->deviceGet(&gpu->number, index), "cuDeviceGet"));
  size_t bytes = 0;
  GRAPHC_RETURN_IF_ERROR(gpu->check((*driver)->deviceTotalMem(&bytes, gpu->number), "cuDeviceTotalMem"));
  gpu->memoryBytes = bytes;
  GRAPHC_RETURN_IF_ERROR(
      gpu->check((*driver)->devicePrimaryCtxRetain(&gpu->context, gpu->number), "cuDevicePrimaryCtxRetain"));
  return std::make_unique<CudaDevice>(std::move(gpu));
}

} // namespace graphc::device
