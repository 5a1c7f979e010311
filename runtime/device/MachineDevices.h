//===- MachineDevices.h - what of a kind of device this machine has for this process ----------===//
#ifndef GRAPHC_RUNTIME_DEVICE_MACHINEDEVICES_H
#define GRAPHC_RUNTIME_DEVICE_MACHINEDEVICES_H

#include "runtime/common/device/DeviceKinds.h"

#include "absl/status/statusor.h"

namespace graphc::device {

/// How many devices; why none can be had. Of the host's kind there are as many as are asked for.
absl::StatusOr<uint32_t> countDevices(const DeviceKind &kind);
/// KIND:0 of this process is to be the machine's device `first`, KIND:1 the next one. Before the
/// first is asked for.
void setFirstDevice(const DeviceKind &kind, uint32_t first);

} // namespace graphc::device
#endif
