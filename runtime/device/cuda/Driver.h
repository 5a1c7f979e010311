//===- Driver.h - what of the CUDA driver is used, found at run time ---------------------------------------------*- C++ -*-===//
//
// The driver's library (libcuda.so.1) is opened when the first GPU is asked for. Nothing of CUDA is needed to build: these are the types and
// the numbers of its C interface that we use, as NVIDIA's documentation of the driver API has them.
//
//===--------------------------------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_DEVICE_CUDA_DRIVER_H
#define GRAPHC_RUNTIME_DEVICE_CUDA_DRIVER_H

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include <cstddef>
#include <cstdint>

namespace graphc::device::cuda {

using Result = int;
using DeviceNumber = int;
using Address = unsigned long long;
struct ContextState;
struct ModuleState;
struct FunctionState;
struct StreamState;
struct EventState;
using Context = ContextState *;
using Module = ModuleState *;
using Function = FunctionState *;
using Stream = StreamState *;
using Event = EventState *;

inline constexpr Result kSuccess = 0, kOutOfMemory = 2, kNoDevice = 100, kInvalidHandle = 400, kNotReady = 600;
inline constexpr unsigned kNonBlockingStream = 1, kBlockingSyncEvent = 1, kNoTimingEvent = 2, kPortableHostMemory = 1;

/// The driver's functions by their names without "cu".
struct Driver {
  Result (*init)(unsigned flags);
  Result (*getErrorName)(Result error, const char **text);
  Result (*getErrorString)(Result error, const char **text);
  Result (*driverGetVersion)(int *version);
  Result (*deviceGetCount)(int *count);
  Result (*deviceGet)(DeviceNumber *device, int ordinal);
  Result (*deviceGetName)(char *name, int bytes, DeviceNumber device);
  Result (*deviceTotalMem)(size_t *bytes, DeviceNumber device);
  Result (*devicePrimaryCtxRetain)(Context *context, DeviceNumber device);
  Result (*devicePrimaryCtxRelease)(DeviceNumber device);
  Result (*ctxSetCurrent)(Context context);
  Result (*memGetInfo)(size_t *free, size_t *total);
  Result (*memAlloc)(Address *address, size_t bytes);
  Result (*memFree)(Address address);
  Result (*memHostRegister)(void *start, size_t bytes, unsigned flags);
  Result (*memHostUnregister)(void *start);
  Result (*memsetD8)(Address to, unsigned char value, size_t bytes);
  Result (*memcpyAsync)(Address to, Address from, size_t bytes, Stream stream);
  Result (*memcpyDtoH)(void *to, Address from, size_t bytes);
  Result (*moduleLoadDataEx)(Module *module, const void *image, unsigned options, int *names, void **values);
  Result (*moduleUnload)(Module module);
  Result (*moduleGetFunction)(Function *function, Module module, const char *name);
  Result (*moduleGetGlobal)(Address *address, size_t *bytes, Module module, const char *name);
  Result (*launchKernel)(Function function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX,
                         unsigned blockY, unsigned blockZ, unsigned sharedBytes, Stream stream, void **params,
                         void **extra);
  Result (*streamCreate)(Stream *stream, unsigned flags);
  Result (*streamDestroy)(Stream stream);
  Result (*streamSynchronize)(Stream stream);
  Result (*streamWaitEvent)(Stream stream, Event event, unsigned flags);
  Result (*eventCreate)(Event *event, unsigned flags);
  Result (*eventDestroy)(Event event);
  Result (*eventRecord)(Event event, Stream stream);
  Result (*eventQuery)(Event event);
  Result (*eventSynchronize)(Event event);

  /// Opened once a process; why there is none: no library, an old one, no GPU.
  static absl::StatusOr<const Driver *> open();
  /// "cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY (out of memory)". `what` is whose call it was.
  absl::Status status(Result result, const char *call, const std::string &what) const;
};

} // namespace graphc::device::cuda
#endif
