#include "runtime/kernels/Winograd.h"
#include "runtime/kernels/Simd.h"

#include <algorithm>
#include <cstring>

// Each product is rounded unless the text says otherwise, so that bits do not follow from what the compiler joins.
#pragma STDC FP_CONTRACT OFF

namespace graphc::kernels {
namespace {

/// Tiles whose products are made at once: what is between the steps stays in the nearest caches.
constexpr int64_t kGroup = 32;
/// Between the 16 matrices of a group, so that they do not meet in the same sets of a cache.
constexpr int64_t kGap = 16;

/// A tile, and the next ones, batch by batch and row by row. Tile (y, x) has the elements from (2 y - low, 2 x - low) on.
struct Cursor {
  int64_t height, width, down, across, low[2]; ///< of the tensor in which elements are found, and in tiles
  int64_t sample = 0, y = 0, x = 0;

  void next() {
    if (++x < across)
      return;
    x = 0;
    if (++y < down)
      return;
    y = 0;
    ++sample;
  }
  void skip(int64_t tiles) {
    const int64_t at = (sample * down + y) * across + x + tiles;
    x = at % across;
    y = at / across % down;
    sample = at / across / down;
  }
  int64_t left() const { return 2 * x - low[1]; }
  /// Where the 4 rows of the inputs begin, and the steps along them; of a row outside of the tensor `zeros`, and 0.
  void findRows(const float *base, const float *zeros, int64_t features, const float **rows, int64_t *steps) const {
    for (int64_t i = 0; i < 4; ++i) {
      const int64_t row = 2 * y - low[0] + i;
      const bool isInside = row >= 0 && row < height;
      rows[i] = isInside ? base + (sample * height + row) * width * features : zeros;
      steps[i] = isInside ? features : 0;
    }
  }
  /// Where the 2x2 results are; those outside of the tensor at `outside`.
  template <typename Float> void find(Float *base, Float *outside, int64_t features, Float **at) const {
    Float *first = base + ((sample * height + 2 * y) * width + 2 * x) * features;
    const bool hasLow = 2 * y + 1 < height, hasRight = 2 * x + 1 < width;
    at[0] = first;
    at[1] = hasRight ? first + features : outside;
    at[2] = hasLow ? first + width * features : outside;
    at[3] = hasLow && hasRight ? first + (width + 1) * features : outside;
  }
};

/// Dense rows of b and c; element (r, k) of a is at a[r * aRow + k * aStep].
struct GroupProduct {
  const float *a, *b;
  float *c;
  int64_t aRow, aStep, rows, columns, depth;
};

/// Where the element of a window's place and two features is: in the model's filter, and in one of the 16 matrices.
struct FilterSteps {
  int64_t inputs, outputs;
  int64_t rowStep, columnStep, inputStep, outputStep, start = 0;
  int64_t step; ///< from one of the 16 to the next
  bool isSwapped; ///< the matrices have outputs x inputs
  int64_t toStep; ///< from an output to the next, in a matrix

  int64_t from(int row, int column, int64_t input, int64_t output) const {
    return start + row * rowStep + column * columnStep + input * inputStep + output * outputStep;
  }
  int64_t to(int64_t input, int64_t output) const {
    return isSwapped ? output * inputs + input : input * outputs + output;
  }
};

#pragma clang attribute push(__attribute__((target("avx512f,avx2,fma"))), apply_to = function)
namespace wide {
using Vector = float __attribute__((ext_vector_type(16)));
#include "runtime/kernels/WinogradLoops.h"
} // namespace wide
#pragma clang attribute pop
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
namespace narrow {
using Vector = float __attribute__((ext_vector_type(8)));
#include "runtime/kernels/WinogradLoops.h"
} // namespace narrow
#pragma clang attribute pop

bool hasWideVectors() { return &simdKernels() == &kSimdAvx512; }
bool hasVectors() { return &simdKernels() != &kSimdBase; }

/// The loops of the kernel's width.
#define GRAPHC_LOOPS(call) (isWide ? wide::call : narrow::call)

FilterSteps stepsOf(const GraphcConvolutionDesc &d) {
  FilterSteps s{};
  s.inputs = d.inputs;
  s.outputs = d.outputs;
  if (d.hwio) {
    s.outputStep = 1;
    s.inputStep = d.outputs;
    s.columnStep = d.inputs * d.outputs;
    s.rowStep = 3 * s.columnStep;
  } else {
    s.columnStep = 1;
    s.rowStep = 3;
    s.inputStep = 9;
    s.outputStep = 9 * d.inputs;
  }
  s.step = d.inputs * d.outputs;
  s.isSwapped = d.kind == GRAPHC_CONVOLUTION_INPUT;
  s.toStep = s.isSwapped ? d.inputs : 1;
  if (s.isSwapped) { // turned round
    s.start = 2 * s.rowStep + 2 * s.columnStep;
    s.rowStep = -s.rowStep;
    s.columnStep = -s.columnStep;
  }
  return s;
}

/// What the next group will touch of a tensor, asked for in 16 parts between the products of this one.
class Ahead {
public:
  Ahead(const Cursor &next, const float *base, int64_t batch, int64_t features) {
    const int64_t all = batch * next.height * next.width, row = 2 * next.y + 2 - next.low[0];
    const int64_t from = std::clamp((next.sample * next.height + row) * next.width, int64_t(0), all);
    at = base + from * features;
    end = base + std::min(from + 4 * kGroup, all) * features;
    part = 4 * kGroup * features / 16;
  }
  void ask() {
    for (const float *last = std::min(end, at + part); at < last; at += 16)
      __builtin_prefetch(at, 0, 2);
  }

private:
  const float *at, *end;
  int64_t part;
};

/// Of the 16 matrices of a group with so many features.
int64_t stepOf(int64_t features) { return kGroup * features + kGap; }

} // namespace

bool winogradServes(const GraphcConvolutionDesc &d) {
  // Beyond this the matrices of a group leave the caches.
  constexpr int64_t mostFeatures = 128;
  if (d.space != 2 || !d.nhwc || d.groups != 1 || d.inputs % 16 || d.outputs % 16 || d.inputs > mostFeatures ||
      d.outputs > mostFeatures)
    return false;
  for (int i = 0; i < 2; ++i)
    if (d.window[i] != 3 || d.stride[i] != 1 || d.dilation[i] != 1)
      return false;
  return hasVectors();
}

Winograd::Winograd(const GraphcConvolutionDesc &desc, bool isNarrow)
    : desc(desc), isWide(!isNarrow && hasWideVectors()) {}

uint64_t Winograd::filterBytes() const { return uint64_t(16 * desc.inputs * desc.outputs) * sizeof(float); }

uint64_t Winograd::scratchBytes() const {
  // The matrices of both sides, then what is read outside of a tensor, zeros, and what is written there.
  return uint64_t(16 * (stepOf(desc.inputs) + stepOf(desc.outputs)) + 2 * std::max(desc.inputs, desc.outputs)) *
         sizeof(float);
}

void Winograd::reorderFilter(const void *from, void *to) const {
  const FilterSteps steps = stepsOf(desc);
  if (desc.kind == GRAPHC_CONVOLUTION_FILTER)
    GRAPHC_LOOPS(transformFilterGradient)(steps, static_cast<const float *>(from), static_cast<float *>(to));
  else
    GRAPHC_LOOPS(transformFilter)(steps, static_cast<const float *>(from), static_cast<float *>(to));
}

void Winograd::run(void *const *buffers) const {
  auto *input = static_cast<float *>(buffers[0]), *filter = static_cast<float *>(buffers[1]),
       *result = static_cast<float *>(buffers[2]), *scratch = static_cast<float *>(buffers[3]);
  // Of what is read and what is written; a gradient by the filter reads both.
  const bool isInputGradient = desc.kind == GRAPHC_CONVOLUTION_INPUT;
  const int64_t *from = isInputGradient ? desc.result : desc.input, *into = isInputGradient ? desc.input : desc.result;
  const int64_t down = (into[0] + 1) / 2, across = (into[1] + 1) / 2, tiles = desc.batch * down * across;
  auto reach = [&](int i) { return isInputGradient ? 2 - desc.low[i] : desc.low[i]; };
  Cursor read{from[0], from[1], down, across, {reach(0), reach(1)}}, write{into[0], into[1], down, across, {0, 0}};
  const int64_t depth = isInputGradient ? desc.outputs : desc.inputs,
                columns = isInputGradient ? desc.inputs : desc.outputs;
  float *source = isInputGradient ? result : input, *target = isInputGradient ? input : result;
  float *left = scratch, *right = left + 16 * stepOf(depth), *zeros = right + 16 * stepOf(columns),
        *nowhere = zeros + std::max(depth, columns);
  const bool isFilterGradient = desc.kind == GRAPHC_CONVOLUTION_FILTER;
  memset(zeros, 0, size_t(std::max(depth, columns)) * sizeof(float));
  if (isFilterGradient)
    memset(filter, 0, filterBytes());
  for (int64_t first = 0; first < tiles; first += kGroup) {
    const int64_t count = std::min(kGroup, tiles - first);
    GRAPHC_LOOPS(transformInputs)(read, source, count, zeros, left, depth, stepOf(depth));
    if (isFilterGradient)
      GRAPHC_LOOPS(transformGradients)(write, target, count, zeros, right, columns, stepOf(columns));
    read.skip(count);
    Cursor next = write;
    next.skip(count);
    Ahead aheadOfSource(read, source, desc.batch, depth), aheadOfTarget(next, target, desc.batch, columns);
    for (int64_t place = 0; place < 16; ++place) {
      aheadOfSource.ask();
      aheadOfTarget.ask();
      float *a = left + place * stepOf(depth), *b = right + place * stepOf(columns),
            *u = filter + place * depth * columns;
      if (isFilterGradient)
        GRAPHC_LOOPS(product<true>)({a, b, u, 1, depth, depth, columns, count});
      else
        GRAPHC_LOOPS(product<false>)({a, u, b, depth, 1, count, columns, depth});
    }
    if (!isFilterGradient)
      GRAPHC_LOOPS(transformResults)(write, right, count, nowhere, target, columns, stepOf(columns));
    write = next;
  }
}

} // namespace graphc::kernels
