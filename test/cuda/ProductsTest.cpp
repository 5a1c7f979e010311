// Large products of a GPU: what cuBLASLt is told, the bounds of each precision, and its algorithms.
#include "runtime/device/cuda/CublasMatmul.h"
#include "runtime/kernels/KernelRegistry.h"
#include "test/cuda/TestDevice.h"
#include "test/runtime/device/DeviceHarness.h"

#include <cmath>
#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>

namespace graphc::device::cuda {
namespace {

using kernels::MatmulPrecision;
using testing::HasSubstr;

struct Shape {
  int64_t m, n, k, batch = 1;
  bool transposeA = false, transposeB = false;
};

kernels::LibraryCall callOf(const Shape &s, MatmulPrecision precision) {
  kernels::LibraryCall call;
  call.kernel = "gpu_matmul";
  auto add = [&](const char *name, int64_t value) {
    call.attributes.push_back({name, {value}, {}});
  };
  if (s.batch != 1)
    add("batch", s.batch);
  if (precision == MatmulPrecision::Bf16)
    add("bf16", 1);
  add("k", s.k);
  add("m", s.m);
  add("n", s.n);
  if (precision == MatmulPrecision::Tf32)
    add("tf32", 1);
  if (s.transposeA)
    add("transpose_a", 1);
  if (s.transposeB)
    add("transpose_b", 1);
  auto operand = [&](int64_t rows, int64_t columns, bool transposed, GraphcAccess access) {
    std::vector<int64_t> shape = {s.batch, transposed ? columns : rows,
                                  transposed ? rows : columns};
    call.operands.push_back({GRAPHC_F32, shape, access, uint64_t(s.batch * rows * columns * 4)});
  };
  operand(s.m, s.k, s.transposeA, GRAPHC_READ);
  operand(s.k, s.n, s.transposeB, GRAPHC_READ);
  operand(s.m, s.n, false, GRAPHC_WRITE);
  return call;
}

DeviceHarness &gpu() {
  static auto *one = new DeviceHarness(makeTestDevice(), testCode());
  return *one;
}

std::vector<float> numbers(int64_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> values(-1, 1);
  std::vector<float> made;
  for (int64_t i = 0; i < count; ++i)
    made.push_back(values(random));
  return made;
}

/// Operands in memory of the GPU, each at a multiple of 64 bytes and no more.
struct Made {
  std::vector<float> a, b, c;
  std::string algorithm;

  Made(const Shape &s, MatmulPrecision precision, const std::string &told = "") {
    a = numbers(s.batch * s.m * s.k, 1);
    b = numbers(s.batch * s.k * s.n, 2);
    c.resize(size_t(s.batch * s.m * s.n));
    const kernels::LibraryCall call = callOf(s, precision);
    const uint64_t scratchBytes = *kernels::scratchBytesOf(call);
    auto kernel = gpu().device->make(call, {scratchBytes, nullptr, told});
    EXPECT_TRUE(kernel.ok()) << kernel.status();
    if (!kernel.ok())
      return;
    algorithm = (*kernel)->algorithm();
    auto rounded = [](uint64_t bytes) { return (bytes + 63) / 64 * 64; };
    const uint64_t sizes[] = {a.size() * 4, b.size() * 4, c.size() * 4, scratchBytes};
    // One for all: the simulated GPU gives no memory a second time.
    static const MemoryRegion *arena = new MemoryRegion(
        *gpu().device->allocate(8 << 20, MemorySpace::Device, MemoryRegion::Guard::None, "arena"));
    void *buffers[4];
    auto *at = const_cast<uint8_t *>(arena->data()) + 64;
    for (int i = 0; i < 4; at += rounded(sizes[i++]))
      buffers[i] = at;
    DeviceHarness &h = gpu();
    h.write(buffers[0], a);
    h.write(buffers[1], b);
    h.run([&](QueueSegment &s) { s.call(0, **kernel, buffers); });
    c = h.read<float>(buffers[2], c.size());
    EXPECT_TRUE(h.queue->status().ok()) << h.queue->status();
    h.segments.clear(); // they name the kernel
  }
};

/// The largest error by what docs/cuda.md says it may be.
double errorByBound(const Shape &s, MatmulPrecision precision, const Made &run) {
  const double unit = std::ldexp(1.0, -24); // of f32
  const double factor = precision == MatmulPrecision::Tf32   ? std::ldexp(1.0, -10)
                        : precision == MatmulPrecision::Bf16 ? std::ldexp(1.0, -7)
                                                             : 0;
  double worst = 0;
  for (int64_t each = 0; each < s.batch; ++each)
    for (int64_t i = 0; i < s.m; ++i)
      for (int64_t j = 0; j < s.n; ++j) {
        double exact = 0, magnitude = 0;
        for (int64_t p = 0; p < s.k; ++p) {
          const int64_t inA = s.transposeA ? p * s.m + i : i * s.k + p,
                        inB = s.transposeB ? j * s.k + p : p * s.n + j;
          const double x = run.a[size_t(each * s.m * s.k + inA)],
                       y = run.b[size_t(each * s.k * s.n + inB)];
          exact += x * y;
          magnitude += std::abs(x * y);
        }
        const double bound = (double(s.k) * unit + 2 * factor + factor * factor) * magnitude;
        const double error = std::abs(double(run.c[size_t((each * s.m + i) * s.n + j)]) - exact);
        worst = std::max(worst, error / bound);
      }
  return worst;
}

TEST(Products, StayWithinTheirBounds) {
  const std::pair<int64_t, int64_t> sides[] = {{16, 48}, {33, 17}, {64, 64}};
  for (auto [m, n] : sides)
    for (int64_t k : {1, 31, 257})
      for (int64_t batch : {1, 3})
        for (int transposes = 0; transposes < 4; ++transposes) {
          const Shape s{m, n, k, batch, (transposes & 1) != 0, (transposes & 2) != 0};
          for (MatmulPrecision precision :
               {MatmulPrecision::Ieee, MatmulPrecision::Tf32, MatmulPrecision::Bf16}) {
            SCOPED_TRACE(absl::StrCat(m, "x", n, "x", k, " batch ", batch, " transposes ",
                                      transposes, " precision ", int(precision)));
            const Made run(s, precision);
            EXPECT_LE(errorByBound(s, precision, run), 1);
            // It was told: the error is not that of a precision above.
            if (precision != MatmulPrecision::Ieee)
              EXPECT_GT(errorByBound(s, MatmulPrecision::Ieee, run), 1);
            if (precision == MatmulPrecision::Bf16 && k == 1)
              EXPECT_GT(errorByBound(s, MatmulPrecision::Tf32, run), 1);
          }
        }
}

TEST(Products, AlgorithmsAreToldAndTakenAgain) {
  const Shape s{40, 24, 300};
  const Made first(s, MatmulPrecision::Ieee), again(s, MatmulPrecision::Ieee, first.algorithm);
  EXPECT_THAT(
      first.algorithm,
      testing::MatchesRegex("cuBLASLt 130100 on simulated GPU with 4 multiprocessors [0-9a-f]+"));
  EXPECT_EQ(again.algorithm, first.algorithm);
  EXPECT_EQ(again.c, first.c);
  // One that cuts k in another way has other bits.
  std::string other = first.algorithm;
  const size_t parts = other.rfind(' ') + 1 + 16; // the second word
  ASSERT_EQ(other.substr(parts, 2), "04");
  other[parts + 1] = '1';
  EXPECT_NE(Made(s, MatmulPrecision::Ieee, other).c, first.c);
}

std::string refusal(const std::string &algorithm, uint64_t scratchBytes = 4 << 20) {
  auto made = gpu().device->make(callOf({40, 24, 300}, MatmulPrecision::Ieee),
                                 {scratchBytes, nullptr, algorithm});
  return made.ok() ? "made" : std::string(made.status().message());
}

TEST(Products, OtherAlgorithmsAreRefused) {
  const std::string own = Made({40, 24, 300}, MatmulPrecision::Ieee).algorithm;
  EXPECT_EQ(
      refusal("cuBLASLt 120000 on simulated GPU with 4 multiprocessors 00"),
      "GPU:0: matmul f32 40x24x300: it was made by cuBLASLt 120000 on simulated GPU with 4 multiprocessors, and "
      "here is cuBLASLt 130100 "
      "on simulated GPU with 4 multiprocessors");
  EXPECT_THAT(refusal(own + "0"), HasSubstr("is no algorithm"));
  EXPECT_THAT(refusal(own.substr(0, own.size() - 2)), HasSubstr("is no algorithm"));
  EXPECT_EQ(refusal("Something"),
            "GPU:0: matmul f32 40x24x300: it was made by Something, and here is cuBLASLt 130100 "
            "on simulated GPU with 4 multiprocessors");
  std::string damaged = own;
  damaged[own.rfind(' ') + 1] = 'f';
  EXPECT_EQ(
      refusal(damaged),
      "GPU:0: matmul f32 40x24x300: cublasLtMatmulAlgoCheck: CUBLAS_STATUS_NOT_SUPPORTED (an error)");
  // Less scratch memory than it was told with.
  EXPECT_EQ(
      refusal(own, 64),
      "GPU:0: matmul f32 40x24x300: cublasLtMatmulAlgoCheck: CUBLAS_STATUS_INVALID_VALUE (an error)");
  EXPECT_EQ(refusal(own), "made");
}

TEST(Products, AreSaidInThePlan) {
  kernels::LibraryCall call = callOf({40, 24, 300, 2, true, true}, MatmulPrecision::Bf16);
  auto facts = kernels::checkCall(call);
  ASSERT_TRUE(facts.ok()) << facts.status();
  EXPECT_EQ(facts->name, "gpu_matmul_40x24x300_batch2_ta_tb_bf16");
  EXPECT_EQ(facts->flops, 2u * 2 * 40 * 24 * 300);
  EXPECT_TRUE(facts->onGpu);
  call.kernel = "matmul"; // a CPU's may have it too
  EXPECT_EQ(kernels::checkCall(call)->name, "matmul_40x24x300_batch2_ta_tb_bf16");
  call = callOf({40, 24, 300}, MatmulPrecision::Ieee);
  EXPECT_EQ(kernels::checkCall(call)->name, "gpu_matmul_40x24x300");
  call.postOps = {"relu"};
  EXPECT_THAT(std::string(kernels::checkCall(call).status().message()),
              HasSubstr("a GPU's has none"));
}

/// NVIDIA's own library, where it is installed, takes all that it is told, up to where it needs a
/// GPU.
TEST(Products, AreDescribedAsTheInstalledLibraryHasThem) {
  static const auto api = // opened for good
      lt::CublasLtApi::openFile(
          {"/usr/local/cuda/lib64/libcublasLt.so.13", "/usr/local/cuda/lib64/libcublasLt.so.12"});
  if (!api.ok())
    GTEST_SKIP() << "no cuBLASLt in /usr/local/cuda";
  EXPECT_GE((*api)->getVersion(), 120000u);
  const auto products = std::make_shared<CublasMatmul>(**api, "GPU:0", "nothing");
  for (MatmulPrecision precision :
       {MatmulPrecision::Ieee, MatmulPrecision::Tf32, MatmulPrecision::Bf16})
    for (const Shape &s : {Shape{40, 24, 300}, Shape{40, 24, 300, 2, true, true}})
      EXPECT_THAT(
          std::string(
              products->make(callOf(s, precision), {4 << 20, nullptr, ""}).status().message()),
          HasSubstr("cublasLtMatmulAlgoGetHeuristic: CUBLAS_STATUS_NOT_INITIALIZED"));
}

/// A call for the host is none for a GPU, and the other way round.
TEST(Products, AreForGpus) {
  EXPECT_THAT(
      std::string(host().make(callOf({16, 16, 16}, MatmulPrecision::Ieee), {}).status().message()),
      HasSubstr("a lane's thread does no product of a GPU's"));
}

} // namespace
} // namespace graphc::device::cuda
