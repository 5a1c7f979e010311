#include "runtime/checkpoint/Checkpoint.h"

#include "runtime/checkpoint/CheckpointLayout.h"
#include "runtime/common/base/Crc32c.h"
#include "runtime/common/base/Sha256.h"
#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/plan/PlanTypes.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <cstring>
#include <fcntl.h>
#include <map>
#include <set>
#include <unistd.h>

namespace graphc::checkpoint {
std::string shardFile(std::string_view job, uint32_t task) {
  return absl::StrCat(absl::string_view(job.data(), job.size()), "-", task, ".safetensors");
}

absl::StatusOr<ShardInfo> writeShard(const std::string &dir, const std::string &nonce,
                                     uint64_t step, const std::string &file,
                                     const std::vector<TensorView> &tensors) {
  if (!isShardFile(file))
    return absl::InternalError(absl::StrCat("not the name of a shard: ", file));
  std::string folder = partialPath(dir, step, nonce), path = absl::StrCat(folder, "/", file);
  base::UniqueFd fd(
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644));
  if (!fd)
    return base::errnoStatus(path, errno);

  ShardInfo shard;
  shard.file = file;
  base::Sha256 sha;
  auto sink = [&](const void *data, size_t size) -> absl::Status {
    // In pieces, so that what is summed is still in the cache when it is written.
    for (size_t done = 0; done < size;) {
      size_t piece = std::min<size_t>(size - done, 1 << 20);
      const char *p = static_cast<const char *>(data) + done;
      shard.crc32c = base::crc32c(shard.crc32c, p, piece);
      sha.update({p, piece});
      GRAPHC_RETURN_IF_ERROR(base::writeAll(fd.get(), p, piece, path));
      done += piece;
      shard.bytes += piece;
    }
    return absl::OkStatus();
  };
  GRAPHC_RETURN_IF_ERROR(encodeSafetensors(tensors, sink));
  if (fsync(fd.get()) != 0)
    return base::errnoStatus(path, errno);
  GRAPHC_RETURN_IF_ERROR(base::syncDirectory(folder));
  shard.sha256 = base::toHex(sha.finish());
  for (const TensorView &tensor : tensors)
    shard.variables.push_back({tensor.name, tensor.type, tensor.part});
  std::sort(shard.variables.begin(), shard.variables.end(),
            [](const VariableInfo &a, const VariableInfo &b) { return a.name < b.name; });
  return shard;
}

/// Every variable of the plan is in the checkpoint, with its whole type. How it is cut in parts
/// there does not matter.
absl::Status checkVariables(const CommittedCheckpoint &checkpoint, const plan::Plan &plan,
                            std::vector<std::string> &warnings) {
  auto there = checkpoint.manifest.pieces();
  std::set<std::string> known;
  for (const plan::Variable &variable : plan.variables()) {
    const std::string &name = plan::modelName(variable);
    const plan::TensorType &type = plan::modelType(variable);
    auto pieces = there.find(name);
    if (pieces == there.end())
      return absl::FailedPreconditionError(absl::StrCat(
          "checkpoint ", checkpoint.path, " has no variable ", name, " (", plan::typeText(type),
          "); it was written by another model; use another "
          "--checkpoint_dir, or begin with its values: --init_from"));
    const plan::TensorType &found = pieces->second.front().info->modelType();
    if (!plan::sameType(found, type))
      return absl::FailedPreconditionError(absl::StrCat(
          "checkpoint ", checkpoint.path, ": variable ", name, " is ", plan::typeText(found),
          ", the plan has ", plan::typeText(type), "; use another --checkpoint_dir"));
    known.insert(name);
  }
  for (const auto &[name, pieces] : there)
    if (!known.contains(name))
      warnings.push_back(absl::StrCat("checkpoint ", checkpoint.path, ": variable ", name,
                                      " is not in the plan and is left out"));
  return absl::OkStatus();
}

absl::Status restoreVariables(const CommittedCheckpoint &checkpoint,
                              const std::vector<RestoreTarget> &targets) {
  using Piece = CheckpointManifest::Piece;
  auto there = checkpoint.manifest.pieces();
  std::map<const ShardInfo *, std::vector<std::pair<const RestoreTarget *, const Piece *>>> wanted;
  for (const RestoreTarget &target : targets) {
    auto pieces = there.find(target.name);
    if (pieces == there.end())
      return absl::FailedPreconditionError(
          absl::StrCat("checkpoint ", checkpoint.path, " has no variable ", target.name));
    const plan::TensorType &type = pieces->second.front().info->modelType();
    if (!plan::sameType(type, target.type))
      return absl::FailedPreconditionError(
          absl::StrCat("checkpoint ", checkpoint.path, ": variable ", target.name, " is ",
                       plan::typeText(type), ", the plan has ", plan::typeText(target.type)));
    for (const Piece &piece : pieces->second)
      if (piece.begin < target.offset + target.bytes && piece.end > target.offset)
        wanted[piece.shard].push_back({&target, &piece});
  }
  for (const auto &[shard, copies] : wanted) {
    GRAPHC_ASSIGN_OR_RETURN(base::MappedFile file, openShard(checkpoint, *shard));
    std::string path = absl::StrCat(checkpoint.path, "/", shard->file);
    GRAPHC_ASSIGN_OR_RETURN(std::vector<TensorEntry> entries, decodeSafetensors(file.view(), path));
    std::map<std::string_view, const TensorEntry *> byName;
    for (const TensorEntry &entry : entries)
      byName[entry.name] = &entry;
    for (auto [target, piece] : copies) {
      auto entry = byName.find(piece->info->name);
      if (entry == byName.end())
        return absl::DataLossError(absl::StrCat(path, ": lacks the variable ", piece->info->name,
                                                " that the manifest promises"));
      if (!plan::sameType(entry->second->type, piece->info->type))
        return absl::DataLossError(absl::StrCat(
            path, ": variable ", piece->info->name, " is ", plan::typeText(entry->second->type),
            ", the manifest promises ", plan::typeText(piece->info->type)));
      uint64_t begin = std::max(piece->begin, target->offset);
      uint64_t end = std::min(piece->end, target->offset + target->bytes);
      memcpy(static_cast<uint8_t *>(target->data) + (begin - target->offset),
             file.data() + entry->second->offset + (begin - piece->begin), end - begin);
    }
  }
  return absl::OkStatus();
}

} // namespace graphc::checkpoint
