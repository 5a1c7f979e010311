//===- CudaDevice.h - a GPU of NVIDIA's as a device ---------------------------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_DEVICE_CUDA_CUDADEVICE_H
#define GRAPHC_RUNTIME_DEVICE_CUDA_CUDADEVICE_H

#include "runtime/device/Device.h"

namespace graphc::device {

/// "GPU:i" is the driver's device i (CUDA_VISIBLE_DEVICES chooses and orders them), counted from
/// setFirstCuda's. NotFound where there is no driver or no such GPU.
absl::StatusOr<std::unique_ptr<Device>> makeCuda(const std::string &name);
/// Of the driver's devices; why there are none.
absl::StatusOr<uint32_t> countCuda();
void setFirstCuda(uint32_t first);

} // namespace graphc::device
#endif
