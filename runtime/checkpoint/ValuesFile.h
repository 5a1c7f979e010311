//===- ValuesFile.h - values of variables that another program has written ----------*- C++ -*-===//
//
//   FILE.npz            numpy.savez, numpy.savez_compressed: the entry NAME.npy has the values of NAME
//   FILE.safetensors    the tensor NAME has them
//
// For --init_from. Nothing in such a file is trusted. What it says of itself is checked when it is
// opened, a tensor when it is read; no more memory is taken than its directory needs and whoever
// reads has provided.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_CHECKPOINT_VALUESFILE_H
#define GRAPHC_RUNTIME_CHECKPOINT_VALUESFILE_H

#include "runtime/checkpoint/Checkpoint.h"
#include "runtime/common/base/File.h"
#include "runtime/common/base/ZipEntry.h"

#include <functional>
#include <map>

namespace graphc::checkpoint {

class ValuesFile {
public:
  /// Whether a file of this name may be one.
  static bool isNamedSo(std::string_view path);
  static absl::StatusOr<ValuesFile> open(const std::string &path);
  /// The same of its bytes, which have to outlive it (tests, fuzzing). `path` is for its kind and
  /// for messages.
  static absl::StatusOr<ValuesFile> parse(std::string_view content, std::string path);

  const std::string &path() const { return path_; }
  /// By what it is the same on another machine. The second reads all of it.
  uint64_t bytes() const { return content_.size(); }
  absl::StatusOr<uint32_t> crc32c() const;

  std::vector<std::string> names() const;
  bool has(std::string_view name) const { return tensors_.find(name) != tensors_.end(); }
  /// Of one that it has. The error says why no variable can have these values, and what to save
  /// instead.
  absl::StatusOr<plan::TensorType> typeOf(std::string_view name) const;
  /// Copies the target's bytes of the tensor of its name. Without bytes: reads all of it and says
  /// whether it is sound.
  absl::Status read(const RestoreTarget &target) const;

private:
  struct Tensor {
    base::ZipListed listed; ///< of a .npz
    TensorEntry entry; ///< of a .safetensors
  };
  struct Array { ///< of a .npz, open
    std::unique_ptr<base::ByteReader> reader;
    std::string begin; ///< what was read of the elements along with the header
    plan::TensorType type;
  };
  using Sink = std::function<void(uint64_t at, std::string_view piece)>;

  ValuesFile() = default;
  absl::Status readDirectory();
  absl::Status add(std::string_view name, Tensor tensor);
  absl::StatusOr<Array> openArray(std::string_view name, const Tensor &tensor) const;
  absl::Status pass(std::string_view name, const Tensor &tensor, const plan::TensorType &type,
                    const Sink &sink) const;

  std::string path_;
  base::MappedFile mapping_; ///< none of parse()
  std::string_view content_;
  bool zip_ = false;
  std::map<std::string, Tensor, std::less<>> tensors_;
};

} // namespace graphc::checkpoint
#endif
