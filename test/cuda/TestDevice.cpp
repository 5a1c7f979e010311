#include "test/cuda/TestDevice.h"

#include "runtime/common/abi/PtxAbi.h"
#include "test/runtime/common/plan/PlanBuilder.h"

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>

namespace graphc::device::cuda {

/// Whoever opens libcuda.so.1 by that name gets the one that is there, and likewise cuBLASLt.
static void *driver() {
  static void *const library = ::dlopen(GRAPHC_FAKE_CUDA, RTLD_NOW | RTLD_LOCAL);
  static void *const products = ::dlopen(GRAPHC_FAKE_CUBLASLT_FILE, RTLD_NOW | RTLD_LOCAL);
  if (!library || !products) {
    std::fprintf(stderr, "%s\n", dlerror());
    std::abort();
  }
  return library;
}

std::unique_ptr<Device> makeTestDevice() {
  const char *which = std::getenv("GRAPHC_TEST_DRIVER");
  if (!which || std::string_view(which) != "installed")
    driver();
  absl::StatusOr<std::unique_ptr<Device>> device = makeCuda("GPU:0");
  if (!device.ok()) {
    std::fprintf(stderr, "%s\n", device.status().ToString().c_str());
    std::abort();
  }
  return *std::move(device);
}

void closeGate(bool closed) {
  reinterpret_cast<void (*)(int)>(::dlsym(driver(), "graphcFakeGate"))(closed);
}

CodeImage testCode() {
  constexpr uint32_t kAdd = uint32_t(plan::TestKernel::Count) + uint32_t(plan::TestKernel::Add);
  static const std::string *text = [] {
    std::string table =
        std::to_string(kernels::kPtxAbiVersion) + ", " + std::to_string(kAdd + 1) + ", 2, 1";
    for (uint32_t entry = 0; entry < kAdd; ++entry)
      table += ", 0, 0, 0, 0";
    // two arguments of 64 bytes, read_write and read; a block of 32 threads
    table += ", 0, 2, 0, 1, 64, 2, 64, 0, 1, 32";
    const uint32_t words = 4 + 4 * (kAdd + 1) + 4 + 2;
    return new std::string(R"(
.version 8.3
.target sm_80
.address_size 64
.visible .global .align 8 .b64 graphc_kernels[)" +
                           std::to_string(words) + "] = {" + table + R"(};
.visible .entry add16_0(
  .param .u64 .ptr .align 64 add16_0_param_0,
  .param .u64 .ptr .align 64 add16_0_param_1
)
.reqntid 32
{
  .reg .pred %p<2>;
  .reg .b32 %r<5>;
  .reg .b64 %rd<8>;
  mov.u32 %r1, %tid.x;
  setp.gt.u32 %p1, %r1, 15;
  @%p1 bra $END;
  ld.param.b64 %rd1, [add16_0_param_0];
  ld.param.b64 %rd2, [add16_0_param_1];
  cvta.to.global.u64 %rd3, %rd1;
  cvta.to.global.u64 %rd4, %rd2;
  mul.wide.u32 %rd5, %r1, 4;
  add.s64 %rd6, %rd3, %rd5;
  add.s64 %rd7, %rd4, %rd5;
  ld.global.b32 %r2, [%rd6];
  ld.global.nc.b32 %r3, [%rd7];
  add.rn.f32 %r4, %r2, %r3;
  st.global.b32 [%rd6], %r4;
$END:
  ret;
}
)");
  }();
  CodeImage image{*text, "", {}};
  image.kernels.resize(kAdd + 1);
  image.kernels[kAdd] = "add16";
  return image;
}

} // namespace graphc::device::cuda
