//===- WinogradLoops.h - Winograd.cpp's loops, for one width of vectors ------------------------------------------------*- C++ -*-===//
//
// Included once for each width, in a namespace of its own that has said what `Vector` is; so there is no guard. Lanes are neighbouring
// features, and no lane's number depends on another's: each width has the same bits.
//
//===----------------------------------------------------------------------------------------------------------------===//

constexpr int64_t kLanes = sizeof(Vector) / sizeof(float);

static inline Vector load(const float *from) {
  Vector value;
  __builtin_memcpy(&value, from, sizeof value);
  return value;
}
static inline void store(float *to, Vector value) { __builtin_memcpy(to, &value, sizeof value); }

/// Lane i to to[i * step].
static inline void put(float *to, int64_t step, Vector value) {
  if (step == 1)
    return store(to, value);
  for (int64_t i = 0; i < kLanes; ++i)
    to[i * step] = value[int(i)];
}
static inline Vector get(const float *from, int64_t step) {
  if (step == 1)
    return load(from);
  Vector value{};
  for (int64_t i = 0; i < kLanes; ++i)
    value[int(i)] = from[i * step];
  return value;
}

/// B' d B of tiles that lie side by side. What two neighbours share is computed once.
static void transformRow(const Cursor &cursor, const float *input, int64_t tiles, const float *zeros, float *to,
                         int64_t features, int64_t step) {
  const float *rows[4];
  int64_t across[4];
  cursor.findRows(input, zeros, features, rows, across);
  const int64_t left = cursor.left();
  for (int64_t c = 0; c < features; c += kLanes) {
    auto column = [&](int64_t x, Vector *t) {
      Vector d[4];
      for (int i = 0; i < 4; ++i)
        d[i] = x >= 0 && x < cursor.width ? load(rows[i] + x * across[i] + c) : Vector{};
      t[0] = d[0] - d[2];
      t[1] = d[1] + d[2];
      t[2] = d[2] - d[1];
      t[3] = d[1] - d[3];
    };
    Vector t0[4], t1[4], t2[4], t3[4];
    column(left, t0);
    column(left + 1, t1);
    for (int64_t tile = 0; tile < tiles; ++tile) {
      column(left + 2 * tile + 2, t2);
      column(left + 2 * tile + 3, t3);
      float *out = to + tile * features + c;
      for (int i = 0; i < 4; ++i) {
        store(out + (4 * i) * step, t0[i] - t2[i]);
        store(out + (4 * i + 1) * step, t1[i] + t2[i]);
        store(out + (4 * i + 2) * step, t2[i] - t1[i]);
        store(out + (4 * i + 3) * step, t1[i] - t3[i]);
        t0[i] = t2[i];
        t1[i] = t3[i];
      }
    }
  }
}

/// The same of some tiles, from `cursor` on.
static void transformInputs(Cursor cursor, const float *input, int64_t tiles, const float *zeros, float *to,
                            int64_t features, int64_t step) {
  for (int64_t t = 0; t < tiles;) {
    const int64_t inRow = std::min(tiles - t, cursor.across - cursor.x);
    transformRow(cursor, input, inRow, zeros, to + t * features, features, step);
    cursor.skip(inRow);
    t += inRow;
  }
}

/// A g A' of some tiles.
static void transformGradients(Cursor cursor, const float *gradient, int64_t tiles, const float *zeros, float *to,
                               int64_t features, int64_t step) {
  for (int64_t t = 0; t < tiles; ++t, cursor.next()) {
    const float *at[4];
    cursor.find(gradient, zeros, features, at);
    for (int64_t c = 0; c < features; c += kLanes) {
      const Vector g0 = load(at[0] + c), g1 = load(at[1] + c), g2 = load(at[2] + c), g3 = load(at[3] + c);
      const Vector left[4] = {g0, g0 + g2, g0 - g2, -g2}, right[4] = {g1, g1 + g3, g1 - g3, -g3};
      float *out = to + t * features + c;
      for (int i = 0; i < 4; ++i) {
        store(out + (4 * i) * step, left[i]);
        store(out + (4 * i + 1) * step, left[i] + right[i]);
        store(out + (4 * i + 2) * step, left[i] - right[i]);
        store(out + (4 * i + 3) * step, -right[i]);
      }
    }
  }
}

/// A' m A of some tiles; what lies outside of the result goes to `nowhere`.
static void transformResults(Cursor cursor, const float *from, int64_t tiles, float *nowhere, float *result,
                             int64_t features, int64_t step) {
  for (int64_t t = 0; t < tiles; ++t, cursor.next()) {
    float *at[4];
    cursor.find(result, nowhere, features, at);
    for (int64_t c = 0; c < features; c += kLanes) {
      const float *in = from + t * features + c;
      Vector top[4], low[4];
      for (int j = 0; j < 4; ++j) {
        const Vector m0 = load(in + j * step), m1 = load(in + (4 + j) * step), m2 = load(in + (8 + j) * step),
                     m3 = load(in + (12 + j) * step);
        const Vector sum = m1 + m2, difference = m1 - m2;
        top[j] = m0 + sum;
        low[j] = difference - m3;
      }
      store(at[0] + c, top[0] + (top[1] + top[2]));
      store(at[1] + c, (top[1] - top[2]) - top[3]);
      store(at[2] + c, low[0] + (low[1] + low[2]));
      store(at[3] + c, (low[1] - low[2]) - low[3]);
    }
  }
}

/// A block of sums over `depth`, in order. Element (r, k) of the left is at a[r * aRow + k * aStep].
template <int Rows, int Vectors, bool Adds>
static void multiply(const float *a, int64_t aRow, int64_t aStep, const float *b, int64_t bStep, float *c, int64_t cRow,
                     int64_t depth) {
  Vector sum[Rows][Vectors];
  for (int r = 0; r < Rows; ++r)
    for (int v = 0; v < Vectors; ++v)
      sum[r][v] = Adds ? load(c + r * cRow + v * kLanes) : Vector{};
  for (int64_t k = 0; k < depth; ++k) {
    Vector right[Vectors];
    for (int v = 0; v < Vectors; ++v)
      right[v] = load(b + k * bStep + v * kLanes);
    for (int r = 0; r < Rows; ++r) {
      const Vector left = a[r * aRow + k * aStep];
      for (int v = 0; v < Vectors; ++v)
        sum[r][v] = __builtin_elementwise_fma(left, right[v], sum[r][v]);
    }
  }
  for (int r = 0; r < Rows; ++r)
    for (int v = 0; v < Vectors; ++v)
      store(c + r * cRow + v * kLanes, sum[r][v]);
}

/// c = a x b, or c += a x b, in blocks of as many registers as there are; `columns` is a multiple of 16.
template <bool Adds> static void product(const GroupProduct &p) {
  auto blocks = [&]<int Rows, int Vectors>() {
    for (int64_t column = 0; column < p.columns; column += Vectors * kLanes) {
      int64_t row = 0;
      for (; row + Rows <= p.rows; row += Rows)
        multiply<Rows, Vectors, Adds>(p.a + row * p.aRow, p.aRow, p.aStep, p.b + column, p.columns,
                                      p.c + row * p.columns + column, p.columns, p.depth);
      for (; row < p.rows; ++row)
        multiply<1, Vectors, Adds>(p.a + row * p.aRow, p.aRow, p.aStep, p.b + column, p.columns,
                                   p.c + row * p.columns + column, p.columns, p.depth);
    }
  };
  constexpr bool isWide = kLanes == 16;
  if (isWide && p.columns % 64 == 0)
    blocks.template operator()<4, isWide ? 4 : 2>();
  else if (isWide && p.columns % 32 == 0)
    blocks.template operator()<isWide ? 8 : 4, 2>();
  else
    blocks.template operator()<isWide ? 16 : 4, isWide ? 1 : 2>();
}

/// G g G' of the filter, or of the one that makes the gradient by the input of it: turned round, and with inputs and outputs swapped.
static void transformFilter(const FilterSteps &s, const float *from, float *to) {
  for (int64_t input = 0; input < s.inputs; ++input)
    for (int64_t output = 0; output < s.outputs; output += kLanes) {
      Vector half[4][3];
      for (int column = 0; column < 3; ++column) {
        auto at = [&](int row) { return get(from + s.from(row, column, input, output), s.outputStep); };
        const Vector g0 = at(0), g1 = at(1), g2 = at(2);
        half[0][column] = g0;
        half[1][column] = 0.5f * ((g0 + g2) + g1);
        half[2][column] = 0.5f * ((g0 + g2) - g1);
        half[3][column] = g2;
      }
      for (int row = 0; row < 4; ++row) {
        const Vector *g = half[row];
        float *out = to + (4 * row) * s.step + s.to(input, output);
        put(out, s.toStep, g[0]);
        put(out + s.step, s.toStep, 0.5f * ((g[0] + g[2]) + g[1]));
        put(out + 2 * s.step, s.toStep, 0.5f * ((g[0] + g[2]) - g[1]));
        put(out + 3 * s.step, s.toStep, g[2]);
      }
    }
}

/// G' m G, into the filter's gradient.
static void transformFilterGradient(const FilterSteps &s, const float *from, float *to) {
  for (int64_t input = 0; input < s.inputs; ++input)
    for (int64_t output = 0; output < s.outputs; output += kLanes) {
      Vector part[3][4];
      for (int column = 0; column < 4; ++column) {
        auto at = [&](int row) { return load(from + (4 * row + column) * s.step + s.to(input, output)); };
        const Vector m0 = at(0), m1 = at(1), m2 = at(2), m3 = at(3);
        part[0][column] = m0 + 0.5f * (m1 + m2);
        part[1][column] = 0.5f * (m1 - m2);
        part[2][column] = 0.5f * (m1 + m2) + m3;
      }
      for (int row = 0; row < 3; ++row) {
        const Vector *m = part[row];
        auto store = [&](int column, Vector value) {
          put(to + s.from(row, column, input, output), s.outputStep, value);
        };
        store(0, m[0] + 0.5f * (m[1] + m[2]));
        store(1, 0.5f * (m[1] - m[2]));
        store(2, 0.5f * (m[1] + m[2]) + m[3]);
      }
    }
}
