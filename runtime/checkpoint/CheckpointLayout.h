//===- CheckpointLayout.h ---------------------------------------------------------------------===//
//
// Names in a checkpoint's folder, and its shards; private to this folder.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_CHECKPOINT_CHECKPOINTLAYOUT_H
#define GRAPHC_RUNTIME_CHECKPOINT_CHECKPOINTLAYOUT_H

#include "runtime/checkpoint/Checkpoint.h"
#include "runtime/common/base/File.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace graphc::checkpoint {

inline constexpr char manifestFile[] = "manifest.json";
inline constexpr char partialSuffix[] = ".partial";
inline constexpr char noncePrefix[] = ".graphc-nonce-";

/// 32 hexadecimal digits by which those that work in a folder together know each other's names
/// there.
absl::StatusOr<std::string> makeWord();
bool isWord(std::string_view word);

std::string stepPath(const std::string &dir, uint64_t step);
/// Where a checkpoint is written before it is one: "DIR/step-40.1f2e3d4c.partial". `word`:
/// CheckpointDirectory::nonce(), another one each time that a run begins or goes on, so that a task
/// of an earlier one that wakes up again writes beside it.
std::string partialPath(const std::string &dir, uint64_t step, const std::string &word);
/// The N of "step-N" in its one spelling; false for any other name.
bool parseStep(std::string_view name, uint64_t &step);

/// Checks size and both checksums of a shard; the mapping on success.
absl::StatusOr<base::MappedFile> openShard(const CommittedCheckpoint &checkpoint,
                                           const ShardInfo &shard);

} // namespace graphc::checkpoint
#endif
