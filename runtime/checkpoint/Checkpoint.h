//===- Checkpoint.h - writing, committing, finding and restoring checkpoints --------*- C++ -*-===//
//
//   DIR/step-1172/ps-0.safetensors      one shard an owner task
//   DIR/step-1172/manifest.json         the commit
//   DIR/step-1172.partial/              being written, or left by a killed run; nobody reads it
//
// Owners write their shards into the .partial folder and send the chief a ShardInfo. When it has
// all of them the chief writes the manifest (atomic rename, last) and renames the folder, both
// followed by fsync: a reader at any moment, training or not, sees a whole checkpoint or none.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_CHECKPOINT_CHECKPOINT_H
#define GRAPHC_RUNTIME_CHECKPOINT_CHECKPOINT_H

#include "runtime/checkpoint/CheckpointManifest.h"
#include "runtime/checkpoint/SafetensorsFile.h"
#include "runtime/common/base/File.h"

#include "absl/time/time.h"

#include <map>
#include <optional>
#include <string>
#include <utility>

namespace graphc::checkpoint {

/// Steps of all folders step-N in DIR, ascending; none where DIR does not exist.
absl::StatusOr<std::vector<uint64_t>> committedSteps(const std::string &dir);

/// File name of a task's shard: "ps-0.safetensors".
std::string shardFile(std::string_view job, uint32_t task);

/// Owner: writes one shard of `step`, synced to disk, for the chief of whose hold on DIR the word
/// is `nonce`.
absl::StatusOr<ShardInfo> writeShard(const std::string &dir, const std::string &nonce,
                                     uint64_t step, const std::string &file,
                                     const std::vector<TensorView> &tensors);

/// A committed checkpoint, not necessarily checked yet.
struct CommittedCheckpoint {
  std::string path; ///< "DIR/step-1172"
  CheckpointManifest manifest;
};

/// Whether DIR is one checkpoint and not a folder of them.
bool isCheckpoint(const std::string &dir);

/// The newest checkpoint of DIR whose manifest and every shard's size and checksums are right, or
/// DIR itself where it is one. What was skipped and why goes to `warnings`. Nothing there, or no
/// DIR: an empty optional.
absl::StatusOr<std::optional<CommittedCheckpoint>> findNewest(const std::string &dir,
                                                              std::vector<std::string> &warnings);

/// Reads DIR/step-N's manifest alone; restoreVariables checks the shards that it takes from.
absl::StatusOr<CommittedCheckpoint> readCheckpoint(const std::string &path);

/// When it was committed, by the clock of the file system; no manifest has it
/// (CheckpointManifest.h). InfinitePast: not known.
absl::Time madeAt(const std::string &path);

/// Whether a shard of it is there with the size and both checksums that the manifest promises.
absl::Status checkShard(const CommittedCheckpoint &checkpoint, const ShardInfo &shard);

/// readCheckpoint, and the checksums of every shard.
absl::StatusOr<CommittedCheckpoint> openCheckpoint(const std::string &path);

/// Whether the checkpoint has every variable of the model with its type, in whatever parts. The
/// error names the first that does not fit; variables that the plan does not know are named in
/// `warnings`.
absl::Status checkVariables(const CommittedCheckpoint &checkpoint, const plan::Plan &plan,
                            std::vector<std::string> &warnings);

/// Where restored values go: `bytes` from `offset` on of a variable of the model.
struct RestoreTarget {
  std::string name;
  plan::TensorType type;
  void *data = nullptr;
  uint64_t bytes = 0;
  uint64_t offset = 0;
};

/// Owner: compares the checksums of the shards it needs and copies its variables, or its parts of
/// them, out of them. Whatever tasks wrote them, in whatever parts.
absl::Status restoreVariables(const CommittedCheckpoint &checkpoint,
                              const std::vector<RestoreTarget> &targets);

/// Chief: a file in a folder with a random word for its name; who finds it there sees the same
/// folder (checkNonce). Those of runs that were killed go when one is made.
class CheckpointNonce {
public:
  static absl::StatusOr<CheckpointNonce> create(const std::string &dir);
  CheckpointNonce(CheckpointNonce &&other) noexcept
      : path_(std::exchange(other.path_, {})), text_(std::move(other.text_)),
        file_(std::move(other.file_)) {}
  CheckpointNonce &operator=(CheckpointNonce &&) = delete;
  ~CheckpointNonce(); ///< removes the file
  const std::string &word() const { return text_; }

private:
  CheckpointNonce() = default;
  std::string path_, text_;
  base::UniqueFd file_; ///< held while it is needed
};

/// Chief: one run's hold on DIR. The folder itself is locked, so that two runs cannot write into
/// it; the lock goes with the process, whatever ends it.
class CheckpointDirectory {
public:
  static constexpr uint32_t kKeep = 5; ///< TensorFlow's
  /// Makes DIR where it is missing, locks it and clears what a killed run left. `keep`: how many
  /// checkpoints stay; 0: all. `wait`: for who holds it.
  static absl::StatusOr<CheckpointDirectory> open(const std::string &dir, uint32_t keep = kKeep,
                                                  absl::Duration wait = absl::ZeroDuration());
  CheckpointDirectory(CheckpointDirectory &&) = default;
  CheckpointDirectory &operator=(CheckpointDirectory &&) = delete;

  /// Its word; valid also once the file is gone.
  const std::string &nonce() const { return word_; }
  /// Removes the nonce's file once all owners have looked.
  void forgetNonce() { mark_.reset(); }

  /// Before the owners are told to write: an empty .partial folder, of this hold's own.
  absl::Status prepare(uint64_t step);
  /// Where one of them could not: what the others have written goes.
  void abandon(uint64_t step);
  /// From now on this one stays, in place of the one that was named before, beside those that are
  /// kept.
  void spare(uint64_t step) { spared_ = step; }
  /// After all of them have: manifest, rename, then the oldest checkpoints beyond `keep` go.
  absl::Status commit(const CheckpointManifest &manifest);

private:
  CheckpointDirectory() = default;
  absl::Status prune(uint64_t newest);
  std::string dir_, word_;
  uint32_t keep_ = kKeep;
  std::optional<uint64_t> spared_;
  base::UniqueFd lock_;
  std::optional<CheckpointNonce> mark_;
};

/// Of a folder of that name that is another one here.
absl::Status notTheChiefs(const std::string &dir);
/// Owner: whether DIR here is the chief's DIR.
absl::Status checkNonce(const std::string &dir, const std::string &nonce);

} // namespace graphc::checkpoint
#endif
