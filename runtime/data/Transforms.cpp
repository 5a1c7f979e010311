#include "runtime/data/Transforms.h"

#include "runtime/common/base/Random.h"
#include "runtime/common/plan/Types.h"

#include <algorithm>
#include <cstring>

#pragma STDC FP_CONTRACT OFF

namespace graphc::data {
namespace {

/// Apart from the streams of the permutation, which have the same seed and epoch.
constexpr uint64_t drawsKey = 0x6175'676d'656e'7473; // "augments"

uint64_t product(const plan::TensorType &type, int from, int to) {
  uint64_t count = 1;
  for (int i = from; i < to; ++i)
    count *= uint64_t(type.shape(i));
  return count;
}

template <typename T>
void normalizeLoop(T *values, uint64_t groups, uint64_t channels, uint64_t perChannel, const std::vector<double> &means,
                   const std::vector<double> &deviations) {
  for (uint64_t g = 0; g < groups; ++g)
    for (uint64_t c = 0; c < channels; ++c) {
      const T mean = static_cast<T>(means[c]), deviation = static_cast<T>(deviations[c]);
      for (uint64_t i = 0; i < perChannel; ++i, ++values)
        *values = (*values - mean) / deviation;
    }
}

} // namespace

SampleTransforms::SampleTransforms(const plan::Dataset::Component &component) {
  const plan::TensorType &type = component.sample();
  const int rank = type.shape_size();
  if (component.has_crop()) {
    const int h = int(component.crop().dimension());
    padding = component.crop().padding();
    outer = product(type, 0, h);
    height = uint64_t(type.shape(h));
    width = uint64_t(type.shape(h + 1));
    inner = product(type, h + 2, rank);
  } else {
    inner = product(type, 0, rank);
  }
  if (component.has_flip()) {
    flips = true;
    const int w = int(component.flip().dimension());
    rows = product(type, 0, w);
    places = uint64_t(type.shape(w));
    placeElements = product(type, w + 1, rank);
  }
  if (component.has_normalize()) {
    const plan::Dataset::Normalize &n = component.normalize();
    means.assign(n.mean().begin(), n.mean().end());
    deviations.assign(n.stddev().begin(), n.stddev().end());
    if (means.size() > 1) {
      groups = product(type, 0, int(n.dimension()));
      perChannel = product(type, int(n.dimension()) + 1, rank);
    } else {
      perChannel = product(type, 0, rank);
    }
    channels = means.size();
  }
}

TransformDraw SampleTransforms::draw(uint64_t seed, uint64_t epoch, uint64_t sample, size_t component) const {
  // Samples are fewer than 2^48, components at most 64.
  const base::PhiloxBlock words = base::PhiloxGenerator(seed ^ drawsKey, epoch).block(sample << 6 | component);
  const uint64_t moves = 2 * uint64_t(padding) + 1;
  return {int64_t(words[0] * moves >> 32) - padding, int64_t(words[1] * moves >> 32) - padding,
          flips && (words[2] >> 31)};
}

void SampleTransforms::convertDrawn(const ElementConversion &conversion, const uint8_t *in, const TransformDraw &draw, void *out) const {
  const size_t stored = sizeOf(conversion.from) * inner, made = plan::elementBytes(conversion.to) * inner;
  const uint64_t rowIn = stored * width, rowOut = made * width;
  const uint64_t left = uint64_t(std::max<int64_t>(0, -draw.right)), right = uint64_t(std::max<int64_t>(0, draw.right));
  uint8_t *row = static_cast<uint8_t *>(out);
  // What comes in is stored as 0, and then converted as all is.
  const uint64_t none[1] = {0};
  auto fill = [&](uint8_t *from, uint64_t count) {
    for (uint64_t i = 0; i < count * inner; ++i)
      convertRow(conversion, reinterpret_cast<const uint8_t *>(none), 1, from + i * plan::elementBytes(conversion.to));
  };
  for (uint64_t o = 0; o < outer; ++o)
    for (uint64_t y = 0; y < height; ++y, row += rowOut) {
      const int64_t from = int64_t(y) + draw.down;
      if (from < 0 || from >= int64_t(height)) {
        fill(row, width);
        continue;
      }
      fill(row, left);
      convertRow(conversion, in + (o * height + uint64_t(from)) * rowIn + right * stored,
                 (width - left - right) * inner, row + left * made);
      fill(row + (width - right) * made, right);
    }
  if (!draw.flipped)
    return;
  const uint64_t place = placeElements * plan::elementBytes(conversion.to);
  row = static_cast<uint8_t *>(out);
  for (uint64_t r = 0; r < rows; ++r, row += places * place)
    for (uint64_t a = 0, b = places - 1; a < b; ++a, --b)
      std::swap_ranges(row + a * place, row + (a + 1) * place, row + b * place);
}

void SampleTransforms::normalize(plan::DataType type, void *sample) const {
  if (type == plan::F32)
    normalizeLoop(static_cast<float *>(sample), groups, channels, perChannel, means, deviations);
  else
    normalizeLoop(static_cast<double *>(sample), groups, channels, perChannel, means, deviations);
}

} // namespace graphc::data
