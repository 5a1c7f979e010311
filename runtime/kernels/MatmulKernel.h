//===- MatmulKernel.h - descriptor of the library matmul ----------------------------*- C++ -*-===//
//
// Where compiler and runtime meet: graphc asks how much scratch a matmul needs, so that it can plan
// the arena; graphrun runs it. Products with few columns, those of operands that a cache holds and,
// with AVX2, most others are this project's own (NarrowMatmul.h, DirectMatmul.h, PackedMatmul.h);
// those whose factors may be rounded go to the CPU's matrix unit, if it has one (AmxMatmul.h).
// oneDNN computes all others, in a module of its own that is opened on first use (a parameter
// server without a matmul never loads oneDNN, OpenMP and OpenCL).
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_KERNELS_MATMULKERNEL_H
#define GRAPHC_RUNTIME_KERNELS_MATMULKERNEL_H

#include "absl/status/statusor.h"

#include <cstdint>
#include <string>

namespace graphc::kernels {

enum class MatmulType : uint32_t { F32 = 0 };

/// What factors may be rounded to before they are multiplied: nothing, 11 significant bits, 8.
enum class MatmulPrecision : uint8_t { Ieee, Tf32, Bf16 };

/// c = op(a) x op(b) [+ bias] [relu], row-major and dense, with `batch` of each of a, b and c end
/// to end. The result's bits depend on every field here and on the CPU, on nothing else: not on
/// threads, not on what was made before, not on the environment, not on where the operands lie.
struct MatmulDesc {
  int64_t m = 0, n = 0, k = 0;
  int64_t batch = 1;
  bool transposeA = false; ///< a is stored k x m
  bool transposeB = false; ///< b is stored n x k
  bool bias = false; ///< of length n, added to each row
  bool relu = false;
  MatmulType type = MatmulType::F32;
  /// any other is a wish, which GPUs and CPUs with a matrix unit follow (AmxMatmul.h)
  MatmulPrecision precision = MatmulPrecision::Ieee;
  friend bool operator==(const MatmulDesc &, const MatmulDesc &) = default;
};

/// "matmul f32 128x512x784 +bias +relu".
std::string describe(const MatmulDesc &desc);

/// Bytes of scratch that the kernel needs on this machine's CPU, a multiple of 64, possibly 0.
/// Opens the module, where it is for the product.
absl::StatusOr<uint64_t> matmulScratchBytes(const MatmulDesc &desc);

/// How many parts so many threads share on this machine's CPU, for predictions.
uint32_t matmulParts(const MatmulDesc &desc, uint32_t threads);

} // namespace graphc::kernels
#endif
