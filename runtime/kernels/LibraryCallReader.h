//===- LibraryCallReader.h - what readers of calls of several kernels have in common ----------===//
#ifndef GRAPHC_RUNTIME_KERNELS_LIBRARYCALLREADER_H
#define GRAPHC_RUNTIME_KERNELS_LIBRARYCALLREADER_H

#include "runtime/kernels/KernelRegistry.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include <limits>

namespace graphc::kernels {

/// Checks what a call of a plan from outside says. Messages begin with the kernel's name.
class CallReader {
protected:
  explicit CallReader(const LibraryCall &call) : call(call) {}

  /// elements; oneDNN counts in 32 bits
  static constexpr int64_t kMost = std::numeric_limits<int32_t>::max();

  template <typename... Parts> absl::Status invalid(const Parts &...parts) const {
    return absl::InvalidArgumentError(absl::StrCat(call.kernel, ": ", parts...));
  }

  /// Of f32, of 1 to kMost elements end to end.
  absl::Status checkFloats(size_t i, GraphcAccess access) const {
    const CallOperand &operand = call.operands[i];
    if (operand.element != GRAPHC_F32)
      return invalid("operand ", i, " is not of f32");
    if (operand.access != access)
      return invalid("operand ", i, " is ", operand.access == GRAPHC_READ ? "read" : "written",
                     ", expected the other");
    int64_t elements = 1;
    for (int64_t size : operand.shape) {
      if (size < 1 || size > kMost || elements * size > kMost)
        return invalid("operand ", i, " has the shape ", absl::StrJoin(operand.shape, "x"),
                       ", expected 1 to ", kMost, " elements");
      elements *= size;
    }
    if (operand.bytes != uint64_t(elements) * 4)
      return invalid("operand ", i, " has ", operand.bytes, " bytes, expected ", elements * 4);
    return absl::OkStatus();
  }

  const LibraryCall &call;
};

} // namespace graphc::kernels
#endif
