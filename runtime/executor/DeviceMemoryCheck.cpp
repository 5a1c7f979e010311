//===- DeviceMemoryCheck.cpp ------------------------------------------------------------------===//
//
// Whether a task's devices have the memory that a plan asks of them.
//
//===------------------------------------------------------------------------------------------===//
#include "runtime/executor/DeviceMemoryCheck.h"

#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/plan/MemoryRequirements.h"
#include "runtime/common/plan/PlanTypes.h"
#include "runtime/device/Device.h"

#include "absl/strings/str_cat.h"

namespace graphc::executor {

absl::Status checkDeviceMemory(const plan::Plan &plan, const plan::Task &task) {
  for (const plan::DeviceNeed &need : plan::deviceNeeds(plan, task)) {
    GRAPHC_ASSIGN_OR_RETURN(device::Device * device, device::find(need.device));
    GRAPHC_ASSIGN_OR_RETURN(uint64_t free, device->freeMemory());
    if (need.total() <= free)
      continue;
    auto text = plan::bytesText;
    return absl::ResourceExhaustedError(absl::StrCat(
        plan::taskText(plan, task), " needs ", text(need.total()), " of the memory of ",
        need.device, " (variables ", text(need.variables), ", arenas ", text(need.arenas),
        ", constants ", text(need.constants), "), which has ", text(free), " free of ",
        text(device->limits().memoryBytes),
        "; compile the plan with a smaller batch, or with more devices to share the variables"));
  }
  return absl::OkStatus();
}

} // namespace graphc::executor
