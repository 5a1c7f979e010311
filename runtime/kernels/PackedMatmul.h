//===- PackedMatmul.h - the library matmul of large operands without AVX-512 --------*- C++ -*-===//
//
// With AVX2 this project's own kernel takes the products that oneDNN's `gemm:jit` would take, from
// some two dozen rows on: docs/decisions/2026-12-01-products-of-packed-operands.md.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_KERNELS_PACKEDMATMUL_H
#define GRAPHC_RUNTIME_KERNELS_PACKEDMATMUL_H

#include "runtime/kernels/LibraryKernel.h"
#include "runtime/kernels/SimdKernels.h"

#include <memory>

namespace graphc::kernels {

/// Whether the product is the kernel's: it follows from its shape and the kind of CPU. It needs no
/// scratch memory of the plan; each thread that computes has kPackedScratchBytes.
bool isPacked(const MatmulDesc &desc);

/// Of a product that isPacked(): how many parts so many threads share; 1 where sharing out is not
/// worth it.
uint32_t packedParts(const MatmulDesc &desc, uint32_t threads);
/// `kernels` have packed().
std::unique_ptr<LibraryKernel> makePackedMatmul(const MatmulDesc &desc, ThreadPool *pool,
                                                const SimdKernels &kernels = simdKernels());

} // namespace graphc::kernels
#endif
