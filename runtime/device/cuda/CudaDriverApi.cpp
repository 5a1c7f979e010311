#include "runtime/device/cuda/CudaDriverApi.h"

#include "absl/strings/str_cat.h"

#include <dlfcn.h>
#include <memory>
#include <string>
#include <type_traits>

namespace graphc::device::cuda {
namespace {

/// CUDA 12.0: the first whose primary context and graphs are as they are used here.
constexpr int kOldestDriver = 12000;

constexpr char kRemedy[] =
    "compile the model for the CPU: graphc --soft_placement does so where there is no GPU";

using GetProcAddress = Result (*)(const char *name, void **function, int version, uint64_t flags,
                                  int *status);

/// Each function of the table, as the driver's interface of CUDA 12.0 has it.
absl::Status findAll(void *library, CudaDriverApi &driver) {
  auto getProcAddress = reinterpret_cast<GetProcAddress>(::dlsym(library, "cuGetProcAddress_v2"));
  std::string missing = getProcAddress ? "" : "cuGetProcAddress_v2";
  auto find = [&](auto &function, const char *name) {
    void *found = nullptr;
    if (missing.empty() &&
        (getProcAddress(name, &found, kOldestDriver, 0, nullptr) != kSuccess || !found))
      missing = name;
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(found);
  };
  find(driver.init, "cuInit");
  find(driver.getErrorName, "cuGetErrorName");
  find(driver.getErrorString, "cuGetErrorString");
  find(driver.driverGetVersion, "cuDriverGetVersion");
  find(driver.deviceGetCount, "cuDeviceGetCount");
  find(driver.deviceGet, "cuDeviceGet");
  find(driver.deviceGetName, "cuDeviceGetName");
  find(driver.deviceGetAttribute, "cuDeviceGetAttribute");
  find(driver.deviceTotalMem, "cuDeviceTotalMem");
  find(driver.devicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain");
  find(driver.devicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease");
  find(driver.ctxSetCurrent, "cuCtxSetCurrent");
  find(driver.memGetInfo, "cuMemGetInfo");
  find(driver.memAlloc, "cuMemAlloc");
  find(driver.memFree, "cuMemFree");
  find(driver.memHostRegister, "cuMemHostRegister");
  find(driver.memHostUnregister, "cuMemHostUnregister");
  find(driver.memsetD8, "cuMemsetD8");
  find(driver.memcpyAsync, "cuMemcpyAsync");
  find(driver.memcpyDtoH, "cuMemcpyDtoH");
  find(driver.moduleLoadDataEx, "cuModuleLoadDataEx");
  find(driver.moduleUnload, "cuModuleUnload");
  find(driver.moduleGetFunction, "cuModuleGetFunction");
  find(driver.moduleGetGlobal, "cuModuleGetGlobal");
  find(driver.streamCreate, "cuStreamCreate");
  find(driver.streamDestroy, "cuStreamDestroy");
  find(driver.streamSynchronize, "cuStreamSynchronize");
  find(driver.streamBeginCapture, "cuStreamBeginCapture");
  find(driver.streamEndCapture, "cuStreamEndCapture");
  find(driver.eventCreate, "cuEventCreate");
  find(driver.eventDestroy, "cuEventDestroy");
  find(driver.eventRecord, "cuEventRecord");
  find(driver.eventQuery, "cuEventQuery");
  find(driver.eventSynchronize, "cuEventSynchronize");
  find(driver.graphCreate, "cuGraphCreate");
  find(driver.graphDestroy, "cuGraphDestroy");
  find(driver.graphAddKernelNode, "cuGraphAddKernelNode");
  find(driver.graphAddMemcpyNode, "cuGraphAddMemcpyNode");
  find(driver.graphAddChildGraphNode, "cuGraphAddChildGraphNode");
  find(driver.graphInstantiate, "cuGraphInstantiateWithFlags");
  find(driver.graphExecDestroy, "cuGraphExecDestroy");
  find(driver.graphExecMemcpyNodeSetParams, "cuGraphExecMemcpyNodeSetParams");
  find(driver.graphLaunch, "cuGraphLaunch");
  if (!missing.empty())
    return absl::FailedPreconditionError(
        absl::StrCat("the CUDA driver (libcuda.so.1) has no ", missing,
                     "; a driver of CUDA 12.0 or later is needed"));
  return absl::OkStatus();
}

absl::StatusOr<const CudaDriverApi *> openDriver() {
  void *library = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return absl::NotFoundError(absl::StrCat(
        "no CUDA driver (libcuda.so.1) on this machine; install NVIDIA's driver, or ", kRemedy));
  auto driver = std::make_unique<CudaDriverApi>();
  if (absl::Status status = findAll(library, *driver); !status.ok())
    return status;
  if (Result result = driver->init(0); result != kSuccess) {
    const absl::Status status =
        driver->status(result, "cuInit", "the CUDA driver finds no GPU that it can use");
    return absl::Status(status.code(),
                        absl::StrCat(status.message(), "; let it have one, or ", kRemedy));
  }
  int version = 0;
  driver->driverGetVersion(&version);
  if (version < kOldestDriver)
    return absl::FailedPreconditionError(absl::StrCat("the CUDA driver is for CUDA ",
                                                      version / 1000, ".", version % 1000 / 10,
                                                      "; one for 12.0 or later is needed"));
  return driver.release(); // for good, as its library
}

} // namespace

absl::StatusOr<const CudaDriverApi *> CudaDriverApi::open() {
  static const auto *driver = new absl::StatusOr<const CudaDriverApi *>(openDriver());
  return *driver;
}

std::string errorText(const std::string &what, const char *call, Result result, const char *name,
                      const char *text) {
  return absl::StrCat(what, ": ", call, ": ", name ? name : absl::StrCat("error ", result).c_str(),
                      text ? absl::StrCat(" (", text, ")") : "");
}

absl::Status CudaDriverApi::status(Result result, const char *call, const std::string &what) const {
  if (result == kSuccess)
    return absl::OkStatus();
  const char *name = nullptr, *text = nullptr;
  getErrorName(result, &name);
  getErrorString(result, &text);
  const std::string message = errorText(what, call, result, name, text);
  return result == kOutOfMemory ? absl::ResourceExhaustedError(message)
                                : absl::InternalError(message);
}

} // namespace graphc::device::cuda
