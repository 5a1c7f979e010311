// Products by kernels of this project: NarrowMatmul.h, DirectMatmul.h and PackedMatmul.h.
#include "runtime/kernels/DirectMatmul.h"
#include "runtime/kernels/NarrowMatmul.h"
#include "runtime/kernels/PackedMatmul.h"
#include "test/runtime/kernels/MatmulRun.h"

#include "absl/strings/match.h"

#include <cmath>

namespace graphc::kernels {
namespace {

/// Those that this CPU can run.
std::vector<const SimdKernels *> kindsHere() {
  std::vector<const SimdKernels *> kinds = {&kSimdBase};
  if (&simdKernels() != &kSimdBase)
    kinds.push_back(&kSimdAvx2);
  if (&simdKernels() == &kSimdAvx512)
    kinds.push_back(&kSimdAvx512);
  return kinds;
}

// An error that grows with the sum's length, as that of one chain of positive products, would be
// some 1e-5 of it here.
TEST(OwnMatmul, LongSumsStayExact) {
  for (const MatmulDesc &d : {MatmulDesc{16, 2, 200000, 1, true},
                              {17, 1, 200000, 1, true},
                              {1, 33, 200000},
                              {3, 1, 200000},
                              {1, 2, 200000, 1, false, true},
                              {8, 64, 1024}}) {
    Operands in(d);
    for (auto [memory, count] : {std::pair{&in.a, d.m * d.k}, std::pair{&in.b, d.k * d.n}})
      for (int64_t i = 0; i < count; ++i)
        reinterpret_cast<float *>(memory->data())[i] =
            std::fabs(reinterpret_cast<float *>(memory->data())[i]);
    const std::vector<float> got = run(d, in);
    const std::vector<double> expected = naive(d, in);
    for (size_t i = 0; i < expected.size(); ++i)
      EXPECT_LT(std::fabs(got[i] / expected[i] - 1), 4e-6) << describe(d);
  }
}

// Which products have kernels of their own follows from the shape; no kind of CPU needs scratch
// memory for them. Where multiply-adds are rounded once, and vectors go along the rows of what is
// stored, their bits are those of every such CPU: a chain in k's order, which a program of three
// loops has too.
TEST(OwnMatmul, FewColumns) {
  for (MatmulDesc d : narrowShapes()) {
    ASSERT_TRUE(isNarrow(d)) << describe(d);
    EXPECT_EQ(*matmulScratchBytes(d), 0u);
    EXPECT_TRUE(absl::StartsWith((*makeMatmul(d, 0))->algorithm(), "CPU: kernels for "))
        << describe(d);
    d.bias = d.n % 2, d.relu = d.n % 3 == 0;
    Operands in(d);
    const std::vector<double> expected = naive(d, in);
    // Dots are summed by as many chains as a vector has elements, and before AVX2 each product is
    // rounded.
    const bool isChain = d.m == 1 ? d.n > 1 && !d.transposeB : d.transposeA;
    std::vector<float> chains(size_t(d.m * d.n));
    for (int64_t i = 0; i < d.m; ++i)
      for (int64_t j = 0; j < d.n; ++j) {
        float &chain = chains[size_t(i * d.n + j)];
        for (int64_t l = 0; l < d.k; ++l)
          chain = std::fma(in.at(in.a)[d.transposeA ? l * d.m + i : i * d.k + l],
                           in.at(in.b)[d.transposeB ? j * d.k + l : l * d.n + j], chain);
        chain = d.bias ? chain + in.at(in.bias)[j] : chain;
        chain = d.relu ? std::max(chain, 0.0f) : chain;
      }
    for (const SimdKernels *kernels : kindsHere()) {
      device::MemoryRegion c = floats(d.m * d.n, 9); // nothing may be written behind it
      std::vector<void *> buffers = {in.a.data(), in.b.data()};
      if (d.bias)
        buffers.push_back(in.bias.data());
      buffers.push_back(c.data());
      EXPECT_EQ(makeNarrowMatmul(d, nullptr, *kernels)->run(buffers.data()), 0);
      if (isChain && kernels != &kSimdBase)
        EXPECT_EQ(memcmp(c.data(), chains.data(), chains.size() * 4), 0)
            << kernels->name << ": " << describe(d);
      double worst = 0;
      for (size_t i = 0; i < expected.size(); ++i)
        worst = std::max(worst, std::fabs(in.at(c)[i] - expected[i]));
      EXPECT_LT(worst, 1.2e-7 * 2 * std::sqrt(double(d.k)) * 8)
          << kernels->name << ": " << describe(d);
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

/// How many elements differ from one chain of multiply-adds each, rounded once each where `fuses`.
size_t offChain(const MatmulDesc &d, const Operands &in, const std::vector<float> &got,
                bool fuses) {
  size_t different = 0;
  for (int64_t i = 0; i < d.m; i += d.m > 35 ? 9 : 1) // for time
    for (int64_t j = 0; j < d.n; ++j) {
      float chain = 0;
      for (int64_t l = 0; l < d.k; ++l) {
        const float a = in.at(in.a)[d.transposeA ? l * d.m + i : i * d.k + l],
                    b = in.at(in.b)[l * d.n + j];
        chain = fuses ? std::fma(a, b, chain) : a * b + chain;
      }
      different += got[size_t(i * d.n + j)] != chain;
    }
  return different;
}

// Operands that a cache holds: each element is one chain, in whatever tile and whoever makes it.
TEST(OwnMatmul, OperandsThatACacheHolds) {
  for (const MatmulDesc &d : {MatmulDesc{2, 512, 256},
                              {3, 96, 40},
                              {4, 112, 40},
                              {5, 80, 33},
                              {8, 208, 90},
                              {7, 80, 33},
                              {12, 64, 1024},
                              {13, 528, 300},
                              {100, 1024, 512},
                              {128, 512, 1024},
                              {33, 512, 256, 1, true},
                              {784, 144, 65, 1, true},
                              {500, 512, 100, 1, true}}) {
    Operands in(d);
    for (const SimdKernels *kind : kindsHere()) {
      std::vector<float> got(size_t(d.m * d.n));
      SimdProduct product{};
      product.m = d.m, product.n = d.n, product.k = d.k, product.a = in.at(in.a),
      product.b = in.at(in.b);
      product.aRow = d.transposeA ? 1 : d.k, product.aColumn = d.transposeA ? d.m : 1,
      product.c = got.data();
      kind->direct(product, 0, 48);
      kind->direct(product, 48, d.n);
      EXPECT_EQ(offChain(d, in, got, kind != &kSimdBase), 0u) << describe(d) << ", " << kind->name;
    }
    EXPECT_EQ(isDirect(d), d.m * d.k <= simdKernels().mostDirect) << describe(d);
    if (!isDirect(d))
      continue;
    const std::vector<float> got = run(d, in);
    EXPECT_EQ(offChain(d, in, got, &simdKernels() != &kSimdBase), 0u) << describe(d);
    for (uint32_t threads : {2, 3, 100}) {
      ThreadPool pool(threads);
      uint32_t parts = 0;
      EXPECT_EQ(got, run(d, in, &pool, &parts)) << describe(d) << ", threads: " << threads;
      EXPECT_EQ(parts, directParts(d, threads));
    }
    EXPECT_TRUE(makeMatmul(d, 0).ok()) << describe(d) << ": needs no scratch memory";
  }
  EXPECT_EQ(directParts({128, 512, 784}, 2), 2u);
  EXPECT_EQ(directParts({2, 512, 256}, 2), 1u); // too little
  EXPECT_EQ(directParts({784, 144, 160, 1, true}, 2), 2u); // of three groups: rows
  EXPECT_EQ(directParts({40, 64, 1024}, 2), 1u); // of one, and too few rows
  for (const MatmulDesc &d : {MatmulDesc{1, 512, 512},
                              {64, 520, 512},
                              {64, 48, 512},
                              {64, 512, 31},
                              {64, 528, 1024},
                              {64, 64, 1025},
                              {257, 512, 512},
                              {64, 512, 512, 2},
                              {64, 512, 512, 1, false, true},
                              {512, 512, 257, 1, true},
                              {512, 528, 64, 1, true},
                              {1024, 512, 64, 1, true}})
    EXPECT_FALSE(isDirect(d)) << describe(d);
}

/// What an element of a packed product is: chains of multiply-adds over pieces of k of at most 320,
/// added in order; then the bias.
float inPieces(const MatmulDesc &d, const Operands &in, int64_t i, int64_t j) {
  const int64_t pieces = (d.k + 319) / 320;
  float sum = 0;
  for (int64_t piece = 0; piece < pieces; ++piece) {
    float chain = 0;
    for (int64_t l = d.k * piece / pieces; l < d.k * (piece + 1) / pieces; ++l)
      chain = std::fma(in.at(in.a)[d.transposeA ? l * d.m + i : i * d.k + l],
                       in.at(in.b)[d.transposeB ? j * d.k + l : l * d.n + j], chain);
    sum = piece == 0 ? chain : sum + chain;
  }
  sum = d.bias ? sum + in.at(in.bias)[j] : sum;
  return d.relu ? std::max(sum, 0.0f) : sum;
}

std::vector<float> runPacked(const MatmulDesc &d, const Operands &in, ThreadPool *pool) {
  device::MemoryRegion c = floats(d.m * d.n, 9); // nothing may be written behind it
  std::vector<void *> buffers = {in.a.data(), in.b.data()};
  if (d.bias)
    buffers.push_back(in.bias.data());
  buffers.push_back(c.data());
  EXPECT_EQ(makePackedMatmul(d, pool, kSimdAvx2)->run(buffers.data()), 0) << describe(d);
  return std::vector<float>(in.at(c), in.at(c) + d.m * d.n);
}

// Large operands, stored either way, copied or read where they lie, with edges of every kind.
TEST(OwnMatmul, PackedOperands) {
  if (&simdKernels() == &kSimdBase)
    GTEST_SKIP() << "this CPU has no AVX2";
  for (auto [m, n, k] : {std::array<int64_t, 3>{1, 1, 1},
                         {12, 32, 1},
                         {13, 33, 5},
                         {7, 130, 45},
                         {100, 32, 8}, // strips that fill an odd number of cache lines
                         {192, 16, 320},
                         {193, 127, 321},
                         {200, 129, 65},
                         {95, 1040, 640},
                         {390, 144, 37},
                         {24, 1024, 100}, // rows of whole pages
                         {48, 80, 1024},
                         {1024, 48, 33}})
    for (int flags = 0; flags < 4; ++flags) {
      MatmulDesc d{m, n, k, 1, bool(flags & 1), bool(flags & 2)};
      d.bias = flags != 1, d.relu = flags % 2;
      Operands in(d);
      const std::vector<float> got = runPacked(d, in, nullptr);
      size_t different = 0;
      for (int64_t i = 0; i < m; i += m > 100 && i > 30 && i < m - 40 ? 7 : 1) // for time
        for (int64_t j = 0; j < n; ++j)
          different += got[size_t(i * n + j)] != inPieces(d, in, i, j);
      EXPECT_EQ(different, 0u) << describe(d);
      for (uint32_t threads : {2, 3, 7}) {
        ThreadPool pool(threads);
        EXPECT_EQ(got, runPacked(d, in, &pool)) << describe(d) << ", threads: " << threads;
      }
    }
}

// It has products of a batch of one, from a dozen rows on, where it has a kernel for the CPU.
TEST(OwnMatmul, WhichOperandsArePacked) {
  for (const MatmulDesc &d : {MatmulDesc{12, 32, 64},
                              {128, 512, 784},
                              {1024, 256, 1024, 1, true},
                              {1024, 256, 1024, 1, false, true},
                              {96, 384, 2080, 1, true}}) {
    EXPECT_EQ(isPacked(d), &simdKernels() == &kSimdAvx2) << describe(d);
    if (!isPacked(d) || isDirect(d))
      continue;
    EXPECT_TRUE(makeMatmul(d, 0).ok()) << describe(d) << ": needs no scratch memory";
    EXPECT_EQ((*makeMatmul(d, 0))->algorithm(), "CPU: packed kernels for AVX2 and FMA");
    Operands in(d);
    EXPECT_EQ(run(d, in), runPacked(d, in, nullptr)) << describe(d);
  }
  for (const MatmulDesc &d : {MatmulDesc{11, 32, 64},
                              {12, 31, 64},
                              {100, 100, 100}, // 12 of 112 columns would be idle
                              {64, 32, 50000}, // few sums of a long k
                              {128, 512, 784, 2}})
    EXPECT_FALSE(isPacked(d)) << describe(d);
  EXPECT_EQ(packedParts({128, 512, 784}, 2), 2u);
  EXPECT_EQ(packedParts({128, 512, 64}, 2), 1u); // too little
  EXPECT_EQ(packedParts({13, 32, 100000}, 8), 2u); // no more than there are groups of columns
}

TEST(OwnMatmul, ThreadsShareFewColumns) {
  for (uint32_t threads : {2, 3, 8}) {
    ThreadPool pool(threads);
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

// Without relu a NaN stays; relu makes it 0, as graph.relu is defined and as oneDNN's does.
TEST(OwnMatmul, ReluOfNaNIsZero) {
  for (MatmulDesc d : {MatmulDesc{40, 3, 50, 1, true},
                       {40, 1, 50, 1, true},
                       {40, 1, 50},
                       {1, 40, 50},
                       {1, 40, 50, 1, false, true},
                       {40, 64, 50}})
    for (int flags = 0; flags < 4; ++flags) {
      d.bias = flags & 1, d.relu = flags & 2;
      Operands in(d);
      // In one row, or, of a product with one row, in one column.
      const bool isColumn = d.m == 1;
      float *odd = reinterpret_cast<float *>(isColumn ? in.b.data() : in.a.data());
      odd[isColumn       ? (d.transposeB ? 7 * d.k + 5 : 5 * d.n + 7)
          : d.transposeA ? 5 * d.m + 7
                         : 7 * d.k + 5] = std::nanf("");
      std::vector<float> got = run(d, in);
      for (int64_t i = 0; i < d.m; ++i)
        for (int64_t j = 0; j < d.n; ++j)
          if ((isColumn ? j : i) == 7 && d.relu)
            EXPECT_EQ(got[size_t(i * d.n + j)], 0) << describe(d) << " at " << i << ", " << j;
          else
            EXPECT_EQ(std::isnan(got[size_t(i * d.n + j)]), (isColumn ? j : i) == 7)
                << describe(d) << " at " << i << ", " << j;
    }
}

} // namespace
} // namespace graphc::kernels
