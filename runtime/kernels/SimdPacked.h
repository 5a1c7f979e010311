//===- SimdPacked.h - products of large operands, for one kind of CPU ---------------*- C++ -*-===//
//
// Included after SimdTile.h. A tile of kTileRows x kStrip sums is in registers. It reads a strip of
// kTileRows rows of the left factor and a strip of kStrip columns of the right factor. The loops
// around it, from the outermost:
//
//   kMostColumns columns at a time
//     a piece of k, at most kMostDepth: the right factor's strips are copied, at most 20 KiB each;
//           one strip stays in a first-level cache while all rows are multiplied with it
//       kMostRows rows at a time: the left factor's strips are copied, at most 240 KiB together,
//           for a second-level cache
//         each strip of the right factor with each strip of the left factor
//
// A copy has the elements in the order in which the tile reads them. So the kernel is equally fast
// for transposed factors, and the rows of a strip do not compete for a few sets of a cache. If a
// copy would be read by only a few strips of the other factor, the tile reads the factor in place.
//
// An element is a sum over k in pieces of equal length. Each piece is one chain of multiply-adds,
// and the pieces are added in order. Neither copies nor the division of rows and columns among
// threads changes it.
//
// Example, 1024 x 512 x 300: one group of columns, one piece of depth 300, and six groups of rows.
// The right factor has 32 strips of 16 columns. Five groups of 192 rows have 32 strips of 6 rows
// each; the sixth has 64 rows, which are 10 strips and an edge tile of 4 rows.
//
//===------------------------------------------------------------------------------------------===//

constexpr int kStrip = kVectors * kWidth, kTileRows = kSums / kVectors;
constexpr int64_t kMostDepth = 320, kMostRows = 192, kMostColumns = 1024;
static_assert(kTileRows <= kWidth && kMostRows % kTileRows == 0 && kMostColumns % kStrip == 0);

/// Elements from one strip to the next: an odd number of cache lines, so that strips do not all
/// begin in a few sets of a cache. The last store of a strip writes up to kWidth elements past its
/// end.
constexpr int64_t stripStride(int64_t columns, int64_t depth) {
  return ((depth * columns + kWidth + 15) / 16 | 1) * 16;
}
static_assert((kMostRows / kTileRows * stripStride(kTileRows, kMostDepth) +
               kMostColumns / kStrip * stripStride(kStrip, kMostDepth)) *
                  4 <=
              kPackedScratchBytes);

inline int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/// Copies `count` rows of the left factor to strips of `width` rows: element (r, l) of a strip is
/// to[l * width + r]. Missing rows of the last strip are zeros. The right factor is passed
/// transposed: its columns are the rows.
template <int width> inline void pack(float *to, Left f, int64_t count, int64_t depth) {
  // A vector may have more elements than a strip has rows. What a store has too many is written
  // over by the next l.
  constexpr int vectors = (width + kWidth - 1) / kWidth;
  const int64_t step = stripStride(width, depth);
  if (f.row == 1) { // the elements of one l are contiguous
    const int64_t strips = count < vectors * kWidth ? 0 : (count - vectors * kWidth) / width + 1;
    for (int64_t l = 0; l < depth; ++l)
      for (int64_t i = 0; i < strips; ++i)
        for (int v = 0; v < vectors; ++v)
          store(to + i * step + l * width + v * kWidth,
                load(f.at + l * f.column + i * width + v * kWidth));
    to += strips * step, f.at += strips * width, count -= strips * width;
  }
  for (; count > 0; count -= width, f.at += width * f.row, to += step) {
    int64_t l = 0;
    if (f.column == 1 && count >= width) // the elements of one row are contiguous
      for (; l + kWidth <= depth; l += kWidth)
        for (int v = 0; v < vectors; ++v) {
          Vector square[kWidth];
          for (int r = 0; r < kWidth; ++r)
            square[r] = load(f.at + (v * kWidth + r < width ? v * kWidth + r : 0) * f.row + l);
          swapAcross<kWidth / 2>(square, Elements());
          for (int i = 0; i < kWidth; ++i)
            store(to + (l + i) * width + v * kWidth, square[i]);
        }
    for (; l < depth; ++l)
      for (int r = 0; r < width; ++r)
        to[l * width + r] = r < count ? f.at[r * f.row + l * f.column] : 0;
  }
}

/// A strip of a factor. Its elements of one l are contiguous, and `step` is the distance from l to
/// l + 1. If byRows, the elements of one row are contiguous, and `step` is the distance between
/// rows.
struct Strip {
  const float *at;
  int64_t step;
  bool byRows = false;
};

/// The strips of a factor. Whole strips are copied or read in place. The rest, a strip with fewer
/// rows or columns, is always copied.
struct Strips {
  Strip first;
  int64_t next; ///< distance from one whole strip to the next
  int64_t whole; ///< number of whole strips
  Strip rest;
  Strip at(int64_t index) const {
    return index < whole ? Strip{first.at + index * next, first.step, first.byRows} : rest;
  }
};

/// Strips of `count` rows, copied to `to` unless `inPlace`.
template <int width>
inline Strips stripsOf(float *to, Left f, int64_t count, int64_t depth, bool inPlace) {
  const int64_t whole = count / width, next = stripStride(width, depth),
                first = inPlace ? whole : 0; // that is copied
  pack<width>(to + first * next, {f.at + first * width * f.row, f.row, f.column},
              count - first * width, depth);
  const Strip rest = {to + whole * next, width};
  if (!inPlace)
    return {{to, width}, next, whole, rest};
  if (f.row == 1)
    return {{f.at, f.column}, width, whole, rest};
  return {{f.at, f.row, /*byRows=*/true}, width * f.row, whole, rest};
}

/// How a tile is written: its sums are stored or added to c, then bias and relu follow.
struct TileEpilogue {
  bool adds;
  const float *bias; ///< of these columns; null: none
  bool relu;
};

template <bool byRows>
inline void packedTile(Strip a, Strip b, int64_t depth, float *c, int64_t cRow, TileEpilogue end) {
  const float *rows[kTileRows];
  for (int r = 0; r < kTileRows; ++r)
    rows[r] = a.at + r * (byRows ? a.step : 1);
  Vector sums[kTileRows][kVectors] = {};
  for (int64_t l = 0; l < depth; ++l, b.at += b.step) {
    Vector right[kVectors];
    for (int v = 0; v < kVectors; ++v)
      right[v] = load(b.at + v * kWidth);
    for (int r = 0; r < kTileRows; ++r) {
      const Vector left = all(byRows ? rows[r][l] : a.at[r]);
      for (int v = 0; v < kVectors; ++v)
        sums[r][v] = multiplyAdd(left, right[v], sums[r][v]);
    }
    a.at += byRows ? 0 : a.step;
  }
  for (int r = 0; r < kTileRows; ++r)
    for (int v = 0; v < kVectors; ++v) {
      float *at = c + r * cRow + v * kWidth;
      Vector value = sums[r][v];
      if (end.adds)
        value = load(at) + value;
      if (end.bias)
        value = value + load(end.bias + v * kWidth);
      store(at, end.relu ? positive(value) : value);
    }
}

/// A tile with fewer rows or columns: computes a whole tile in a buffer and copies what it needs.
inline void packedEdge(Strip a, Strip b, int64_t depth, float *c, int64_t cRow, TileEpilogue end,
                       int64_t rows, int64_t columns) {
  float whole[kTileRows * kStrip] = {}, bias[kStrip] = {};
  for (int64_t r = 0; end.adds && r < rows; ++r)
    for (int64_t j = 0; j < columns; ++j)
      whole[r * kStrip + j] = c[r * cRow + j];
  for (int64_t j = 0; end.bias && j < columns; ++j)
    bias[j] = end.bias[j];
  end.bias = end.bias ? bias : nullptr;
  if (a.byRows)
    packedTile<true>(a, b, depth, whole, kStrip, end);
  else
    packedTile<false>(a, b, depth, whole, kStrip, end);
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t j = 0; j < columns; ++j)
      c[r * cRow + j] = whole[r * kStrip + j];
}

/// Computes p.m x p.n elements. The rows of the result are cRow elements apart.
inline void packed(const SimdProduct &p, int64_t cRow, void *scratch) {
  auto *ofLeft = static_cast<float *>(scratch),
       *ofRight = ofLeft + kMostRows / kTileRows * stripStride(kTileRows, kMostDepth);
  // Rows at a distance of whole pages would fall into a few sets of a cache. A tile that reads a
  // transposed left factor in place uses 24 of the 64 bytes of each cache line, so a copy is better
  // if few rows share the copied right factor.
  const bool leftInPlace =
      p.aRow == 1 ? p.m > kMostRows && p.aColumn % 1024 != 0 : p.n <= 128 && p.aRow % 1024 != 0;
  const bool rightInPlace = p.bColumn == 1 && p.bRow % 1024 != 0 && p.m <= kMostRows;
  const int64_t pieces = (p.k + kMostDepth - 1) / kMostDepth;
  for (int64_t column = 0; column < p.n; column += kMostColumns) {
    const int64_t columns = least(kMostColumns, p.n - column);
    for (int64_t piece = 0; piece < pieces; ++piece) {
      const int64_t first = p.k * piece / pieces, depth = p.k * (piece + 1) / pieces - first;
      const bool isLast = piece + 1 == pieces;
      const Strips right =
          stripsOf<kStrip>(ofRight, {p.b + first * p.bRow + column * p.bColumn, p.bColumn, p.bRow},
                           columns, depth, rightInPlace);
      for (int64_t row = 0; row < p.m; row += kMostRows) {
        const int64_t rows = least(kMostRows, p.m - row);
        const Strips left =
            stripsOf<kTileRows>(ofLeft, {p.a + row * p.aRow + first * p.aColumn, p.aRow, p.aColumn},
                                rows, depth, leftInPlace);
        for (int64_t j = 0; j < columns; j += kStrip) {
          const TileEpilogue end = {piece > 0, isLast && p.bias ? p.bias + column + j : nullptr,
                                    isLast && p.relu};
          for (int64_t i = 0; i < rows; i += kTileRows) {
            const Strip a = left.at(i / kTileRows), b = right.at(j / kStrip);
            float *c = p.c + (row + i) * cRow + column + j;
            if (i + kTileRows > rows || j + kStrip > columns)
              packedEdge(a, b, depth, c, cRow, end, least(kTileRows, rows - i),
                         least(kStrip, columns - j));
            else if (a.byRows)
              packedTile<true>(a, b, depth, c, cRow, end);
            else
              packedTile<false>(a, b, depth, c, cRow, end);
          }
        }
      }
    }
  }
}
