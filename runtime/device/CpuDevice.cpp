#include "runtime/device/CpuDevice.h"

#include "runtime/common/base/CpuFeatures.h"
#include "runtime/common/base/File.h"
#include "runtime/common/base/ProcessLog.h"
#include "runtime/common/base/StatusMacros.h"
#include "runtime/kernels/LibraryKernel.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <filesystem>
#include <functional>
#include <unistd.h>

namespace graphc::device {
namespace {

/// The code uses instructions that graphc was told the machine has; on another machine it would die
/// by SIGILL.
absl::Status checkCpu(const CodeImage &image) {
  GRAPHC_ASSIGN_OR_RETURN(const std::optional<base::CpuLevel> limit, base::maxCpuLevel());
  std::vector<std::string> missing = base::missingCpuFeatures(image.features);
  if (missing.empty())
    return absl::OkStatus();
  std::string unknown;
  for (const std::string &name : missing)
    if (!base::isCpuFeature(name))
      absl::StrAppend(&unknown, unknown.empty() ? "; of " : ", ", name);
  if (!unknown.empty())
    absl::StrAppend(&unknown, " this graphrun does not even know");
  return absl::FailedPreconditionError(absl::StrCat(
      "the plan's code was compiled with --target_cpu=", base::view(image.target), " and needs ",
      absl::StrJoin(missing, ", "), ", which this CPU (", base::cpuModelName(),
      limit ? absl::StrCat(", limited to ", base::view(base::cpuLevelName(*limit)),
                           " by GRAPHC_MAX_CPU_ISA")
            : std::string(),
      ") does not have", unknown,
      "; compile it again on this machine, or with a --target_cpu "
      "that every machine of the cluster has, for example x86-64-v3"));
}

/// Where a debugger or profiler shall find the code: GRAPHC_KEPT_CODE names the kernels.so that
/// `graphc --keep_code` wrote. A memfd has no name that another process could open. Empty: none
/// named, or not the code of this plan.
std::string keptCode(std::string_view code) {
  const char *path = std::getenv("GRAPHC_KEPT_CODE");
  if (!path || !*path)
    return "";
  absl::StatusOr<std::string> kept = base::readFile(path);
  if (kept.ok() && *kept == code)
    return std::filesystem::absolute(path).string();
  base::logger().warn("GRAPHC_KEPT_CODE={} {}; the plan's own code is loaded", path,
                      kept.ok() ? "is not the code of this plan" : "cannot be read");
  return "";
}

/// A shared object. The descriptor stays open while it is loaded: dlopen knows a loaded object by
/// its name, and /proc/self/fd/N names another one as soon as N is used again.
class CpuCode final : public DeviceCode {
public:
  static absl::StatusOr<std::unique_ptr<DeviceCode>> load(const CodeImage &image) {
    GRAPHC_RETURN_IF_ERROR(checkCpu(image));
    auto code = std::make_unique<CpuCode>();
    GRAPHC_ASSIGN_OR_RETURN(code->file_, base::sealedMemfd("graphc-code", image.bytes));
    std::string path = keptCode(image.bytes);
    if (path.empty())
      path = absl::StrCat("/proc/self/fd/", code->file_.get());
    code->handle_ = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!code->handle_)
      return absl::InvalidArgumentError(absl::StrCat("cannot load the plan's code: ", dlerror()));
    code->kernels_ =
        static_cast<const GraphcKernelTable *>(::dlsym(code->handle_, "graphc_kernels"));
    if (!code->kernels_)
      return absl::InvalidArgumentError("the plan's code does not export 'graphc_kernels'");
    if (code->kernels_->version != GRAPHC_KERNEL_ABI_VERSION)
      return absl::FailedPreconditionError(
          absl::StrCat("the plan's code has kernel interface version ", code->kernels_->version,
                       ", this graphrun has ", GRAPHC_KERNEL_ABI_VERSION));
    return code;
  }
  ~CpuCode() override {
    if (handle_)
      ::dlclose(handle_);
  }
  const GraphcKernelTable &table() const override { return *kernels_; }

private:
  base::UniqueFd file_;
  void *handle_ = nullptr;
  const GraphcKernelTable *kernels_ = nullptr;
};

/// In the order in which it was recorded, which is one that every other has to agree with.
class CpuSegment final : public QueueSegment {
public:
  uint32_t copy(uint32_t, CopyDirection, void *to, const void *from, uint64_t bytes) override {
    const auto index = uint32_t(copies_.size());
    copies_.push_back({to, from, bytes});
    work_.push_back([this, index](const GraphcContext &) {
      memcpy(copies_[index].to, copies_[index].from, copies_[index].bytes);
      return 0;
    });
    return index;
  }
  void launch(uint32_t, const DeviceCode &code, uint32_t kernel,
              std::span<void *const> buffers) override {
    work_.push_back([run = code.table().kernels[kernel].run,
                     named = std::vector<void *>(buffers.begin(), buffers.end())](
                        const GraphcContext &context) { return run(named.data(), &context); });
  }
  void call(uint32_t, kernels::LibraryKernel &kernel, std::span<void *const> buffers) override {
    work_.push_back([&kernel, named = std::vector<void *>(buffers.begin(), buffers.end())](
                        const GraphcContext &) { return kernel.run(named.data()); });
  }
  uint32_t signal(uint32_t) override { return 0; }
  void after(uint32_t, uint32_t) override {}
  absl::Status prepare() override { return absl::OkStatus(); }
  void move(uint32_t copy, void *to, const void *from) override {
    copies_[copy].to = to;
    copies_[copy].from = from;
  }
  /// The code of the first kernel that fails.
  int run(const GraphcContext &context) {
    for (const auto &each : work_)
      if (int code = each(context))
        return code;
    return 0;
  }

private:
  std::vector<CopyPiece> copies_;
  std::vector<std::function<int(const GraphcContext &)>> work_;
};

/// Does at once what it is given.
class CpuQueue final : public DeviceQueue {
public:
  void copy(void *to, const void *from, uint64_t bytes) override {
    if (failure_.ok())
      memcpy(to, from, bytes);
  }
  void run(QueueSegment &segment, const GraphcContext &context) override {
    if (failure_.ok())
      note(static_cast<CpuSegment &>(segment).run(context));
  }
  void signal(uint64_t n) override {
    if (failure_.ok())
      count_ = n;
  }
  Reached reached(uint64_t n) override {
    return count_ >= n ? Reached::Yes : failure_.ok() ? Reached::NotYet : Reached::Failed;
  }
  void wait(uint64_t, absl::Duration, uint64_t) override {}
  absl::Status status() const override { return failure_; }

private:
  void note(int code) {
    if (code)
      failure_ = absl::InternalError(absl::StrCat("a kernel failed with code ", code));
  }
  uint64_t count_ = 0;
  absl::Status failure_;
};

class CpuDevice final : public Device {
public:
  explicit CpuDevice(const std::string &name) : deviceName_(name) {}
  const std::string &name() const override { return deviceName_; }
  DeviceLimits limits() const override {
    return {false, UINT32_MAX,
            uint64_t(::sysconf(_SC_PHYS_PAGES)) * uint64_t(::sysconf(_SC_PAGESIZE))};
  }
  absl::StatusOr<MemoryRegion> allocate(uint64_t bytes, MemorySpace, MemoryRegion::Guard guard,
                                        const char *what) override {
    return MemoryRegion::allocate(bytes, guard, what);
  }
  absl::StatusOr<MemoryRegion> share(uint64_t bytes, const char *what) override {
    return MemoryRegion::share(bytes, what);
  }
  absl::StatusOr<std::unique_ptr<DeviceCode>> load(const CodeImage &image) override {
    return CpuCode::load(image);
  }
  absl::StatusOr<std::unique_ptr<DeviceQueue>> makeQueue() override {
    return std::make_unique<CpuQueue>();
  }
  std::unique_ptr<QueueSegment> makeSegment() override { return std::make_unique<CpuSegment>(); }
  void wake() override {}

private:
  const std::string deviceName_;
};

} // namespace

absl::StatusOr<std::unique_ptr<Device>> makeCpu(const std::string &name) {
  return std::make_unique<CpuDevice>(name);
}

} // namespace graphc::device
