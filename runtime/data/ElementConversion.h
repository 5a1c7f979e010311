//===- ElementConversion.h - the inner loops of the data path -----------------------*- C++ -*-===//
//
// Rows of stored elements to rows of a program's elements, and Philox words to elements. Vectorised
// for the CPU at hand; every version gives the same bits: value * scale + offset with both
// operations rounded, never contracted.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_DATA_ELEMENTCONVERSION_H
#define GRAPHC_RUNTIME_DATA_ELEMENTCONVERSION_H

#include "runtime/common/plan/plan.pb.h"
#include "runtime/data/StoredSamples.h"

#include <cstddef>
#include <cstdint>

namespace graphc::data {

/// One component's conversion; `scale` and `offset` are for float results (f32 rounds them to f32
/// first).
struct ElementConversion {
  StoredType from = StoredType::U8;
  plan::DataType to = plan::F32;
  double scale = 1, offset = 0;
};

/// Whether there is a loop for it: integers go to floats, and to integers that hold every value;
/// floats to floats that do; a Bool to an I1 and to all that integers go to.
bool canConvert(StoredType from, plan::DataType to);

/// `count` elements from `in` (any alignment) to `out`.
void convertRow(const ElementConversion &conversion, const uint8_t *in, size_t count, void *out);

/// Blocks first … first + blocks - 1 of Philox(seed, stream), four words each, to `out`.
void philoxWords(uint64_t seed, uint64_t stream, uint64_t first, size_t blocks, uint32_t *out);

/// One sample of a synthetic component: floats uniform in [0, 1), integers uniform in [0, limit).
/// Words per element: 1 for F32, 2 for all others. `limit` > 0 for integers. Sample i uses the
/// blocks from i * syntheticBlocks() on.
void syntheticRow(uint64_t seed, uint64_t stream, uint64_t sample, plan::DataType type,
                  int64_t limit, size_t count, void *out);
uint64_t syntheticBlocks(plan::DataType type, uint64_t count);

} // namespace graphc::data
#endif
