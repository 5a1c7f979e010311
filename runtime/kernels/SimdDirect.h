//===- SimdDirect.h - products of operands that a cache holds, for one kind of CPU --*- C++ -*-===//
//
// Included behind SimdTile.h. Both factors are taken where they lie, and the result is written
// once. An element is one chain of multiply-adds in k's order.
//
//===------------------------------------------------------------------------------------------===//

/// Columns [first, end) of a product whose b is stored k x n; whole vectors.
inline void direct(const SimdProduct &p, int64_t first, int64_t end) {
  constexpr int64_t most = 4 * kWidth;
  for (int64_t column = first; column < end; column += most) {
    const int64_t columns = end - column < most ? end - column : most;
    product(p.m, columns, p.k, {p.a, p.aRow, p.aColumn}, p.b + column, p.n, p.c + column, p.n,
            false);
    for (int64_t i = 0; (p.bias || p.relu) && i < p.m; ++i)
      for (int64_t j = column; j < column + columns; j += kWidth) {
        float *at = p.c + i * p.n + j;
        const Vector value = p.bias ? load(at) + load(p.bias + j) : load(at);
        store(at, p.relu ? positive(value) : value);
      }
  }
}
