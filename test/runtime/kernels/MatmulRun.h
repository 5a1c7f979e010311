//===- MatmulRun.h - products of random numbers, and what they are in f64 -----------*- C++ -*-===//
#ifndef GRAPHC_TEST_RUNTIME_KERNELS_MATMULRUN_H
#define GRAPHC_TEST_RUNTIME_KERNELS_MATMULRUN_H

#include "runtime/device/MemoryRegion.h"
#include "runtime/kernels/LibraryKernel.h"
#include "runtime/kernels/SimdKernels.h"
#include "test/runtime/kernels/RandomFloats.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

namespace graphc::kernels {

inline device::MemoryRegion floats(int64_t count, uint32_t seed) {
  device::MemoryRegion memory = *device::MemoryRegion::allocate(
      uint64_t(count) * 4, device::MemoryRegion::Guard::Pages, "test");
  RandomFloats random(seed);
  for (int64_t i = 0; i < count; ++i)
    reinterpret_cast<float *>(memory.data())[i] = random.draw();
  return memory;
}

struct Operands {
  explicit Operands(const MatmulDesc &d)
      : a(floats(d.batch * d.m * d.k, 1)), b(floats(d.batch * d.k * d.n, 2)), bias(floats(d.n, 3)) {
  }
  device::MemoryRegion a, b, bias;
  const float *at(const device::MemoryRegion &m) const {
    return reinterpret_cast<const float *>(m.data());
  }
};

inline std::vector<float> run(const MatmulDesc &d, const Operands &in, ThreadPool *pool = nullptr,
                              uint32_t *parts = nullptr) {
  uint64_t scratchBytes = *matmulScratchBytes(d);
  auto kernel = makeMatmul(d, scratchBytes, pool);
  EXPECT_TRUE(kernel.ok()) << kernel.status();
  if (parts)
    *parts = (*kernel)->parts();
  device::MemoryRegion c = floats(d.batch * d.m * d.n, 9);
  device::MemoryRegion scratch =
      *device::MemoryRegion::allocate(scratchBytes, device::MemoryRegion::Guard::Pages, "scratch");
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

/// c += a * b, the reference itself: a sanitizer that watches each of its loads makes a minute of a
/// second.
inline __attribute__((no_sanitize("address", "thread", "undefined"))) void
addProduct(const MatmulDesc &d, const float *a, const float *b, double *c) {
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

inline std::vector<double> naive(const MatmulDesc &d, const Operands &in) {
  std::vector<double> c(size_t(d.batch * d.m * d.n));
  for (size_t i = 0; d.bias && i < c.size(); ++i)
    c[i] = in.at(in.bias)[i % size_t(d.n)];
  for (int64_t s = 0; s < d.batch; ++s)
    addProduct(d, in.at(in.a) + s * d.m * d.k, in.at(in.b) + s * d.k * d.n,
               c.data() + s * d.m * d.n);
  for (double &value : c)
    value = d.relu ? std::max(value, 0.0) : value;
  return c;
}

/// Few columns, with edges of every kind.
inline std::vector<MatmulDesc> narrowShapes() {
  std::vector<MatmulDesc> list;
  for (auto [m, k] :
       {std::array<int64_t, 2>{16, 9}, {17, 2}, {63, 33}, {81, 300}, {500, 100}, {1000, 70}})
    for (int64_t n = 1; n <= kMostNarrow; ++n)
      for (bool tb : {false, true})
        list.push_back({m, n, k, 1, true, tb, false, false, MatmulType::F32});
  for (int64_t k : {32, 33, 100, 513})
    for (int64_t m : {1, 2, 5, 70})
      for (int flags = 0; flags < 4; ++flags)
        if (m == 1 || !(flags & 1))
          list.push_back(
              {m, 1, k, 1, bool(flags & 1), bool(flags & 2), false, false, MatmulType::F32});
  // one row
  for (auto [n, k] : {std::array<int64_t, 2>{16, 32}, {17, 33}, {100, 2}, {1000, 129}, {20000, 50}})
    for (bool tb : {false, true})
      if (!tb || k >= 32)
        list.push_back({1, n, k, 1, false, tb, false, false, MatmulType::F32});
  return list;
}

} // namespace graphc::kernels
#endif
