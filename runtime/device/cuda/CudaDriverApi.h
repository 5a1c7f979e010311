//===- CudaDriverApi.h - what of the CUDA driver is used, found at run time ---------*- C++ -*-===//
//
// The driver's library (libcuda.so.1) is opened when the first GPU is asked for. Nothing of CUDA is
// needed to build: these are the types and the numbers of its C interface that we use, as NVIDIA's
// documentation of the driver API has them.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_DEVICE_CUDA_CUDADRIVERAPI_H
#define GRAPHC_RUNTIME_DEVICE_CUDA_CUDADRIVERAPI_H

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
struct GraphState;
struct GraphNodeState;
struct GraphExecState;
using Context = ContextState *;
using Module = ModuleState *;
using Function = FunctionState *;
using Stream = StreamState *;
using Event = EventState *;
using Graph = GraphState *;
using GraphNode = GraphNodeState *;
using GraphExec = GraphExecState *;

inline constexpr Result kSuccess = 0, kOutOfMemory = 2, kNotReady = 600, kAlreadyRegistered = 712;
inline constexpr int kCapturesThread = 1;
// attributes of a device
inline constexpr int kMultiprocessors = 16, kComputeMajor = 75, kComputeMinor = 76;
inline constexpr unsigned kNonBlockingStream = 1, kBlockingSyncEvent = 1, kNoTimingEvent = 2,
                          kPortableHostMemory = 1, kReadOnlyHostMemory = 8;

/// CUDA_KERNEL_NODE_PARAMS, second version.
struct KernelNode {
  Function function;
  unsigned gridX, gridY, gridZ, blockX, blockY, blockZ, sharedBytes;
  void **params, **extra;
  void *kernel;
  Context context;
};
static_assert(sizeof(KernelNode) == 72);

/// CUDA_MEMCPY3D, of a piece in one dimension.
struct CopyNode {
  enum Kind : int { Host = 1, Device = 2 };
  struct End {
    size_t x, y, z, lod;
    Kind kind;
    const void *host;
    Address device;
    void *array, *reserved;
    size_t pitch, height;
  };
  End from, to;
  size_t width, height, depth;
};
static_assert(sizeof(CopyNode) == 200);

/// The driver's functions by their names without "cu".
struct CudaDriverApi {
  Result (*init)(unsigned flags);
  Result (*getErrorName)(Result error, const char **text);
  Result (*getErrorString)(Result error, const char **text);
  Result (*driverGetVersion)(int *version);
  Result (*deviceGetCount)(int *count);
  Result (*deviceGet)(DeviceNumber *device, int ordinal);
  Result (*deviceGetName)(char *name, int bytes, DeviceNumber device);
  Result (*deviceGetAttribute)(int *value, int attribute, DeviceNumber device);
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
  Result (*moduleLoadDataEx)(Module *module, const void *image, unsigned options, int *names,
                             void **values);
  Result (*moduleUnload)(Module module);
  Result (*moduleGetFunction)(Function *function, Module module, const char *name);
  Result (*moduleGetGlobal)(Address *address, size_t *bytes, Module module, const char *name);
  Result (*streamCreate)(Stream *stream, unsigned flags);
  Result (*streamDestroy)(Stream stream);
  Result (*streamSynchronize)(Stream stream);
  Result (*streamBeginCapture)(Stream stream, int mode);
  Result (*streamEndCapture)(Stream stream, Graph *graph);
  Result (*eventCreate)(Event *event, unsigned flags);
  Result (*eventDestroy)(Event event);
  Result (*eventRecord)(Event event, Stream stream);
  Result (*eventQuery)(Event event);
  Result (*eventSynchronize)(Event event);
  Result (*graphCreate)(Graph *graph, unsigned flags);
  Result (*graphDestroy)(Graph graph);
  Result (*graphAddKernelNode)(GraphNode *node, Graph graph, const GraphNode *after, size_t count,
                               const KernelNode *params);
  Result (*graphAddMemcpyNode)(GraphNode *node, Graph graph, const GraphNode *after, size_t count,
                               const CopyNode *params, Context context);
  Result (*graphAddChildGraphNode)(GraphNode *node, Graph graph, const GraphNode *after,
                                   size_t count, Graph child);
  Result (*graphInstantiate)(GraphExec *exec, Graph graph, unsigned long long flags);
  Result (*graphExecDestroy)(GraphExec exec);
  Result (*graphExecMemcpyNodeSetParams)(GraphExec exec, GraphNode node, const CopyNode *params,
                                         Context context);
  Result (*graphLaunch)(GraphExec exec, Stream stream);

  /// Opened once a process; why there is none: no library, an old one, no GPU.
  static absl::StatusOr<const CudaDriverApi *> open();
  /// "cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY (out of memory)". `what` is whose call it was.
  absl::Status status(Result result, const char *call, const std::string &what) const;
};

/// "GPU:0: cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY (out of memory)", of the driver and of its
/// libraries. `name` and `text` may be null.
std::string errorText(const std::string &what, const char *call, Result result, const char *name,
                      const char *text);

} // namespace graphc::device::cuda
#endif
