//===- ProgramConstants.h - the values of a plan that a program reads ---------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_EXECUTOR_PROGRAMCONSTANTS_H
#define GRAPHC_RUNTIME_EXECUTOR_PROGRAMCONSTANTS_H

#include "runtime/common/plan/plan.pb.h"
#include "runtime/device/Device.h"

#include "absl/status/status.h"

#include <cstdint>
#include <vector>

namespace graphc::executor {

/// In one of the program's two memories, the host's or its device's.
class ProgramConstants {
public:
  /// Those that the program uses there.
  absl::Status fill(const plan::Plan &plan, const plan::Program &program, plan::Space space,
                    device::Device &device);
  /// Null for a constant that the program does not use there, or sends zero-copy
  /// (ZeroCopySource.h); 64-byte aligned.
  uint8_t *at(uint32_t index) const { return places_[index]; }

private:
  std::vector<uint8_t *> places_; // by constant
  device::MemoryRegion memory_;
};

} // namespace graphc::executor
#endif
