//===- AmxMatmul.h - the library matmul on a CPU's matrix unit ----------------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_KERNELS_AMXMATMUL_H
#define GRAPHC_RUNTIME_KERNELS_AMXMATMUL_H

#include "runtime/kernels/LibraryKernel.h"

#include <memory>

namespace graphc::kernels {

/// Whether this CPU has a matrix unit that this process may use (AMX with bf16, AmxKernels.h). Asks
/// the operating system for it, once.
bool hasMatrixUnit();

/// Whether the product is made on the matrix unit, where there is one: its factors may be rounded,
/// and it is large enough in each dimension.
bool isForMatrixUnit(const MatmulDesc &desc);

/// Of a product that isForMatrixUnit(). The scratch memory holds b's pieces, a block at a time, and
/// a mark for each row and column.
uint64_t tileMatmulScratchBytes(const MatmulDesc &desc);
std::unique_ptr<LibraryKernel> makeTileMatmul(const MatmulDesc &desc, ThreadPool *pool);

} // namespace graphc::kernels
#endif
