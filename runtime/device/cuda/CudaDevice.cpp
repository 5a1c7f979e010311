#include "runtime/device/cuda/CudaDevice.h"

#include "runtime/common/abi/PtxAbi.h"
#include "runtime/common/base/Mutex.h"
#include "runtime/common/base/ProcessLog.h"
#include "runtime/common/base/StatusMacros.h"
#include "runtime/device/cuda/CublasMatmul.h"
#include "runtime/device/cuda/CudaQueue.h"
#include "runtime/device/cuda/CudaSegment.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

#include <atomic>
#include <cstring>

namespace graphc::device {
namespace {

using namespace cuda;

class DeviceBacking final : public MemoryRegion::Backing {
public:
  DeviceBacking(GpuPtr gpu, Address address) : gpu_(std::move(gpu)), address_(address) {}
  ~DeviceBacking() override {
    gpu_->enter();
    gpu_->driver.memFree(address_);
  }

private:
  GpuPtr gpu_;
  Address address_;
};

/// Host memory that the GPU's copies reach without a detour.
class PinnedBacking final : public MemoryRegion::Backing {
public:
  PinnedBacking(GpuPtr gpu, void *start) : gpu_(std::move(gpu)), start_(start) {}
  ~PinnedBacking() override {
    gpu_->enter();
    gpu_->driver.memHostUnregister(start_);
  }

private:
  GpuPtr gpu_;
  void *start_;
};

//===------------------------------------------------------------------------------------------===//
// Code
//===------------------------------------------------------------------------------------------===//

class CudaCode final : public CudaKernels {
public:
  explicit CudaCode(GpuPtr gpu) : gpu_(std::move(gpu)) {}
  ~CudaCode() override {
    gpu_->enter();
    if (module_)
      gpu_->driver.moduleUnload(module_);
  }

  absl::Status load(const CodeImage &image) {
    gpu_->enter();
    GRAPHC_RETURN_IF_ERROR(loadModule(image));
    GRAPHC_RETURN_IF_ERROR(readTable());
    for (size_t i = 0; i < image.kernels.size() && i < kernels_.size(); ++i)
      for (uint64_t launch = 0; launch < kernels_[i].launches; ++launch) {
        const std::string name = kernels::launchName(image.kernels[i], launch);
        if (image.kernels[i].empty())
          continue; // of no program of this task
        Function function = nullptr;
        GRAPHC_RETURN_IF_ERROR(
            gpu_->check(gpu_->driver.moduleGetFunction(&function, module_, name.c_str()),
                        "cuModuleGetFunction", name));
        all_[kernels_[i].firstLaunch + launch].function = function;
        all_[kernels_[i].firstLaunch + launch].name = name;
      }
    return absl::OkStatus();
  }

  const GraphcKernelTable &table() const override { return kernelTable_; }

  std::span<const KernelLaunch> launches(uint32_t entry) const override {
    return std::span(all_).subspan(kernels_[entry].firstLaunch, kernels_[entry].launches);
  }

private:
  /// Machine code for this very GPU; where there is none, or none that this driver takes (of a
  /// later toolkit than itself), it compiles the PTX. Both have the same bits.
  absl::Status loadModule(const CodeImage &image) {
    if (auto made = image.made.find(gpu_->arch); made != image.made.end())
      if (gpu_->driver.moduleLoadDataEx(&module_, made->second.data(), 0, nullptr, nullptr) ==
          kSuccess)
        return absl::OkStatus();
    const std::string text(image.bytes); // the driver reads to the first 0
    return gpu_->check(gpu_->driver.moduleLoadDataEx(&module_, text.c_str(), 0, nullptr, nullptr),
                       "cuModuleLoadDataEx", "the plan's code");
  }

  /// The table of PtxAbi.h, as far as its numbers agree with its size.
  absl::Status readTable() {
    Address address = 0;
    size_t bytes = 0;
    GRAPHC_RETURN_IF_ERROR(
        gpu_->check(gpu_->driver.moduleGetGlobal(&address, &bytes, module_, kernels::kPtxTable),
                    "cuModuleGetGlobal", kernels::kPtxTable));
    std::vector<uint64_t> words(bytes / 8);
    GRAPHC_RETURN_IF_ERROR(
        gpu_->check(gpu_->driver.memcpyDtoH(words.data(), address, words.size() * 8),
                    "cuMemcpyDtoH", kernels::kPtxTable));
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
      return absl::FailedPreconditionError(
          absl::StrCat("the plan's code for GPUs has interface version ", header.version,
                       ", this graphrun has ", kernels::kPtxAbiVersion));
    const uint64_t most = words.size();
    if (header.kernels > most || header.arguments > most || header.launches > most)
      return absl::InvalidArgumentError("the kernel table of the plan's code for GPUs is damaged");
    kernels_.resize(header.kernels);
    arguments_.resize(header.arguments);
    std::vector<kernels::PtxLaunch> sizes(header.launches);
    bool whole = read(kernels_.data(), header.kernels) &&
                 read(arguments_.data(), header.arguments) && read(sizes.data(), header.launches);
    for (const graphc::kernels::PtxKernel &kernel : kernels_)
      whole &= kernel.firstLaunch <= header.launches &&
               kernel.launches <= header.launches - kernel.firstLaunch;
    for (const kernels::PtxLaunch &launch : sizes) {
      whole &= launch.blocks >= 1 && launch.blocks <= INT32_MAX && launch.threads >= 1 &&
               launch.threads <= 1024;
      all_.push_back({nullptr, unsigned(launch.blocks), unsigned(launch.threads), ""});
    }
    if (!whole)
      return absl::InvalidArgumentError("the kernel table of the plan's code for GPUs is damaged");
    for (const graphc::kernels::PtxKernel &kernel : kernels_)
      entries_.push_back(
          {nullptr, uint32_t(kernel.firstArgument), uint32_t(kernel.arguments), 1, 0});
    kernelTable_ = {GRAPHC_KERNEL_ABI_VERSION, uint32_t(entries_.size()), entries_.data(),
                    arguments_.data(), arguments_.size()};
    return absl::OkStatus();
  }

  GpuPtr gpu_;
  Module module_ = nullptr;
  std::vector<kernels::PtxKernel> kernels_;
  std::vector<GraphcArgument> arguments_;
  std::vector<KernelLaunch> all_;
  std::vector<GraphcKernelEntry> entries_;
  GraphcKernelTable kernelTable_{};
};

//===------------------------------------------------------------------------------------------===//
// The device
//===------------------------------------------------------------------------------------------===//

class CudaDevice final : public Device {
public:
  explicit CudaDevice(GpuPtr gpu)
      : gpu_(std::move(gpu)), waiter_(std::make_shared<EventWaiter>(this->gpu_)) {}

  const std::string &name() const override { return gpu_->name; }
  DeviceLimits limits() const override { return {true, 16, gpu_->memoryBytes}; }
  absl::StatusOr<uint64_t> freeMemory() override {
    gpu_->enter();
    size_t free = 0, total = 0;
    GRAPHC_RETURN_IF_ERROR(gpu_->check(gpu_->driver.memGetInfo(&free, &total), "cuMemGetInfo"));
    return free;
  }
  absl::StatusOr<MemoryRegion> allocate(uint64_t bytes, MemorySpace space,
                                        MemoryRegion::Guard guard, const char *what) override {
    if (space == MemorySpace::Host) {
      GRAPHC_ASSIGN_OR_RETURN(MemoryRegion memory, MemoryRegion::allocate(bytes, guard, what));
      return pinned(std::move(memory), what);
    }
    if (bytes > gpu_->memoryBytes)
      return absl::ResourceExhaustedError(
          absl::StrCat(what, ": ", bytes, " bytes, but ", gpu_->name, " has ", gpu_->memoryBytes));
    gpu_->enter();
    Address address = 0;
    // Of a buffer's last 64 bytes all may be read.
    const uint64_t size = std::max((bytes + alignment - 1) / alignment * alignment, alignment);
    if (Result result = gpu_->driver.memAlloc(&address, size); result != kSuccess) {
      size_t free = 0, total = 0;
      const bool known = gpu_->driver.memGetInfo(&free, &total) == kSuccess;
      return gpu_->check(
          result, "cuMemAlloc",
          absl::StrCat(what, ", ", bytes, " bytes",
                       known ? absl::StrCat(" (of ", total, " are free ", free, ")") : ""));
    }
    MemoryRegion memory = MemoryRegion::of(reinterpret_cast<uint8_t *>(uintptr_t(address)), bytes,
                                           std::make_unique<DeviceBacking>(gpu_, address));
    GRAPHC_RETURN_IF_ERROR(
        gpu_->check(gpu_->driver.memsetD8(address, 0, size), "cuMemsetD8", what));
    // It is the default stream's, for which the queues' streams do not wait.
    GRAPHC_RETURN_IF_ERROR(
        gpu_->check(gpu_->driver.streamSynchronize(nullptr), "cuStreamSynchronize", what));
    return memory;
  }
  /// For every GPU of the process at once, so that the first one pins for all. What this process
  /// may only read the driver takes where GPU and driver can
  /// (CU_DEVICE_ATTRIBUTE_READ_ONLY_HOST_REGISTER_SUPPORTED), else it says that it does not.
  absl::StatusOr<std::unique_ptr<MemoryRegion::Backing>>
  pin(std::span<uint8_t> memory, Access access, const char *what) override {
    gpu_->enter();
    const Result result = gpu_->driver.memHostRegister(
        memory.data(), memory.size(),
        kPortableHostMemory | (access == Access::Read ? kReadOnlyHostMemory : 0));
    if (result == kAlreadyRegistered)
      return nullptr;
    GRAPHC_RETURN_IF_ERROR(gpu_->check(result, "cuMemHostRegister", what));
    return std::make_unique<PinnedBacking>(gpu_, memory.data());
  }
  absl::StatusOr<MemoryRegion> share(uint64_t bytes, const char *what) override {
    GRAPHC_ASSIGN_OR_RETURN(MemoryRegion memory, MemoryRegion::share(bytes, what));
    return pinned(std::move(memory), what);
  }
  absl::StatusOr<std::unique_ptr<DeviceCode>> load(const CodeImage &image) override {
    auto code = std::make_unique<CudaCode>(gpu_);
    GRAPHC_RETURN_IF_ERROR(code->load(image));
    return code;
  }
  absl::StatusOr<std::unique_ptr<kernels::LibraryKernel>>
  make(const kernels::LibraryCall &call, const KernelOptions &options) override {
    gpu_->enter();
    GRAPHC_ASSIGN_OR_RETURN(std::shared_ptr<CublasMatmul> library, openProducts());
    return library->make(call, options);
  }
  absl::StatusOr<std::unique_ptr<DeviceQueue>> makeQueue() override {
    return makeCudaQueue(gpu_, waiter_);
  }
  std::unique_ptr<QueueSegment> makeSegment() override {
    return std::make_unique<CudaSegment>(gpu_);
  }
  void wake() override { waiter_->wake(); }

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
    base::MutexLock lock(mutex_);
    if (!products_) {
      int processors = 0;
      GRAPHC_RETURN_IF_ERROR(
          gpu_->check(gpu_->driver.deviceGetAttribute(&processors, kMultiprocessors, gpu_->number),
                      "cuDeviceGetAttribute"));
      // NVIDIA's documentation: equal bits on GPUs of the same architecture with as many
      // multiprocessors.
      GRAPHC_ASSIGN_OR_RETURN(
          products_, CublasMatmul::open(gpu_->name, absl::StrCat(gpu_->model, " with ", processors,
                                                                 " multiprocessors")));
    }
    return products_;
  }

  GpuPtr gpu_;
  std::shared_ptr<EventWaiter> waiter_;
  base::Mutex mutex_;
  std::shared_ptr<CublasMatmul> products_ ABSL_GUARDED_BY(mutex_);
};

/// Of the driver's devices the one that is GPU:0 here.
std::atomic<uint32_t> firstGpu = 0;

absl::StatusOr<int> countOf(const CudaDriverApi &driver) {
  int count = 0;
  GRAPHC_RETURN_IF_ERROR(
      driver.status(driver.deviceGetCount(&count), "cuDeviceGetCount", "the CUDA driver"));
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
    return failed(absl::NotFoundError(absl::StrCat(
        "this machine has ", count, count == 1 ? " GPU" : " GPUs",
        first ? absl::StrCat(", of which those from ", first, " on are this task's") : "",
        " (CUDA_VISIBLE_DEVICES may hide some); graphc --num_gpus says how many to compile for")));
  GRAPHC_RETURN_IF_ERROR(
      gpu->check((*driver)->deviceGet(&gpu->number, first + index), "cuDeviceGet"));
  char text[256] = "";
  size_t bytes = 0;
  GRAPHC_RETURN_IF_ERROR(
      gpu->check((*driver)->deviceGetName(text, sizeof text, gpu->number), "cuDeviceGetName"));
  gpu->model = text;
  GRAPHC_RETURN_IF_ERROR(
      gpu->check((*driver)->deviceTotalMem(&bytes, gpu->number), "cuDeviceTotalMem"));
  gpu->memoryBytes = bytes;
  int major = 0, minor = 0;
  for (auto [value, attribute] :
       {std::pair(&major, kComputeMajor), std::pair(&minor, kComputeMinor)})
    GRAPHC_RETURN_IF_ERROR(gpu->check((*driver)->deviceGetAttribute(value, attribute, gpu->number),
                                      "cuDeviceGetAttribute"));
  gpu->arch = absl::StrCat("sm_", major, minor);
  base::logger().debug("{} is GPU {} of this machine: {}, {} MiB", name, first + index, text,
                       bytes >> 20);
  GRAPHC_RETURN_IF_ERROR(gpu->check((*driver)->devicePrimaryCtxRetain(&gpu->context, gpu->number),
                                    "cuDevicePrimaryCtxRetain"));
  return std::make_unique<CudaDevice>(std::move(gpu));
}

} // namespace graphc::device
