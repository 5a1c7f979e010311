//===- GpuAssignment.h - which GPUs of this machine each task that starts here is given -------===//
#ifndef GRAPHC_RUNTIME_LAUNCH_GPUASSIGNMENT_H
#define GRAPHC_RUNTIME_LAUNCH_GPUASSIGNMENT_H

#include "runtime/common/plan/plan.pb.h"

#include "absl/status/statusor.h"

#include <string>
#include <vector>

namespace graphc::launch {

struct GpuShares {
  /// by task number: the GPU of this process that is the task's GPU:0
  std::vector<uint32_t> firsts;
  std::string said; ///< who has which, for the user; "" where there is nothing to say
};

/// GPUs of each task, by its number: as many as its devices are counted to.
std::vector<uint32_t> gpusOfTasks(const plan::Plan &plan);

/// Deals `there` GPUs out in the order of the tasks: to each its own where there are enough, else
/// in turns, each as many as it needs.
GpuShares dealGpus(const std::vector<uint32_t> &needed, const std::vector<std::string> &labels,
                   uint32_t there);

/// The same of this machine's. With fewer than two tasks that need some nobody is asked. An error
/// names tasks and what is missing.
absl::StatusOr<GpuShares> shareGpus(const plan::Plan &plan, const std::vector<std::string> &labels);

} // namespace graphc::launch
#endif
