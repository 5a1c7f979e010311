#include "runtime/data/SampleTransforms.h"

#include "runtime/common/base/PhiloxRandom.h"
#include "runtime/common/plan/PlanTypes.h"

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
void normalizeLoop(T *values, uint64_t groups, uint64_t channels, uint64_t perChannel,
                   const std::vector<double> &means, const std::vector<double> &deviations) {
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
    padding_ = component.crop().padding();
    outer_ = product(type, 0, h);
    height_ = uint64_t(type.shape(h));
    width_ = uint64_t(type.shape(h + 1));
    inner_ = product(type, h + 2, rank);
  } else {
    inner_ = product(type, 0, rank);
  }
  if (component.has_flip()) {
    flips_ = true;
    const int w = int(component.flip().dimension());
    rows_ = product(type, 0, w);
    places_ = uint64_t(type.shape(w));
    placeElements_ = product(type, w + 1, rank);
  }
  if (component.has_normalize()) {
    const plan::Dataset::Normalize &n = component.normalize();
    means_.assign(n.mean().begin(), n.mean().end());
    deviations_.assign(n.stddev().begin(), n.stddev().end());
    if (means_.size() > 1) {
      groups_ = product(type, 0, int(n.dimension()));
      perChannel_ = product(type, int(n.dimension()) + 1, rank);
    } else {
      perChannel_ = product(type, 0, rank);
    }
    channels_ = means_.size();
  }
}

TransformDraw SampleTransforms::draw(uint64_t seed, uint64_t epoch, uint64_t sample,
                                     size_t component) const {
  // Samples are fewer than 2^48, components at most 64.
  const base::PhiloxBlock words =
      base::PhiloxGenerator(seed ^ drawsKey, epoch).block(sample << 6 | component);
  const uint64_t moves = 2 * uint64_t(padding_) + 1;
  return {int64_t(words[0] * moves >> 32) - padding_, int64_t(words[1] * moves >> 32) - padding_,
          flips_ && (words[2] >> 31)};
}

void SampleTransforms::convertDrawn(const ElementConversion &conversion, const uint8_t *in,
                                    const TransformDraw &draw, void *out) const {
  const size_t stored = sizeOf(conversion.from) * inner_,
               made = plan::elementBytes(conversion.to) * inner_;
  const uint64_t rowIn = stored * width_, rowOut = made * width_;
  const uint64_t left = uint64_t(std::max<int64_t>(0, -draw.right)),
                 right = uint64_t(std::max<int64_t>(0, draw.right));
  uint8_t *row = static_cast<uint8_t *>(out);
  // What comes in is stored as 0, and then converted as all is.
  const uint64_t none[1] = {0};
  auto fill = [&](uint8_t *from, uint64_t count) {
    for (uint64_t i = 0; i < count * inner_; ++i)
      convertRow(conversion, reinterpret_cast<const uint8_t *>(none), 1,
                 from + i * plan::elementBytes(conversion.to));
  };
  for (uint64_t o = 0; o < outer_; ++o)
    for (uint64_t y = 0; y < height_; ++y, row += rowOut) {
      const int64_t from = int64_t(y) + draw.down;
      if (from < 0 || from >= int64_t(height_)) {
        fill(row, width_);
        continue;
      }
      fill(row, left);
      convertRow(conversion, in + (o * height_ + uint64_t(from)) * rowIn + right * stored,
                 (width_ - left - right) * inner_, row + left * made);
      fill(row + (width_ - right) * made, right);
    }
  if (!draw.flipped)
    return;
  const uint64_t place = placeElements_ * plan::elementBytes(conversion.to);
  row = static_cast<uint8_t *>(out);
  for (uint64_t r = 0; r < rows_; ++r, row += places_ * place)
    for (uint64_t a = 0, b = places_ - 1; a < b; ++a, --b)
      std::swap_ranges(row + a * place, row + (a + 1) * place, row + b * place);
}

void SampleTransforms::normalize(plan::DataType type, void *sample) const {
  if (type == plan::F32)
    normalizeLoop(static_cast<float *>(sample), groups_, channels_, perChannel_, means_,
                  deviations_);
  else
    normalizeLoop(static_cast<double *>(sample), groups_, channels_, perChannel_, means_,
                  deviations_);
}

} // namespace graphc::data
