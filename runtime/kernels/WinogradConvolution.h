//===- WinogradConvolution.h - convolutions of windows of 3x3 with fewer multiplications ------===//
//
// Results are computed in tiles of 4x4, each from 6x6 inputs: both the tile and the filter are
// brought into a form (B' d B, G g G') in which the sum over input features is 36 products for 16
// results where the definition has 144, and the results out of it (A' m A). So one matrix product
// for each of 36 places. The gradient by the input is a convolution of the gradient; that by the
// filter has the adjoint of each step. Sums over features are in order, one fused multiply-add
// after the other: bits follow from the shape alone, with vectors of either width. (A. Lavin, S.
// Gray: Fast algorithms for convolutional neural networks, 2015.)
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_KERNELS_WINOGRADCONVOLUTION_H
#define GRAPHC_RUNTIME_KERNELS_WINOGRADCONVOLUTION_H

#include "runtime/kernels/OnednnAbi.h"

namespace graphc::kernels {

/// Whether `WinogradConvolution` has the convolution: features last, windows of 3x3 that move by
/// one place, features in sixteens; and the CPU has fused multiply-adds of vectors.
bool winogradServes(const GraphcConvolutionDesc &desc);

/// One of them; nothing but its sizes.
class WinogradConvolution {
public:
  /// On vectors of 512 bits, where the CPU has them and `isNarrow` does not forbid it; else of 256,
  /// with the same bits.
  explicit WinogradConvolution(const GraphcConvolutionDesc &desc, bool isNarrow = false);
  /// Of the filter in the form in which it is multiplied; of its gradient as the model has it.
  uint64_t filterBytes() const;
  uint64_t scratchBytes() const;
  /// Brings the filter into that form; copies its gradient.
  void reorderFilter(const void *from, void *to) const;
  /// input, filter, result, scratch, whichever of the first three is computed.
  void run(void *const *buffers) const;

private:
  GraphcConvolutionDesc desc_;
  bool isWide_;
};

} // namespace graphc::kernels
#endif
