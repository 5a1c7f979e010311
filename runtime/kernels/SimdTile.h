//===- SimdTile.h - sums of products in registers, for one kind of CPU --------------------------------------------------*- C++ -*-===//
//
// Included once by each file that is compiled for a kind of CPU (Simd.h), in a namespace of its own. Nothing of the standard library
// here: a linker may take one file's inline functions, compiled for a newer CPU, for all files.
//
// Each element of a result is one sum over k in k's order, whatever the tile that it is in.
//
//===----------------------------------------------------------------------------------------------------------------===//

#if defined(__AVX512F__)
constexpr int kWidth = 16, kRows = 6, kVectors = 4;
#elif defined(__AVX2__) && defined(__FMA__)
constexpr int kWidth = 8, kRows = 6, kVectors = 2;
#else
constexpr int kWidth = 4, kRows = 4, kVectors = 2;
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
/// In one order: halves are combined until one is left.
inline float sumOf(Vector v) {
  float x[kWidth];
  store(x, v);
  for (int half = kWidth / 2; half > 0; half /= 2)
    for (int i = 0; i < half; ++i)
      x[i] += x[i + half];
  return x[0];
}
inline float largestOf(Vector v) {
  float x[kWidth];
  store(x, v);
  for (int i = 1; i < kWidth; ++i)
    x[0] = x[i] > x[0] ? x[i] : x[0];
  return x[0];
}

/// exp(x) for x <= 0, and NaN for NaN; 0 below the logarithm of the least normal number. Off by at most 2 of the last place.
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
inline void tile(Left a, const float *b, int64_t bRow, float *c, int64_t cRow, int64_t k, bool adds) {
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

template <int vectors>
inline void tileRows(int64_t rows, Left a, const float *b, int64_t bRow, float *c, int64_t cRow, int64_t k, bool adds) {
  while (rows >= kRows) {
    tile<kRows, vectors>(a, b, bRow, c, cRow, k, adds);
    a.at += kRows * a.row, c += kRows * cRow, rows -= kRows;
  }
  while (rows >= 2) {
    tile<2, vectors>(a, b, bRow, c, cRow, k, adds);
    a.at += 2 * a.row, c += 2 * cRow, rows -= 2;
  }
  if (rows)
    tile<1, vectors>(a, b, bRow, c, cRow, k, adds);
}

/// c = a b, or c += a b: m x n of k products each. b and c have their rows at steps of bRow and cRow; n is a multiple of kWidth.
inline void product(int64_t m, int64_t n, int64_t k, Left a, const float *b, int64_t bRow, float *c, int64_t cRow,
                    bool adds) {
  while (n >= kVectors * kWidth) {
    tileRows<kVectors>(m, a, b, bRow, c, cRow, k, adds);
    b += kVectors * kWidth, c += kVectors * kWidth, n -= kVectors * kWidth;
  }
  while (n >= kWidth) {
    tileRows<1>(m, a, b, bRow, c, cRow, k, adds);
    b += kWidth, c += kWidth, n -= kWidth;
  }
}
