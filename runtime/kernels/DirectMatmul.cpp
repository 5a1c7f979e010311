#include "runtime/kernels/DirectMatmul.h"

#include "runtime/kernels/Simd.h"

#include "absl/strings/str_cat.h"

#include <algorithm>

namespace graphc::kernels {
namespace {

constexpr int64_t kGroup = 64; // columns: four vectors

class DirectMatmul final : public LibraryKernel {
public:
  DirectMatmul(const MatmulDesc &desc, Pool *with)
      : d(desc), count_(directParts(desc, with ? with->threads() : 1)), pool(count_ > 1 ? with : nullptr) {
    if (pool)
      pool->start();
  }

  uint32_t parts() const override { return count_; }
  std::string algorithm() const override { return absl::StrCat(kCpuAlgorithm, "kernels for ", simdKernels().name); }

  int run(void *const *buffers) override {
    SimdProduct product{};
    product.m = d.m, product.n = d.n, product.k = d.k;
    product.a = static_cast<const float *>(buffers[0]), product.b = static_cast<const float *>(buffers[1]);
    product.aRow = d.transposeA ? 1 : d.k, product.aColumn = d.transposeA ? d.m : 1;
    product.bias = d.bias ? static_cast<const float *>(buffers[2]) : nullptr, product.relu = d.relu;
    product.c = static_cast<float *>(buffers[d.bias ? 3 : 2]);
    const int64_t groups = (d.n + kGroup - 1) / kGroup;
    return runParts(pool, count_, [&](uint32_t index) {
      simdKernels().direct(product, groups * index / count_ * kGroup,
                           std::min(d.n, groups * (index + 1) / count_ * kGroup));
      return 0;
    });
  }

private:
  const MatmulDesc d;
  const uint32_t count_;
  Pool *const pool;
};

} // namespace

bool hasDirect() { return simdKernels().direct; }

// As measured (docs/benchmarks.md): the left factor and a group of the right one's columns stay in a second-level cache.
bool isDirect(const MatmulDesc &d) {
  if (d.type != MatmulType::F32 || d.batch != 1 || d.transposeB || d.n % 16 != 0 || d.n < 64 || d.m < 2 || d.k < 32)
    return false;
  constexpr int64_t mostLeft = 1 << 17, mostRight = 1 << 19;
  if (__int128(d.m) * d.k > mostLeft || __int128(d.k) * d.n > mostRight)
    return false;
  // A left factor that is stored across is read in pieces of rows; if these are whole pages apart they fall into few sets of a cache.
  return !d.transposeA || (d.m >= 32 && d.m % 1024 != 0 && d.k <= 256 && d.n <= 512);
}

uint32_t directParts(const MatmulDesc &d, uint32_t threads) {
  constexpr int64_t leastWork = 4 << 20; // multiply-adds of a part: some 30 µs
  return uint32_t(std::max<int64_t>(1, std::min({int64_t(threads), d.n / kGroup, d.m * d.n * d.k / leastWork})));
}

std::unique_ptr<LibraryKernel> makeDirectMatmul(const MatmulDesc &desc, Pool *pool) {
  return std::make_unique<DirectMatmul>(desc, pool);
}

} // namespace graphc::kernels
