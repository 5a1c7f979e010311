//===- DeviceMemoryCheck.h --------------------------------------------------------------------===//
//
// Whether a task's devices have the memory that a plan asks of them.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_EXECUTOR_DEVICEMEMORYCHECK_H
#define GRAPHC_RUNTIME_EXECUTOR_DEVICEMEMORYCHECK_H

#include "runtime/common/plan/plan.pb.h"

#include "absl/status/status.h"

namespace graphc::executor {

/// Asked before anything is allocated there: what lacks is known then, and not after a part of it
/// was filled. What the device's own driver takes besides (a context, code) is not counted.
absl::Status checkDeviceMemory(const plan::Plan &plan, const plan::Task &task);

} // namespace graphc::executor
#endif
