#include "runtime/kernels/TileMatmul.h"

#include "runtime/common/base/Cpu.h"
#include "runtime/kernels/Tiles.h"

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

// A block of b: 2 MiB of pieces at most; a block of a, on the stack of the thread that multiplies: 128 KiB. Both stay while the other's panels go by.
// So many elements of k are added up in tiles before the sum is in memory.
constexpr int64_t kBlockK = 256, kBlockColumns = 2048, kBlockRows = 128;

int64_t roundUp(int64_t value, int64_t to) { return (value + to - 1) / to * to; }
const tiles::AmxKernels &kernelsFor(MatmulPrecision precision) {
  return precision == MatmulPrecision::Bf16 ? tiles::kOnePiece : tiles::kTwoPieces;
}
uint64_t columnBytes(const MatmulDesc &d) {
  const int64_t steps = tiles::panelsOf(std::min(d.n, kBlockColumns)) * tiles::stepsOf(std::min(d.k, kBlockK));
  return uint64_t(steps * tiles::stepBytes(kernelsFor(d.precision).pieces));
}

/// Elements [from, to) of a dimension.
struct Range {
  int64_t from, to;
  int64_t size() const { return to - from; }
};

class TileMatmul final : public LibraryKernel {
public:
  TileMatmul(const MatmulDesc &desc, ThreadPool *with) : d(desc), kernels(kernelsFor(desc.precision)) {
    // As for blocks of rows (Blocks.cpp): 0.1 ms of one thread at the least.
    const bool isWorthIt = with && d.m >= kPanel * 2 && __int128(d.m) * d.n * d.k >= 16 << 20;
    const int64_t count = isWorthIt ? std::min<int64_t>(with->threads(), tiles::panelsOf(d.m)) : 1;
    if (count < 2)
      return;
    pool = with;
    count_ = uint32_t(count);
    pool->start();
  }

  uint32_t parts() const override { return count_; }
  std::string algorithm() const override {
    return absl::StrCat(kCpuAlgorithm, "AMX, factors of ", kernels.pieces, " bf16");
  }

  int run(void *const *buffers) override {
    const auto *a = static_cast<const float *>(buffers[0]), *b = static_cast<const float *>(buffers[1]);
    const int c = d.bias ? 3 : 2;
    bias = d.bias ? static_cast<const float *>(buffers[2]) : nullptr;
    columns = static_cast<char *>(buffers[c + 1]);
    oddRows = reinterpret_cast<uint8_t *>(columns + columnBytes(d));
    oddColumns = oddRows + roundUp(d.m, kPanel);
    for (int64_t s = 0; s < d.batch; ++s)
      runOne(a + s * d.m * d.k, b + s * d.k * d.n, static_cast<float *>(buffers[c]) + s * d.m * d.n);
    return 0;
  }

private:
  void runOne(const float *a, const float *b, float *c) {
    const int64_t marks = roundUp(d.m, kPanel) + roundUp(d.n, kPanel);
    memset(oddRows, 0, size_t(marks));
    for (int64_t n = 0; n < d.n; n += kBlockColumns)
      for (int64_t k = 0; k < d.k; k += kBlockK) {
        const Range ofColumns{n, std::min(d.n, n + kBlockColumns)}, ofK{k, std::min(d.k, k + kBlockK)};
        share(tiles::panelsOf(ofColumns.size()), [&](int64_t panel) { packColumns(b, ofColumns, ofK, panel); });
        share(tiles::panelsOf(d.m), [&](Range panels) { multiplyRows(a, c, panels, ofColumns, ofK); });
      }
    if (memchr(oddRows, 1, size_t(marks)))
      multiplyOdd(a, b, c);
  }

  /// part(panel), or part(panels), of so many (or of rows), each thread its run of them.
  template <typename Part> void share(int64_t panels, const Part &part) {
    runParts(pool, count_, [&](uint32_t index) {
      const Range own{panels * index / count_, panels * (index + 1) / count_};
      if constexpr (std::is_invocable_v<Part, Range>)
        part(own);
      else
        for (int64_t panel = own.from; panel < own.to; ++panel)
          part(panel);
      return 0;
    });
  }

  int64_t panelBytes(Range k) const { return tiles::stepsOf(k.size()) * tiles::stepBytes(kernels.pieces); }

  void packColumns(const float *b, Range ofColumns, Range k, int64_t panel) {
    const int64_t first = ofColumns.from + panel * kPanel;
    const int64_t step = d.transposeB ? d.k : d.n;
    kernels.packColumns({b + (d.transposeB ? first * step + k.from : k.from * step + first), step, !d.transposeB,
                         std::min(kPanel, d.n - first), k.size()},
                        columns + panel * panelBytes(k), oddColumns + first);
  }

  void multiplyRows(const float *a, float *c, Range panels, Range ofColumns, Range k) {
    alignas(64) char rows[kBlockRows / kPanel * kBlockK / tiles::kStep * tiles::stepBytes(2)];
    const int64_t steps = tiles::stepsOf(k.size()), bytes = panelBytes(k);
    const int64_t aStep = d.transposeA ? d.m : d.k;
    tiles::begin();
    for (int64_t block = panels.from; block < panels.to; block += kBlockRows / kPanel) {
      const int64_t end = std::min(panels.to, block + kBlockRows / kPanel);
      for (int64_t panel = block; panel < end; ++panel) {
        const int64_t first = panel * kPanel;
        kernels.packRows({a + (d.transposeA ? k.from * aStep + first : first * aStep + k.from), aStep, d.transposeA,
                          std::min(kPanel, d.m - first), k.size()},
                         rows + (panel - block) * bytes, oddRows + first);
      }
      for (int64_t column = ofColumns.from; column < ofColumns.to; column += kPanel)
        for (int64_t panel = block; panel < end; ++panel) {
          const Range ofRows{panel * kPanel, std::min(d.m, (panel + 1) * kPanel)},
              own{column, std::min(d.n, column + kPanel)};
          kernels.multiply(rows + (panel - block) * bytes, columns + (column - ofColumns.from) / kPanel * bytes, steps,
                           k.from > 0, c + ofRows.from * d.n + column, d.n, ofRows.size(), own.size());
          if (k.to == d.k)
            finish(c, ofRows, own);
        }
    }
    tiles::end();
  }

  /// The post-ops.
  void finish(float *c, Range rows, Range ofColumns) const {
    if (!bias && !d.relu)
      return;
    for (int64_t i = rows.from; i < rows.to; ++i)
      for (int64_t j = ofColumns.from; j < ofColumns.to; ++j) {
        float value = c[i * d.n + j];
        value = bias ? value + bias[j] : value;
        c[i * d.n + j] = d.relu && !(value > 0) && !(value != value) ? 0 : value;
      }
  }

  /// Rows and columns with infinities or NaN, which are no sums of two pieces. Training that diverges has all of them.
  void multiplyOdd(const float *a, const float *b, float *c) {
    const int64_t aRow = d.transposeA ? 1 : d.k, aStep = d.transposeA ? d.m : 1;
    const int64_t bColumn = d.transposeB ? d.k : 1, bStep = d.transposeB ? 1 : d.n;
    share(d.m, [&](int64_t i) {
      tiles::multiplyOdd(a + i * aRow, aStep, b, bStep, bColumn, d.k, d.n, oddRows[i] ? nullptr : oddColumns,
                         c + i * d.n);
      for (int64_t j = 0; j < d.n; ++j)
        if (oddRows[i] || oddColumns[j])
          finish(c, {i, i + 1}, {j, j + 1});
    });
  }

  const MatmulDesc d;
  const tiles::AmxKernels &kernels;
  ThreadPool *pool = nullptr;
  uint32_t count_ = 1;
  const float *bias = nullptr; // these of the call
  char *columns = nullptr;
  uint8_t *oddRows = nullptr, *oddColumns = nullptr;
};

} // namespace

bool hasMatrixUnit() {
#if defined(__x86_64__)
  static const bool has = [] {
    if (!base::hasCpuFeatures(
            {"amx-tile", "amx-bf16", "avx512f", "avx512bw", "avx512vl", "avx512dq", "avx512bf16", "fma"}))
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
  return d.type == MatmulType::F32 && d.precision != MatmulPrecision::Ieee && d.batch > 0 && d.m >= 32 && d.n >= 32 &&
         d.k >= 32 && __int128(d.m) * d.n * d.k >= 1 << 18;
}

uint64_t tileMatmulScratchBytes(const MatmulDesc &d) {
  return columnBytes(d) + uint64_t(roundUp(roundUp(d.m, kPanel) + roundUp(d.n, kPanel), 64));
}

std::unique_ptr<LibraryKernel> makeTileMatmul(const MatmulDesc &desc, ThreadPool *pool) {
  return std::make_unique<TileMatmul>(desc, pool);
}

} // namespace graphc::kernels
