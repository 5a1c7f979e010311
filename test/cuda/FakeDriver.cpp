// libcuda.so.1 for tests: the functions of the CUDA driver that runtime/device/cuda uses, on a GPU that is simulated on the CPU. Streams are queues
// whose work is done as late as what was asked for allows, in an order that GRAPHC_SIM_SEED decides; device memory is another mapping
// than the one whose addresses are given out, which the host may not touch; functions are PTX, which Ptx.h runs. GRAPHC_FAKE_GPUS is how many
// there are (1), GRAPHC_FAKE_ARCH their architecture ("sm_86"). What goes wrong on the GPU is said on stderr, and ends as it would in the real driver: every later call gives the error.
#include "test/cuda/Accounts.h"
#include "test/cuda/Ptx.h"
#include "test/runtime/device/SimEngine.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>

namespace {

using namespace graphc;
using device::sim::Engine;
using device::sim::Pages;
using device::sim::QueueState;
using Result = int;
using Address = unsigned long long;

constexpr Result kSuccess = 0, kInvalidValue = 1, kOutOfMemory = 2, kNotInitialized = 3, kNoDevice = 100,
                 kInvalidDevice = 101, kInvalidContext = 201, kInvalidPtx = 218, kInvalidHandle = 400, kNotFound = 500,
                 kNotReady = 600, kLaunchFailed = 719;

constexpr uint64_t kMemoryBytes = uint64_t(1) << 30;

/// What the PTX reaches: the pages' own side.
class DeviceMemory final : public ptx::Memory {
public:
  uint8_t *find(uint64_t address, uint64_t bytes) override { return pages.find(address, bytes); }
  Pages pages;
};

struct Gpu {
  explicit Gpu(uint64_t seed) : machine(memory, seed), engine(seed) {}
  DeviceMemory memory;
  ptx::Machine machine; ///< of the engine's thread alone
  Engine engine;
  /// What the default stream was given, which it does when somebody waits for it and not before.
  struct Memset {
    Address to;
    unsigned char value;
    size_t bytes;
  };
  base::Mutex mutex;
  std::vector<Memset> memsets ABSL_GUARDED_BY(mutex);
};

struct Module {
  ptx::Module code;
  std::map<std::string, uint8_t *, std::less<>> globals; ///< device addresses
};

struct Stream {
  std::shared_ptr<QueueState> queue = std::make_shared<QueueState>();
  uint64_t signals = 0;
};

/// The signal that it was recorded as last.
struct Event {
  std::shared_ptr<QueueState> queue;
  uint64_t count = 0;
};

std::atomic<Result> failed = kSuccess; // for good
bool initialized = false;
thread_local bool hasContext = false;
thread_local int current = 0; // GPU of the thread's context
Accounts accounts; // written at the process's end

int gpuCount() {
  const char *count = std::getenv("GRAPHC_FAKE_GPUS");
  return count ? std::atoi(count) : 1;
}

/// 86 of "sm_86", for which plans have no machine code unless they are told to: this driver runs PTX alone.
int archNumber() {
  const char *arch = std::getenv("GRAPHC_FAKE_ARCH");
  return std::atoi(arch && strlen(arch) > 3 ? arch + 3 : "86");
}

/// One for all device numbers: their memory is told apart by its addresses.
Gpu &gpu() {
  static auto *one = [] {
    const char *seed = std::getenv("GRAPHC_SIM_SEED");
    return new Gpu(seed ? std::strtoull(seed, nullptr, 10) : 1);
  }();
  return *one;
}

void fail(const absl::Status &status) {
  std::fprintf(stderr, "simulated GPU: a kernel: %s\n", std::string(status.message()).c_str());
  failed = kLaunchFailed;
}

/// What every call but the first ones asks.
Result ready() {
  if (failed != kSuccess)
    return failed;
  return !initialized ? kNotInitialized : hasContext ? kSuccess : kInvalidContext;
}

uint8_t *pointer(Address address) { return reinterpret_cast<uint8_t *>(uintptr_t(address)); }

Result enqueue(Stream *stream, std::function<absl::Status()> run) {
  if (!stream)
    return kInvalidHandle; // nothing here uses the default stream
  gpu().engine.enqueue(*stream->queue, {[run = std::move(run)] {
                                          absl::Status status = run();
                                          if (!status.ok())
                                            fail(status);
                                          return status;
                                        },
                                        0, nullptr});
  return kSuccess;
}

} // namespace

#define CUDA_FUNCTION extern "C" __attribute__((visibility("default"))) Result
#define CHECK_READY()                                                                                                  \
  if (Result result = ready(); result != kSuccess)                                                                     \
  return result

CUDA_FUNCTION cuInit(unsigned) {
  initialized = true;
  return gpuCount() ? kSuccess : kNoDevice;
}
CUDA_FUNCTION cuDriverGetVersion(int *version) {
  *version = 13000;
  return kSuccess;
}
CUDA_FUNCTION cuGetErrorName(Result error, const char **text) {
  *text = error == kOutOfMemory    ? "CUDA_ERROR_OUT_OF_MEMORY"
          : error == kLaunchFailed ? "CUDA_ERROR_LAUNCH_FAILED"
          : error == kInvalidPtx   ? "CUDA_ERROR_INVALID_PTX"
          : error == kNotFound     ? "CUDA_ERROR_NOT_FOUND"
          : error == kNoDevice     ? "CUDA_ERROR_NO_DEVICE"
                                   : "CUDA_ERROR_UNKNOWN";
  return kSuccess;
}
CUDA_FUNCTION cuGetErrorString(Result error, const char **text) {
  *text = error == kOutOfMemory ? "out of memory" : error == kLaunchFailed ? "unspecified launch failure" : "an error";
  return kSuccess;
}
CUDA_FUNCTION cuDeviceGetCount(int *count) {
  *count = gpuCount();
  return kSuccess;
}
CUDA_FUNCTION cuDeviceGet(int *number, int ordinal) {
  *number = ordinal;
  return ordinal >= 0 && ordinal < gpuCount() ? kSuccess : kInvalidDevice;
}
CUDA_FUNCTION cuDeviceGetName(char *name, int bytes, int) {
  std::snprintf(name, size_t(bytes), "simulated GPU");
  return kSuccess;
}
CUDA_FUNCTION cuDeviceTotalMem_v2(size_t *bytes, int) {
  *bytes = kMemoryBytes;
  return kSuccess;
}
/// Of the many only the compute capability.
CUDA_FUNCTION cuDeviceGetAttribute(int *value, int attribute, int) {
  constexpr int kMajor = 75, kMinor = 76;
  if (attribute != kMajor && attribute != kMinor)
    return kInvalidValue;
  *value = attribute == kMajor ? archNumber() / 10 : archNumber() % 10;
  return kSuccess;
}
CUDA_FUNCTION cuDevicePrimaryCtxRetain(void **context, int number) {
  if (!initialized)
    return kNotInitialized;
  *context = reinterpret_cast<void *>(uintptr_t(number) + 1);
  return kSuccess;
}
CUDA_FUNCTION cuDevicePrimaryCtxRelease_v2(int) { return kSuccess; }
CUDA_FUNCTION cuCtxSetCurrent(void *context) {
  hasContext = context != nullptr;
  current = int(reinterpret_cast<uintptr_t>(context)) - 1;
  return kSuccess;
}

CUDA_FUNCTION cuMemGetInfo_v2(size_t *free, size_t *total) {
  CHECK_READY();
  *total = kMemoryBytes;
  *free = kMemoryBytes - accounts.taken(current);
  return kSuccess;
}
CUDA_FUNCTION cuMemAlloc_v2(Address *address, size_t bytes) {
  CHECK_READY();
  if (bytes == 0)
    return kInvalidValue;
  if (accounts.taken(current) + bytes > kMemoryBytes)
    return kOutOfMemory;
  absl::StatusOr<uint8_t *> made = gpu().memory.pages.add(bytes, "cuMemAlloc");
  if (!made.ok())
    return kOutOfMemory;
  memset(gpu().memory.pages.ownAddress(*made), 0xff, bytes); // what is not initialised is a NaN
  accounts.allocated(current, Address(reinterpret_cast<uintptr_t>(*made)), bytes);
  *address = Address(reinterpret_cast<uintptr_t>(*made));
  return kSuccess;
}
CUDA_FUNCTION cuMemFree_v2(Address address) {
  gpu().memory.pages.giveBack(pointer(address));
  accounts.freed(address);
  return kSuccess;
}
CUDA_FUNCTION cuMemHostRegister_v2(void *start, size_t bytes, unsigned) {
  CHECK_READY();
  if (!start || !bytes)
    return kInvalidValue;
  accounts.pinned(start, bytes);
  return kSuccess;
}
CUDA_FUNCTION cuMemHostUnregister(void *start) {
  accounts.unpinned(start);
  return kSuccess;
}
CUDA_FUNCTION cuMemsetD8_v2(Address to, unsigned char value, size_t bytes) {
  CHECK_READY();
  base::MutexLock lock(gpu().mutex);
  gpu().memsets.push_back({to, value, bytes});
  return kSuccess;
}
CUDA_FUNCTION cuMemcpyAsync(Address to, Address from, size_t bytes, Stream *stream) {
  CHECK_READY();
  return enqueue(stream, [=] {
    void *there = gpu().memory.pages.ownAddress(pointer(to));
    memcpy(there, gpu().memory.pages.ownAddress(pointer(from)), bytes);
    accounts.copied(there != pointer(to), bytes);
    return absl::OkStatus();
  });
}
CUDA_FUNCTION cuMemcpyDtoH_v2(void *to, Address from, size_t bytes) {
  CHECK_READY();
  memcpy(to, gpu().memory.pages.ownAddress(pointer(from)), bytes);
  return kSuccess;
}

CUDA_FUNCTION cuModuleLoadDataEx(Module **module, const void *image, unsigned, int *, void **) {
  CHECK_READY();
  absl::StatusOr<ptx::Module> code = ptx::parse(static_cast<const char *>(image));
  if (!code.ok()) {
    std::fprintf(stderr, "simulated GPU: %s\n", std::string(code.status().message()).c_str());
    return kInvalidPtx;
  }
  auto made = std::make_unique<Module>();
  made->code = *std::move(code);
  for (const auto &[name, global] : made->code.globals) {
    absl::StatusOr<uint8_t *> memory = gpu().memory.pages.add(global.bytes, "a global");
    if (!memory.ok())
      return kOutOfMemory;
    memcpy(gpu().memory.pages.ownAddress(*memory), global.init.data(), global.bytes);
    made->globals[name] = *memory;
  }
  *module = made.release();
  return kSuccess;
}
CUDA_FUNCTION cuModuleUnload(Module *module) {
  for (const auto &[name, memory] : module->globals)
    gpu().memory.pages.giveBack(memory);
  delete module;
  return kSuccess;
}
CUDA_FUNCTION cuModuleGetFunction(const ptx::Function **function, Module *module, const char *name) {
  CHECK_READY();
  auto found = module->code.functions.find(name);
  if (found == module->code.functions.end())
    return kNotFound;
  *function = &found->second;
  return kSuccess;
}
CUDA_FUNCTION cuModuleGetGlobal_v2(Address *address, size_t *bytes, Module *module, const char *name) {
  CHECK_READY();
  auto found = module->globals.find(name);
  if (found == module->globals.end())
    return kNotFound;
  *address = Address(reinterpret_cast<uintptr_t>(found->second));
  *bytes = module->code.globals.find(name)->second.bytes;
  return kSuccess;
}
CUDA_FUNCTION cuLaunchKernel(const ptx::Function *function, unsigned gridX, unsigned gridY, unsigned gridZ,
                             unsigned blockX, unsigned blockY, unsigned blockZ, unsigned sharedBytes, Stream *stream,
                             void **params, void **) {
  CHECK_READY();
  if (!function || sharedBytes)
    return kInvalidValue;
  std::vector<uint64_t> values; // the driver has read them when it returns
  for (size_t i = 0; i < function->params.size(); ++i) {
    uint64_t value = 0;
    memcpy(&value, params[i], function->params[i].second);
    values.push_back(value);
  }
  return enqueue(stream, [=, values = std::move(values)]() mutable {
    std::vector<void *> places;
    for (uint64_t &value : values)
      places.push_back(&value);
    accounts.launched();
    return gpu().machine.launch(*function, {gridX, gridY, gridZ}, {blockX, blockY, blockZ}, places.data());
  });
}

CUDA_FUNCTION cuStreamCreate(Stream **stream, unsigned) {
  CHECK_READY();
  *stream = new Stream;
  gpu().engine.add((*stream)->queue);
  return kSuccess;
}
CUDA_FUNCTION cuStreamDestroy_v2(Stream *stream) {
  gpu().engine.drain(stream->queue);
  delete stream;
  return kSuccess;
}
CUDA_FUNCTION cuStreamSynchronize(Stream *stream) {
  if (!stream) {
    base::MutexLock lock(gpu().mutex);
    for (const Gpu::Memset &each : gpu().memsets)
      memset(gpu().memory.pages.ownAddress(pointer(each.to)), each.value, each.bytes);
    gpu().memsets.clear();
    return failed;
  }
  gpu().engine.enqueue(*stream->queue, {nullptr, ++stream->signals, nullptr});
  while (gpu().engine.reached(*stream->queue, stream->signals) == device::Queue::Reached::NotYet)
    gpu().engine.wait(*stream->queue, stream->signals, absl::Milliseconds(100));
  return failed;
}
CUDA_FUNCTION cuStreamWaitEvent(Stream *stream, Event *event, unsigned) {
  CHECK_READY();
  if (event->queue)
    gpu().engine.enqueue(*stream->queue, {nullptr, event->count, event->queue});
  return kSuccess;
}
CUDA_FUNCTION cuEventCreate(Event **event, unsigned) {
  CHECK_READY();
  *event = new Event;
  return kSuccess;
}
CUDA_FUNCTION cuEventDestroy_v2(Event *event) {
  delete event;
  return kSuccess;
}
CUDA_FUNCTION cuEventRecord(Event *event, Stream *stream) {
  CHECK_READY();
  event->queue = stream->queue;
  event->count = ++stream->signals;
  gpu().engine.enqueue(*stream->queue, {nullptr, event->count, nullptr});
  return kSuccess;
}
CUDA_FUNCTION cuEventQuery(Event *event) {
  CHECK_READY();
  if (!event->queue)
    return kSuccess;
  device::Queue::Reached reached = gpu().engine.reached(*event->queue, event->count);
  return reached == device::Queue::Reached::Yes ? kSuccess : failed != kSuccess ? Result(failed) : kNotReady;
}
CUDA_FUNCTION cuEventSynchronize(Event *event) {
  CHECK_READY();
  for (;;) {
    const Result result = cuEventQuery(event);
    if (result != kNotReady)
      return result;
    gpu().engine.wait(*event->queue, event->count, absl::Milliseconds(100));
  }
}

CUDA_FUNCTION cuGetProcAddress_v2(const char *name, void **function, int, uint64_t, int *status) {
  struct Entry {
    const char *name;
    void *function;
  };
#define ENTRY(name) {#name, reinterpret_cast<void *>(name)}
#define ENTRY_V2(name)                                                                                                 \
  {                                                                                                                    \
    #name, reinterpret_cast<void *>(name##_v2)                                                                         \
  }
  static const Entry kTable[] = {ENTRY(cuInit),
                                 ENTRY(cuDriverGetVersion),
                                 ENTRY(cuGetErrorName),
                                 ENTRY(cuGetErrorString),
                                 ENTRY(cuDeviceGetCount),
                                 ENTRY(cuDeviceGet),
                                 ENTRY(cuDeviceGetName),
                                 ENTRY_V2(cuDeviceTotalMem),
                                 ENTRY(cuDeviceGetAttribute),
                                 ENTRY(cuDevicePrimaryCtxRetain),
                                 ENTRY_V2(cuDevicePrimaryCtxRelease),
                                 ENTRY(cuCtxSetCurrent),
                                 ENTRY_V2(cuMemGetInfo),
                                 ENTRY_V2(cuMemAlloc),
                                 ENTRY_V2(cuMemFree),
                                 ENTRY_V2(cuMemHostRegister),
                                 ENTRY(cuMemHostUnregister),
                                 ENTRY_V2(cuMemsetD8),
                                 ENTRY(cuMemcpyAsync),
                                 ENTRY_V2(cuMemcpyDtoH),
                                 ENTRY(cuModuleLoadDataEx),
                                 ENTRY(cuModuleUnload),
                                 ENTRY(cuModuleGetFunction),
                                 ENTRY_V2(cuModuleGetGlobal),
                                 ENTRY(cuLaunchKernel),
                                 ENTRY(cuStreamCreate),
                                 ENTRY_V2(cuStreamDestroy),
                                 ENTRY(cuStreamSynchronize),
                                 ENTRY(cuStreamWaitEvent),
                                 ENTRY(cuEventCreate),
                                 ENTRY_V2(cuEventDestroy),
                                 ENTRY(cuEventRecord),
                                 ENTRY(cuEventQuery),
                                 ENTRY(cuEventSynchronize)};
  *function = nullptr;
  for (const Entry &entry : kTable)
    if (strcmp(entry.name, name) == 0)
      *function = entry.function;
  if (status)
    *status = *function ? 0 : 1;
  return *function ? kSuccess : kNotFound;
}
