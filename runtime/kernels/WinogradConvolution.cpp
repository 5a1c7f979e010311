#include "runtime/kernels/WinogradConvolution.h"
#include "runtime/kernels/SimdKernels.h"

#include <algorithm>
#include <cstring>

// Each product is rounded unless the text says otherwise, so that bits do not follow from what the
// compiler joins.
#pragma STDC FP_CONTRACT OFF

namespace graphc::kernels {
namespace {

constexpr int kTile = 4; ///< results of a tile, in each direction
constexpr int kSize = kTile + 2; ///< and its inputs
constexpr int kPlaces = kSize * kSize;

/// A tile's results are values of a polynomial at 0, a, -a, b, -b and infinity. These a and b are
/// short in binary, and near 1 on both sides, so that numbers neither grow nor cancel much: errors
/// are about half of those at 1 and 2 (B. Barabasz, A. Anderson, K. Soodhalter, D. Gregg: Error
/// analysis and improving the accuracy of Winograd convolution for deep neural networks, 2018;
/// oneDNN has the same).
constexpr float kA = 0.625f, kB = 1.5f, kA2 = kA * kA, kB2 = kB * kB;
/// One divided by the product of a point's distances to the others: of 0, of a and -a, of b and -b.
constexpr float kOf0 = 1 / (kA2 * kB2), kOfA = 1 / (2 * kA2 * (kA2 - kB2)),
                kOfB = 1 / (2 * kB2 * (kB2 - kA2));

/// Tiles whose products are made at once: what is between the steps stays in the nearest caches.
constexpr int64_t kMostTiles = 32, kFewTiles = 16, kFewFeatures = 32;
/// Between the matrices of a group, so that they do not meet in the same sets of a cache.
constexpr int64_t kGap = 16;

/// A tile, and the next ones, batch by batch and row by row. Tile (y, x) has the elements from (4 y
/// - low, 4 x - low) on.
struct Cursor {
  /// of the tensor in which elements are found, and in tiles
  int64_t height, width, down, across, low[2];
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
  int64_t left() const { return kTile * x - low[1]; }
  /// Where the rows of the inputs begin, and the steps along them; of a row outside of the tensor
  /// `zeros`, and 0.
  void findRows(const float *base, const float *zeros, int64_t features, const float **rows,
                int64_t *steps) const {
    for (int64_t i = 0; i < kSize; ++i) {
      const int64_t row = kTile * y - low[0] + i;
      const bool isInside = row >= 0 && row < height;
      rows[i] = isInside ? base + (sample * height + row) * width * features : zeros;
      steps[i] = isInside ? features : 0;
    }
  }
  /// Where the results are, row by row; those outside of the tensor at `outside`.
  template <typename Float>
  void find(Float *base, Float *outside, int64_t features, Float **at) const {
    Float *first = base + ((sample * height + kTile * y) * width + kTile * x) * features;
    const int64_t rows = height - kTile * y, columns = width - kTile * x, step = width * features;
    for (int64_t i = 0; i < kTile; ++i)
      for (int64_t j = 0; j < kTile; ++j)
        at[kTile * i + j] = i < rows && j < columns ? first + i * step + j * features : outside;
  }
};

/// Dense rows of b and c; element (r, k) of a is at a[r * aRow + k * aStep].
struct GroupProduct {
  const float *a, *b;
  float *c;
  int64_t aRow, aStep, rows, columns, depth;
};

/// Where the element of a window's place and two features is: in the model's filter, and in one of
/// the matrices.
struct FilterSteps {
  int64_t inputs, outputs;
  int64_t rowStep, columnStep, inputStep, outputStep, start = 0;
  int64_t step; ///< from one of the matrices to the next
  bool isSwapped; ///< the matrices have outputs x inputs

  /// What lies side by side in a matrix, and what does not; from a neighbour to the next in the
  /// model's filter.
  int64_t neighbours() const { return isSwapped ? inputs : outputs; }
  int64_t others() const { return isSwapped ? outputs : inputs; }
  int64_t neighbourStep() const { return isSwapped ? inputStep : outputStep; }
  int64_t from(int row, int column, int64_t other, int64_t neighbour) const {
    return start + row * rowStep + column * columnStep +
           other * (isSwapped ? outputStep : inputStep) + neighbour * neighbourStep();
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
#define GRAPHC_LOOPS(call) (isWide_ ? wide::call : narrow::call)

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
  if (s.isSwapped) { // turned round
    s.start = 2 * s.rowStep + 2 * s.columnStep;
    s.rowStep = -s.rowStep;
    s.columnStep = -s.columnStep;
  }
  return s;
}

/// What the next group will touch of a tensor, asked for in parts between the products of this one.
class Ahead {
public:
  Ahead(const Cursor &next, const float *base, int64_t batch, int64_t features, int64_t tiles) {
    const int64_t all = batch * next.height * next.width, row = kTile * next.y + 2 - next.low[0];
    const int64_t from =
        std::clamp((next.sample * next.height + row) * next.width, int64_t(0), all);
    at_ = base + from * features;
    end_ = base + std::min(from + kTile * kTile * tiles, all) * features;
    part_ = kTile * kTile * tiles * features / kPlaces;
  }
  void ask() {
    for (const float *last = std::min(end_, at_ + part_); at_ < last; at_ += 16)
      __builtin_prefetch(at_, 0, 2);
  }

private:
  const float *at_, *end_;
  int64_t part_;
};

/// Tiles of a group; bits do not follow from it.
int64_t tilesOf(const GraphcConvolutionDesc &d) {
  return std::max(d.inputs, d.outputs) > kFewFeatures ? kFewTiles : kMostTiles;
}
/// Of the matrices of a group with so many features.
int64_t stepOf(int64_t tiles, int64_t features) { return tiles * features + kGap; }

} // namespace

bool winogradServes(const GraphcConvolutionDesc &d) {
  // Beyond this the matrices of a group leave the caches.
  constexpr int64_t mostFeatures = 128;
  if (d.space != 2 || !d.nhwc || d.groups != 1 || d.inputs % 16 || d.outputs % 16 ||
      d.inputs > mostFeatures || d.outputs > mostFeatures)
    return false;
  for (int i = 0; i < 2; ++i)
    if (d.window[i] != 3 || d.stride[i] != 1 || d.dilation[i] != 1)
      return false;
  return hasVectors();
}

WinogradConvolution::WinogradConvolution(const GraphcConvolutionDesc &desc, bool isNarrow)
    : desc_(desc), isWide_(!isNarrow && hasWideVectors()) {}

uint64_t WinogradConvolution::filterBytes() const {
  const int64_t places = desc_.kind == GRAPHC_CONVOLUTION_FILTER ? 9 : kPlaces;
  return uint64_t(places * desc_.inputs * desc_.outputs) * sizeof(float);
}

uint64_t WinogradConvolution::scratchBytes() const {
  // The matrices of both sides, then what is read outside of a tensor, zeros, and what is written
  // there; the filter's of its gradient.
  const int64_t tiles = tilesOf(desc_),
                both = stepOf(tiles, desc_.inputs) + stepOf(tiles, desc_.outputs);
  const int64_t filter =
      desc_.kind == GRAPHC_CONVOLUTION_FILTER ? kPlaces * desc_.inputs * desc_.outputs : 0;
  return uint64_t(kPlaces * both + 2 * std::max(desc_.inputs, desc_.outputs) + filter) *
         sizeof(float);
}

void WinogradConvolution::reorderFilter(const void *from, void *to) const {
  if (desc_.kind == GRAPHC_CONVOLUTION_FILTER)
    memcpy(to, from, filterBytes());
  else
    GRAPHC_LOOPS(transformFilter)(stepsOf(desc_), static_cast<const float *>(from),
                                  static_cast<float *>(to));
}

void WinogradConvolution::run(void *const *buffers) const {
  auto *input = static_cast<float *>(buffers[0]), *filter = static_cast<float *>(buffers[1]),
       *result = static_cast<float *>(buffers[2]), *scratch = static_cast<float *>(buffers[3]);
  // Of what is read and what is written; a gradient by the filter reads both.
  const bool isInputGradient = desc_.kind == GRAPHC_CONVOLUTION_INPUT;
  const int64_t *from = isInputGradient ? desc_.result : desc_.input,
                *into = isInputGradient ? desc_.input : desc_.result;
  const int64_t down = (into[0] + kTile - 1) / kTile, across = (into[1] + kTile - 1) / kTile,
                tiles = desc_.batch * down * across;
  auto reach = [&](int i) { return isInputGradient ? 2 - desc_.low[i] : desc_.low[i]; };
  Cursor read{from[0], from[1], down, across, {reach(0), reach(1)}},
      write{into[0], into[1], down, across, {0, 0}};
  const int64_t depth = isInputGradient ? desc_.outputs : desc_.inputs,
                columns = isInputGradient ? desc_.inputs : desc_.outputs;
  float *source = isInputGradient ? result : input, *target = isInputGradient ? input : result;
  const int64_t group = tilesOf(desc_), leftStep = stepOf(group, depth),
                rightStep = stepOf(group, columns);
  float *left = scratch, *right = left + kPlaces * leftStep, *zeros = right + kPlaces * rightStep,
        *nowhere = zeros + std::max(depth, columns);
  const bool isFilterGradient = desc_.kind == GRAPHC_CONVOLUTION_FILTER;
  memset(zeros, 0, size_t(std::max(depth, columns)) * sizeof(float));
  float *matrices = isFilterGradient ? nowhere + std::max(depth, columns) : filter;
  for (int64_t first = 0; first < tiles; first += group) {
    const int64_t count = std::min(group, tiles - first);
    GRAPHC_LOOPS(transformInputs)(read, source, count, zeros, left, depth, leftStep);
    if (isFilterGradient)
      GRAPHC_LOOPS(transformGradients)(write, target, count, zeros, right, columns, rightStep);
    read.skip(count);
    Cursor next = write;
    next.skip(count);
    Ahead aheadOfSource(read, source, desc_.batch, depth, group),
        aheadOfTarget(next, target, desc_.batch, columns, group);
    for (int64_t place = 0; place < kPlaces; ++place) {
      aheadOfSource.ask();
      aheadOfTarget.ask();
      float *a = left + place * leftStep, *b = right + place * rightStep,
            *u = matrices + place * depth * columns;
      if (isFilterGradient && first)
        GRAPHC_LOOPS(product<true>)({a, b, u, 1, depth, depth, columns, count});
      else if (isFilterGradient)
        GRAPHC_LOOPS(product<false>)({a, b, u, 1, depth, depth, columns, count});
      else
        GRAPHC_LOOPS(product<false>)({a, u, b, depth, 1, count, columns, depth});
    }
    if (!isFilterGradient)
      GRAPHC_LOOPS(transformResults)(write, right, count, nowhere, target, columns, rightStep);
    write = next;
  }
  if (isFilterGradient)
    GRAPHC_LOOPS(transformFilterGradient)(stepsOf(desc_), matrices, filter);
}

} // namespace graphc::kernels
