//===- LibraryKernel.h - a kernel of a library, made once, called every step --------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_KERNELS_LIBRARYKERNEL_H
#define GRAPHC_RUNTIME_KERNELS_LIBRARYKERNEL_H

#include "runtime/kernels/MatmulKernel.h"
#include "runtime/kernels/ThreadPool.h"

#include "absl/status/statusor.h"

#include <memory>
#include <string_view>

namespace graphc::kernels {

inline constexpr char kCpuAlgorithm[] = "CPU: ";

/// Used by one lane at a time.
class LibraryKernel {
public:
  virtual ~LibraryKernel() = default;
  /// Buffers as in the plan: a, b, [bias], c, [scratch]. 0, or the library's error code.
  virtual int run(void *const *buffers) = 0;
  /// How many parts run() shares out over the pool; 1: it does not.
  virtual uint32_t parts() const = 0;
  /// Which of its algorithms the library took, where the bits depend on it and it may be another
  /// one elsewhere; empty where not. Those that begin with kCpuAlgorithm cannot be chosen
  /// (Device::make).
  virtual std::string algorithm() const { return {}; }
};

/// An error where `what` needs more scratch memory here than the plan gives: it was compiled for
/// another kind of machine.
absl::Status checkScratch(std::string_view what, uint64_t needed, uint64_t given);

/// `scratchBytes` is what the plan gives; less than the library needs here is an error that says so
/// (the plan was compiled on another CPU or with another oneDNN).
/// A large product is shared out over `pool`, where there is one, and has the same bits; it must
/// outlive the kernel.
absl::StatusOr<std::unique_ptr<LibraryKernel>>
makeMatmul(const MatmulDesc &desc, uint64_t scratchBytes, ThreadPool *pool = nullptr);

} // namespace graphc::kernels
#endif
