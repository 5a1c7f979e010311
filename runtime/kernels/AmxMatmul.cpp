#include "runtime/kernels/AmxMatmul.h"

#include "runtime/common/base/CpuFeatures.h"
#include "runtime/kernels/AmxKernels.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <cstring>

#if defined(__x86_64__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace graphc::kernels {
namespace {
using tiles::kPanel;

// A block of b: 2 MiB of pieces at most; a block of a, on the stack of the thread that multiplies:
// 128 KiB. Both stay while the other's panels go by. So many elements of k are added up in tiles
// before the sum is in memory.
constexpr int64_t kBlockK = 256, kBlockColumns = 2048, kBlockRows = 128;

int64_t roundUp(int64_t value, int64_t to) { return (value + to - 1) / to * to; }
const tiles::AmxKernels &kernelsFor(MatmulPrecision precision) {
  return precision == MatmulPrecision::Bf16 ? tiles::kOnePiece : tiles::kTwoPieces;
}
uint64_t columnBytes(const MatmulDesc &d) {
  const int64_t steps =
      tiles::panelsOf(std::min(d.n, kBlockColumns)) * tiles::stepsOf(std::min(d.k, kBlockK));
  return uint64_t(steps * tiles::stepBytes(kernelsFor(d.precision).pieces));
}

/// Elements [from, to) of a dimension.
struct Range {
  int64_t from, to;
  int64_t size() const { return to - from; }
};

class TileMatmul final : public LibraryKernel {
public:
  TileMatmul(const MatmulDesc &desc, ThreadPool *with)
      : d_(desc), kernels_(kernelsFor(desc.precision)) {
    // As for blocks of rows (MatmulBlocks.cpp): 0.1 ms of one thread at the least.
    const bool isWorthIt = with && d_.m >= kPanel * 2 && __int128(d_.m) * d_.n * d_.k >= 16 << 20;
    const int64_t count = isWorthIt ? std::min<int64_t>(with->threads(), tiles::panelsOf(d_.m)) : 1;
    if (count < 2)
      return;
    pool_ = with;
    count_ = uint32_t(count);
    pool_->start();
  }

  uint32_t parts() const override { return count_; }
  std::string algorithm() const override {
    return absl::StrCat(kCpuAlgorithm, "AMX, factors of ", kernels_.pieces, " bf16");
  }

  int run(void *const *buffers) override {
    const auto *a = static_cast<const float *>(buffers[0]),
               *b = static_cast<const float *>(buffers[1]);
    const int c = d_.bias ? 3 : 2;
    bias_ = d_.bias ? static_cast<const float *>(buffers[2]) : nullptr;
    columns_ = static_cast<char *>(buffers[c + 1]);
    oddRows_ = reinterpret_cast<uint8_t *>(columns_ + columnBytes(d_));
    oddColumns_ = oddRows_ + roundUp(d_.m, kPanel);
    for (int64_t s = 0; s < d_.batch; ++s)
      runOne(a + s * d_.m * d_.k, b + s * d_.k * d_.n,
             static_cast<float *>(buffers[c]) + s * d_.m * d_.n);
    return 0;
  }

private:
  void runOne(const float *a, const float *b, float *c) {
    const int64_t marks = roundUp(d_.m, kPanel) + roundUp(d_.n, kPanel);
    memset(oddRows_, 0, size_t(marks));
    for (int64_t n = 0; n < d_.n; n += kBlockColumns)
      for (int64_t k = 0; k < d_.k; k += kBlockK) {
        const Range ofColumns{n, std::min(d_.n, n + kBlockColumns)},
            ofK{k, std::min(d_.k, k + kBlockK)};
        share(tiles::panelsOf(ofColumns.size()),
              [&](int64_t panel) { packColumns(b, ofColumns, ofK, panel); });
        share(tiles::panelsOf(d_.m),
              [&](Range panels) { multiplyRows(a, c, panels, ofColumns, ofK); });
      }
    if (memchr(oddRows_, 1, size_t(marks)))
      multiplyOdd(a, b, c);
  }

  /// part(panel), or part(panels), of so many (or of rows), each thread its run of them.
  template <typename Part> void share(int64_t panels, const Part &part) {
    runParts(pool_, count_, [&](uint32_t index) {
      const Range own{panels * index / count_, panels * (index + 1) / count_};
      if constexpr (std::is_invocable_v<Part, Range>)
        part(own);
      else
        for (int64_t panel = own.from; panel < own.to; ++panel)
          part(panel);
      return 0;
    });
  }

  int64_t panelBytes(Range k) const {
    return tiles::stepsOf(k.size()) * tiles::stepBytes(kernels_.pieces);
  }

  void packColumns(const float *b, Range ofColumns, Range k, int64_t panel) {
    const int64_t first = ofColumns.from + panel * kPanel;
    const int64_t step = d_.transposeB ? d_.k : d_.n;
    kernels_.packColumns({b + (d_.transposeB ? first * step + k.from : k.from * step + first), step,
                          !d_.transposeB, std::min(kPanel, d_.n - first), k.size()},
                         columns_ + panel * panelBytes(k), oddColumns_ + first);
  }

  void multiplyRows(const float *a, float *c, Range panels, Range ofColumns, Range k) {
    alignas(64) char rows[kBlockRows / kPanel * kBlockK / tiles::kStep * tiles::stepBytes(2)];
    const int64_t steps = tiles::stepsOf(k.size()), bytes = panelBytes(k);
    const int64_t aStep = d_.transposeA ? d_.m : d_.k;
    tiles::begin();
    for (int64_t block = panels.from; block < panels.to; block += kBlockRows / kPanel) {
      const int64_t end = std::min(panels.to, block + kBlockRows / kPanel);
      for (int64_t panel = block; panel < end; ++panel) {
        const int64_t first = panel * kPanel;
        kernels_.packRows({a + (d_.transposeA ? k.from * aStep + first : first * aStep + k.from),
                           aStep, d_.transposeA, std::min(kPanel, d_.m - first), k.size()},
                          rows + (panel - block) * bytes, oddRows_ + first);
      }
      for (int64_t column = ofColumns.from; column < ofColumns.to; column += kPanel)
        for (int64_t panel = block; panel < end; ++panel) {
          const Range ofRows{panel * kPanel, std::min(d_.m, (panel + 1) * kPanel)},
              own{column, std::min(d_.n, column + kPanel)};
          kernels_.multiply(
              rows + (panel - block) * bytes, columns_ + (column - ofColumns.from) / kPanel * bytes,
              steps, k.from > 0, c + ofRows.from * d_.n + column, d_.n, ofRows.size(), own.size());
          if (k.to == d_.k)
            finish(c, ofRows, own);
        }
    }
    tiles::end();
  }

  /// The post-ops.
  void finish(float *c, Range rows, Range ofColumns) const {
    if (!bias_ && !d_.relu)
      return;
    for (int64_t i = rows.from; i < rows.to; ++i)
      for (int64_t j = ofColumns.from; j < ofColumns.to; ++j) {
        float value = c[i * d_.n + j];
        value = bias_ ? value + bias_[j] : value;
        c[i * d_.n + j] = d_.relu && !(value > 0) ? 0 : value;
      }
  }

  /// Rows and columns with infinities or NaN, which are no sums of two pieces. Training that
  /// diverges has all of them.
  void multiplyOdd(const float *a, const float *b, float *c) {
    const int64_t aRow = d_.transposeA ? 1 : d_.k, aStep = d_.transposeA ? d_.m : 1;
    const int64_t bColumn = d_.transposeB ? d_.k : 1, bStep = d_.transposeB ? 1 : d_.n;
    share(d_.m, [&](int64_t i) {
      tiles::multiplyOdd(a + i * aRow, aStep, b, bStep, bColumn, d_.k, d_.n,
                         oddRows_[i] ? nullptr : oddColumns_, c + i * d_.n);
      for (int64_t j = 0; j < d_.n; ++j)
        if (oddRows_[i] || oddColumns_[j])
          finish(c, {i, i + 1}, {j, j + 1});
    });
  }

  const MatmulDesc d_;
  const tiles::AmxKernels &kernels_;
  ThreadPool *pool_ = nullptr;
  uint32_t count_ = 1;
  const float *bias_ = nullptr; // these of the call
  char *columns_ = nullptr;
  uint8_t *oddRows_ = nullptr, *oddColumns_ = nullptr;
};

} // namespace

bool hasMatrixUnit() {
#if defined(__x86_64__)
  static const bool has = [] {
    if (!base::hasCpuFeatures({"amx-tile", "amx-bf16", "avx512f", "avx512bw", "avx512vl",
                               "avx512dq", "avx512bf16", "fma"}))
      return false;
    constexpr long askPermission = 0x1023, tileData = 18; // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA
    return syscall(SYS_arch_prctl, askPermission, tileData) == 0;
  }();
  return has;
#else
  return false;
#endif
}

bool isForMatrixUnit(const MatmulDesc &d) {
  return d.type == MatmulType::F32 && d.precision != MatmulPrecision::Ieee && d.batch > 0 &&
         d.m >= 32 && d.n >= 32 && d.k >= 32 && __int128(d.m) * d.n * d.k >= 1 << 18;
}

uint64_t tileMatmulScratchBytes(const MatmulDesc &d) {
  return columnBytes(d) + uint64_t(roundUp(roundUp(d.m, kPanel) + roundUp(d.n, kPanel), 64));
}

std::unique_ptr<LibraryKernel> makeTileMatmul(const MatmulDesc &desc, ThreadPool *pool) {
  return std::make_unique<TileMatmul>(desc, pool);
}

} // namespace graphc::kernels
