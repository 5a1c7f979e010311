//===- ConvolutionKernel.h - convolutions by the library or in tiles, in blocks of the batch --===//
//
// A call is cut into blocks of the batch, whose number follows from the shape alone: with one
// thread they are done one behind the other, with a pool at once, with the same bits. A filter's
// gradient is each block's own, added up in the blocks' order.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_KERNELS_CONVOLUTIONKERNEL_H
#define GRAPHC_RUNTIME_KERNELS_CONVOLUTIONKERNEL_H

#include "runtime/kernels/LibraryKernel.h"
#include "runtime/kernels/OnednnAbi.h"

namespace graphc::kernels {

/// Of the whole call; opens the module.
absl::StatusOr<uint64_t> convolutionScratchBytes(const GraphcConvolutionDesc &desc);
/// As makeMatmul; buffers as the op has operands and result, then scratch memory.
absl::StatusOr<std::unique_ptr<LibraryKernel>>
makeConvolution(const GraphcConvolutionDesc &desc, uint64_t scratchBytes, ThreadPool *pool);
/// How many blocks a call has.
uint32_t convolutionBlocks(const GraphcConvolutionDesc &desc);
/// Of one that is within the library's bounds.
uint64_t multiplyAdds(const GraphcConvolutionDesc &desc);

} // namespace graphc::kernels
#endif
