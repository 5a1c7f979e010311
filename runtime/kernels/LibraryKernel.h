//===- LibraryKernel.h - a kernel of a library, made once, called every step -----------------------------------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_KERNELS_LIBRARYKERNEL_H
#define GRAPHC_RUNTIME_KERNELS_LIBRARYKERNEL_H

#include "runtime/kernels/Matmul.h"

#include "absl/status/statusor.h"

#include <memory>

namespace graphc::kernels {

/// Used by one lane at a time.
class LibraryKernel {
public:
  virtual ~LibraryKernel() = default;
  /// Buffers as in the plan: a, b, [bias], c, [scratch]. 0, or the library's error code.
  virtual int run(void *const *buffers) = 0;
};

/// `scratchBytes` is what the plan gives; less than the library needs here is an error that says so (the plan was
/// compiled on another CPU or with another oneDNN).
absl::StatusOr<std::unique_ptr<LibraryKernel>> makeMatmul(const MatmulDesc &desc, uint64_t scratchBytes);

} // namespace graphc::kernels
#endif
