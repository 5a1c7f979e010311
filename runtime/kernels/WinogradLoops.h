//===- WinogradLoops.h - WinogradConvolution.cpp's loops, for one width of vectors --*- C++ -*-===//
//
// Included once for each width, in a namespace of its own that has said what `Vector` is; so there
// is no guard. A vector's elements are neighbouring features, and no element's number depends on
// another's: each width has the same bits.
//
//===------------------------------------------------------------------------------------------===//

constexpr int64_t kVectorElements = sizeof(Vector) / sizeof(float);

static inline Vector load(const float *from) {
  Vector value;
  __builtin_memcpy(&value, from, sizeof value);
  return value;
}
static inline void store(float *to, Vector value) { __builtin_memcpy(to, &value, sizeof value); }

/// Element i is from[i * step], or goes there.
static inline Vector get(const float *from, int64_t step) {
  if (step == 1)
    return load(from);
  Vector value{};
  for (int64_t i = 0; i < kVectorElements; ++i)
    value[int(i)] = from[i * step];
  return value;
}
static inline void put(float *to, int64_t step, Vector value) {
  if (step == 1)
    return store(to, value);
  for (int64_t i = 0; i < kVectorElements; ++i)
    to[i * step] = value[int(i)];
}

/// factor * x + y, rounded once.
static inline Vector fma(float factor, Vector x, Vector y) {
  const Vector factors = factor;
  return __builtin_elementwise_fma(factors, x, y);
}

/// What is odd and what is even in a point: the values at both signs of it share these.
struct Parts {
  Vector even, odd;
};

/// B' d.
static inline void transformInput(const Vector *d, Vector *t) {
  t[0] = fma(kA2 * kB2, d[0], fma(-(kA2 + kB2), d[2], d[4]));
  const Parts a{fma(-kB2, d[2], d[4]), fma(-kB2, d[1], d[3])},
      b{fma(-kA2, d[2], d[4]), fma(-kA2, d[1], d[3])};
  t[1] = fma(kA, a.odd, a.even);
  t[2] = fma(-kA, a.odd, a.even);
  t[3] = fma(kB, b.odd, b.even);
  t[4] = fma(-kB, b.odd, b.even);
  t[5] = fma(kA2 * kB2, d[1], fma(-(kA2 + kB2), d[3], d[5]));
}

/// A' m.
static inline void transformProduct(const Vector *m, Vector *y) {
  const Parts a{m[1] + m[2], m[1] - m[2]}, b{m[3] + m[4], m[3] - m[4]};
  y[0] = m[0] + (a.even + b.even);
  y[1] = fma(kB, b.odd, kA * a.odd);
  y[2] = fma(kB2, b.even, kA2 * a.even);
  y[3] = fma(kB * kB2, b.odd, fma(kA * kA2, a.odd, m[5]));
}

/// A g.
static inline void transformGradient(const Vector *g, Vector *t) {
  const Parts a{fma(kA2, g[2], g[0]), fma(kA2, g[3], g[1])},
      b{fma(kB2, g[2], g[0]), fma(kB2, g[3], g[1])};
  t[0] = g[0];
  t[1] = fma(kA, a.odd, a.even);
  t[2] = fma(-kA, a.odd, a.even);
  t[3] = fma(kB, b.odd, b.even);
  t[4] = fma(-kB, b.odd, b.even);
  t[5] = g[3];
}

/// G g.
static inline void transformWindow(const Vector *g, Vector *t) {
  const Vector a = fma(kA2, g[2], g[0]), b = fma(kB2, g[2], g[0]);
  t[0] = kOf0 * g[0];
  t[1] = kOfA * fma(kA, g[1], a);
  t[2] = kOfA * fma(-kA, g[1], a);
  t[3] = kOfB * fma(kB, g[1], b);
  t[4] = kOfB * fma(-kB, g[1], b);
  t[5] = g[2];
}

/// G' m.
static inline void transformWindowGradient(const Vector *m, Vector *g) {
  const Parts a{kOfA * (m[1] + m[2]), kOfA * (m[1] - m[2])},
      b{kOfB * (m[3] + m[4]), kOfB * (m[3] - m[4])};
  g[0] = fma(kOf0, m[0], a.even + b.even);
  g[1] = fma(kB, b.odd, kA * a.odd);
  g[2] = fma(kB2, b.even, fma(kA2, a.even, m[5]));
}

/// B' d B of tiles that lie side by side. What two neighbours share is computed once.
static void transformRow(const Cursor &cursor, const float *input, int64_t tiles,
                         const float *zeros, float *to, int64_t features, int64_t step) {
  const float *rows[kSize];
  int64_t across[kSize];
  cursor.findRows(input, zeros, features, rows, across);
  const int64_t left = cursor.left();
  for (int64_t c = 0; c < features; c += kVectorElements) {
    Vector t[kSize][kSize]; // columns of the tile, transformed
    auto column = [&](int64_t x, Vector *transformed) {
      Vector d[kSize];
      for (int i = 0; i < kSize; ++i)
        d[i] = x >= 0 && x < cursor.width ? load(rows[i] + x * across[i] + c) : Vector{};
      transformInput(d, transformed);
    };
    for (int i = kTile; i < kSize; ++i)
      column(left + i - kTile, t[i]);
    for (int64_t tile = 0; tile < tiles; ++tile) {
      for (int i = kTile; i < kSize; ++i)
        for (int j = 0; j < kSize; ++j)
          t[i - kTile][j] = t[i][j];
      for (int i = kSize - kTile; i < kSize; ++i)
        column(left + kTile * tile + i, t[i]);
      float *out = to + tile * features + c;
      for (int i = 0; i < kSize; ++i) {
        Vector d[kSize], row[kSize];
        for (int j = 0; j < kSize; ++j)
          d[j] = t[j][i];
        transformInput(d, row);
        for (int j = 0; j < kSize; ++j)
          store(out + (kSize * i + j) * step, row[j]);
      }
    }
  }
}

/// The same of some tiles, from `cursor` on.
static void transformInputs(Cursor cursor, const float *input, int64_t tiles, const float *zeros,
                            float *to, int64_t features, int64_t step) {
  for (int64_t t = 0; t < tiles;) {
    const int64_t inRow = std::min(tiles - t, cursor.across - cursor.x);
    transformRow(cursor, input, inRow, zeros, to + t * features, features, step);
    cursor.skip(inRow);
    t += inRow;
  }
}

/// A g A' of some tiles.
static void transformGradients(Cursor cursor, const float *gradient, int64_t tiles,
                               const float *zeros, float *to, int64_t features, int64_t step) {
  for (int64_t t = 0; t < tiles; ++t, cursor.next()) {
    const float *at[kTile * kTile];
    cursor.find(gradient, zeros, features, at);
    for (int64_t c = 0; c < features; c += kVectorElements) {
      Vector half[kTile][kSize];
      for (int x = 0; x < kTile; ++x) {
        Vector g[kTile];
        for (int y = 0; y < kTile; ++y)
          g[y] = load(at[kTile * y + x] + c);
        transformGradient(g, half[x]);
      }
      float *out = to + t * features + c;
      for (int i = 0; i < kSize; ++i) {
        const Vector g[kTile] = {half[0][i], half[1][i], half[2][i], half[3][i]};
        Vector row[kSize];
        transformGradient(g, row);
        for (int j = 0; j < kSize; ++j)
          store(out + (kSize * i + j) * step, row[j]);
      }
    }
  }
}

/// A' m A of some tiles; what lies outside of the result goes to `nowhere`.
static void transformResults(Cursor cursor, const float *from, int64_t tiles, float *nowhere,
                             float *result, int64_t features, int64_t step) {
  for (int64_t t = 0; t < tiles; ++t, cursor.next()) {
    float *at[kTile * kTile];
    cursor.find(result, nowhere, features, at);
    for (int64_t c = 0; c < features; c += kVectorElements) {
      const float *in = from + t * features + c;
      Vector half[kSize][kTile];
      for (int j = 0; j < kSize; ++j) {
        Vector m[kSize];
        for (int i = 0; i < kSize; ++i)
          m[i] = load(in + (kSize * i + j) * step);
        transformProduct(m, half[j]);
      }
      for (int y = 0; y < kTile; ++y) {
        Vector m[kSize], row[kTile];
        for (int j = 0; j < kSize; ++j)
          m[j] = half[j][y];
        transformProduct(m, row);
        for (int x = 0; x < kTile; ++x)
          store(at[kTile * y + x] + c, row[x]);
      }
    }
  }
}

/// A block of sums over `depth`, in order. Element (r, k) of the left is at a[r * aRow + k *
/// aStep].
template <int Rows, int Vectors, bool Adds>
static void multiply(const float *a, int64_t aRow, int64_t aStep, const float *b, int64_t bStep,
                     float *c, int64_t cRow, int64_t depth) {
  Vector sum[Rows][Vectors];
  for (int r = 0; r < Rows; ++r)
    for (int v = 0; v < Vectors; ++v)
      sum[r][v] = Adds ? load(c + r * cRow + v * kVectorElements) : Vector{};
  for (int64_t k = 0; k < depth; ++k) {
    Vector right[Vectors];
    for (int v = 0; v < Vectors; ++v)
      right[v] = load(b + k * bStep + v * kVectorElements);
    for (int r = 0; r < Rows; ++r) {
      const Vector left = a[r * aRow + k * aStep];
      for (int v = 0; v < Vectors; ++v)
        sum[r][v] = __builtin_elementwise_fma(left, right[v], sum[r][v]);
    }
  }
  for (int r = 0; r < Rows; ++r)
    for (int v = 0; v < Vectors; ++v)
      store(c + r * cRow + v * kVectorElements, sum[r][v]);
}

/// c = a x b, or c += a x b, in blocks of as many registers as there are; `columns` is a multiple
/// of 16.
template <bool Adds> static void product(const GroupProduct &p) {
  auto blocks = [&]<int Rows, int Vectors>() {
    for (int64_t column = 0; column < p.columns; column += Vectors * kVectorElements) {
      int64_t row = 0;
      for (; row + Rows <= p.rows; row += Rows)
        multiply<Rows, Vectors, Adds>(p.a + row * p.aRow, p.aRow, p.aStep, p.b + column, p.columns,
                                      p.c + row * p.columns + column, p.columns, p.depth);
      for (; row < p.rows; ++row)
        multiply<1, Vectors, Adds>(p.a + row * p.aRow, p.aRow, p.aStep, p.b + column, p.columns,
                                   p.c + row * p.columns + column, p.columns, p.depth);
    }
  };
  constexpr bool isWide = kVectorElements == 16;
  if (isWide && p.columns % 64 == 0)
    blocks.template operator()<4, isWide ? 4 : 2>();
  else if (isWide && p.columns % 32 == 0)
    blocks.template operator()<isWide ? 8 : 4, 2>();
  else
    blocks.template operator()<isWide ? 16 : 4, isWide ? 1 : 2>();
}

/// G g G' of the filter, or of the one that makes the gradient by the input of it: turned round,
/// and with inputs and outputs swapped.
static void transformFilter(const FilterSteps &s, const float *from, float *to) {
  for (int64_t other = 0; other < s.others(); ++other)
    for (int64_t c = 0; c < s.neighbours(); c += kVectorElements) {
      Vector half[3][kSize];
      for (int column = 0; column < 3; ++column) {
        Vector g[3];
        for (int row = 0; row < 3; ++row)
          g[row] = get(from + s.from(row, column, other, c), s.neighbourStep());
        transformWindow(g, half[column]);
      }
      float *out = to + other * s.neighbours() + c;
      for (int i = 0; i < kSize; ++i) {
        const Vector g[3] = {half[0][i], half[1][i], half[2][i]};
        Vector row[kSize];
        transformWindow(g, row);
        for (int j = 0; j < kSize; ++j)
          store(out + (kSize * i + j) * s.step, row[j]);
      }
    }
}

/// G' m G, into the filter's gradient.
static void transformFilterGradient(const FilterSteps &s, const float *from, float *to) {
  for (int64_t other = 0; other < s.others(); ++other)
    for (int64_t c = 0; c < s.neighbours(); c += kVectorElements) {
      const float *in = from + other * s.neighbours() + c;
      Vector part[kSize][3];
      for (int j = 0; j < kSize; ++j) {
        Vector m[kSize];
        for (int i = 0; i < kSize; ++i)
          m[i] = load(in + (kSize * i + j) * s.step);
        transformWindowGradient(m, part[j]);
      }
      for (int row = 0; row < 3; ++row) {
        Vector m[kSize], g[3];
        for (int j = 0; j < kSize; ++j)
          m[j] = part[j][row];
        transformWindowGradient(m, g);
        for (int column = 0; column < 3; ++column)
          put(to + s.from(row, column, other, c), s.neighbourStep(), g[column]);
      }
    }
}
