#include "dialects/graph/LoopPartsInterface.h"

#include "runtime/common/device/DeviceKinds.h"

#include "dialects/graph/LoopPartsInterface.cpp.inc"

graphc::graph::LoopTarget graphc::graph::LoopTarget::of(llvm::StringRef kind) {
  return {device::placesOf(kind)};
}
