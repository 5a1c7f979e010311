#include "dialects/graph/LoopParts.h"

#include "runtime/common/device/Kinds.h"

#include "dialects/graph/LoopParts.cpp.inc"

graphc::graph::LoopTarget graphc::graph::LoopTarget::of(llvm::StringRef kind) { return {device::placesOf(kind)}; }
