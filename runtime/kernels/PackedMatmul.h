//===- PackedMatmul.h - the library matmul of large operands on AVX2 ----------------*- C++ -*-===//
//
// On AVX2 this project's own kernel computes most products of 12 rows and more, in place of
// oneDNN's `gemm:jit`: docs/decisions/2026-12-01-products-of-packed-operands.md.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_KERNELS_PACKEDMATMUL_H
#define GRAPHC_RUNTIME_KERNELS_PACKEDMATMUL_H

#include "runtime/kernels/LibraryKernel.h"
#include "runtime/kernels/SimdKernels.h"

#include <memory>

namespace graphc::kernels {

/// Whether this kernel computes the product. It depends only on the shape and the kind of CPU. The
/// plan needs no scratch memory; each thread that computes allocates kPackedScratchBytes.
bool isPacked(const MatmulDesc &desc);

/// The number of parts into which a product is divided for so many threads.
uint32_t packedParts(const MatmulDesc &desc, uint32_t threads);
/// `kernels.packed` must not be null.
std::unique_ptr<LibraryKernel> makePackedMatmul(const MatmulDesc &desc, ThreadPool *pool,
                                                const SimdKernels &kernels = simdKernels());

} // namespace graphc::kernels
#endif
