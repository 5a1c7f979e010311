#include "runtime/common/base/CpuFeatures.h"
#include "runtime/kernels/AmxMatmul.h"
#include "runtime/kernels/DirectMatmul.h"
#include "runtime/kernels/MatmulBlocks.h"
#include "runtime/kernels/PackedMatmul.h"
#include "test/runtime/kernels/MatmulRun.h"

#include <gtest/gtest.h>

#include "absl/strings/match.h"
#include <algorithm>

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <regex>
#include <vector>

namespace graphc::kernels {
namespace {

constexpr std::array<int64_t, 3> blockShapes[] = {
    {128, 512, 784},  {300, 500, 200}, {100, 40, 3000},  {1700, 17, 1000},
    {64, 1024, 1024}, {96, 1024, 512}, {128, 1024, 1024}};

constexpr std::array<int64_t, 3> batchShapes[] = {{128, 128, 96}, {200, 70, 130}, {64, 256, 4096}};

std::vector<MatmulDesc> shapes() {
  std::vector<MatmulDesc> list;
  for (auto [m, n, k] : {std::array<int64_t, 3>{1, 1, 1},
                         {1, 10, 512},
                         {128, 10, 512},
                         {128, 512, 784},
                         {784, 512, 128},
                         {512, 10, 128},
                         {7, 13, 5},
                         {100, 10, 3},
                         {1, 512, 1},
                         {33, 65, 129},
                         {10, 4096, 64},
                         {3, 3, 1000}})
    for (bool ta : {false, true})
      for (bool tb : {false, true})
        list.push_back({m, n, k, 1, ta, tb, false, false, MatmulType::F32});
  list.push_back({5, 6, 7, 3, false, false, false, false, MatmulType::F32});
  list.push_back({64, 32, 16, 8, true, false, false, false, MatmulType::F32});
  list.push_back({64, 32, 16, 8, false, true, false, false, MatmulType::F32});
  for (auto [m, n, k] : batchShapes) // that threads share
    for (int flags = 0; flags < 4; ++flags)
      list.push_back({m, n, k, 7, bool(flags & 1), bool(flags & 2), false, false, MatmulType::F32});
  // DirectMatmul.h
  for (auto [m, n, k] : {std::array<int64_t, 3>{2, 512, 256}, {13, 528, 300}, {100, 80, 100}})
    for (bool ta : {false, true})
      list.push_back({m, n, k, 1, ta, false, false, false, MatmulType::F32});
  for (auto [m, n, k] : blockShapes) // that threads share
    for (bool ta : {false, true})
      for (bool tb : {false, true})
        list.push_back({m, n, k, 1, ta, tb, false, false, MatmulType::F32});
  for (const MatmulDesc &d : narrowShapes())
    list.push_back(d);
  return list;
}

/// Those that a CPU's matrix unit makes, if there is one, with edges of every kind.
std::vector<MatmulDesc> roundedShapes() {
  std::vector<MatmulDesc> list;
  for (MatmulPrecision precision : {MatmulPrecision::Tf32, MatmulPrecision::Bf16})
    for (auto [m, n, k] : std::array<std::array<int64_t, 3>, 6>{{{64, 64, 64},
                                                                 {33, 65, 129},
                                                                 {300, 2100, 40},
                                                                 {97, 47, 300},
                                                                 {64, 100, 784},
                                                                 {32, 300, 600}}})
      for (int flags = 0; flags < 4; ++flags)
        list.push_back({m, n, k, 1, bool(flags & 1), bool(flags & 2), false, false, MatmulType::F32,
                        precision});
  return list;
}

TEST(MatmulKernel, AgreesWithF64) {
  for (MatmulDesc d : shapes())
    for (bool bias : {false, true}) {
      if (!bias && d.m * d.n * d.k > 8 << 20)
        continue; // for time
      d.bias = bias;
      Operands in(d);
      std::vector<float> got = run(d, in);
      std::vector<double> expected = naive(d, in);
      double worst = 0;
      for (size_t i = 0; i < got.size(); ++i)
        worst = std::max(worst, std::fabs(got[i] - expected[i]));
      EXPECT_LT(worst, 1.2e-7 * 2 * std::sqrt(double(d.k)) * 8) << describe(d);
    }
}

/// Whether a product has as many parts as its blocks. Without AVX-512 the blocks of some shapes
/// have other bits than the whole product, and makeMatmul() then makes one part. Which shapes these
/// are depends on the CPU (its caches too), so no test lists them.
bool areSharedAsPlanned(const MatmulDesc &d, uint32_t threads, size_t parts) {
  const size_t blocks = isDirect(d)   ? directParts(d, threads)
                        : isPacked(d) ? packedParts(d, threads)
                                      : std::max<size_t>(1, blocksOf(d, threads).size());
  return parts == blocks || (parts == 1 && !base::hasCpuFeatures({"avx512f"}));
}

TEST(MatmulKernel, SaysHowItIsMade) {
  auto kernel = makeMatmul({64, 72, 64, 1, false, false, false, false, MatmulType::F32}, 1 << 30);
  ASSERT_TRUE(kernel.ok()) << kernel.status();
  EXPECT_TRUE(std::regex_match(
      (*kernel)->algorithm(),
      std::regex(
          "CPU: oneDNN \\d+\\.\\d+\\.\\d+ .+ for (AVX|SSE|another CPU).*, caches of \\d+ and \\d+ bytes")))
      << (*kernel)->algorithm();
  // A few rows times a large matrix have a kernel of their own, for any number of threads. With a
  // smaller matrix they do not use the library (with AVX-512 up to dozens of rows).
  const bool avx512 = base::hasCpuFeatures({"avx512f"});
  EXPECT_EQ(absl::StrContains((*kernel)->algorithm(), "brg"), avx512) << (*kernel)->algorithm();
  for (int64_t m : {2, 64, 96}) {
    ThreadPool pool(2);
    const MatmulDesc d{m, 1024, 2048, 1, false, false, false, false, MatmulType::F32};
    kernel = makeMatmul(d, 1 << 30, &pool);
    ASSERT_TRUE(kernel.ok()) << kernel.status();
    EXPECT_TRUE(absl::StrContains((*kernel)->algorithm(), "gemm:jit") || !avx512)
        << (*kernel)->algorithm();
    EXPECT_EQ(blocksOf(d, 2).size(), m >= 64 ? 2u : 0u);
    EXPECT_TRUE(areSharedAsPlanned(d, 2, (*kernel)->parts()))
        << describe(d) << ": " << (*kernel)->parts();
  }
  for (int64_t m : {8, 64}) {
    const MatmulDesc d{m, 512, 1024};
    kernel = makeMatmul(d, 1 << 30);
    ASSERT_TRUE(kernel.ok()) << kernel.status();
    EXPECT_TRUE(isDirect(d) || m == 64);
    EXPECT_EQ((*kernel)->algorithm() == absl::StrCat("CPU: kernels for ", simdKernels().name),
              isDirect(d))
        << (*kernel)->algorithm();
  }
  MatmulDesc rounded{
      64, 64, 64, 1, false, false, false, false, MatmulType::F32, MatmulPrecision::Tf32};
  kernel = makeMatmul(rounded, 1 << 30);
  ASSERT_TRUE(kernel.ok()) << kernel.status();
  EXPECT_EQ((*kernel)->algorithm() == "CPU: AMX, factors of 2 bf16", hasMatrixUnit())
      << (*kernel)->algorithm();
  if (hasMatrixUnit())
    EXPECT_EQ(
        std::string(makeMatmul(rounded, 0).status().message()),
        "matmul f32 64x64x64 tf32: the library needs 16512 bytes of scratch on this CPU, the plan gives 0; "
        "compile the plan on this kind "
        "of machine");
}

// The error of a factor that is rounded to nearest: of 8 bits, of 16. Sums add (k + 2) 2^-24 of
// their terms' sizes.
TEST(MatmulKernel, RoundsFactorsNoMoreThanItSays) {
  for (const MatmulDesc &d : roundedShapes()) {
    ASSERT_TRUE(isForMatrixUnit(d)) << describe(d);
    Operands in(d), sizes(d);
    std::vector<float> got = run(d, in);
    std::vector<double> expected = naive(d, in);
    for (auto &[memory, count] : {std::pair{&sizes.a, d.m * d.k}, std::pair{&sizes.b, d.k * d.n}})
      for (int64_t i = 0; i < count; ++i)
        reinterpret_cast<float *>(memory->data())[i] =
            std::fabs(reinterpret_cast<float *>(memory->data())[i]);
    std::vector<double> terms = naive(d, sizes);
    const double factor = d.precision == MatmulPrecision::Bf16
                              ? 0x1p-9
                              : 0x1p-17; // of two pieces: the rest of each, and what is left out
    double worst = 0;
    for (size_t i = 0; i < got.size(); ++i)
      worst = std::max(worst, std::fabs(got[i] - expected[i]) / terms[i]);
    EXPECT_LT(worst, 2 * factor + factor * factor + double(d.k + 2) * 0x1p-24) << describe(d);
    if (hasMatrixUnit() && d.precision == MatmulPrecision::Bf16)
      EXPECT_GT(worst, 0x1p-14) << describe(d) << ": is not rounded";
    if (!hasMatrixUnit()) {
      MatmulDesc ieee = d;
      ieee.precision = MatmulPrecision::Ieee;
      EXPECT_EQ(got, run(ieee, in))
          << describe(d) << ": a wish that this CPU has no faster way to follow";
    }
  }
}

// Infinities, NaN and what is too large for bf16 give what f32 gives, and nothing beside them
// changes a bit.
TEST(MatmulKernel, RoundsNoInfinityToNaN) {
  for (MatmulPrecision precision : {MatmulPrecision::Tf32, MatmulPrecision::Bf16})
    for (int flags = 0; flags < 4; ++flags) {
      const MatmulDesc d{
          70,       50, 90, 1, bool(flags & 1), bool(flags & 2), false, false, MatmulType::F32,
          precision};
      Operands in(d);
      std::vector<float> before = run(d, in);
      auto a = [&](int64_t i, int64_t l) -> float & {
        return reinterpret_cast<float *>(in.a.data())[d.transposeA ? l * d.m + i : i * d.k + l];
      };
      auto b = [&](int64_t l, int64_t j) -> float & {
        return reinterpret_cast<float *>(in.b.data())[d.transposeB ? j * d.k + l : l * d.n + j];
      };
      const float infinity = std::numeric_limits<float>::infinity();
      a(3, 7) = infinity;
      a(40, 80) = std::nanf("");
      a(69, 89) = 3.4e38f; // rounds to infinity
      b(5, 49) = -infinity;
      std::vector<float> got = run(d, in);
      for (int64_t i = 0; i < d.m; ++i)
        for (int64_t j = 0; j < d.n; ++j) {
          const float value = got[size_t(i * d.n + j)];
          SCOPED_TRACE(describe(d) + " at " + std::to_string(i) + ", " + std::to_string(j));
          if (i == 40 || (i == 3 && j == 49 && (b(7, 49) > 0) == (a(3, 5) > 0)))
            EXPECT_TRUE(std::isnan(value)) << value;
          else if (i == 3)
            EXPECT_EQ(value, b(7, j) > 0 ? infinity : -infinity);
          else if (j == 49)
            EXPECT_EQ(value, a(i, 5) > 0 ? -infinity : infinity);
          else if (i == 69 && precision == MatmulPrecision::Tf32)
            EXPECT_NEAR(value / 3.4e38, double(b(89, j)), 1e-6);
          else if (i != 69)
            EXPECT_EQ(value, before[size_t(i * d.n + j)]);
        }
    }
}

// The numerical contract: what is fused may not change a bit against the parts.
TEST(MatmulKernel, FusedBiasAndReluKeepTheBits) {
  std::vector<MatmulDesc> all = shapes();
  for (const MatmulDesc &d : roundedShapes())
    all.push_back(d);
  for (MatmulDesc d : all) {
    Operands in(d);
    std::vector<float> plain = run(d, in);
    for (int fused = 1; fused < 4; ++fused) {
      d.bias = fused & 1, d.relu = fused & 2;
      std::vector<float> expected = plain, got = run(d, in);
      for (size_t i = 0; i < expected.size(); ++i) {
        if (d.bias)
          expected[i] += in.at(in.bias)[i % size_t(d.n)];
        if (d.relu)
          expected[i] = expected[i] > 0 ? expected[i] : 0.0f;
      }
      size_t different = 0;
      for (size_t i = 0; i < got.size(); ++i)
        different += memcmp(&got[i], &expected[i], 4) != 0 && !(got[i] == 0 && expected[i] == 0);
      EXPECT_EQ(different, 0u) << describe(d) << ": of " << got.size();
    }
  }
}

TEST(MatmulKernel, TheSameCallGivesTheSameBits) {
  MatmulDesc d{128, 512, 784, 1, false, false, true, true, MatmulType::F32};
  Operands in(d);
  EXPECT_EQ(run(d, in), run(d, in));
}

TEST(MatmulKernel, BlocksCoverTheResultOnce) {
  for (const MatmulDesc &d : shapes())
    for (uint32_t threads : {1, 2, 3, 7, 100}) {
      int64_t next = 0;
      std::vector<MatmulBlock> blocks = blocksOf(d, threads);
      for (const MatmulBlock &block : blocks) {
        EXPECT_EQ(block.first, next) << describe(d);
        EXPECT_TRUE(d.batch == 1 || block.desc.m == d.m) << describe(d);
        next += d.batch == 1 ? block.desc.m : block.desc.batch;
      }
      const int64_t all = d.batch == 1 ? d.m : d.batch;
      EXPECT_TRUE(blocks.empty() || (blocks.size() > 1 && blocks.size() <= threads && next == all))
          << describe(d);
    }
}

// What no step is made along has no say in which kernel is taken.
TEST(MatmulKernel, ARowIsARowHoweverItIsStored) {
  auto same = [](const MatmulDesc &a, const MatmulDesc &b) {
    GraphcMatmulDesc x = wholeOf(a), y = wholeOf(b);
    return memcmp(&x, &y, sizeof x) == 0;
  };
  EXPECT_TRUE(same({1, 64, 2000, 1, false}, {1, 64, 2000, 1, true}));
  EXPECT_TRUE(same({64, 1, 2000, 1, false, false}, {64, 1, 2000, 1, false, true}));
  EXPECT_TRUE(same({64, 32, 1, 1, false, false}, {64, 32, 1, 1, true, true}));
  EXPECT_TRUE(same({1, 1, 1, 1, false, false}, {1, 1, 1, 1, true, true}));
  EXPECT_FALSE(same({2, 64, 2000, 1, false}, {2, 64, 2000, 1, true}));
}

TEST(MatmulKernel, ThreadsKeepTheBits) {
  ThreadPool two(2), three(3), eight(8);
  for (auto [m, n, k] : blockShapes)
    for (int flags = 0; flags < 4; ++flags) {
      MatmulDesc d{
          m, n, k, 1, bool(flags & 1), bool(flags & 2), true, bool(flags & 1), MatmulType::F32};
      Operands in(d);
      for (MatmulPrecision precision :
           {MatmulPrecision::Ieee, MatmulPrecision::Tf32, MatmulPrecision::Bf16}) {
        d.precision = precision;
        const std::vector<float> alone = run(d, in);
        for (ThreadPool *pool : {&two, &three, &eight}) {
          uint32_t parts = 0;
          EXPECT_EQ(alone, run(d, in, pool, &parts))
              << describe(d) << ", threads: " << pool->threads();
          if (precision == MatmulPrecision::Ieee)
            EXPECT_TRUE(areSharedAsPlanned(d, pool->threads(), parts))
                << describe(d) << ": " << parts;
          else
            EXPECT_TRUE(parts > 1 || !hasMatrixUnit() || !isForMatrixUnit(d) || d.m < 64 ||
                        d.m * d.n * d.k < 16 << 20)
                << describe(d);
        }
      }
    }
}

TEST(MatmulKernel, ThreadsShareMatricesOfABatch) {
  ThreadPool two(2), three(3), eight(8);
  for (auto [m, n, k] : batchShapes)
    for (int64_t batch : {2, 7, 40}) // of the last some are tried
      for (int flags = 0; flags < 4; ++flags) {
        if (batch == 40 && m * n * k > 4 << 20)
          continue;
        const MatmulDesc d{m,
                           n,
                           k,
                           batch,
                           bool(flags & 1),
                           bool(flags & 2),
                           true,
                           bool(flags & 1),
                           MatmulType::F32};
        Operands in(d);
        const std::vector<float> alone = run(d, in);
        for (ThreadPool *pool : {&two, &three, &eight}) {
          uint32_t parts = 0;
          EXPECT_EQ(alone, run(d, in, pool, &parts))
              << describe(d) << ", threads: " << pool->threads();
          EXPECT_TRUE(areSharedAsPlanned(d, pool->threads(), parts))
              << describe(d) << ": " << parts;
        }
      }
}

/// The bits of a matrix of a batch are those in a batch of another size.
TEST(MatmulKernel, ABatchOfAnotherSizeHasTheSameBits) {
  for (auto [m, n, k] : batchShapes)
    for (int flags = 0; flags < 4; ++flags) {
      MatmulDesc d{m, n, k, 7, bool(flags & 1), bool(flags & 2), false, false, MatmulType::F32};
      Operands in(d);
      std::vector<float> seven = run(d, in);
      d.batch = 3;
      std::vector<float> three = run(d, in);
      EXPECT_EQ(three, std::vector<float>(seven.begin(), seven.begin() + 3 * m * n)) << describe(d);
    }
}

TEST(MatmulKernel, TooLittleScratchIsRefused) {
  MatmulDesc d{128, 500, 784, 1, false, false, false, false, MatmulType::F32};
  uint64_t needed = *matmulScratchBytes(d);
  EXPECT_EQ(needed % 64, 0u);
  if (needed == 0)
    GTEST_SKIP() << "no scratch needed on this CPU";
  absl::Status status = makeMatmul(d, 0).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
  EXPECT_NE(std::string(status.message()).find("matmul f32 128x500x784: the library needs"),
            std::string::npos);
}

TEST(MatmulKernel, ImpossibleDescriptorsAreErrors) {
  EXPECT_FALSE(matmulScratchBytes({0, 1, 1}).ok());
  EXPECT_FALSE(matmulScratchBytes({1, 1, 1, 0}).ok());
}

} // namespace
} // namespace graphc::kernels
