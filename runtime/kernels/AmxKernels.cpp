// For AMX with bf16; CMakeLists.txt says so to the compiler.
#include "runtime/kernels/AmxKernels.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <immintrin.h>

namespace graphc::kernels::tiles {
namespace {

using Bits = __m512i;

/// Pieces of 32 numbers, in pairs.
template <int kPieces> struct Pieces {
  Bits piece[kPieces];
};

/// The f32 of the low and the high bf16 of each pair.
__m512 lowOf(Bits pairs) { return _mm512_castsi512_ps(_mm512_slli_epi32(pairs, 16)); }
__m512 highOf(Bits pairs) {
  return _mm512_castsi512_ps(_mm512_and_si512(pairs, _mm512_set1_epi32(int32_t(0xffff0000))));
}

/// Pairs (even[i], odd[i]), rounded to nearest even.
Bits roundPairs(__m512 even, __m512 odd) {
  // The instruction gives all of `even`, then all of `odd`.
  alignas(64) static constexpr uint16_t order[32] = {0,  16, 1,  17, 2,  18, 3,  19, 4,  20, 5,
                                                     21, 6,  22, 7,  23, 8,  24, 9,  25, 10, 26,
                                                     11, 27, 12, 28, 13, 29, 14, 30, 15, 31};
  const Bits rounded = std::bit_cast<Bits>(_mm512_cvtne2ps_pbh(odd, even));
  return _mm512_permutexvar_epi16(_mm512_load_si512(order), rounded);
}

template <int kPieces> Pieces<kPieces> splitPairs(__m512 even, __m512 odd) {
  Pieces<kPieces> result;
  for (int p = 0; p < kPieces; ++p) {
    result.piece[p] = roundPairs(even, odd);
    if (p + 1 == kPieces)
      break;
    even = _mm512_sub_ps(even, lowOf(result.piece[p]));
    odd = _mm512_sub_ps(odd, highOf(result.piece[p]));
  }
  return result;
}

/// Those that are none of a number or round to infinity.
__mmask16 oddOf(__m512 values) {
  const Bits size = _mm512_and_si512(_mm512_castps_si512(values), _mm512_set1_epi32(0x7fffffff));
  return _mm512_cmpge_epu32_mask(size, _mm512_set1_epi32(0x7f7f8000));
}

__mmask16 maskOf(int64_t count) {
  return count >= 16 ? 0xffff : __mmask16((1u << std::max<int64_t>(count, 0)) - 1);
}

/// Rows and columns of 16 x 16 numbers of 32 bits change places.
void transpose(Bits (&r)[16]) {
  Bits t[16];
  for (int i = 0; i < 16; i += 2) {
    t[i] = _mm512_unpacklo_epi32(r[i], r[i + 1]);
    t[i + 1] = _mm512_unpackhi_epi32(r[i], r[i + 1]);
  }
  for (int i = 0; i < 16; i += 4) {
    r[i] = _mm512_unpacklo_epi64(t[i], t[i + 2]);
    r[i + 1] = _mm512_unpackhi_epi64(t[i], t[i + 2]);
    r[i + 2] = _mm512_unpacklo_epi64(t[i + 1], t[i + 3]);
    r[i + 3] = _mm512_unpackhi_epi64(t[i + 1], t[i + 3]);
  }
  for (int i = 0; i < 16; i += 8)
    for (int j = 0; j < 4; ++j) {
      t[i + j] = _mm512_shuffle_i32x4(r[i + j], r[i + j + 4], 0x88);
      t[i + j + 4] = _mm512_shuffle_i32x4(r[i + j], r[i + j + 4], 0xdd);
    }
  for (int j = 0; j < 8; ++j) {
    r[j] = _mm512_shuffle_i32x4(t[j], t[j + 8], 0x88);
    r[j + 8] = _mm512_shuffle_i32x4(t[j], t[j + 8], 0xdd);
  }
}

/// A tile of each piece, whose rows stand there as rows or, `turned`, as columns.
template <int kPieces> void storeTiles(Bits (&rows)[kPieces][16], bool turned, char *to) {
  for (int p = 0; p < kPieces; ++p) {
    if (turned)
      transpose(rows[p]);
    for (int i = 0; i < 16; ++i)
      _mm512_store_si512(to + p * 2 * kTileBytes + i * 64, rows[p][i]);
  }
}

/// Sixteen lines' pieces of one step into one tile of each piece: a row of the tile is a line, its
/// pairs along k. Where lines are the tile's columns (`asColumns`), a row is a pair and has all
/// lines.
template <int kPieces>
void packAlong(const float *at, int64_t step, int64_t lines, int64_t k, bool asColumns, char *to,
               uint8_t *odd) {
  // Even and odd elements of 32 along k.
  alignas(64) static constexpr uint32_t evens[16] = {0,  2,  4,  6,  8,  10, 12, 14,
                                                     16, 18, 20, 22, 24, 26, 28, 30};
  alignas(64) static constexpr uint32_t odds[16] = {1,  3,  5,  7,  9,  11, 13, 15,
                                                    17, 19, 21, 23, 25, 27, 29, 31};
  const __mmask16 first = maskOf(k), second = maskOf(k - 16);
  Bits rows[kPieces][16];
  for (int64_t line = 0; line < 16; ++line) {
    if (line >= lines) {
      for (auto &piece : rows)
        piece[line] = _mm512_setzero_si512();
      continue;
    }
    const __m512 low = _mm512_maskz_loadu_ps(first, at + line * step),
                 high = _mm512_maskz_loadu_ps(second, at + line * step + 16);
    if (kPieces > 1 && (oddOf(low) | oddOf(high)))
      odd[line] = 1;
    const auto split =
        splitPairs<kPieces>(_mm512_permutex2var_ps(low, _mm512_load_si512(evens), high),
                            _mm512_permutex2var_ps(low, _mm512_load_si512(odds), high));
    for (int p = 0; p < kPieces; ++p)
      rows[p][line] = split.piece[p];
  }
  storeTiles(rows, /*turned=*/asColumns, to);
}

/// The same of lines that lie side by side.
template <int kPieces>
void packAcross(const float *at, int64_t step, int64_t lines, int64_t k, bool asColumns, char *to,
                uint8_t *odd) {
  const __mmask16 all = maskOf(lines);
  Bits rows[kPieces][16];
  __mmask16 seen = 0;
  for (int64_t pair = 0; pair < 16; ++pair) {
    const __m512 even =
        2 * pair < k ? _mm512_maskz_loadu_ps(all, at + 2 * pair * step) : _mm512_setzero_ps();
    const __m512 uneven = 2 * pair + 1 < k ? _mm512_maskz_loadu_ps(all, at + (2 * pair + 1) * step)
                                           : _mm512_setzero_ps();
    if (kPieces > 1)
      seen |= oddOf(even) | oddOf(uneven);
    const auto split = splitPairs<kPieces>(even, uneven);
    for (int p = 0; p < kPieces; ++p)
      rows[p][pair] = split.piece[p];
  }
  for (int64_t line = 0; seen && line < lines; ++line)
    odd[line] |= (seen >> line) & 1;
  storeTiles(rows, /*turned=*/!asColumns, to);
}

template <int kPieces, bool asColumns> void pack(const AmxSource &s, void *panel, uint8_t *odd) {
  char *to = static_cast<char *>(panel);
  for (int64_t l = 0; l < s.k; l += kStep, to += stepBytes(kPieces))
    for (int64_t line = 0; line < kPanel; line += 16) {
      const int64_t lines = std::clamp<int64_t>(s.lines - line, 0, 16),
                    k = std::min(kStep, s.k - l);
      if (s.isAcross)
        packAcross<kPieces>(s.at + l * s.step + line, s.step, lines, k, asColumns, to + line * 64,
                            odd + line);
      else
        packAlong<kPieces>(s.at + line * s.step + l, s.step, lines, k, asColumns, to + line * 64,
                           odd + line);
    }
}

/// Sums in tiles 0 to 3; a's in 4 and 5, b's in 6 and 7. A tile is loaded anew as soon as its last
/// product is on its way, the other two of that piece being still to come.
template <int kPieces> void addSteps(const char *a, const char *b, int64_t steps) {
  constexpr int64_t kPiece = 2 * kTileBytes, kNext = stepBytes(kPieces), kLast = kNext - kPiece;
  _tile_loadd(6, b, 64);
  _tile_loadd(4, a + kLast, 64);
  _tile_loadd(7, b + kTileBytes, 64);
  _tile_loadd(5, a + kLast + kTileBytes, 64);
  // Behind the last step nothing is loaded: what would be is not there.
  for (int64_t i = 1; i <= steps; ++i, a += kNext, b += kNext) {
    if constexpr (kPieces == 2) {
      _tile_dpbf16ps(0, 4, 6); // the small piece of a, the large one of b
      _tile_dpbf16ps(1, 4, 7);
      _tile_loadd(4, a, 64);
      _tile_dpbf16ps(2, 5, 6);
      _tile_dpbf16ps(3, 5, 7);
      _tile_loadd(5, a + kTileBytes, 64);
      _tile_dpbf16ps(0, 4, 6); // both large ones
      _tile_dpbf16ps(2, 5, 6);
      _tile_loadd(6, b + kPiece, 64);
      _tile_dpbf16ps(1, 4, 7);
      _tile_dpbf16ps(3, 5, 7);
      _tile_loadd(7, b + kPiece + kTileBytes, 64);
    }
    _tile_dpbf16ps(0, 4, 6); // the large piece of a, the small one of b
    _tile_dpbf16ps(1, 4, 7);
    const bool isMore = i < steps;
    if (isMore)
      _tile_loadd(4, a + kNext + kLast, 64);
    _tile_dpbf16ps(2, 5, 6);
    if (isMore)
      _tile_loadd(6, b + kNext, 64);
    _tile_dpbf16ps(3, 5, 7);
    if (isMore) {
      _tile_loadd(5, a + kNext + kLast + kTileBytes, 64);
      _tile_loadd(7, b + kNext + kTileBytes, 64);
    }
  }
}

template <int kPieces>
void multiply(const void *a, const void *b, int64_t steps, bool adds, float *c, int64_t step,
              int64_t rows, int64_t columns) {
  alignas(64) float whole[kPanel * kPanel];
  float *to = c;
  int64_t toStep = step;
  if (rows < kPanel || columns < kPanel) {
    to = whole, toStep = kPanel;
    for (int64_t i = 0; adds && i < kPanel; ++i)
      for (int64_t j = 0; j < kPanel; ++j)
        whole[i * kPanel + j] = i < rows && j < columns ? c[i * step + j] : 0;
  }
  const int64_t bytes = toStep * 4;
  float *lower = to + 16 * toStep;
  for (int64_t i = 0; i < kPanel; ++i) { // while tiles are added up
    _mm_prefetch(reinterpret_cast<const char *>(to + i * toStep), _MM_HINT_ET0);
    _mm_prefetch(reinterpret_cast<const char *>(to + i * toStep + 16), _MM_HINT_ET0);
  }
  if (adds) {
    _tile_loadd(0, to, bytes), _tile_loadd(1, to + 16, bytes);
    _tile_loadd(2, lower, bytes), _tile_loadd(3, lower + 16, bytes);
  } else {
    _tile_zero(0), _tile_zero(1), _tile_zero(2), _tile_zero(3);
  }
  addSteps<kPieces>(static_cast<const char *>(a), static_cast<const char *>(b), steps);
  _tile_stored(0, to, bytes), _tile_stored(1, to + 16, bytes);
  _tile_stored(2, lower, bytes), _tile_stored(3, lower + 16, bytes);
  if (to == whole)
    for (int64_t i = 0; i < rows; ++i)
      memcpy(c + i * step, whole + i * kPanel, size_t(columns) * 4);
}

} // namespace

const AmxKernels kOnePiece = {1, pack<1, false>, pack<1, true>, multiply<1>};
const AmxKernels kTwoPieces = {2, pack<2, false>, pack<2, true>, multiply<2>};

void begin() {
  struct {
    uint8_t palette = 1, start = 0, reserved[14] = {};
    uint16_t rowBytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
    uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
  } config;
  static_assert(sizeof config == 64);
  _tile_loadconfig(&config);
}

void end() { _tile_release(); }

void multiplyOdd(const float *a, int64_t aStep, const float *b, int64_t bStep, int64_t bColumn,
                 int64_t k, int64_t n, const uint8_t *isOdd, float *c) {
  constexpr int64_t kMost = 64;
  for (int64_t first = 0; first < n; first += kMost) {
    const int64_t count = std::min(kMost, n - first);
    if (isOdd && !memchr(isOdd + first, 1, size_t(count)))
      continue;
    float sums[kMost] = {};
    for (int64_t l = 0; l < k; ++l) {
      const float factor = a[l * aStep], *row = b + l * bStep + first * bColumn;
      if (bColumn == 1)
        for (int64_t j = 0; j < count; ++j)
          sums[j] = __builtin_fmaf(factor, row[j], sums[j]);
      else
        for (int64_t j = 0; j < count; ++j)
          sums[j] = __builtin_fmaf(factor, row[j * bColumn], sums[j]);
    }
    for (int64_t j = 0; j < count; ++j)
      if (!isOdd || isOdd[first + j])
        c[first + j] = sums[j];
  }
}

} // namespace graphc::kernels::tiles
