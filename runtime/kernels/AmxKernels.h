//===- AmxKernels.h - products on a CPU's matrix unit -------------------------------*- C++ -*-===//
//
// Intel's AMX multiplies tiles of bf16 and adds in f32, at sixteen times the rate of AVX-512's f32.
// A factor of f32 is one piece of bf16, rounded to nearest (8 significant bits), or the sum of two,
// the second the rest of the first (16). Of the four products of two such sums the three largest
// are made, in the order small by large, large by large, large by small: what is left out is at
// most 2^-18 of the product, as much as the second pieces' rounding. Sums are made in f32, 32 of
// them by themselves before they are added to what is there. The unit takes numbers below 2^-126
// for zero and makes none.
//
// Plain functions on plain memory, for CPUs that have it alone: AmxMatmul.cpp looks, and shares
// them out. docs/decisions/2026-11-27-products-on-matrix-units.md
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_KERNELS_AMXKERNELS_H
#define GRAPHC_RUNTIME_KERNELS_AMXKERNELS_H

#include <cstdint>

namespace graphc::kernels::tiles {

/// A panel is 32 rows of a, or 32 columns of b, of so many steps of 32 along k. A step is the
/// pieces (the larger first) of two tiles of 1,024 bytes. What lies outside of the matrix is zero.
constexpr int64_t kPanel = 32, kStep = 32, kTileBytes = 1024;

constexpr int64_t stepBytes(int pieces) { return pieces * 2 * kTileBytes; }
constexpr int64_t stepsOf(int64_t k) { return (k + kStep - 1) / kStep; }
constexpr int64_t panelsOf(int64_t rows) { return (rows + kPanel - 1) / kPanel; }

/// A part of a stored matrix: `lines` rows of a or columns of b, each with `k` elements. Along k
/// elements lie one behind the other and lines `step` apart; with `isAcross` it is the other way
/// about.
struct AmxSource {
  const float *at;
  int64_t step;
  bool isAcross;
  int64_t lines, k;
};

/// The functions for factors of one piece or of two.
struct AmxKernels {
  int pieces;
  /// Writes one panel; lines is at most kPanel. Of two pieces it sets odd[i] to 1 where a line has
  /// what is no sum of two numbers of bf16: infinities, NaN, and what rounds to infinity (from
  /// 3.396e38 on). Those lines' results have to be made otherwise: multiplyOdd().
  void (*packRows)(const AmxSource &a, void *panel, uint8_t *odd);
  void (*packColumns)(const AmxSource &b, void *panel, uint8_t *odd);
  /// c (rows x columns of at most kPanel each, rows `step` apart) = [c +] a b, of two panels of
  /// `steps`; between begin() and end().
  void (*multiply)(const void *a, const void *b, int64_t steps, bool adds, float *c, int64_t step,
                   int64_t rows, int64_t columns);
};
extern const AmxKernels kOnePiece, kTwoPieces;

/// Begin and end of the use of tiles by this thread.
void begin();
void end();

/// Elements of a row of c as chains of f32 multiply-adds along k, from zero: those j of n for which
/// `isOdd` is set, all where it is null.
void multiplyOdd(const float *a, int64_t aStep, const float *b, int64_t bStep, int64_t bColumn,
                 int64_t k, int64_t n, const uint8_t *isOdd, float *c);

} // namespace graphc::kernels::tiles
#endif
