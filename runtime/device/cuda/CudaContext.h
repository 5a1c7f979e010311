//===- CudaContext.h - a GPU as all that is on it sees it ---------------------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_DEVICE_CUDA_CUDACONTEXT_H
#define GRAPHC_RUNTIME_DEVICE_CUDA_CUDACONTEXT_H

#include "runtime/device/Device.h"
#include "runtime/device/cuda/CudaDriverApi.h"

#include "absl/strings/str_cat.h"

#include <memory>
#include <span>
#include <string>

namespace graphc::device::cuda {

/// All of a process that is on a GPU shares its primary context.
struct CudaContext {
  const CudaDriverApi &driver;
  const std::string name;
  DeviceNumber number = 0;
  Context context = nullptr;
  uint64_t memoryBytes = 0;
  std::string arch; ///< "sm_90"
  std::string model; ///< as its driver names it

  CudaContext(const CudaDriverApi &driver, const std::string &name) : driver(driver), name(name) {}
  ~CudaContext() {
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
using GpuPtr = std::shared_ptr<const CudaContext>;

/// One launch of a kernel.
struct KernelLaunch {
  Function function = nullptr; ///< null: of a kernel that no program of this task calls
  unsigned blocks = 1, threads = 1;
  std::string name;
};

class CudaKernels : public DeviceCode {
public:
  /// Of an entry of the table: one behind the other.
  virtual std::span<const KernelLaunch> launches(uint32_t entry) const = 0;
};

} // namespace graphc::device::cuda
#endif
