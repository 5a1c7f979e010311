//===- SampleTransforms.h - what is done to a sample before a program gets it -------*- C++ -*-===//
//
// Draws are functions of the data set's seed, the epoch, the sample and the component, never of who
// asks: a sample looks the same to every replica, under every strategy and when a run goes on from
// a checkpoint.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_DATA_SAMPLETRANSFORMS_H
#define GRAPHC_RUNTIME_DATA_SAMPLETRANSFORMS_H

#include "runtime/data/ElementConversion.h"

#include <vector>

namespace graphc::data {

/// What stands at (y, x) was stored at (y + down, x + right), or where `flipped` at (y + down,
/// width - 1 - x + right); 0 where that is outside.
struct TransformDraw {
  int64_t down = 0, right = 0;
  bool flipped = false;
};

class SampleTransforms {
public:
  SampleTransforms() = default;
  /// Of a component that verifyPlan has accepted.
  explicit SampleTransforms(const plan::Dataset::Component &component);

  bool draws() const { return padding_ > 0 || flips_; }
  bool normalizes() const { return !means_.empty(); }

  TransformDraw draw(uint64_t seed, uint64_t epoch, uint64_t sample, size_t component) const;
  /// A stored sample, drawn, to a program's.
  void convertDrawn(const ElementConversion &conversion, const uint8_t *in,
                    const TransformDraw &draw, void *out) const;
  /// A program's sample, in place.
  void normalize(plan::DataType type, void *sample) const;

private:
  int64_t padding_ = 0;
  bool flips_ = false;
  uint64_t outer_ = 1, height_ = 1, width_ = 1, inner_ = 1; ///< the sample as a crop sees it
  /// as a flip does: places change sides in each row
  uint64_t rows_ = 1, places_ = 1, placeElements_ = 1;
  std::vector<double> means_, deviations_;
  /// the sample as [groups_, channels_, perChannel_]
  uint64_t groups_ = 1, channels_ = 1, perChannel_ = 1;
};

} // namespace graphc::data
#endif
