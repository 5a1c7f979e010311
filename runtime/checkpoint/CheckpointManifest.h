//===- CheckpointManifest.h - what a committed checkpoint holds ---------------------*- C++ -*-===//
//
// manifest.json, the last file of a checkpoint to appear: its presence is the commit. It carries
// checksums of every shard and, in its last line, of itself. No time, host, process or path stands
// in it, so that equal runs write equal bytes.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_CHECKPOINT_CHECKPOINTMANIFEST_H
#define GRAPHC_RUNTIME_CHECKPOINT_CHECKPOINTMANIFEST_H

#include "runtime/common/plan/plan.pb.h"

#include "absl/status/statusor.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace graphc::checkpoint {

/// A tensor of a shard: a variable of the model, or rows of one that was split.
struct VariableInfo {
  std::string name; ///< of the tensor
  plan::TensorType type;
  std::optional<plan::Part> part;

  const std::string &modelName() const { return part ? part->of() : name; }
  const plan::TensorType &modelType() const { return part ? part->type() : type; }
};

/// What an owner tells the chief about the shard it wrote.
struct ShardInfo {
  std::string file; ///< within the checkpoint's folder: "ps-0.safetensors"
  uint64_t bytes = 0;
  uint32_t crc32c = 0;
  std::string sha256; ///< 64 hexadecimal digits
  std::vector<VariableInfo> variables; ///< sorted by name
};

struct CheckpointManifest {
  static constexpr int64_t formatVersion = 1;
  uint64_t globalStep = 0; ///< steps made; where each counts once, the value of global_step
  /// by name of a stream (data/SampleStreams.h): samples taken of it
  std::map<std::string, uint64_t> dataPositions;
  std::map<std::string, std::vector<uint64_t>>
      dataTaken; ///< those ahead of others, as data::ConsumedRanges has them; none is empty
  std::map<std::string, std::string>
      algorithms; ///< of libraries, by kernel: a run that goes on has the same bits with these
  std::vector<ShardInfo> shards; ///< sorted by file

  /// Bytes of a variable of the model, and the tensor that has them.
  struct Piece {
    const ShardInfo *shard;
    const VariableInfo *info;
    uint64_t begin, end;
  };
  /// Of each variable of the model, in order; together they are all of it. Points into this
  /// manifest.
  std::map<std::string, std::vector<Piece>, std::less<>> pieces() const;
};

/// The exact bytes of manifest.json.
std::string encodeManifest(CheckpointManifest manifest);
/// Compares the checksum, and checks every key, name and size; `name` is for messages. Shard files
/// are names without '/'.
absl::StatusOr<CheckpointManifest> decodeManifest(std::string_view text, std::string_view name);

/// One shard as a line of JSON, for the control plane, and back.
std::string encodeShard(const ShardInfo &shard);
absl::StatusOr<ShardInfo> decodeShard(std::string_view text);

/// Whether `name` may be the file of a shard: letters, digits, '_', '-' and '.', not hidden, ending
/// in .safetensors.
bool isShardFile(std::string_view name);

} // namespace graphc::checkpoint
#endif
