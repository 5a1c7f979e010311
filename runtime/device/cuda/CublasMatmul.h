//===- CublasMatmul.h - large matrix products of a GPU, by cuBLASLt -----------------*- C++ -*-===//
//
// Which algorithm makes a product the library's heuristic says, of the shapes, the GPU and the
// plan's scratch memory: never a timing. It decides the bits, so it is told
// (LibraryKernel::algorithm) and may be asked for again.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_DEVICE_CUDA_CUBLASMATMUL_H
#define GRAPHC_RUNTIME_DEVICE_CUDA_CUBLASMATMUL_H

#include "runtime/device/Device.h"
#include "runtime/device/cuda/CublasLtApi.h"
#include "runtime/kernels/KernelRegistry.h"

#include <memory>
#include <string>

namespace graphc::device::cuda {

/// A library's kernel for a stream of the driver.
class StreamKernel : public kernels::LibraryKernel {
public:
  /// In the stream's context, in its order, and for a graph that captures it; returns at once.
  /// Buffers as LibraryKernel's.
  virtual absl::Status enqueue(void *stream, void *const *buffers) = 0;
  int run(void *const *) final { return -1; } // not by a lane's thread
  uint32_t parts() const final { return 1; }
};

/// The library in the context of one GPU.
class CublasMatmul : public std::enable_shared_from_this<CublasMatmul> {
public:
  /// In the GPU's context. `gpu` is its name within the task, `model` what with equal products has
  /// equal bits.
  static absl::StatusOr<std::shared_ptr<CublasMatmul>> open(const std::string &gpu,
                                                            const std::string &model);
  CublasMatmul(const lt::CublasLtApi &api, std::string gpu, std::string identity);
  ~CublasMatmul();
  CublasMatmul(const CublasMatmul &) = delete;

  /// In the GPU's context, of a call for a GPU.
  absl::StatusOr<std::unique_ptr<StreamKernel>> make(const kernels::LibraryCall &call,
                                                     const KernelOptions &options);

private:
  friend class Product;
  const lt::CublasLtApi &api_;
  const std::string gpu_;
  const std::string identity_; ///< of library and GPU: algorithms of another one mean nothing here
  lt::Handle handle_ = nullptr;
};

} // namespace graphc::device::cuda
#endif
