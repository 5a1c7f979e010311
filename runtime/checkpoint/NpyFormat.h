//===- NpyFormat.h - NumPy's .npy files ---------------------------------------------*- C++ -*-===//
//
// For --feed, --dump-variables and tests. Written as version 1.0, little endian, row-major; read in
// the versions 1 to 3.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_CHECKPOINT_NPYFORMAT_H
#define GRAPHC_RUNTIME_CHECKPOINT_NPYFORMAT_H

#include "runtime/common/base/NpyHeader.h"
#include "runtime/common/plan/plan.pb.h"

#include "absl/status/statusor.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace graphc::checkpoint {

struct NpyArray {
  plan::TensorType type;
  std::string data; ///< row-major, little endian, dense
};

/// The whole file for a dense tensor of `bytes` bytes; bf16, which NumPy does not have, is written
/// as f32.
absl::StatusOr<std::string> encodeNpy(const plan::TensorType &type, const void *data,
                                      uint64_t bytes);
/// What stands before the elements; `type` is no bf16. Padded to a multiple of 64 bytes, and to
/// `least`.
absl::StatusOr<std::string> encodeNpyHeader(const plan::TensorType &type, size_t least = 0);
/// bf16 as f32, of which each is the upper half.
plan::TensorType asF32(plan::TensorType type);
std::string widened(const void *data, uint64_t bytes);
/// The type of an array with this header: row-major, and of elements that tensors have. The error
/// says what to save instead, without the file's name.
absl::StatusOr<plan::TensorType> npyType(const base::NpyHeader &header);
/// Checks everything; `name` is for messages.
absl::StatusOr<NpyArray> decodeNpy(std::string_view file, std::string_view name);

/// The file of a variable in a folder of them: "w1/Momentum" is in "w1.Momentum.npy". Not
/// collision-free: "w1.Momentum" is there too, which MasterDriver::validate refuses.
std::string npyFileName(std::string_view variable);
absl::Status writeNpy(const std::string &path, const plan::TensorType &type, const void *data,
                      uint64_t bytes);
/// Writes `bytes` of a tensor from its byte `offset` on into the one file of it, which the owners
/// of its parts write together, each once and in any order: PATH.partial.
absl::Status writeNpyPart(const std::string &path, const plan::TensorType &type, uint64_t offset,
                          const void *data, uint64_t bytes);
/// Once all of them have: it becomes PATH, or goes where it cannot.
absl::Status finishNpyParts(const std::string &path);
absl::StatusOr<NpyArray> readNpy(const std::string &path);

} // namespace graphc::checkpoint
#endif
