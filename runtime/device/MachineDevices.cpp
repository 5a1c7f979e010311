#include "runtime/device/MachineDevices.h"

#include "runtime/device/cuda/CudaDevice.h"

namespace graphc::device {

absl::StatusOr<uint32_t> countDevices(const DeviceKind &kind) {
  if (kind.code == CodeFormat::Ptx)
    return countCuda();
  return UINT32_MAX;
}

void setFirstDevice(const DeviceKind &kind, uint32_t first) {
  if (kind.code == CodeFormat::Ptx)
    setFirstCuda(first);
}

} // namespace graphc::device
