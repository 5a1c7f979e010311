#include "runtime/kernels/NarrowMatmul.h"

#include "absl/strings/str_cat.h"

#include <algorithm>

namespace graphc::kernels {
namespace {

/// The product as the kernels have it. One row by a matrix is that matrix, transposed, by one
/// column.
struct NarrowShape {
  explicit NarrowShape(const MatmulDesc &d)
      : isSwapped(d.m == 1 && d.n > 1), m(isSwapped ? d.n : d.m), n(isSwapped ? 1 : d.n), k(d.k),
        // Where m or k is 1 a row is a column.
        isAcross((isSwapped ? !d.transposeB : d.transposeA) && m > 1 && k > 1) {}
  bool isSwapped;
  int64_t m, n, k;
  bool isAcross; ///< a is stored k x m
};

class NarrowMatmul final : public LibraryKernel {
public:
  NarrowMatmul(const MatmulDesc &desc, ThreadPool *with, const SimdKernels &kernels)
      : d_(desc), s_(desc), kernels_(kernels),
        count_(narrowParts(desc, with ? with->threads() : 1)) {
    if (count_ < 2)
      return;
    pool_ = with;
    pool_->start();
  }

  uint32_t parts() const override { return count_; }
  std::string algorithm() const override {
    return absl::StrCat(kCpuAlgorithm, "kernels for ", kernels_.name);
  }

  int run(void *const *buffers) override {
    const auto *a = static_cast<const float *>(buffers[s_.isSwapped ? 1 : 0]);
    const auto *b = static_cast<const float *>(buffers[s_.isSwapped ? 0 : 1]);
    SimdProduct product{};
    product.m = s_.m, product.n = s_.n, product.k = s_.k;
    product.a = a, product.b = b, product.c = static_cast<float *>(buffers[d_.bias ? 3 : 2]);
    product.bRow = s_.n == 1 || d_.transposeB ? 1 : s_.n,
    product.bColumn = d_.transposeB ? s_.k : 1;
    product.bias = d_.bias ? static_cast<const float *>(buffers[2]) : nullptr,
    product.biasStep = s_.isSwapped;
    product.relu = d_.relu;
    const auto kernel = !s_.isAcross ? kernels_.narrowDots
                        : s_.n > 1   ? kernels_.narrowAcross
                                     : kernels_.narrowColumn;
    const int64_t groups = (s_.m + kGroup - 1) / kGroup;
    return runParts(pool_, count_, [&](uint32_t index) {
      kernel(product, std::min(s_.m, groups * index / count_ * kGroup),
             std::min(s_.m, groups * (index + 1) / count_ * kGroup));
      return 0;
    });
  }

private:
  static constexpr int64_t kGroup = 16; // threads write whole lines of one column

  const MatmulDesc d_;
  const NarrowShape s_;
  const SimdKernels &kernels_;
  const uint32_t count_;
  ThreadPool *pool_ = nullptr;
};

} // namespace

bool isNarrow(const MatmulDesc &d) {
  if (d.type != MatmulType::F32 || d.batch != 1 || d.m < 1 || d.n < 1 || d.k < 1)
    return false;
  const NarrowShape s(d);
  return s.isAcross ? s.n <= kMostNarrow && s.m >= 16 : s.n == 1 && s.k >= 32;
}

uint32_t narrowParts(const MatmulDesc &d, uint32_t threads) {
  // 0.1 ms of one thread: it reads some four elements of a in a nanosecond, or multiplies one with
  // each of four columns.
  const NarrowShape s(d);
  const __int128 least = 1 << 19, work = __int128(s.m) * s.k * std::max<int64_t>(1, s.n / 4);
  return work < 2 * least
             ? 1
             : uint32_t(std::max(int64_t(1),
                                 std::min({int64_t(threads), s.m / 32, int64_t(work / least)})));
}

std::unique_ptr<LibraryKernel> makeNarrowMatmul(const MatmulDesc &desc, ThreadPool *pool,
                                                const SimdKernels &kernels) {
  return std::make_unique<NarrowMatmul>(desc, pool, kernels);
}

} // namespace graphc::kernels
