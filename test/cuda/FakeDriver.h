//===- FakeDriver.h - what the parts of the tests' CUDA driver share ----------------*- C++ -*-===//
//
// libcuda.so.1 for tests: the functions of the CUDA driver that runtime/device/cuda uses, on a GPU
// that is simulated on the CPU. Streams are queues whose work is done as late as what was asked for
// allows, in an order that GRAPHC_SIM_SEED decides; device memory is another mapping than the one
// whose addresses are given out, which the host may not touch; functions are PTX, which Ptx.h runs.
// GRAPHC_FAKE_GPUS is how many there are (1), GRAPHC_FAKE_ARCH their architecture ("sm_86"). What
// goes wrong on the GPU is said on stderr, and ends as it would in the real driver: every later
// call gives the error. Launches of functions whose names hold GRAPHC_FAKE_FAILS fail, those with
// GRAPHC_FAKE_HANGS never end.
//
// Written from NVIDIA's manual of the driver's interface; a use that it forbids, or that nothing
// here needs, is an error.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_TEST_CUDA_FAKEDRIVER_H
#define GRAPHC_TEST_CUDA_FAKEDRIVER_H

#include "test/cuda/Accounts.h"
#include "test/cuda/HostMemory.h"
#include "test/cuda/Ptx.h"
#include "test/runtime/device/SimEngine.h"

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

namespace graphc::fake {

using device::sim::Engine;
using device::sim::Pages;
using device::sim::QueueState;
using Result = int;
using Address = unsigned long long;

inline constexpr Result kSuccess = 0, kInvalidValue = 1, kOutOfMemory = 2, kNotInitialized = 3,
                        kNoDevice = 100, kInvalidDevice = 101, kNoBinary = 209,
                        kInvalidContext = 201, kInvalidPtx = 218, kInvalidHandle = 400,
                        kIllegalState = 401, kNotFound = 500, kNotReady = 600, kLaunchFailed = 719,
                        kNotSupported = HostMemory::kNotSupported, kCaptureUnsupported = 900;

/// What the PTX reaches: the pages' own side.
class DeviceMemory final : public ptx::Memory {
public:
  uint8_t *find(uint64_t address, uint64_t bytes) override { return pages.find(address, bytes); }
  Pages pages;
};

struct Gpu {
  explicit Gpu(uint64_t seed) : machine(memory, seed), engine(seed), random(seed) {}
  DeviceMemory memory;
  ptx::Machine machine; ///< of the engine's thread alone
  Engine engine;
  std::mt19937_64 random; ///< likewise
  /// What the default stream was given, which it does when somebody waits for it and not before.
  struct Memset {
    Address to;
    unsigned char value;
    size_t bytes;
  };
  base::Mutex mutex;
  std::vector<Memset> memsets ABSL_GUARDED_BY(mutex);
};

/// One for all device numbers: their memory is told apart by its addresses.
Gpu &gpu();
extern Accounts accounts;
extern HostMemory hostMemory;

struct Graph;

struct Stream {
  std::shared_ptr<QueueState> queue = std::make_shared<QueueState>();
  uint64_t signals = 0;
  /// While it is captured: what it is given is a node here, behind the one before.
  std::unique_ptr<Graph> captured;
};

/// Something that a stream or a node of a graph does, on the engine's thread.
using Run = std::function<absl::Status()>;
/// Does it, and ends the run of the whole GPU where it fails.
absl::Status runOnGpu(const Run &run);
/// The next of a stream, or of the graph that it is captured to.
Result enqueue(Stream *stream, Run run);
/// A launch; an error where the function does not take that.
absl::StatusOr<Run> launchOf(const ptx::Function *function, std::array<uint32_t, 3> blocks,
                             std::array<uint32_t, 3> threads, unsigned sharedBytes, void **params);

/// What every call but the first ones asks. Counts it.
Result ready(const char *function);
/// What went wrong on the GPU; it stays.
Result failure();
/// How it is found by cuGetProcAddress.
struct Offer {
  Offer(const char *name, void *function);
};

inline uint8_t *pointer(Address address) { return reinterpret_cast<uint8_t *>(uintptr_t(address)); }

} // namespace graphc::fake

// A function of the driver: its name, what its symbol has behind that, its arguments.
#define CUDA_FUNCTION(name, version, ...)                                                          \
  extern "C"                                                                                       \
      __attribute__((visibility("default"))) graphc::fake::Result name##version(__VA_ARGS__);      \
  static const graphc::fake::Offer offer_##name(#name, reinterpret_cast<void *>(name##version));   \
  graphc::fake::Result name##version(__VA_ARGS__)
#define CHECK_READY()                                                                              \
  if (graphc::fake::Result result = graphc::fake::ready(__func__);                                 \
      result != graphc::fake::kSuccess)                                                            \
  return result

#endif
