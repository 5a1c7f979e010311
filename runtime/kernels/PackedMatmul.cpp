#include "runtime/kernels/PackedMatmul.h"

#include "runtime/kernels/DirectMatmul.h"
#include "runtime/kernels/SimdKernels.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <new>

namespace graphc::kernels {
namespace {

/// Threads divide the columns of the result if it has at most as many rows, and each copies all of
/// a. Otherwise they divide the rows, and each copies all of b.
struct PackedShare {
  static constexpr int64_t leastWork = 4 << 20; // multiply-adds of a part: 60 µs at 70 Gmul/s
  PackedShare(const MatmulDesc &d, uint32_t threads)
      : isRows(d.m > d.n), unit(isRows ? 24 : 16), size(isRows ? d.m : d.n) {
    const __int128 parts = std::min<__int128>(threads, __int128(d.m) * d.n * d.k / leastWork);
    count = uint32_t(std::clamp<__int128>(parts, 1, units()));
  }
  int64_t units() const { return (size + unit - 1) / unit; }
  int64_t begin(uint32_t part) const { return std::min(size, units() * part / count * unit); }

  bool isRows;
  int64_t unit, size;
  uint32_t count;
};

/// The memory into which this thread copies operands, or null if there is none. The thread keeps it
/// until it ends, so that it stays in caches.
void *scratchOfThread() {
  struct Free {
    void operator()(void *memory) const { operator delete(memory, std::align_val_t(64)); }
  };
  thread_local std::unique_ptr<void, Free> memory(operator new(size_t(kPackedScratchBytes),
                                                               std::align_val_t(64), std::nothrow));
  return memory.get();
}

constexpr int kOutOfMemory = 1; // as oneDNN's dnnl_out_of_memory

class PackedMatmul final : public LibraryKernel {
public:
  PackedMatmul(const MatmulDesc &desc, ThreadPool *with, const SimdKernels &kernels)
      : d_(desc), kernels_(kernels), share_(desc, with ? with->threads() : 1),
        pool_(share_.count > 1 ? with : nullptr) {
    if (pool_)
      pool_->start();
  }

  uint32_t parts() const override { return share_.count; }
  std::string algorithm() const override {
    return absl::StrCat(kCpuAlgorithm, "packed kernels for ", kernels_.name);
  }

  int run(void *const *buffers) override {
    const SimdProduct product = wholeProduct(d_, buffers);
    return runParts(pool_, share_.count, [&](uint32_t index) {
      SimdProduct part = product;
      const int64_t first = share_.begin(index), count = share_.begin(index + 1) - first;
      if (share_.isRows) {
        part.m = count, part.a += first * product.aRow, part.c += first * d_.n;
      } else {
        part.n = count, part.b += first * product.bColumn, part.c += first;
        part.bias += product.bias ? first : 0;
      }
      void *scratch = scratchOfThread();
      if (!scratch)
        return kOutOfMemory;
      kernels_.packed(part, d_.n, scratch);
      return 0;
    });
  }

private:
  const MatmulDesc d_;
  const SimdKernels &kernels_;
  const PackedShare share_;
  ThreadPool *const pool_;
};

} // namespace

// As measured with AVX2 (docs/benchmarks.md).
bool isPacked(const MatmulDesc &d) {
  if (!simdKernels().packed || d.type != MatmulType::F32 || d.batch != 1)
    return false;
  // The last strip of 16 columns is computed whole. A long k with few sums is bound by the copies.
  const int64_t idle = (d.n + 15) / 16 * 16 - d.n;
  return d.m >= 12 && d.n >= 32 && 16 * idle <= d.n && d.k <= __int128(d.m) * d.n;
}

uint32_t packedParts(const MatmulDesc &d, uint32_t threads) {
  return PackedShare(d, threads).count;
}

std::unique_ptr<LibraryKernel> makePackedMatmul(const MatmulDesc &desc, ThreadPool *pool,
                                                const SimdKernels &kernels) {
  return std::make_unique<PackedMatmul>(desc, pool, kernels);
}

} // namespace graphc::kernels
