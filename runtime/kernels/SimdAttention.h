//===- SimdAttention.h - attention of one sequence of one head, forward and backward ----------===//
//
// Included behind SimdTile.h. Some rows of queries at a time: their scores with all keys that they
// may see (causal: none behind the last of these rows), the softmax of each whole row, the product
// with the values. Backward the same scores and weights are computed again, so forward keeps
// nothing. Sums go over keys, or over queries, in their order: a unit's bits depend on the shape
// and the kind of CPU alone.
//
//===------------------------------------------------------------------------------------------===//

/// Scratch memory, taken piece by piece; each row of a piece begins on 64 bytes.
struct Memory {
  char *at;
  float *take(int64_t rows, int64_t row) {
    auto *taken = reinterpret_cast<float *>(at);
    at += rows * row * 4;
    return taken;
  }
};

inline void transposeInto(float *to, int64_t toRow, const float *from, int64_t fromRow,
                          int64_t rows, int64_t columns) {
  const int64_t wholeRows = rows - rows % kWidth, wholeColumns = columns - columns % kWidth;
  for (int64_t i = 0; i < wholeRows; i += kWidth)
    for (int64_t j = 0; j < wholeColumns; j += kWidth)
      transposeSquare(to + j * toRow + i, toRow, from + i * fromRow + j, fromRow);
  for (int64_t j = 0; j < columns; ++j) {
    for (int64_t i = j < wholeColumns ? wholeRows : 0; i < rows; ++i)
      to[j * toRow + i] = from[i * fromRow + j];
    for (int64_t i = rows; i < toRow; ++i)
      to[j * toRow + i] = 0;
  }
}

/// The matrix itself where its rows are whole vectors for every kind of CPU and stand one behind
/// the other; else a copy with zeros behind each row. Rows that stand far apart fall into few sets
/// of a cache.
inline const float *padded(Memory &memory, const float *from, int64_t step, int64_t rows,
                           int64_t columns) {
  if (areWhole(columns, step))
    return from;
  const int64_t row = paddedRow(columns);
  float *to = memory.take(rows, row);
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j)
      to[i * row + j] = from[i * step + j];
    for (int64_t j = columns; j < row; ++j)
      to[i * row + j] = 0;
  }
  return to;
}

/// Where the sums of a result are made: there, or in a matrix that padded() would copy.
inline float *sumsOf(Memory &memory, float *result, int64_t step, int64_t rows, int64_t columns) {
  return areWhole(columns, step) ? result : memory.take(rows, paddedRow(columns));
}

inline void unpad(float *to, int64_t step, const float *from, int64_t rows, int64_t columns) {
  const int64_t row = paddedRow(columns);
  if (to != from)
    for (int64_t i = 0; i < rows; ++i)
      __builtin_memcpy(to + i * step, from + i * row, size_t(columns) * 4);
}

/// How many keys the queries before `end` may see.
inline int64_t seenBefore(const AttentionShape &s, int64_t end) {
  return s.causal && end < s.keys ? end : s.keys;
}

inline int64_t wholeVectors(int64_t count) { return (count + kWidth - 1) / kWidth * kWidth; }

/// Rows whose weights are made at once: what has to wait for a row's largest product, and for its
/// sum, does not wait alone.
constexpr int64_t kWeighed = kWidth == 16 ? 4 : 2;

/// Weights of queries i … i + rows - 1, not divided by their sums, in place of their products with
/// the keys before `seen`, zeros up to whole vectors; the sums, which are 1 where there is nothing
/// to see.
template <int64_t rows>
inline void weighRows(const AttentionShape &s, const AttentionMask &mask, int64_t i, float *first,
                      int64_t step, int64_t seen, float *totals) {
  const float infinity = __builtin_inff();
  const int64_t vectors = wholeVectors(seen);
  for (int64_t r = 0; r < rows; ++r) {
    float *row = first + r * step;
    const int64_t query = i + r, most = s.causal && query + 1 < seen ? query + 1 : seen;
    for (int64_t j = most; j < vectors; ++j)
      row[j] = -infinity;
    if (mask.at)
      for (int64_t j = 0; j < most; ++j)
        if (!mask.at[query * mask.query + j * mask.key])
          row[j] = -infinity;
  }
  // A negative or zero scale would turn -infinity around: it is put back.
  const Vector scale = all(s.scale), hidden = all(-infinity);
  Vector largest[rows], shift[rows], sums[rows] = {};
  for (int64_t r = 0; r < rows; ++r)
    largest[r] = hidden;
  for (int64_t j = 0; j < vectors; j += kWidth)
    for (int64_t r = 0; r < rows; ++r) {
      Vector x = load(first + r * step + j);
      x = x == hidden ? hidden : x * scale;
      store(first + r * step + j, x);
      largest[r] = larger(x, largest[r]);
    }
  for (int64_t r = 0; r < rows; ++r) {
    const float top = largestOf(largest[r]);
    shift[r] = all(top == -infinity ? 0 : top);
  }
  for (int64_t j = 0; j < vectors; j += kWidth)
    for (int64_t r = 0; r < rows; ++r) {
      Vector x = exponential(load(first + r * step + j) - shift[r]);
      store(first + r * step + j, x);
      sums[r] += x;
    }
  for (int64_t r = 0; r < rows; ++r) {
    const float total = sumOf(sums[r]);
    totals[r] = total == 0 ? 1 : total;
  }
}

/// The same of `rows` rows, `step` apart.
inline void weigh(const AttentionShape &s, const AttentionMask &mask, int64_t i, int64_t rows,
                  float *first, int64_t step, int64_t seen, float *totals) {
  int64_t r = 0;
  for (; r + kWeighed <= rows; r += kWeighed)
    weighRows<kWeighed>(s, mask, i + r, first + r * step, step, seen, totals + r);
  for (; r < rows; ++r)
    weighRows<1>(s, mask, i + r, first + r * step, step, seen, totals + r);
}

inline float dot(const float *a, const float *b, int64_t count) {
  Vector sums = {};
  int64_t i = 0;
  for (; i + kWidth <= count; i += kWidth)
    sums = multiplyAdd(load(a + i), load(b + i), sums);
  float sum = sumOf(sums);
  for (; i < count; ++i)
    sum += a[i] * b[i];
  return sum;
}

void attention(const AttentionShape &s, const AttentionForward &u, void *scratch) {
  Memory memory{static_cast<char *>(scratch)};
  const int64_t row = scoreRow(s), width = paddedRow(s.width);
  float *keys = memory.take(s.size, row), *scores = memory.take(s.rows, row),
        *sums = memory.take(s.rows, width);
  const float *values = padded(memory, u.value, s.valueStep, s.keys, s.width);
  transposeInto(keys, row, u.key, s.keyStep, s.keys, s.size);
  for (int64_t first = 0; first < s.queries; first += s.rows) {
    const int64_t rows = s.queries - first < s.rows ? s.queries - first : s.rows;
    const int64_t seen = seenBefore(s, first + rows);
    const Left queries{u.query + first * s.queryStep, s.queryStep, 1};
    product(rows, wholeVectors(seen), s.size, queries, keys, row, scores, row, false);
    float totals[kMostAttentionRows];
    weigh(s, u.mask, first, rows, scores, row, seen, totals);
    product(rows, width, seen, {scores, row, 1}, values, width, sums, width, false);
    for (int64_t i = 0; i < rows; ++i) {
      const float inverse = 1 / totals[i];
      for (int64_t j = 0; j < s.width; ++j)
        u.result[(first + i) * s.outputStep + j] = sums[i * width + j] * inverse;
    }
  }
}

// With p the weights, o the output and g its gradient: dv = pᵀ g, and t = scale p (g vᵀ - sum(g o))
// gives dq = t k, dk = tᵀ q.
void attentionGrad(const AttentionShape &s, const AttentionBackward &u, void *scratch) {
  Memory memory{static_cast<char *>(scratch)};
  const int64_t row = scoreRow(s), size = paddedRow(s.size), width = paddedRow(s.width);
  float *keysAcross = memory.take(s.size, row), *valuesAcross = memory.take(s.width, row);
  float *weights = memory.take(s.rows, row), *changes = memory.take(s.rows, row);
  const float *queries = padded(memory, u.query, s.queryStep, s.queries, s.size);
  const float *keys = padded(memory, u.key, s.keyStep, s.keys, s.size);
  const float *gradients = padded(memory, u.gradient, s.outputStep, s.queries, s.width);
  float *ofQuery = sumsOf(memory, u.ofQuery, s.queryStep, s.queries, s.size);
  float *ofKey = sumsOf(memory, u.ofKey, s.keyStep, s.keys, s.size);
  float *ofValue = sumsOf(memory, u.ofValue, s.valueStep, s.keys, s.width);
  transposeInto(keysAcross, row, u.key, s.keyStep, s.keys, s.size);
  transposeInto(valuesAcross, row, u.value, s.valueStep, s.keys, s.width);
  __builtin_memset(ofKey, 0, size_t(s.keys * size) * 4);
  __builtin_memset(ofValue, 0, size_t(s.keys * width) * 4);
  for (int64_t first = 0; first < s.queries; first += s.rows) {
    const int64_t rows = s.queries - first < s.rows ? s.queries - first : s.rows;
    const int64_t seen = seenBefore(s, first + rows), vectors = wholeVectors(seen);
    const float *query = queries + first * size, *gradient = gradients + first * width;
    product(rows, vectors, s.size, {query, size, 1}, keysAcross, row, weights, row, false);
    product(rows, vectors, s.width, {gradient, width, 1}, valuesAcross, row, changes, row, false);
    float totals[kMostAttentionRows];
    weigh(s, u.mask, first, rows, weights, row, seen, totals);
    for (int64_t i = 0; i < rows; ++i) {
      float *weight = weights + i * row, *change = changes + i * row;
      const Vector inverse = all(1 / totals[i]);
      const int64_t at = (first + i) * s.outputStep;
      const Vector mean = all(dot(u.gradient + at, u.output + at, s.width)), scale = all(s.scale);
      for (int64_t j = 0; j < vectors; j += kWidth) {
        const Vector p = load(weight + j) * inverse;
        store(weight + j, p);
        store(change + j, p * (load(change + j) - mean) * scale);
      }
    }
    product(seen, width, rows, {weights, 1, row}, gradient, width, ofValue, width, true);
    product(seen, size, rows, {changes, 1, row}, query, size, ofKey, size, true);
    product(rows, size, seen, {changes, row, 1}, keys, size, ofQuery + first * size, size, false);
  }
  unpad(u.ofQuery, s.queryStep, ofQuery, s.queries, s.size);
  unpad(u.ofKey, s.keyStep, ofKey, s.keys, s.size);
  unpad(u.ofValue, s.valueStep, ofValue, s.keys, s.width);
}
