//===- DirectMatmul.h - the library matmul of operands that a cache holds ------------------------------------------------*- C++ -*-===//
//
// A dense layer with a batch of some dozen or a hundred, and the gradient of its weights, on AVX-512: docs/decisions/2026-11-28-products-without-copies.md.
//
//===----------------------------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_KERNELS_DIRECTMATMUL_H
#define GRAPHC_RUNTIME_KERNELS_DIRECTMATMUL_H

#include "runtime/kernels/LibraryKernel.h"

#include <memory>

namespace graphc::kernels {

/// Whether this CPU has the kernel.
bool hasDirect();
/// Whether the product is the kernel's, where there is one: it follows from its shape alone. It needs no scratch memory.
bool isDirect(const MatmulDesc &desc);

/// Of a product that isDirect(): how many parts so many threads share; 1 where sharing out is not worth it.
uint32_t directParts(const MatmulDesc &desc, uint32_t threads);
std::unique_ptr<LibraryKernel> makeDirectMatmul(const MatmulDesc &desc, Pool *pool);

} // namespace graphc::kernels
#endif
