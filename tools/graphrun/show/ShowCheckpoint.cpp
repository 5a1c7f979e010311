//===- ShowCheckpoint.cpp - what is in a checkpoint, and whether it is whole ------------------===//
#include "tools/graphrun/show/ShowReaders.h"

#include "runtime/checkpoint/Checkpoint.h"
#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/plan/PlanTypes.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"

#include <algorithm>
#include <filesystem>

namespace graphc::graphrun {
namespace {
using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;
constexpr char kPartial[] = ".partial";

std::string timeText(absl::Time time) {
  return time == absl::InfinitePast()
             ? ""
             : absl::FormatTime("%Y-%m-%dT%H:%M:%S%Ez", time, absl::LocalTimeZone());
}

Json shardOf(const checkpoint::CommittedCheckpoint &found, const checkpoint::ShardInfo &shard,
             std::vector<std::string> &damaged) {
  const absl::Status status = checkpoint::checkShard(found, shard);
  if (!status.ok())
    damaged.push_back(base::describe(status));
  return {{"file", shard.file},
          {"bytes", shard.bytes},
          {"variables", shard.variables.size()},
          {"whole", status.ok()},
          {"sha256", shard.sha256}};
}

Json variablesOf(const checkpoint::CheckpointManifest &manifest) {
  Json variables = Json::array();
  for (const auto &[name, pieces] : manifest.pieces()) {
    std::vector<std::string> files;
    for (const checkpoint::CheckpointManifest::Piece &piece : pieces)
      files.push_back(piece.shard->file);
    const plan::TensorType &type = pieces.front().info->modelType();
    variables.push_back({{"name", name},
                         {"type", plan::typeText(type)},
                         {"bytes", plan::tensorBytes(type).value_or(0)},
                         {"in", files}});
  }
  return variables;
}

/// "DIR/step-12/manifest.json" and "DIR/step-12/" are "DIR/step-12".
std::string folderOf(const std::string &path) {
  fs::path folder(path);
  std::error_code error;
  if (!fs::is_directory(folder, error))
    folder = folder.has_parent_path() ? folder.parent_path() : fs::path(".");
  return folder.has_filename() || !folder.has_parent_path() ? folder.native()
                                                            : folder.parent_path().native();
}
} // namespace

absl::StatusOr<ShowResult> showCheckpoint(const std::string &path) {
  GRAPHC_ASSIGN_OR_RETURN(checkpoint::CommittedCheckpoint found,
                          checkpoint::readCheckpoint(folderOf(path)));
  ShowResult shown;
  shown.json = {{"kind", "checkpoint"},
                {"path", found.path},
                {"step", found.manifest.globalStep},
                {"made", timeText(checkpoint::madeAt(found.path))}};
  Json shards = Json::array();
  for (const checkpoint::ShardInfo &shard : found.manifest.shards)
    shards.push_back(shardOf(found, shard, shown.damaged));
  shown.json["whole"] = shown.damaged.empty();
  shown.json["samples_taken"] = Json(found.manifest.dataPositions);
  // of these samples, behind some that are still to come
  for (const auto &[stream, ends] : found.manifest.dataTaken) {
    uint64_t ahead = 0;
    for (size_t i = 0; i + 1 < ends.size(); i += 2)
      ahead += ends[i + 1] - ends[i];
    shown.json["samples_taken_ahead"][stream] = ahead;
  }
  shown.json["algorithms"] = Json(found.manifest.algorithms);
  shown.json["shards"] = shards;
  shown.json["variables"] = variablesOf(found.manifest);
  return shown;
}

absl::StatusOr<ShowResult> showCheckpointFolder(const std::string &path) {
  GRAPHC_ASSIGN_OR_RETURN(std::vector<uint64_t> steps, checkpoint::committedSteps(path));
  ShowResult shown;
  shown.json = {{"kind", "checkpoints"}, {"path", path}};
  Json list = Json::array(), variables = Json::array();
  std::optional<uint64_t> newest;
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    const std::string of = absl::StrCat(path, "/step-", *step);
    Json row = {{"step", *step}, {"made", timeText(checkpoint::madeAt(of))}};
    std::vector<std::string> damaged;
    absl::StatusOr<checkpoint::CommittedCheckpoint> found = checkpoint::readCheckpoint(of);
    if (!found.ok())
      damaged.push_back(base::describe(found.status()));
    else if (found->manifest.globalStep != *step)
      damaged.push_back(
          absl::StrCat(of, ": its manifest is that of step ", found->manifest.globalStep));
    if (found.ok()) {
      uint64_t bytes = 0;
      for (const checkpoint::ShardInfo &shard : found->manifest.shards) {
        bytes += shard.bytes;
        shardOf(*found, shard, damaged);
      }
      row["shards"] = found->manifest.shards.size();
      row["bytes"] = bytes;
    }
    row["whole"] = damaged.empty();
    if (damaged.empty() && !newest) {
      newest = *step;
      variables = variablesOf(found->manifest);
    }
    list.push_back(row);
    shown.damaged.insert(shown.damaged.end(), damaged.begin(), damaged.end());
  }
  std::error_code error;
  std::vector<std::string> partial;
  for (fs::directory_iterator entry(path, error), end; !error && entry != end;
       entry.increment(error))
    if (const std::string name = entry->path().filename().native();
        absl::StartsWith(name, "step-") && absl::EndsWith(name, kPartial))
      partial.push_back(name);
  std::sort(partial.begin(), partial.end());
  if (newest)
    shown.json["newest_whole_step"] = *newest;
  shown.json["being_written_or_left"] = partial;
  shown.json["checkpoints"] = list;
  shown.json["variables"] = variables;
  return shown;
}

absl::StatusOr<ShowResult> showTensors(const std::string &path) {
  GRAPHC_ASSIGN_OR_RETURN(base::MappedFile file, base::MappedFile::open(path));
  GRAPHC_ASSIGN_OR_RETURN(std::vector<checkpoint::TensorEntry> tensors,
                          checkpoint::decodeSafetensors(file.view(), path));
  std::sort(tensors.begin(), tensors.end(), [](auto &a, auto &b) { return a.name < b.name; });
  ShowResult shown;
  shown.json = {
      {"kind", "tensors"}, {"path", path}, {"bytes", file.size()}, {"tensors", Json::array()}};
  for (const checkpoint::TensorEntry &tensor : tensors)
    shown.json["tensors"].push_back(
        {{"name", tensor.name}, {"type", plan::typeText(tensor.type)}, {"bytes", tensor.bytes}});
  // What the file promises of itself says nothing of what the values were: a manifest beside it
  // does.
  const fs::path own(path);
  const std::string folder = folderOf(path);
  if (absl::StatusOr<checkpoint::CommittedCheckpoint> found = checkpoint::readCheckpoint(folder);
      found.ok())
    for (const checkpoint::ShardInfo &shard : found->manifest.shards)
      if (shard.file == own.filename().native()) {
        shown.json["step"] = found->manifest.globalStep;
        shown.json["whole"] = shardOf(*found, shard, shown.damaged)["whole"];
      }
  return shown;
}

} // namespace graphc::graphrun
