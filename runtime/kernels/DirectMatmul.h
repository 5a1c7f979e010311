//===- DirectMatmul.h - the library matmul of operands that a cache holds -----------*- C++ -*-===//
//
// A dense layer with a batch of some rows, with AVX-512 of a hundred, and the gradient of its
// weights: docs/decisions/2026-11-28-products-without-copies.md.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_KERNELS_DIRECTMATMUL_H
#define GRAPHC_RUNTIME_KERNELS_DIRECTMATMUL_H

#include "runtime/kernels/LibraryKernel.h"
#include "runtime/kernels/SimdKernels.h"

#include <memory>

namespace graphc::kernels {

/// Whether the product is the kernel's: it follows from its shape and the kind of CPU. It needs no
/// scratch memory.
bool isDirect(const MatmulDesc &desc);

/// Of a product that isDirect(): how many parts so many threads share; 1 where sharing out is not
/// worth it.
uint32_t directParts(const MatmulDesc &desc, uint32_t threads);
/// The whole product, on buffers as LibraryKernel::run has them.
SimdProduct wholeProduct(const MatmulDesc &desc, void *const *buffers);
std::unique_ptr<LibraryKernel> makeDirectMatmul(const MatmulDesc &desc, ThreadPool *pool);

} // namespace graphc::kernels
#endif
