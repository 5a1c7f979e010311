//===- LoopTarget.h - what loops of an op's own may know of their device ------------*- C++ -*-===//
#ifndef GRAPHC_DIALECTS_GRAPH_LOOPTARGET_H
#define GRAPHC_DIALECTS_GRAPH_LOOPTARGET_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>

namespace graphc::graph {

/// How loops had best be written for the device that runs them; what they compute does not depend
/// on it.
struct LoopTarget {
  /// of memory that an innermost loop may name one by one (device::DeviceKind::places)
  int64_t places;

  /// Of that kind of device.
  static LoopTarget of(llvm::StringRef kind);
};

} // namespace graphc::graph

#endif
