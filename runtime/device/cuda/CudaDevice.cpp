#include "runtime/device/cuda/CudaDevice.h"

#include "runtime/common/abi/PtxAbi.h"
#include "runtime/common/base/Log.h"
#include "runtime/common/base/Mutex.h"
#include "runtime/common/base/Status.h"
#include "runtime/device/cuda/CudaQueue.h"
#include "runtime/device/cuda/CudaSegment.h"
#include "runtime/device/cuda/Products.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

#include <atomic>
#include <cstring>

namespace graphc::device {
namespace {

using namespace cuda;

class DeviceBacking final : public MemoryRegion::Backing {
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
class PinnedBacking final : public MemoryRegion::Backing {
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

class CudaCode final : public CudaKernels {
public:
  explicit CudaCode(GpuPtr gpu) : gpu(std::move(gpu)) {}
  ~CudaCode() override {
    gpu->enter();
    if (module)
      gpu->driver.moduleUnload(module);
  }

  absl::Status load(const CodeImage &image) {
    gpu->enter();
    GRAPHC_RETURN_IF_ERROR(loadModule(image));
    GRAPHC_RETURN_IF_ERROR(readTable());
    for (size_t i = 0; i < image.kernels.size() && i < kernels.size(); ++i)
      for (uint64_t launch = 0; launch < kernels[i].launches; ++launch) {
        const std::string name = kernels::launchName(image.kernels[i], launch);
        if (image.kernels[i].empty())
          continue; // of no program of this task
        Function function = nullptr;
        GRAPHC_RETURN_IF_ERROR(
            gpu->check(gpu->driver.moduleGetFunction(&function, module, name.c_str()), "cuModuleGetFunction", name));
        all[kernels[i].firstLaunch + launch].function = function;
        all[kernels[i].firstLaunch + launch].name = name;
      }
    return absl::OkStatus();
  }

  const GraphcKernelTable &table() const override { return kernelTable; }

  std::span<const KernelLaunch> launches(uint32_t entry) const override {
    return std::span(all).subspan(kernels[entry].firstLaunch, kernels[entry].launches);
  }

private:
  /// Machine code for this very GPU; where there is none, or none that this driver takes (of a later toolkit than itself), it compiles the
  /// PTX. Both have the same bits.
  absl::Status loadModule(const CodeImage &image) {
    if (auto made = image.made.find(gpu->arch); made != image.made.end())
      if (gpu->driver.moduleLoadDataEx(&module, made->second.data(), 0, nullptr, nullptr) == kSuccess)
        return absl::OkStatus();
    const std::string text(image.bytes); // the driver reads to the first 0
    return gpu->check(gpu->driver.moduleLoadDataEx(&module, text.c_str(), 0, nullptr, nullptr), "cuModuleLoadDataEx",
                      "the plan's code");
  }

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
    std::vector<kernels::PtxLaunch> sizes(header.launches);
    bool whole = read(kernels.data(), header.kernels) && read(arguments.data(), header.arguments) &&
                 read(sizes.data(), header.launches);
    for (const graphc::kernels::PtxKernel &kernel : kernels)
      whole &= kernel.firstLaunch <= header.launches && kernel.launches <= header.launches - kernel.firstLaunch;
    for (const kernels::PtxLaunch &launch : sizes) {
      whole &= launch.blocks >= 1 && launch.blocks <= INT32_MAX && launch.threads >= 1 && launch.threads <= 1024;
      all.push_back({nullptr, unsigned(launch.blocks), unsigned(launch.threads), ""});
    }
    if (!whole)
      return absl::InvalidArgumentError("the kernel table of the plan's code for GPUs is damaged");
    for (const graphc::kernels::PtxKernel &kernel : kernels)
      entries.push_back({nullptr, uint32_t(kernel.firstArgument), uint32_t(kernel.arguments), 1, 0});
    kernelTable = {GRAPHC_KERNEL_ABI_VERSION, uint32_t(entries.size()), entries.data(), arguments.data(),
                   arguments.size()};
    return absl::OkStatus();
  }

  GpuPtr gpu;
  Module module = nullptr;
  std::vector<kernels::PtxKernel> kernels;
  std::vector<GraphcArgument> arguments;
  std::vector<KernelLaunch> all;
  std::vector<GraphcKernelEntry> entries;
  GraphcKernelTable kernelTable{};
};

//===----------------------------------------------------------------------------------------------------------------===//
// The device
//===----------------------------------------------------------------------------------------------------------------===//

class CudaDevice final : public Device {
public:
  explicit CudaDevice(GpuPtr gpu) : gpu(std::move(gpu)), waiter(std::make_shared<EventWaiter>(this->gpu)) {}

  const std::string &name() const override { return gpu->name; }
  DeviceLimits limits() const override { return {true, 16, gpu->memoryBytes}; }
  absl::StatusOr<uint64_t> freeMemory() override {
    gpu->enter();
    size_t free = 0, total = 0;
    GRAPHC_RETURN_IF_ERROR(gpu->check(gpu->driver.memGetInfo(&free, &total), "cuMemGetInfo"));
    return free;
  }
  absl::StatusOr<MemoryRegion> allocate(uint64_t bytes, MemorySpace space, MemoryRegion::Guard guard, const char *what) override {
    if (space == MemorySpace::Host) {
      GRAPHC_ASSIGN_OR_RETURN(MemoryRegion memory, MemoryRegion::allocate(bytes, guard, what));
      return pinned(std::move(memory), what);
    }
    if (bytes > gpu->memoryBytes)
      return absl::ResourceExhaustedError(
          absl::StrCat(what, ": ", bytes, " bytes, but ", gpu->name, " has ", gpu->memoryBytes));
    gpu->enter();
    Address address = 0;
    // Of a buffer's last 64 bytes all may be read.
    const uint64_t size = std::max((bytes + alignment - 1) / alignment * alignment, alignment);
    if (Result result = gpu->driver.memAlloc(&address, size); result != kSuccess) {
      size_t free = 0, total = 0;
      const bool known = gpu->driver.memGetInfo(&free, &total) == kSuccess;
      return gpu->check(result, "cuMemAlloc",
                        absl::StrCat(what, ", ", bytes, " bytes",
                                     known ? absl::StrCat(" (of ", total, " are free ", free, ")") : ""));
    }
    MemoryRegion memory = MemoryRegion::of(reinterpret_cast<uint8_t *>(uintptr_t(address)), bytes,
                               std::make_unique<DeviceBacking>(gpu, address));
    GRAPHC_RETURN_IF_ERROR(gpu->check(gpu->driver.memsetD8(address, 0, size), "cuMemsetD8", what));
    // It is the default stream's, for which the queues' streams do not wait.
    GRAPHC_RETURN_IF_ERROR(gpu->check(gpu->driver.streamSynchronize(nullptr), "cuStreamSynchronize", what));
    return memory;
  }
  /// For every GPU of the process at once, so that the first one pins for all. What this process may only read the driver takes where
  /// GPU and driver can (CU_DEVICE_ATTRIBUTE_READ_ONLY_HOST_REGISTER_SUPPORTED), else it says that it does not.
  absl::StatusOr<std::unique_ptr<MemoryRegion::Backing>> pin(std::span<uint8_t> memory, Access access,
                                                       const char *what) override {
    gpu->enter();
    const Result result = gpu->driver.memHostRegister(
        memory.data(), memory.size(), kPortableHostMemory | (access == Access::Read ? kReadOnlyHostMemory : 0));
    if (result == kAlreadyRegistered)
      return nullptr;
    GRAPHC_RETURN_IF_ERROR(gpu->check(result, "cuMemHostRegister", what));
    return std::make_unique<PinnedBacking>(gpu, memory.data());
  }
  absl::StatusOr<MemoryRegion> share(uint64_t bytes, const char *what) override {
    GRAPHC_ASSIGN_OR_RETURN(MemoryRegion memory, MemoryRegion::share(bytes, what));
    return pinned(std::move(memory), what);
  }
  absl::StatusOr<std::unique_ptr<DeviceCode>> load(const CodeImage &image) override {
    auto code = std::make_unique<CudaCode>(gpu);
    GRAPHC_RETURN_IF_ERROR(code->load(image));
    return code;
  }
  absl::StatusOr<std::unique_ptr<kernels::LibraryKernel>> make(const kernels::LibraryCall &call,
                                                               const KernelOptions &options) override {
    gpu->enter();
    GRAPHC_ASSIGN_OR_RETURN(std::shared_ptr<CublasMatmul> library, openProducts());
    return library->make(call, options);
  }
  absl::StatusOr<std::unique_ptr<DeviceQueue>> makeQueue() override { return makeCudaQueue(gpu, waiter); }
  std::unique_ptr<QueueSegment> makeSegment() override { return std::make_unique<CudaSegment>(gpu); }
  void wake() override { waiter->wake(); }

private:
  absl::StatusOr<MemoryRegion> pinned(MemoryRegion memory, const char *what) {
    if (memory.size() == 0)
      return memory;
    GRAPHC_ASSIGN_OR_RETURN(std::unique_ptr<MemoryRegion::Backing> backing,
                            pin({memory.data(), memory.size()}, Access::ReadWrite, what));
    memory.keep(std::move(backing));
    return memory;
  }

  /// With the first product.
  absl::StatusOr<std::shared_ptr<CublasMatmul>> openProducts() {
    base::MutexLock lock(mutex);
    if (!products) {
      int processors = 0;
      GRAPHC_RETURN_IF_ERROR(gpu->check(gpu->driver.deviceGetAttribute(&processors, kMultiprocessors, gpu->number),
                                        "cuDeviceGetAttribute"));
      // NVIDIA's documentation: equal bits on GPUs of the same architecture with as many multiprocessors.
      GRAPHC_ASSIGN_OR_RETURN(
          products, CublasMatmul::open(gpu->name, absl::StrCat(gpu->model, " with ", processors, " multiprocessors")));
    }
    return products;
  }

  GpuPtr gpu;
  std::shared_ptr<EventWaiter> waiter;
  base::Mutex mutex;
  std::shared_ptr<CublasMatmul> products ABSL_GUARDED_BY(mutex);
};

/// Of the driver's devices the one that is GPU:0 here.
std::atomic<uint32_t> firstGpu = 0;

absl::StatusOr<int> countOf(const CudaDriverApi &driver) {
  int count = 0;
  GRAPHC_RETURN_IF_ERROR(driver.status(driver.deviceGetCount(&count), "cuDeviceGetCount", "the CUDA driver"));
  return count;
}

} // namespace

absl::StatusOr<uint32_t> countCuda() {
  GRAPHC_ASSIGN_OR_RETURN(const CudaDriverApi *driver, CudaDriverApi::open());
  GRAPHC_ASSIGN_OR_RETURN(int count, countOf(*driver));
  return uint32_t(count);
}

void setFirstCuda(uint32_t first) { firstGpu = first; }

absl::StatusOr<std::unique_ptr<Device>> makeCuda(const std::string &name) {
  auto failed = [&](const absl::Status &status) {
    return base::annotate(status, absl::StrCat("the plan has work for the device ", name));
  };
  absl::StatusOr<const CudaDriverApi *> driver = CudaDriverApi::open();
  if (!driver.ok())
    return failed(driver.status());
  auto gpu = std::make_shared<CudaContext>(**driver, name);
  GRAPHC_ASSIGN_OR_RETURN(int count, countOf(**driver));
  int index = 0;
  const int first = int(firstGpu);
  if (!absl::SimpleAtoi(name.substr(name.find(':') + 1), &index) || first + index >= count)
    return failed(absl::NotFoundError(
        absl::StrCat("this machine has ", count, count == 1 ? " GPU" : " GPUs",
                     first ? absl::StrCat(", of which those from ", first, " on are this task's") : "",
                     " (CUDA_VISIBLE_DEVICES may hide some); graphc --num_gpus says how many to compile for")));
  GRAPHC_RETURN_IF_ERROR(gpu->check((*driver)->deviceGet(&gpu->number, first + index), "cuDeviceGet"));
  char text[256] = "";
  size_t bytes = 0;
  GRAPHC_RETURN_IF_ERROR(gpu->check((*driver)->deviceGetName(text, sizeof text, gpu->number), "cuDeviceGetName"));
  gpu->model = text;
  GRAPHC_RETURN_IF_ERROR(gpu->check((*driver)->deviceTotalMem(&bytes, gpu->number), "cuDeviceTotalMem"));
  gpu->memoryBytes = bytes;
  int major = 0, minor = 0;
  for (auto [value, attribute] : {std::pair(&major, kComputeMajor), std::pair(&minor, kComputeMinor)})
    GRAPHC_RETURN_IF_ERROR(
        gpu->check((*driver)->deviceGetAttribute(value, attribute, gpu->number), "cuDeviceGetAttribute"));
  gpu->arch = absl::StrCat("sm_", major, minor);
  base::logger().debug("{} is GPU {} of this machine: {}, {} MiB", name, first + index, text, bytes >> 20);
  GRAPHC_RETURN_IF_ERROR(
      gpu->check((*driver)->devicePrimaryCtxRetain(&gpu->context, gpu->number), "cuDevicePrimaryCtxRetain"));
  return std::make_unique<CudaDevice>(std::move(gpu));
}

} // namespace graphc::device
