//===- TestDevice.h - a GPU behind the simulated driver, in this process ------------*- C++ -*-===//
#ifndef GRAPHC_TEST_CUDA_TESTDEVICE_H
#define GRAPHC_TEST_CUDA_TESTDEVICE_H

#include "runtime/device/cuda/CudaDevice.h"

namespace graphc::device::cuda {

/// GPU:0, on the driver of test/cuda, which becomes the process's libcuda.so.1 as that of cuBLASLt
/// becomes its libcublasLt.so.13.
std::unique_ptr<Device> makeTestDevice();

/// While it is closed, queues that are made do nothing of their work.
void closeGate(bool closed);

/// PTX that stands for the kernels of 16 floats in test/runtime/common/plan/Kernels.c, at their
/// places: of them it has Add alone.
CodeImage testCode();

} // namespace graphc::device::cuda
#endif
