//===- CpuDevice.h - the host's own CPU as a device ---------------------------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_DEVICE_CPUDEVICE_H
#define GRAPHC_RUNTIME_DEVICE_CPUDEVICE_H

#include "runtime/device/Device.h"

namespace graphc::device {

/// All of them are the same cores and the same memory: what tells them apart is that each program
/// has a lane of its own.
absl::StatusOr<std::unique_ptr<Device>> makeCpu(const std::string &name);

} // namespace graphc::device
#endif
