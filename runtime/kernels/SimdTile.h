//===- SimdTile.h - sums of products in registers, for one kind of CPU --------------*- C++ -*-===//
//
// Included once by each file that is compiled for a kind of CPU (SimdKernels.h), in a namespace of
// its own. Nothing of the standard library here: a linker may take one file's inline functions,
// compiled for a newer CPU, for all files.
//
// Each element of a result is one sum over k in k's order, whatever the tile that it is in.
//
//===------------------------------------------------------------------------------------------===//

#if defined(__AVX512F__)
constexpr int kWidth = 16, kVectors = 4, kSums = 24;
#elif defined(__AVX2__) && defined(__FMA__)
constexpr int kWidth = 8, kVectors = 2, kSums = 12;
#else
constexpr int kWidth = 4, kVectors = 2, kSums = 8;
#endif

typedef float Vector __attribute__((vector_size(kWidth * 4)));
typedef int32_t Integers __attribute__((vector_size(kWidth * 4)));
typedef float Unaligned __attribute__((vector_size(kWidth * 4), aligned(4)));

inline Vector load(const float *at) { return *reinterpret_cast<const Unaligned *>(at); }
inline void store(float *at, Vector value) { *reinterpret_cast<Unaligned *>(at) = value; }
inline Vector all(float value) {
  Vector v;
  for (int i = 0; i < kWidth; ++i)
    v[i] = value;
  return v;
}

/// a b + c; rounded once where the CPU can.
inline Vector multiplyAdd(Vector a, Vector b, Vector c) {
#if defined(__FMA__)
  return __builtin_elementwise_fma(a, b, c);
#else
  return a * b + c;
#endif
}

inline Vector larger(Vector a, Vector b) { return a > b ? a : b; }
/// graph.relu: elements above 0, and +0 for all others, NaN and -0 too.
inline Vector positive(Vector v) { return v > Vector{} ? v : Vector{}; }
template <class T, T... i> struct Sequence {};
using Elements = __make_integer_seq<Sequence, int, kWidth>;

/// Element i is that of i + count, modulo kWidth.
template <int count, int... i> inline Vector moved(Vector v, Sequence<int, i...>) {
  return __builtin_shufflevector(v, v, (i + count) % kWidth...);
}
/// In one order: halves are combined until one is left.
template <int half = kWidth / 2> inline float sumOf(Vector v) {
  v += moved<half>(v, Elements());
  if constexpr (half > 1)
    return sumOf<half / 2>(v);
  else
    return v[0];
}
template <int half = kWidth / 2> inline float largestOf(Vector v) {
  v = larger(v, moved<half>(v, Elements()));
  if constexpr (half > 1)
    return largestOf<half / 2>(v);
  else
    return v[0];
}

/// Squares of `half` elements change places across the diagonal of each square of twice as many.
template <int half, int... j> inline void swapAcross(Vector (&rows)[kWidth], Sequence<int, j...>) {
  for (int i = 0; i < kWidth; ++i)
    if (!(i & half)) {
      const Vector above = rows[i], below = rows[i | half];
      rows[i] = __builtin_shufflevector(above, below, (j & half ? kWidth + (j ^ half) : j)...);
      rows[i | half] = __builtin_shufflevector(above, below, (j & half ? kWidth + j : j ^ half)...);
    }
  if constexpr (half > 1)
    swapAcross<half / 2>(rows, Elements());
}
/// kWidth x kWidth elements.
inline void transposeSquare(float *to, int64_t toRow, const float *from, int64_t fromRow) {
  Vector rows[kWidth];
  for (int i = 0; i < kWidth; ++i)
    rows[i] = load(from + i * fromRow);
  swapAcross<kWidth / 2>(rows, Elements());
  for (int i = 0; i < kWidth; ++i)
    store(to + i * toRow, rows[i]);
}

/// exp(x) for x <= 0, and NaN for NaN; 0 below the logarithm of the least normal number. Off by at
/// most 2 of the last place.
inline Vector exponential(Vector x) {
  const Vector magic = all(12582912.0f); // 1.5 * 2^23: rounds to whole numbers
  Vector n = multiplyAdd(x, all(1.44269504088896341f), magic) - magic;
  Vector r = multiplyAdd(n, all(-0.693359375f), x);
  r = multiplyAdd(n, all(2.12194440e-4f), r);
  Vector p = all(1.9875691500e-4f);
  p = multiplyAdd(p, r, all(1.3981999507e-3f));
  p = multiplyAdd(p, r, all(8.3334519073e-3f));
  p = multiplyAdd(p, r, all(4.1665795894e-2f));
  p = multiplyAdd(p, r, all(1.6666665459e-1f));
  p = multiplyAdd(p, r, all(5.0000001201e-1f));
  p = multiplyAdd(p, r * r, r) + all(1.0f);
  Integers power = (__builtin_convertvector(n, Integers) + 127) << 23;
  Vector scale;
  __builtin_memcpy(&scale, &power, sizeof scale);
  return x < all(-87.3365448f) ? Vector{} : p * scale;
}

/// Element (i, l) of a stands at at[i * row + l * column].
struct Left {
  const float *at;
  int64_t row, column;
};

template <int rows, int vectors>
inline void tile(Left a, const float *b, int64_t bRow, float *c, int64_t cRow, int64_t k,
                 bool adds) {
  Vector sums[rows][vectors];
  for (int r = 0; r < rows; ++r)
    for (int v = 0; v < vectors; ++v)
      sums[r][v] = adds ? load(c + r * cRow + v * kWidth) : Vector{};
  for (int64_t l = 0; l < k; ++l) {
    Vector right[vectors];
    for (int v = 0; v < vectors; ++v)
      right[v] = load(b + l * bRow + v * kWidth);
    for (int r = 0; r < rows; ++r) {
      Vector left = all(a.at[r * a.row + l * a.column]);
      for (int v = 0; v < vectors; ++v)
        sums[r][v] = multiplyAdd(left, right[v], sums[r][v]);
    }
  }
  for (int r = 0; r < rows; ++r)
    for (int v = 0; v < vectors; ++v)
      store(c + r * cRow + v * kWidth, sums[r][v]);
}

/// The rows that are left, fewer than `most`, all at once.
template <int most, int vectors>
inline void tileRest(int64_t rows, Left a, const float *b, int64_t bRow, float *c, int64_t cRow,
                     int64_t k, bool adds) {
  if constexpr (most > 1) {
    if (rows == most - 1)
      tile<most - 1, vectors>(a, b, bRow, c, cRow, k, adds);
    else
      tileRest<most - 1, vectors>(rows, a, b, bRow, c, cRow, k, adds);
  }
}

/// Columns of as many vectors: as many rows at a time as there are registers for, then the rest.
template <int vectors>
inline void tileColumns(int64_t rows, Left a, const float *b, int64_t bRow, float *c, int64_t cRow,
                        int64_t k, bool adds) {
  constexpr int most = kSums / vectors < 12 ? kSums / vectors : 12;
  for (; rows >= most; rows -= most, a.at += most * a.row, c += most * cRow)
    tile<most, vectors>(a, b, bRow, c, cRow, k, adds);
  tileRest<most, vectors>(rows, a, b, bRow, c, cRow, k, adds);
}

/// Columns in groups of as many vectors, then of fewer.
template <int vectors>
inline void productInGroups(int64_t m, int64_t n, int64_t k, Left a, const float *b, int64_t bRow,
                            float *c, int64_t cRow, bool adds) {
  for (; n >= vectors * kWidth; n -= vectors * kWidth, b += vectors * kWidth, c += vectors * kWidth)
    tileColumns<vectors>(m, a, b, bRow, c, cRow, k, adds);
  if constexpr (vectors > 1)
    productInGroups<vectors / 2>(m, n, k, a, b, bRow, c, cRow, adds);
}

/// c = a b, or c += a b: m x n of k products each. b and c have their rows at steps of bRow and
/// cRow; n is a multiple of kWidth.
inline void product(int64_t m, int64_t n, int64_t k, Left a, const float *b, int64_t bRow, float *c,
                    int64_t cRow, bool adds) {
  int64_t few = 0;
  if constexpr (kVectors < 4) {
    // one or two rows that are left over: more columns at a time keep the multipliers busy
    few = m % (kSums / kVectors);
    few = few <= 2 ? few : 0;
    if (few > 0)
      productInGroups<4>(few, n, k, {a.at + (m - few) * a.row, a.row, a.column}, b, bRow,
                         c + (m - few) * cRow, cRow, adds);
  }
  productInGroups<kVectors>(m - few, n, k, a, b, bRow, c, cRow, adds);
}
