//===- LoadedKernels.h - the native code of a plan, loaded --------------------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_EXECUTOR_LOADEDKERNELS_H
#define GRAPHC_RUNTIME_EXECUTOR_LOADEDKERNELS_H

#include "runtime/common/abi/KernelAbi.h"
#include "runtime/common/plan/plan.pb.h"
#include "runtime/device/Device.h"

#include "absl/status/statusor.h"

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace graphc::executor {

/// Which of its algorithms a library takes for a call, where the bits depend on it
/// (LibraryKernel::algorithm): by the kernel's name in the plan.
using KernelAlgorithms = std::map<std::string, std::string>;
/// Whether one of them is of a CPU: tasks compare it, no library can be told to take it.
bool isOfCpu(const std::string &algorithm);

/// Loads the code objects of a verified plan that `programs` call, each on its program's device,
/// and compares their kernel tables with what the plan says of its kernels; has each library say
/// how it will do its calls. One a process; the code stays loaded while the object lives.
class LoadedKernels {
public:
  /// `pool`: whose threads lanes will share kernels with. What has to be tried for that is tried
  /// here, which may take as long as a step of each.
  static absl::StatusOr<std::unique_ptr<LoadedKernels>> load(const plan::Plan &plan,
                                                             const std::vector<uint32_t> &programs,
                                                             kernels::ThreadPool *pool = nullptr);
  /// Every program with an instance on `task`.
  static absl::StatusOr<std::unique_ptr<LoadedKernels>>
  loadFor(const plan::Plan &plan, const plan::Task &task, kernels::ThreadPool *pool = nullptr);

  /// The entry of a kernel compiled for the host; null for others, for library kernels and for
  /// kernels no given program calls.
  GraphcKernel entry(uint32_t kernel) const { return kernels_[kernel].run; }
  /// Of such a kernel: how many there are.
  uint32_t blocks(uint32_t kernel) const { return kernels_[kernel].blocks; }
  /// Where a given program's queues find a compiled kernel of theirs: its code, loaded on the
  /// program's device.
  const device::DeviceCode &code(const plan::Plan &plan, uint32_t kernel,
                                 const plan::Program &program) const;

  const KernelAlgorithms &algorithms() const { return taken_; }
  /// From now on those of `told` for the calls that are here. The error names one that cannot be
  /// taken on this machine.
  absl::Status take(const plan::Plan &plan, const KernelAlgorithms &told);

private:
  LoadedKernels() = default;
  absl::Status choose(const plan::Plan &plan, const KernelAlgorithms &told,
                      kernels::ThreadPool *pool);
  std::set<std::pair<uint32_t, std::string>> libraryCalls_; // a library kernel on a device
  KernelAlgorithms taken_;
  std::vector<GraphcKernelEntry> kernels_; // one a plan kernel
  std::map<std::pair<uint32_t, std::string>, std::unique_ptr<device::DeviceCode>>
      codes_; // of a plan's code on a device
};

} // namespace graphc::executor
#endif
