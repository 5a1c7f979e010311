//===- CudaDevice.h - a GPU of NVIDIA's as a device --------------------------------------------------------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_DEVICE_CUDA_CUDADEVICE_H
#define GRAPHC_RUNTIME_DEVICE_CUDA_CUDADEVICE_H

#include "runtime/device/Device.h"

namespace graphc::device {

/// "GPU:i" is the driver's device i (CUDA_VISIBLE_DEVICES chooses and orders them). NotFound where there is no driver or no such GPU.
absl::StatusOr<std::unique_ptr<Device>> makeCuda(const std::string &name);

} // namespace graphc::device
#endif
