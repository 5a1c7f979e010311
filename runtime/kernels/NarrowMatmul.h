//===- NarrowMatmul.h - the library matmul with few columns -------------------------*- C++ -*-===//
//
// Gradients of the weights of a layer with few outputs (a classifier's last), and products of a
// matrix and a vector, from either side: docs/decisions/2026-11-28-few-columns.md.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_KERNELS_NARROWMATMUL_H
#define GRAPHC_RUNTIME_KERNELS_NARROWMATMUL_H

#include "runtime/kernels/LibraryKernel.h"
#include "runtime/kernels/SimdKernels.h"

#include <memory>

namespace graphc::kernels {

/// Whether the product is made by kernels of this project: it follows from its shape alone. They
/// need no scratch memory.
bool isNarrow(const MatmulDesc &desc);

/// Of a product that isNarrow(): how many parts so many threads share; 1 where sharing out is not
/// worth it.
uint32_t narrowParts(const MatmulDesc &desc, uint32_t threads);
std::unique_ptr<LibraryKernel> makeNarrowMatmul(const MatmulDesc &desc, ThreadPool *pool,
                                                const SimdKernels &kernels = simdKernels());

} // namespace graphc::kernels
#endif
