//===- NpyStream.h - a .npy file that grows row by row ------------------------------*- C++ -*-===//
//
// For --fetch NAME=FILE.npy. Rows go to FILE.npy.partial as they come; how many there are is
// written into the header at the end, and only then the file gets its name. So FILE.npy is whole or
// as it was.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_CHECKPOINT_NPYSTREAM_H
#define GRAPHC_RUNTIME_CHECKPOINT_NPYSTREAM_H

#include "runtime/common/base/File.h"
#include "runtime/common/plan/plan.pb.h"

#include "absl/status/statusor.h"

#include <memory>
#include <string>

namespace graphc::checkpoint {

/// One thread at a time. Every error names the file.
class NpyStream {
public:
  /// `row`: the type of what is put one behind the other, along a dimension before its own; bf16 is
  /// written as f32. A FILE.npy.partial that a run has left behind is replaced.
  static absl::StatusOr<std::unique_ptr<NpyStream>> create(const std::string &path,
                                                           const plan::TensorType &row);

  /// Where it writes until commit().
  static std::string partialPathOf(const std::string &path);

  /// `data`: so many rows end to end.
  absl::Status append(const void *data, uint64_t rows);
  uint64_t rows() const { return rows_; }
  const std::string &path() const { return path_; }
  std::string partialPath() const { return path_ + kPartial; }

  /// The header, and the file gets its name.
  absl::Status commit();
  /// The header; what there is stays FILE.npy.partial.
  absl::Status keepPartial();

private:
  static constexpr char kPartial[] = ".partial";
  NpyStream(std::string path, plan::TensorType row)
      : path_(std::move(path)), row_(std::move(row)) {}
  absl::StatusOr<std::string> header(int64_t rows) const;
  absl::Status flush();
  absl::Status writeHeader();

  const std::string path_;
  const plan::TensorType row_;
  uint64_t rowBytes_ = 0;
  size_t headerBytes_ = 0; ///< of the most rows
  uint64_t rows_ = 0;
  std::string waiting_; ///< not written yet: many rows are small
  base::UniqueFd fd_;
};

} // namespace graphc::checkpoint
#endif
