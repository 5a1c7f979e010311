#include "runtime/kernels/DirectMatmul.h"

#include "runtime/kernels/SimdKernels.h"

#include "absl/strings/str_cat.h"

#include <algorithm>

namespace graphc::kernels {
namespace {

/// Threads share columns, in groups of four vectors, so that each reads its own part of b; rows,
/// where there are too few groups for all to have as many.
struct Share {
  // leastWork: multiply-adds of a part, some 30 µs
  static constexpr int64_t group = 64, leastRows = 24, leastWork = 4 << 20;
  Share(const MatmulDesc &d, uint32_t threads) {
    const int64_t groups = (d.n + group - 1) / group,
                  parts = std::min(int64_t(threads), d.m * d.n * d.k / leastWork);
    isRows =
        groups < 4 * parts && groups % std::max<int64_t>(1, parts) != 0 && d.m >= leastRows * parts;
    count = uint32_t(std::max<int64_t>(1, isRows ? parts : std::min(parts, groups)));
  }
  bool isRows;
  uint32_t count;
};

class DirectMatmul final : public LibraryKernel {
public:
  DirectMatmul(const MatmulDesc &desc, ThreadPool *with)
      : d_(desc), share_(desc, with ? with->threads() : 1),
        pool_(share_.count > 1 ? with : nullptr) {
    if (pool_)
      pool_->start();
  }

  uint32_t parts() const override { return share_.count; }
  std::string algorithm() const override {
    return absl::StrCat(kCpuAlgorithm, "kernels for ", simdKernels().name);
  }

  int run(void *const *buffers) override {
    const SimdProduct product = wholeProduct(d_, buffers);
    return runParts(pool_, share_.count, [&](uint32_t index) {
      const int64_t unit = share_.isRows ? 1 : Share::group, size = share_.isRows ? d_.m : d_.n;
      const int64_t units = (size + unit - 1) / unit, first = units * index / share_.count * unit,
                    end = std::min(size, units * (index + 1) / share_.count * unit);
      SimdProduct part = product;
      if (share_.isRows)
        part.m = end - first, part.a += first * product.aRow, part.c += first * d_.n;
      simdKernels().direct(part, share_.isRows ? 0 : first, share_.isRows ? d_.n : end);
      return 0;
    });
  }

private:
  const MatmulDesc d_;
  const Share share_;
  ThreadPool *const pool_;
};

} // namespace

// As measured (docs/benchmarks.md): the left factor and a group of the right one's columns stay in
// a second-level cache. Of a longer k a chain's error would be felt.
bool isDirect(const MatmulDesc &d) {
  if (d.type != MatmulType::F32 || d.batch != 1 || d.transposeB || d.n % 16 != 0 || d.n < 64 ||
      d.m < 2 || d.k < 32 || d.k > 1024)
    return false;
  constexpr int64_t mostRight = 1 << 19;
  if (__int128(d.m) * d.k > simdKernels().mostDirect || __int128(d.k) * d.n > mostRight)
    return false;
  // A left factor that is stored across is read in pieces of rows; if these are whole pages apart
  // they fall into few sets of a cache.
  return !d.transposeA || (d.m >= 32 && d.m % 1024 != 0 && d.k <= 256 && d.n <= 512);
}

SimdProduct wholeProduct(const MatmulDesc &d, void *const *buffers) {
  SimdProduct product{};
  product.m = d.m, product.n = d.n, product.k = d.k;
  product.a = static_cast<const float *>(buffers[0]);
  product.b = static_cast<const float *>(buffers[1]);
  product.aRow = d.transposeA ? 1 : d.k, product.aColumn = d.transposeA ? d.m : 1;
  product.bRow = d.transposeB ? 1 : d.n, product.bColumn = d.transposeB ? d.k : 1;
  product.bias = d.bias ? static_cast<const float *>(buffers[2]) : nullptr;
  product.relu = d.relu;
  product.c = static_cast<float *>(buffers[d.bias ? 3 : 2]);
  return product;
}

uint32_t directParts(const MatmulDesc &d, uint32_t threads) { return Share(d, threads).count; }

std::unique_ptr<LibraryKernel> makeDirectMatmul(const MatmulDesc &desc, ThreadPool *pool) {
  return std::make_unique<DirectMatmul>(desc, pool);
}

} // namespace graphc::kernels
