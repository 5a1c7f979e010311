//===- SimdKernels.h - kernels of this project, compiled for each kind of CPU -------*- C++ -*-===//
//
// SimdTile.h, SimdAttention.h, SimdDirect.h and SimdNarrow.h are compiled three times: for AVX-512,
// for AVX2 with FMA, for any x86-64; SimdPacked.h for AVX2 alone. Which of them a process calls
// follows from its CPU, and so do the bits. Plain functions on plain memory: whoever calls them
// shares units out over threads.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_KERNELS_SIMDKERNELS_H
#define GRAPHC_RUNTIME_KERNELS_SIMDKERNELS_H

#include <cstddef>
#include <cstdint>

namespace graphc::kernels {

/// What is the same for all units of a call of attention. A unit is one sequence of one head.
struct AttentionShape {
  int64_t queries, keys;
  int64_t size; ///< of a query and a key
  int64_t width; ///< of a value
  bool causal; ///< query i looks at keys 0 … i alone
  float scale;
  int64_t rows; ///< so many queries at a time; at most kMostAttentionRows
  /// Elements from row to row of each operand, and of its gradient: more than a row has where
  /// several heads, or all three, stand side by side.
  int64_t queryStep, keyStep, valueStep, outputStep;
};
constexpr int64_t kMostAttentionRows = 32;

/// The mask of a unit: true where query i looks at key j is at[i * query + j * key].
struct AttentionMask {
  const uint8_t *at; ///< null: none
  int64_t query, key; ///< steps
};

struct AttentionForward {
  const float *query, *key, *value;
  AttentionMask mask;
  float *result;
};

struct AttentionBackward {
  const float *query, *key, *value, *output, *gradient;
  AttentionMask mask;
  float *ofQuery, *ofKey, *ofValue;
};

/// The most columns of a product that has kernels of its own (NarrowMatmul.h).
constexpr int64_t kMostNarrow = 16;

/// c = op(a) x b of one batch, m x n of k products each; n is at most kMostNarrow but for direct().
struct SimdProduct {
  int64_t m, n, k;
  const float *a, *b;
  /// For direct() and packed(): element (i, l) of a is a[i * aRow + l * aColumn].
  int64_t aRow, aColumn;
  int64_t bRow, bColumn; ///< element (l, j) of b is b[l * bRow + j * bColumn]
  const float *bias; ///< of length n, added to each row; null: none
  int64_t biasStep; ///< where n is 1: from row to row of c, 0 or 1
  bool relu;
  float *c;
};

/// Size of packed()'s scratch memory, which is aligned to 64 bytes.
constexpr int64_t kPackedScratchBytes = 1664 << 10;

struct SimdKernels {
  const char *name; ///< of the kind of CPU
  /// Of one unit. `scratch` is 64-byte aligned and has as many bytes as the functions below say.
  void (*attention)(const AttentionShape &shape, const AttentionForward &unit, void *scratch);
  void (*attentionGrad)(const AttentionShape &shape, const AttentionBackward &unit, void *scratch);
  /// Rows [first, end) of a product, multiples of 16 but for its last: of a that is stored k x m,
  /// with m at least 16; the same with n and b's step from row to row 1; of a that is stored m x k,
  /// with these 1.
  void (*narrowAcross)(const SimdProduct &product, int64_t first, int64_t end);
  void (*narrowColumn)(const SimdProduct &product, int64_t first, int64_t end);
  void (*narrowDots)(const SimdProduct &product, int64_t first, int64_t end);
  /// Columns [first, end), whole multiples of 16, of a product whose b is stored k x n.
  void (*direct)(const SimdProduct &product, int64_t first, int64_t end);
  int64_t mostDirect; ///< elements of a up to which direct() is faster than the library
  /// A product, or a part of a larger one: the rows of c are cRow elements apart. Null for the
  /// kinds of CPU on which the library's kernels are as fast.
  void (*packed)(const SimdProduct &product, int64_t cRow, void *scratch);
};

/// Elements from row to row of a matrix whose rows are whole vectors for each kind of CPU.
inline int64_t paddedRow(int64_t columns) { return (columns + 15) / 16 * 16; }
/// The same of one with a column a key: an odd number of cache lines, so that a column is not in a
/// few sets of the cache.
inline int64_t scoreRow(const AttentionShape &s) {
  const int64_t row = paddedRow(s.keys);
  return row / 16 % 2 ? row : row + 16;
}

/// Whether a matrix with rows of so many elements, `step` apart, needs no copy: its rows are whole
/// vectors, one behind the other.
inline bool areWhole(int64_t columns, int64_t step) {
  return step == columns && paddedRow(columns) == columns;
}

/// A multiple of 64, the same for each kind of CPU.
uint64_t attentionScratchBytes(const AttentionShape &shape);
uint64_t attentionGradScratchBytes(const AttentionShape &shape);

/// Those for this process's CPU.
const SimdKernels &simdKernels();

extern const SimdKernels kSimdBase, kSimdAvx2, kSimdAvx512;

} // namespace graphc::kernels
#endif
