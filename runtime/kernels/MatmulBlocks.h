//===- MatmulBlocks.h - a library matmul, whole and in blocks -----------------------*- C++ -*-===//
//
// What the library is asked for. A large product is shared out over threads as blocks of its rows,
// or of the matrices of a batch, each a call on one thread, whose bits are those of the whole:
// docs/decisions/2026-11-22-threads-of-our-own.md.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_KERNELS_MATMULBLOCKS_H
#define GRAPHC_RUNTIME_KERNELS_MATMULBLOCKS_H

#include "runtime/kernels/MatmulKernel.h"
#include "runtime/kernels/OnednnAbi.h"

#include <vector>

namespace graphc::kernels {

/// Equal operands in equal memory have equal descriptors, whatever they are called: a row is the
/// same as a column stored transposed.
GraphcMatmulDesc wholeOf(const MatmulDesc &desc);

/// Rows [first, first + desc.m) of the result; of a batch matrices [first, first + desc.batch).
/// Where a is transposed rows are columns of what is stored: `desc` takes them copied out, k x
/// desc.m and dense, because the library has its fast kernels for dense operands alone.
struct MatmulBlock {
  int64_t first = 0;
  GraphcMatmulDesc desc;
};

/// The matrices of a batch as so many blocks.
std::vector<MatmulBlock> shareBatch(const MatmulDesc &desc, int64_t count);

/// About equal blocks for so many threads; empty where sharing out is not worth it, which follows
/// from the shape.
std::vector<MatmulBlock> blocksOf(const MatmulDesc &desc, uint32_t threads);

} // namespace graphc::kernels
#endif
