#include "runtime/device/Memory.h"
#include "runtime/kernels/Blocks.h"
#include "runtime/kernels/DirectMatmul.h"
#include "runtime/kernels/LibraryKernel.h"
#include "runtime/kernels/NarrowMatmul.h"
#include "runtime/kernels/Simd.h"
#include "runtime/kernels/TileMatmul.h"

#include <gtest/gtest.h>

#include "absl/strings/match.h"
#include <algorithm>

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <regex>
#include <vector>

namespace graphc::kernels {
namespace {

device::Memory floats(int64_t count, uint32_t seed) {
  device::Memory memory = *device::Memory::allocate(uint64_t(count) * 4, device::Memory::Guard::Pages, "test");
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> draw(-1, 1);
  for (int64_t i = 0; i < count; ++i)
    reinterpret_cast<float *>(memory.data())[i] = draw(random);
  return memory;
}

struct Operands {
  explicit Operands(const MatmulDesc &d)
      : a(floats(d.batch * d.m * d.k, 1)), b(floats(d.batch * d.k * d.n, 2)), bias(floats(d.n, 3)) {}
  device::Memory a, b, bias;
  const float *at(const device::Memory &m) const { return reinterpret_cast<const float *>(m.data()); }
};

std::vector<float> run(const MatmulDesc &d, const Operands &in, Pool *pool = nullptr, uint32_t *parts = nullptr) {
  uint64_t scratchBytes = *matmulScratchBytes(d);
  auto kernel = makeMatmul(d, scratchBytes, pool);
  EXPECT_TRUE(kernel.ok()) << kernel.status();
  if (parts)
    *parts = (*kernel)->parts();
  device::Memory c = floats(d.batch * d.m * d.n, 9);
  device::Memory scratch = *device::Memory::allocate(scratchBytes, device::Memory::Guard::Pages, "scratch");
  std::vector<void *> buffers = {in.a.data(), in.b.data()};
  if (d.bias)
    buffers.push_back(in.bias.data());
  buffers.push_back(c.data());
  buffers.push_back(scratch.data());
  EXPECT_EQ((*kernel)->run(buffers.data()), 0);
  std::vector<float> out(size_t(d.batch * d.m * d.n));
  memcpy(out.data(), c.data(), out.size() * 4);
  return out;
}

/// c += a * b, the reference itself: a sanitizer that watches each of its loads makes a minute of a second.
__attribute__((no_sanitize("address", "thread", "undefined"))) void addProduct(const MatmulDesc &d, const float *a,
                                                                               const float *b, double *c) {
  std::vector<double> memory(size_t(d.k));
  double *column = memory.data();
  for (int64_t j = 0; j < d.n; ++j) {
    for (int64_t l = 0; l < d.k; ++l)
      column[l] = b[d.transposeB ? j * d.k + l : l * d.n + j];
    for (int64_t i = 0; i < d.m; ++i) {
      double sum[4] = {}; // four chains, for speed
      for (int64_t l = 0; l < d.k; ++l)
        sum[l % 4] += a[d.transposeA ? l * d.m + i : i * d.k + l] * column[l];
      c[i * d.n + j] += sum[0] + sum[1] + sum[2] + sum[3];
    }
  }
}

std::vector<double> naive(const MatmulDesc &d, const Operands &in) {
  std::vector<double> c(size_t(d.batch * d.m * d.n));
  for (size_t i = 0; d.bias && i < c.size(); ++i)
    c[i] = in.at(in.bias)[i % size_t(d.n)];
  for (int64_t s = 0; s < d.batch; ++s)
    addProduct(d, in.at(in.a) + s * d.m * d.k, in.at(in.b) + s * d.k * d.n, c.data() + s * d.m * d.n);
  for (double &value : c)
    value = d.relu ? std::max(value, 0.0) : value;
  return c;
}

constexpr std::array<int64_t, 3> blockShapes[] = {{128, 512, 784},  {300, 500, 200}, {100, 40, 3000},  {1700, 17, 1000},
                                                  {64, 1024, 1024}, {96, 1024, 512}, {128, 1024, 1024}};

/// Few columns, with edges of every kind.
std::vector<MatmulDesc> narrowShapes() {
  std::vector<MatmulDesc> list;
  for (auto [m, k] : {std::array<int64_t, 2>{16, 9}, {17, 2}, {63, 33}, {81, 300}, {500, 100}, {1000, 70}})
    for (int64_t n = 1; n <= kMostNarrow; ++n)
      for (bool tb : {false, true})
        list.push_back({m, n, k, 1, true, tb, false, false, MatmulType::F32});
  for (int64_t k : {32, 33, 100, 513})
    for (int64_t m : {1, 2, 5, 70})
      for (int flags = 0; flags < 4; ++flags)
        if (m == 1 || !(flags & 1))
          list.push_back({m, 1, k, 1, bool(flags & 1), bool(flags & 2), false, false, MatmulType::F32});
  for (auto [n, k] : {std::array<int64_t, 2>{16, 32}, {17, 33}, {100, 2}, {1000, 129}, {20000, 50}}) // one row
    for (bool tb : {false, true})
      if (!tb || k >= 32)
        list.push_back({1, n, k, 1, false, tb, false, false, MatmulType::F32});
  return list;
}

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
  for (auto [m, n, k] : {std::array<int64_t, 3>{2, 512, 256}, {13, 528, 300}, {100, 80, 100}}) // DirectMatmul.h
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
  for (Precision precision : {Precision::Tf32, Precision::Bf16})
    for (auto [m, n, k] : std::array<std::array<int64_t, 3>, 6>{
             {{64, 64, 64}, {33, 65, 129}, {300, 2100, 40}, {97, 47, 300}, {64, 100, 784}, {32, 300, 600}}})
      for (int flags = 0; flags < 4; ++flags)
        list.push_back({m, n, k, 1, bool(flags & 1), bool(flags & 2), false, false, MatmulType::F32, precision});
  return list;
}

TEST(Matmul, AgreesWithF64) {
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

TEST(Matmul, SaysHowItIsMade) {
  auto kernel = makeMatmul({64, 72, 64, 1, false, false, false, false, MatmulType::F32}, 1 << 30);
  ASSERT_TRUE(kernel.ok()) << kernel.status();
  EXPECT_TRUE(std::regex_match(
      (*kernel)->algorithm(),
      std::regex("CPU: oneDNN \\d+\\.\\d+\\.\\d+ .+ for (AVX|SSE|another CPU).*, caches of \\d+ and \\d+ bytes")))
      << (*kernel)->algorithm();
  // Few rows by a large matrix have a kernel of their own, however many threads share them. Of a smaller one they are not the library's, where there is
  // AVX-512.
  const bool avx512 = __builtin_cpu_supports("avx512f");
  EXPECT_EQ(absl::StrContains((*kernel)->algorithm(), "brg"), avx512) << (*kernel)->algorithm();
  for (int64_t m : {2, 64, 96}) {
    Pool pool(2);
    kernel = makeMatmul({m, 1024, 2048, 1, false, false, false, false, MatmulType::F32}, 1 << 30, &pool);
    ASSERT_TRUE(kernel.ok()) << kernel.status();
    EXPECT_TRUE(absl::StrContains((*kernel)->algorithm(), "gemm:jit") || !avx512) << (*kernel)->algorithm();
    EXPECT_EQ((*kernel)->parts(), avx512 && m >= 64 ? 2u : 1u);
  }
  EXPECT_EQ(hasDirect(), avx512 && __builtin_cpu_supports("avx512vl"));
  kernel = makeMatmul({64, 512, 1024, 1, false, false, false, false, MatmulType::F32}, 1 << 30);
  ASSERT_TRUE(kernel.ok()) << kernel.status();
  EXPECT_EQ((*kernel)->algorithm() == "CPU: kernels for AVX-512", hasDirect()) << (*kernel)->algorithm();
  MatmulDesc rounded{64, 64, 64, 1, false, false, false, false, MatmulType::F32, Precision::Tf32};
  kernel = makeMatmul(rounded, 1 << 30);
  ASSERT_TRUE(kernel.ok()) << kernel.status();
  EXPECT_EQ((*kernel)->algorithm() == "CPU: AMX, factors of 2 bf16", hasMatrixUnit()) << (*kernel)->algorithm();
  if (hasMatrixUnit())
    EXPECT_EQ(std::string(makeMatmul(rounded, 0).status().message()),
              "matmul f32 64x64x64 tf32: the library needs 16512 bytes of scratch on this CPU, the plan gives 0; "
              "compile the plan on this kind "
              "of machine");
}

// The error of a factor that is rounded to nearest: of 8 bits, of 16. Sums add (k + 2) 2^-24 of their terms' sizes.
TEST(Matmul, RoundsFactorsNoMoreThanItSays) {
  for (const MatmulDesc &d : roundedShapes()) {
    ASSERT_TRUE(isForMatrixUnit(d)) << describe(d);
    Operands in(d), sizes(d);
    std::vector<float> got = run(d, in);
    std::vector<double> expected = naive(d, in);
    for (auto &[memory, count] : {std::pair{&sizes.a, d.m * d.k}, std::pair{&sizes.b, d.k * d.n}})
      for (int64_t i = 0; i < count; ++i)
        reinterpret_cast<float *>(memory->data())[i] = std::fabs(reinterpret_cast<float *>(memory->data())[i]);
    std::vector<double> terms = naive(d, sizes);
    const double factor =
        d.precision == Precision::Bf16 ? 0x1p-9 : 0x1p-17; // of two pieces: the rest of each, and what is left out
    double worst = 0;
    for (size_t i = 0; i < got.size(); ++i)
      worst = std::max(worst, std::fabs(got[i] - expected[i]) / terms[i]);
    EXPECT_LT(worst, 2 * factor + factor * factor + double(d.k + 2) * 0x1p-24) << describe(d);
    if (hasMatrixUnit() && d.precision == Precision::Bf16)
      EXPECT_GT(worst, 0x1p-14) << describe(d) << ": is not rounded";
    if (!hasMatrixUnit()) {
      MatmulDesc ieee = d;
      ieee.precision = Precision::Ieee;
      EXPECT_EQ(got, run(ieee, in)) << describe(d) << ": a wish that this CPU has no faster way to follow";
    }
  }
}

// Infinities, NaN and what is too large for bf16 give what f32 gives, and nothing beside them changes a bit.
TEST(Matmul, RoundsNoInfinityToNaN) {
  for (Precision precision : {Precision::Tf32, Precision::Bf16})
    for (int flags = 0; flags < 4; ++flags) {
      const MatmulDesc d{70, 50, 90, 1, bool(flags & 1), bool(flags & 2), false, false, MatmulType::F32, precision};
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
          else if (i == 69 && precision == Precision::Tf32)
            EXPECT_NEAR(value / 3.4e38, double(b(89, j)), 1e-6);
          else if (i != 69)
            EXPECT_EQ(value, before[size_t(i * d.n + j)]);
        }
    }
}

// The numerical contract: what is fused may not change a bit against the parts.
TEST(Matmul, FusedBiasAndReluKeepTheBits) {
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

TEST(Matmul, TheSameCallGivesTheSameBits) {
  MatmulDesc d{128, 512, 784, 1, false, false, true, true, MatmulType::F32};
  Operands in(d);
  EXPECT_EQ(run(d, in), run(d, in));
}

TEST(Matmul, BlocksCoverTheResultOnce) {
  for (const MatmulDesc &d : shapes())
    for (uint32_t threads : {1, 2, 3, 7, 100}) {
      int64_t next = 0;
      std::vector<Block> blocks = blocksOf(d, threads);
      for (const Block &block : blocks) {
        EXPECT_EQ(block.first, next) << describe(d);
        next += block.desc.m;
      }
      EXPECT_TRUE(blocks.empty() || (blocks.size() > 1 && blocks.size() <= threads && next == d.m)) << describe(d);
    }
}

// Which products have kernels of their own follows from the shape; no kind of CPU needs scratch memory for them. Where multiply-adds are rounded once, and
// vectors go along the rows of what is stored, their bits are those of every such CPU: a chain in k's order, which a program of three loops has too.
TEST(Matmul, FewColumns) {
  for (MatmulDesc d : narrowShapes()) {
    ASSERT_TRUE(isNarrow(d)) << describe(d);
    EXPECT_EQ(*matmulScratchBytes(d), 0u);
    EXPECT_TRUE(absl::StartsWith((*makeMatmul(d, 0))->algorithm(), "CPU: kernels for ")) << describe(d);
    // Dots are summed by as many chains as a vector has elements.
    if (d.m == 1 ? d.n == 1 || d.transposeB : !d.transposeA)
      continue;
    Operands in(d);
    std::vector<float> chains(size_t(d.m * d.n));
    for (int64_t i = 0; i < d.m; ++i)
      for (int64_t j = 0; j < d.n; ++j)
        for (int64_t l = 0; l < d.k; ++l)
          chains[size_t(i * d.n + j)] =
              std::fma(in.at(in.a)[d.transposeA ? l * d.m + i : i * d.k + l],
                       in.at(in.b)[d.transposeB ? j * d.k + l : l * d.n + j], chains[size_t(i * d.n + j)]);
    for (const SimdKernels *kernels : {&kSimdAvx2, &kSimdAvx512}) {
      if (!(kernels == &kSimdAvx2 ? __builtin_cpu_supports("avx2") : __builtin_cpu_supports("avx512bw")))
        continue;
      std::vector<float> got(chains.size());
      void *buffers[] = {in.a.data(), in.b.data(), got.data()};
      EXPECT_EQ(makeNarrowMatmul(d, nullptr, *kernels)->run(buffers), 0);
      EXPECT_EQ(memcmp(got.data(), chains.data(), chains.size() * 4), 0) << kernels->name << ": " << describe(d);
    }
  }
  for (const MatmulDesc &d : {MatmulDesc{64, 17, 64, 1, true},
                              {15, 10, 64, 1, true},
                              {64, 2, 64},
                              {64, 1, 31},
                              {1, 64, 31, 1, false, true},
                              {1, 15, 64},
                              {64, 10, 1, 1, true},
                              {64, 10, 64, 2, true},
                              {0, 1, 64}})
    EXPECT_FALSE(isNarrow(d)) << describe(d);
}

// Operands that a cache holds: each element is one chain, in whatever tile and whoever makes it.
TEST(Matmul, OperandsThatACacheHolds) {
  for (const MatmulDesc &d : {MatmulDesc{2, 512, 256},
                              {7, 80, 33},
                              {12, 64, 2048},
                              {13, 528, 300},
                              {100, 1024, 512},
                              {128, 512, 1024},
                              {33, 512, 256, 1, true},
                              {784, 144, 65, 1, true},
                              {500, 512, 100, 1, true}}) {
    ASSERT_TRUE(isDirect(d)) << describe(d);
    if (!hasDirect())
      continue;
    Operands in(d);
    std::vector<float> got = run(d, in);
    size_t different = 0;
    for (int64_t i = 0; i < d.m; i += d.m > 35 ? 9 : 1) // for time
      for (int64_t j = 0; j < d.n; ++j) {
        float chain = 0;
        for (int64_t l = 0; l < d.k; ++l)
          chain = std::fma(in.at(in.a)[d.transposeA ? l * d.m + i : i * d.k + l], in.at(in.b)[l * d.n + j], chain);
        different += got[size_t(i * d.n + j)] != chain;
      }
    EXPECT_EQ(different, 0u) << describe(d);
    for (uint32_t threads : {2, 3, 100}) {
      Pool pool(threads);
      uint32_t parts = 0;
      EXPECT_EQ(got, run(d, in, &pool, &parts)) << describe(d) << ", threads: " << threads;
      EXPECT_EQ(parts, directParts(d, threads));
    }
    EXPECT_TRUE(makeMatmul(d, 0).ok()) << describe(d) << ": needs no scratch memory";
  }
  EXPECT_EQ(directParts({128, 512, 784}, 2), 2u);
  EXPECT_EQ(directParts({2, 512, 256}, 2), 1u); // too little
  EXPECT_EQ(directParts({1000, 64, 131, 1, true}, 8), 1u); // too few columns
  for (const MatmulDesc &d : {MatmulDesc{1, 512, 512},
                              {64, 520, 512},
                              {64, 48, 512},
                              {64, 512, 31},
                              {64, 528, 1024},
                              {257, 512, 512},
                              {64, 512, 512, 2},
                              {64, 512, 512, 1, false, true},
                              {512, 512, 257, 1, true},
                              {512, 528, 64, 1, true},
                              {1024, 512, 64, 1, true}})
    EXPECT_FALSE(isDirect(d)) << describe(d);
}

TEST(Matmul, ThreadsShareFewColumns) {
  for (uint32_t threads : {2, 3, 8}) {
    Pool pool(threads);
    for (MatmulDesc d : {MatmulDesc{4000, 10, 300, 1, true, false, true, true},
                         {5003, 1, 600, 1, true},
                         {1999, 16, 999, 1, true, true},
                         {3001, 1, 500, 1, false, false, true},
                         {1, 4999, 400, 1, false, false, true},
                         {1, 2999, 500, 1, false, true, true, true}}) {
      Operands in(d);
      uint32_t parts = 0;
      EXPECT_EQ(run(d, in), run(d, in, &pool, &parts)) << describe(d) << ", threads: " << threads;
      EXPECT_EQ(parts, narrowParts(d, threads)) << describe(d);
      EXPECT_GT(parts, 1u) << describe(d);
    }
  }
  EXPECT_EQ(narrowParts({512, 10, 128, 1, true}, 8), 1u); // too little
  EXPECT_EQ(narrowParts({16, 16, 1 << 20, 1, true}, 8), 1u); // too few rows
}

// relu keeps NaN.
TEST(Matmul, FewColumnsKeepNaN) {
  for (const MatmulDesc &d : {MatmulDesc{40, 3, 50, 1, true, false, false, true},
                              {40, 1, 50, 1, true, false, false, true},
                              {40, 1, 50, 1, false, false, false, true}}) {
    Operands in(d);
    reinterpret_cast<float *>(in.a.data())[d.transposeA ? 5 * d.m + 7 : 7 * d.k + 5] = std::nanf("");
    std::vector<float> got = run(d, in);
    for (int64_t i = 0; i < d.m; ++i)
      for (int64_t j = 0; j < d.n; ++j)
        EXPECT_EQ(std::isnan(got[size_t(i * d.n + j)]), i == 7) << describe(d) << " at " << i << ", " << j;
  }
}

// What no step is made along has no say in which kernel is taken.
TEST(Matmul, ARowIsARowHoweverItIsStored) {
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

TEST(Matmul, ThreadsKeepTheBits) {
  for (uint32_t threads : {2, 3, 8}) {
    Pool pool(threads);
    for (auto [m, n, k] : blockShapes)
      for (int flags = 0; flags < 4; ++flags) {
        MatmulDesc d{m, n, k, 1, bool(flags & 1), bool(flags & 2), true, bool(flags & 1), MatmulType::F32};
        Operands in(d);
        uint32_t parts = 0;
        EXPECT_EQ(run(d, in), run(d, in, &pool, &parts)) << describe(d) << ", threads: " << threads;
        // Before AVX-512 the library's blocks have other bits than the whole for some shapes: these are not shared.
        const size_t blocks =
            isDirect(d) && hasDirect() ? directParts(d, threads) : std::max<size_t>(1, blocksOf(d, threads).size());
        EXPECT_TRUE(parts == blocks || (parts == 1 && !__builtin_cpu_supports("avx512f"))) << parts << describe(d);
        for (Precision precision : {Precision::Tf32, Precision::Bf16}) {
          d.precision = precision;
          EXPECT_EQ(run(d, in), run(d, in, &pool, &parts)) << describe(d) << ", threads: " << threads;
          EXPECT_TRUE(parts > 1 || !hasMatrixUnit() || !isForMatrixUnit(d) || d.m < 64 || d.m * d.n * d.k < 16 << 20)
              << describe(d);
        }
      }
  }
}

TEST(Matmul, TooLittleScratchIsRefused) {
  MatmulDesc d{128, 500, 784, 1, false, false, false, false, MatmulType::F32};
  uint64_t needed = *matmulScratchBytes(d);
  EXPECT_EQ(needed % 64, 0u);
  if (needed == 0)
    GTEST_SKIP() << "no scratch needed on this CPU";
  absl::Status status = makeMatmul(d, 0).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
  EXPECT_NE(std::string(status.message()).find("matmul f32 128x500x784: the library needs"), std::string::npos);
}

TEST(Matmul, ImpossibleDescriptorsAreErrors) {
  EXPECT_FALSE(matmulScratchBytes({0, 1, 1}).ok());
  EXPECT_FALSE(matmulScratchBytes({1, 1, 1, 0}).ok());
}

} // namespace
} // namespace graphc::kernels
