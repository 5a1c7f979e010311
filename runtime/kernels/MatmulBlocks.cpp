#include "runtime/kernels/MatmulBlocks.h"

#include <algorithm>

namespace graphc::kernels {
namespace {

/// The steps between rows and between columns of a stored matrix. A step along a dimension of size
/// 1 is never made, yet the library looks at it when it picks a kernel, and not when it compares
/// two products: it is chosen here, the one of a dense row.
void setSteps(int64_t rows, int64_t columns, bool transposed, int64_t &rowStep,
              int64_t &columnStep) {
  if (transposed && rows > 1 && columns > 1)
    rowStep = 1, columnStep = rows;
  else
    rowStep = columns, columnStep = 1;
}

/// Few rows of a by a matrix of 2^20 elements or more (of smaller ones mostly DirectMatmul.h): the
/// library's newer kernel copies b for each group of rows and takes up to twice as long. Its older
/// one costs 22 ms once a process, when its code is made. As measured (docs/benchmarks.md). Of more
/// than some 100 rows the older one adds in another order than of some of them, so that threads
/// could not share it.
bool wantsPacked(const MatmulDesc &d) {
  return d.batch == 1 && !d.transposeA && !d.transposeB && d.m >= 2 && d.m <= 96 && d.k >= 512 &&
         d.n >= 256 && __int128(d.k) * d.n >= 1 << 20;
}

} // namespace

GraphcMatmulDesc wholeOf(const MatmulDesc &d) {
  GraphcMatmulDesc whole{};
  whole.m = d.m;
  whole.n = d.n;
  whole.k = d.k;
  whole.batch = d.batch;
  setSteps(d.m, d.k, d.transposeA, whole.aRow, whole.aColumn);
  setSteps(d.k, d.n, d.transposeB, whole.bRow, whole.bColumn);
  whole.bias = d.bias;
  whole.relu = d.relu;
  whole.type = uint32_t(d.type);
  whole.packed = wantsPacked(d);
  return whole;
}

std::vector<MatmulBlock> shareBatch(const MatmulDesc &d, int64_t count) {
  std::vector<MatmulBlock> blocks;
  for (int64_t i = 0; count > 1 && i < count; ++i) {
    MatmulDesc part = d;
    const int64_t first = d.batch * i / count;
    part.batch = d.batch * (i + 1) / count - first;
    blocks.push_back({first, wholeOf(part)});
    blocks.back().desc.packed = wantsPacked(d); // as the whole, whose bits they have
  }
  return blocks;
}

std::vector<MatmulBlock> blocksOf(const MatmulDesc &d, uint32_t threads) {
  // 0.1 ms on a core of 150 Gflop/s: a wake-up takes half of that. Each block packs all of b again,
  // so not below 32 rows; whole groups of 16 rows, so that blocks begin on a cache line.
  constexpr int64_t leastWork = 8 << 20, leastRows = 32, group = 16;
  if (__int128(d.batch) * d.m * d.n * d.k < leastWork)
    return {};
  if (d.batch != 1)
    return shareBatch(d, std::min(int64_t(threads), d.batch));
  const int64_t count = std::min(int64_t(threads), d.m / leastRows);
  if (count < 2)
    return {};
  const int64_t rows = (d.m + count * group - 1) / (count * group) * group;
  std::vector<MatmulBlock> blocks;
  for (int64_t first = 0; first < d.m; first += rows) {
    MatmulDesc part = d;
    part.m = std::min(rows, d.m - first);
    blocks.push_back({first, wholeOf(part)});
    blocks.back().desc.packed = wantsPacked(d); // as the whole, whose bits they have
  }
  return blocks;
}

} // namespace graphc::kernels
