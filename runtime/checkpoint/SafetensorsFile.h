//===- SafetensorsFile.h - one owner's variables in one file ------------------------*- C++ -*-===//
//
// The safetensors format: u64 length, a JSON header {name: {"dtype", "shape", "data_offsets"}}, the
// tensors without gaps. Any safetensors library reads these files. Equal tensors give equal bytes:
// order (element size falling, then name) and padding are fixed and there is no metadata.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_CHECKPOINT_SAFETENSORSFILE_H
#define GRAPHC_RUNTIME_CHECKPOINT_SAFETENSORSFILE_H

#include "runtime/common/plan/plan.pb.h"

#include "absl/status/statusor.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace graphc::checkpoint {

/// A tensor to be written; the data is the caller's.
struct TensorView {
  std::string name;
  plan::TensorType type;
  const void *data = nullptr;
  uint64_t bytes = 0;
  /// for the manifest: which rows of which variable it is
  std::optional<plan::Part> part = std::nullopt;
};

/// A tensor found in a file.
struct TensorEntry {
  std::string name;
  plan::TensorType type;
  uint64_t offset = 0; ///< in the file
  uint64_t bytes = 0;
  std::string dtype{}; ///< as the file has it
};

/// Passes the file's bytes to `sink` piece by piece, in order.
absl::Status encodeSafetensors(std::vector<TensorView> tensors,
                               const std::function<absl::Status(const void *, size_t)> &sink);

/// Header of `file`, with every offset, size and name checked; in file order.
absl::StatusOr<std::vector<TensorEntry>> decodeSafetensors(std::string_view file,
                                                           std::string_view name);
/// The same of a file of another program, which may have tensors of elements that plans do not
/// know: their type is none.
absl::StatusOr<std::vector<TensorEntry>> decodeForeignSafetensors(std::string_view file,
                                                                  std::string_view name);

} // namespace graphc::checkpoint
#endif
