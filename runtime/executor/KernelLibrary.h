//===- KernelLibrary.h - the native code of a plan, loaded ----------------------------------------------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_EXECUTOR_KERNELLIBRARY_H
#define GRAPHC_RUNTIME_EXECUTOR_KERNELLIBRARY_H

#include "runtime/device/Device.h"
#include "runtime/kernels/KernelAbi.h"
#include "runtime/plan/plan.pb.h"

#include "absl/status/statusor.h"

#include <memory>
#include <vector>

namespace graphc::executor {

/// Loads the code objects of a verified plan that `programs` call, each on its program's device, and compares their kernel
/// tables with what the plan says of its kernels. One a process; the code stays loaded while the object lives.
class KernelLibrary {
public:
  static absl::StatusOr<std::unique_ptr<KernelLibrary>> load(const plan::Plan &plan,
                                                             const std::vector<uint32_t> &programs);
  /// Every program with an instance on `task`.
  static absl::StatusOr<std::unique_ptr<KernelLibrary>> loadFor(const plan::Plan &plan, const plan::Task &task);

  /// The entry of a compiled kernel; null for library kernels and for kernels no given program calls.
  GraphcKernel entry(uint32_t kernel) const { return kernels[kernel]; }

private:
  KernelLibrary() = default;
  std::vector<std::unique_ptr<device::Code>> codes;
  std::vector<GraphcKernel> kernels; // one a plan kernel
};

} // namespace graphc::executor
#endif
