// The GPUs themselves, their memory and code; how functions are found and counted.
#include "test/cuda/FakeDriver.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace graphc::fake {
namespace {

/// Of each GPU.
uint64_t memoryBytes() {
  const char *bytes = std::getenv("GRAPHC_FAKE_MEMORY_BYTES");
  return bytes ? std::strtoull(bytes, nullptr, 10) : uint64_t(1) << 30;
}

struct Module {
  ptx::Module code;
  std::map<std::string, uint8_t *, std::less<>> globals; ///< device addresses
};

std::atomic<Result> failed = kSuccess; // for good
bool initialized = false;
thread_local bool hasContext = false;
thread_local int current = 0; // GPU of the thread's context

/// Those that CUDA_VISIBLE_DEVICES shows, in its order, up to the first that is none.
const std::vector<int> &gpus() {
  static const auto *numbers = [] {
    const char *count = std::getenv("GRAPHC_FAKE_GPUS"),
               *visible = std::getenv("CUDA_VISIBLE_DEVICES");
    const int all = count ? std::atoi(count) : 1;
    auto *found = new std::vector<int>;
    for (int i = 0; i < all && !visible; ++i)
      found->push_back(i);
    for (char *rest = nullptr; visible && *visible; visible = *rest == ',' ? rest + 1 : rest) {
      const long number = std::strtol(visible, &rest, 10);
      if (rest == visible || number < 0 || number >= all)
        break;
      found->push_back(int(number));
    }
    return found;
  }();
  return *numbers;
}
int gpuCount() { return int(gpus().size()); }

/// 86 of "sm_86", for which plans have no machine code unless they are told to: this driver runs
/// PTX alone.
int archNumber() {
  const char *arch = std::getenv("GRAPHC_FAKE_ARCH");
  return std::atoi(arch && strlen(arch) > 3 ? arch + 3 : "86");
}

std::map<std::string, void *, std::less<>> &offers() {
  static auto *all = new std::map<std::string, void *, std::less<>>;
  return *all;
}
} // namespace

Offer::Offer(const char *name, void *function) { offers()[name] = function; }

Accounts accounts; // written at the process's end
HostMemory hostMemory;

/// What happens to machine code: it may be asked for on the GPU that it is for, and is never run.
static Result refuseMachineCode(const char *elf) {
  uint32_t flags = 0;
  memcpy(&flags, elf + 48, sizeof flags);
  // where the architecture moved to the second byte: CUDA 13
  constexpr int kAbiVersion = 8, kNewAbi = 8;
  const int arch = int(elf[kAbiVersion] >= kNewAbi ? flags >> 8 : flags) & 0xff;
  if (arch == archNumber())
    std::fprintf(stderr,
                 "simulated GPU: given machine code for sm_%d, its own, but it runs PTX alone\n",
                 arch);
  else
    std::fprintf(stderr, "simulated GPU: given machine code for sm_%d, and it is sm_%d\n", arch,
                 archNumber());
  return kNoBinary;
}

Gpu &gpu() {
  static auto *one = [] {
    const char *seed = std::getenv("GRAPHC_SIM_SEED");
    return new Gpu(seed ? std::strtoull(seed, nullptr, 10) : 1);
  }();
  return *one;
}

absl::Status runOnGpu(const Run &run) {
  absl::Status status = run();
  if (!status.ok() && failed == kSuccess) {
    std::fprintf(stderr, "simulated GPU: a kernel: %s\n", std::string(status.message()).c_str());
    failed = kLaunchFailed;
  }
  return status;
}

Result failure() { return failed; }

Result ready(const char *function) {
  accounts.called(function);
  if (failed != kSuccess)
    return failed;
  return !initialized ? kNotInitialized : hasContext ? kSuccess : kInvalidContext;
}

} // namespace graphc::fake

using namespace graphc;
using namespace graphc::fake;

CUDA_FUNCTION(cuInit, , unsigned) {
  initialized = true;
  return gpuCount() ? kSuccess : kNoDevice;
}
CUDA_FUNCTION(cuDriverGetVersion, , int *version) {
  *version = 13000;
  return kSuccess;
}
CUDA_FUNCTION(cuGetErrorName, , Result error, const char **text) {
  *text = error == kOutOfMemory          ? "CUDA_ERROR_OUT_OF_MEMORY"
          : error == kLaunchFailed       ? "CUDA_ERROR_LAUNCH_FAILED"
          : error == kInvalidPtx         ? "CUDA_ERROR_INVALID_PTX"
          : error == kInvalidValue       ? "CUDA_ERROR_INVALID_VALUE"
          : error == kNotFound           ? "CUDA_ERROR_NOT_FOUND"
          : error == kNoDevice           ? "CUDA_ERROR_NO_DEVICE"
          : error == kNotSupported       ? "CUDA_ERROR_NOT_SUPPORTED"
          : error == kCaptureUnsupported ? "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED"
                                         : "CUDA_ERROR_UNKNOWN";
  return kSuccess;
}
CUDA_FUNCTION(cuGetErrorString, , Result error, const char **text) {
  *text = error == kOutOfMemory    ? "out of memory"
          : error == kLaunchFailed ? "unspecified launch failure"
          : error == kInvalidValue ? "invalid argument"
                                   : "an error";
  return kSuccess;
}
CUDA_FUNCTION(cuDeviceGetCount, , int *count) {
  *count = gpuCount();
  return kSuccess;
}
CUDA_FUNCTION(cuDeviceGet, , int *number, int ordinal) {
  *number = ordinal;
  return ordinal >= 0 && ordinal < gpuCount() ? kSuccess : kInvalidDevice;
}
CUDA_FUNCTION(cuDeviceGetName, , char *name, int bytes, int number) {
  // All are alike; a test that asks which one it was given has them numbered.
  if (std::getenv("GRAPHC_FAKE_NUMBERED"))
    std::snprintf(name, size_t(bytes), "simulated GPU %d", gpus().at(size_t(number)));
  else
    std::snprintf(name, size_t(bytes), "simulated GPU");
  return kSuccess;
}
CUDA_FUNCTION(cuDeviceTotalMem, _v2, size_t *bytes, int) {
  *bytes = memoryBytes();
  return kSuccess;
}
/// Of the many only the multiprocessors and the compute capability.
CUDA_FUNCTION(cuDeviceGetAttribute, , int *value, int attribute, int) {
  constexpr int kMultiprocessors = 16, kMajor = 75, kMinor = 76;
  if (attribute != kMultiprocessors && attribute != kMajor && attribute != kMinor)
    return kInvalidValue;
  *value = attribute == kMultiprocessors ? 4
           : attribute == kMajor         ? archNumber() / 10
                                         : archNumber() % 10;
  return kSuccess;
}
CUDA_FUNCTION(cuDevicePrimaryCtxRetain, , void **context, int number) {
  ready(__func__);
  if (!initialized)
    return kNotInitialized;
  *context = reinterpret_cast<void *>(uintptr_t(number) + 1);
  return kSuccess;
}
CUDA_FUNCTION(cuDevicePrimaryCtxRelease, _v2, int) { return kSuccess; }
CUDA_FUNCTION(cuCtxSetCurrent, , void *context) {
  hasContext = context != nullptr;
  current = int(reinterpret_cast<uintptr_t>(context)) - 1;
  return kSuccess;
}

CUDA_FUNCTION(cuMemGetInfo, _v2, size_t *free, size_t *total) {
  CHECK_READY();
  *total = memoryBytes();
  *free = memoryBytes() - std::min<uint64_t>(memoryBytes(), accounts.taken(current));
  return kSuccess;
}
CUDA_FUNCTION(cuMemAlloc, _v2, Address *address, size_t bytes) {
  CHECK_READY();
  if (bytes == 0)
    return kInvalidValue;
  if (accounts.taken(current) + bytes > memoryBytes())
    return kOutOfMemory;
  absl::StatusOr<uint8_t *> made = gpu().memory.pages.add(bytes, "cuMemAlloc");
  if (!made.ok())
    return kOutOfMemory;
  memset(gpu().memory.pages.ownAddress(*made), 0xff, bytes); // what is not initialised is a NaN
  accounts.allocated(current, Address(reinterpret_cast<uintptr_t>(*made)), bytes);
  *address = Address(reinterpret_cast<uintptr_t>(*made));
  return kSuccess;
}
CUDA_FUNCTION(cuMemFree, _v2, Address address) {
  gpu().memory.pages.giveBack(pointer(address));
  accounts.freed(address);
  return kSuccess;
}
CUDA_FUNCTION(cuMemHostRegister, _v2, void *start, size_t bytes, unsigned flags) {
  CHECK_READY();
  const Result result = hostMemory.add(start, bytes, flags);
  if (result == kSuccess)
    accounts.pinned(start, bytes, isShared(start));
  return result;
}
CUDA_FUNCTION(cuMemHostUnregister, , void *start) {
  const Result result = hostMemory.remove(start);
  if (result == kSuccess)
    accounts.unpinned(start);
  return result;
}
CUDA_FUNCTION(cuMemsetD8, _v2, Address to, unsigned char value, size_t bytes) {
  CHECK_READY();
  base::MutexLock lock(gpu().mutex);
  gpu().memsets.push_back({to, value, bytes});
  return kSuccess;
}
CUDA_FUNCTION(cuMemcpyDtoH, _v2, void *to, Address from, size_t bytes) {
  CHECK_READY();
  memcpy(to, gpu().memory.pages.ownAddress(pointer(from)), bytes);
  return kSuccess;
}

CUDA_FUNCTION(cuModuleLoadDataEx, , Module **module, const void *image, unsigned, int *, void **) {
  CHECK_READY();
  if (memcmp(image, "\177ELF", 4) == 0)
    return refuseMachineCode(static_cast<const char *>(image));
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
CUDA_FUNCTION(cuModuleUnload, , Module *module) {
  for (const auto &[name, memory] : module->globals)
    gpu().memory.pages.giveBack(memory);
  delete module;
  return kSuccess;
}
CUDA_FUNCTION(cuModuleGetFunction, , const ptx::Function **function, Module *module,
              const char *name) {
  CHECK_READY();
  auto found = module->code.functions.find(name);
  if (found == module->code.functions.end())
    return kNotFound;
  *function = &found->second;
  return kSuccess;
}
CUDA_FUNCTION(cuModuleGetGlobal, _v2, Address *address, size_t *bytes, Module *module,
              const char *name) {
  CHECK_READY();
  auto found = module->globals.find(name);
  if (found == module->globals.end())
    return kNotFound;
  *address = Address(reinterpret_cast<uintptr_t>(found->second));
  *bytes = module->code.globals.find(name)->second.bytes;
  return kSuccess;
}

CUDA_FUNCTION(cuGetProcAddress, _v2, const char *name, void **function, int, uint64_t,
              int *status) {
  auto found = offers().find(name);
  *function = found == offers().end() ? nullptr : found->second;
  if (status)
    *status = *function ? 0 : 1;
  return *function ? kSuccess : kNotFound;
}
