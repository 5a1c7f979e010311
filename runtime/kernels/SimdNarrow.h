//===- SimdNarrow.h - products with few columns, for one kind of CPU ----------------*- C++ -*-===//
//
// Included behind SimdTile.h.
//
//===------------------------------------------------------------------------------------------===//

constexpr int64_t kAcross = 64; // columns of a at a time
/// Columns of b at once.
constexpr int64_t kAtOnce = kSums >= 16 ? 16 : kSums / kVectors;

/// A longer chain is cut in pieces, which are added up in their order: a chain's error grows with
/// its length.
constexpr int64_t kMostChain = 1024;

/// sums = bᵀ a for columns [from, from + columns) of a, whole vectors, and `rows` columns of b from
/// `first` on.
template <int rows, int vectors = (rows * kVectors <= kSums ? kVectors
                                   : rows * 2 <= kSums      ? 2
                                                            : 1)>
inline void sumAcross(const SimdProduct &p, int64_t first, int64_t from, int64_t columns,
                      float *sums) {
  const Left left{p.b + first * p.bColumn, p.bColumn, p.bRow};
  int64_t j = 0;
  for (; j + vectors * kWidth <= columns; j += vectors * kWidth)
    tile<rows, vectors>(left, p.a + from + j, p.m, sums + j, kAcross, p.k, false);
  if constexpr (vectors > 1)
    if (j < columns)
      sumAcross<rows, vectors / 2>(p, first, from + j, columns - j, sums + j);
}

template <class> struct SumsAcross;
template <int... i> struct SumsAcross<Sequence<int, i...>> {
  static constexpr void (*ofRows[])(const SimdProduct &, int64_t, int64_t, int64_t,
                                    float *) = {sumAcross<i + 1>...};
};

/// The same of all of b's columns, and of a piece of k.
inline void sumAcross(const SimdProduct &p, int64_t from, int64_t columns, float *sums) {
  const int64_t times = (p.n + kAtOnce - 1) / kAtOnce;
  for (int64_t time = 0; time < times; ++time) {
    const int64_t row = p.n * time / times, rows = p.n * (time + 1) / times - row;
    SumsAcross<__make_integer_seq<Sequence, int, kAtOnce>>::ofRows[rows - 1](p, row, from, columns,
                                                                             sums + row * kAcross);
  }
}

/// What is summed from element l of k on, as far as one chain goes. a is stored across.
inline SimdProduct pieceOf(const SimdProduct &p, int64_t l) {
  SimdProduct piece = p;
  piece.k = p.k - l < kMostChain ? p.k - l : kMostChain;
  piece.a += l * p.m, piece.b += l * p.bRow;
  return piece;
}

/// As a gradient of weights is: a is stored k x m, and its rows, columns of the product's left
/// factor, are long. Vectors go along them; what they sum is put across at the end. An element is
/// one chain of multiply-adds in k's order, or the sum of several, whatever else is computed.
inline void narrowAcross(const SimdProduct &p, int64_t first, int64_t end) {
  alignas(64) float sums[kMostNarrow * kAcross] = {}, across[kAcross * kMostNarrow];
  int64_t width = 0;
  for (int64_t i = first; i < end; i += width) {
    width = end - i < kAcross ? end - i : kAcross;
    if (width > kWidth)
      width -= width % kWidth;
    // What is less than a vector begins earlier, where one ends with the row.
    const int64_t whole = width < kWidth ? kWidth : width,
                  from = i + whole <= p.m ? i : p.m - whole;
    sumAcross(pieceOf(p, 0), from, whole, sums);
    for (int64_t l = kMostChain; l < p.k; l += kMostChain) {
      alignas(64) float more[kMostNarrow * kAcross];
      sumAcross(pieceOf(p, l), from, whole, more);
      for (int64_t r = 0; r < p.n; ++r)
        for (int64_t j = r * kAcross; j < r * kAcross + whole; j += kWidth)
          store(sums + j, load(sums + j) + load(more + j));
    }
    for (int64_t r = 0; r < p.n; ++r)
      for (int64_t j = 0; j < whole; j += kWidth) {
        Vector value = load(sums + r * kAcross + j);
        if (p.bias)
          value += all(p.bias[r]);
        store(sums + r * kAcross + j, p.relu ? positive(value) : value);
      }
    for (int64_t j = 0; j < whole; j += kWidth)
      for (int64_t r = 0; r < p.n; r += kWidth)
        transposeSquare(across + j * kMostNarrow + r, kMostNarrow, sums + r * kAcross + j, kAcross);
    for (int64_t row = i; row < i + width; ++row) {
      const float *values = across + (row - from) * kMostNarrow;
      if (row * p.n + kMostNarrow <= end * p.n) // with what the next rows are written over
        __builtin_memcpy(p.c + row * p.n, values, sizeof(float) * kMostNarrow);
      else
        __builtin_memcpy(p.c + row * p.n, values, size_t(p.n) * sizeof(float));
    }
  }
}

/// Element `row` of one column, after its sum.
inline float finished(const SimdProduct &p, int64_t row, float sum) {
  const float value = p.bias ? sum + p.bias[row * p.biasStep] : sum;
  return p.relu && !(value > 0) ? 0 : value;
}

/// sums = a piece's columns [from, from + columns), whole vectors, of which `once` rows are read at
/// a time.
template <int64_t once>
inline void addRows(const SimdProduct &p, int64_t from, int64_t columns, float *sums) {
  const float *a = p.a + from;
  __builtin_memset(sums, 0, size_t(columns) * sizeof(float));
  int64_t l = 0;
  for (; l + once <= p.k; l += once) {
    Vector right[once];
    for (int64_t r = 0; r < once; ++r)
      right[r] = all(p.b[l + r]);
    for (int64_t j = 0; j < columns; j += kWidth) {
      Vector sum = load(sums + j);
      for (int64_t r = 0; r < once; ++r)
        sum = multiplyAdd(right[r], load(a + (l + r) * p.m + j), sum);
      store(sums + j, sum);
    }
  }
  for (; l < p.k; ++l)
    for (int64_t j = 0; j < columns; j += kWidth)
      store(sums + j, multiplyAdd(all(p.b[l]), load(a + l * p.m + j), load(sums + j)));
}

/// One column of b, a as above: a's rows are read from end to end, some at a time, and what is
/// summed lies in the first cache.
inline void narrowColumn(const SimdProduct &p, int64_t first, int64_t end) {
  constexpr int64_t most = 8192;
  alignas(64) float more[most];
  for (int64_t from = first, columns = 0; from < end; from += columns) {
    columns = end - from < most ? end - from : most;
    const int64_t whole = columns - columns % kWidth;
    for (int64_t l = 0; l < p.k; l += kMostChain) {
      float *c = p.c + from, *sums = l == 0 ? c : more;
      const SimdProduct piece = pieceOf(p, l);
      addRows<6>(piece, from, whole, sums);
      if (whole < columns) {
        // what is less than a vector begins earlier, where one ends with the row
        alignas(64) float last[kWidth];
        tile<1, 1>({piece.b, 0, 1}, piece.a + p.m - kWidth, p.m, last, kWidth, piece.k, false);
        for (int64_t j = whole; j < columns; ++j)
          sums[j] = last[from + j + kWidth - p.m];
      }
      for (int64_t j = 0; l > 0 && j < columns; ++j)
        c[j] += sums[j];
    }
  }
  for (int64_t j = first; (p.bias || p.relu) && j < end; ++j)
    p.c[j] = finished(p, j, p.c[j]);
}

/// One column: a product of each row of a with b. The sums of kWidth chains, two of them in turns,
/// are added up in sumOf()'s order.
inline void narrowDots(const SimdProduct &p, int64_t first, int64_t end) {
  constexpr int64_t once = 4;
  for (int64_t i = first; i < end; i += once) {
    const int64_t rows = end - i < once ? end - i : once;
    Vector sums[once][2] = {};
    const float *row[once];
    for (int64_t r = 0; r < once; ++r)
      row[r] = p.a + (i + (r < rows ? r : 0)) * p.k;
    int64_t l = 0;
    for (; l + 2 * kWidth <= p.k; l += 2 * kWidth)
      for (int64_t v = 0; v < 2; ++v) {
        const Vector right = load(p.b + l + v * kWidth);
        for (int64_t r = 0; r < once; ++r)
          sums[r][v] = multiplyAdd(load(row[r] + l + v * kWidth), right, sums[r][v]);
      }
    for (int64_t r = 0; r < rows; ++r) {
      float sum = sumOf(sums[r][0] + sums[r][1]);
      for (int64_t rest = l; rest < p.k; ++rest)
        sum += row[r][rest] * p.b[rest];
      p.c[i + r] = finished(p, i + r, sum);
    }
  }
}
